/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Files that are part of the program, byte for byte. A path is relative to the compiler's working directory:
 * the top directory. The Makefile names the files as prerequisites of the object.
 */
#ifndef TRACECORE_BASE_EMBED_H
#define TRACECORE_BASE_EMBED_H

/** Declares `symbol` and `symbol`_end, between which the bytes of the file stand, aligned for an ELF file. A
 * zero byte follows them, so that a text is a string. */
#define WT_EMBED(symbol, path)                                            \
	__asm__(".pushsection .rodata, \"a\"\n"                           \
		".balign 8\n"                                             \
		".globl " #symbol "\n"                                    \
		".hidden " #symbol "\n" #symbol ":\n"                     \
		".incbin \"" path "\"\n"                                  \
		".globl " #symbol "_end\n"                                \
		".hidden " #symbol "_end\n" #symbol "_end:\n"             \
		".byte 0\n"                                               \
		".popsection\n");                                         \
	__attribute__((visibility("hidden"))) extern const char symbol[]; \
	__attribute__((visibility("hidden"))) extern const char symbol##_end[]

#endif
