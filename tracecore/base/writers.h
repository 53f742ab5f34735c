/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds out whether a process can write to an open file.
 *
 * Who has a file mapped and wrote to it before can write again, and the file keeps its times: on disk until
 * the page has been written back, in a file system in memory for ever. So times prove that a file is
 * unchanged only if nobody could write to it when they were read. The kernel is asked for a lease, which it
 * refuses while a process has the file open for writing or mapped so, and the lease is given back at once.
 * Whoever opens the file for writing in between waits for these microseconds, or gets EWOULDBLOCK with
 * O_NONBLOCK. Any thread.
 *
 * On an overlay the kernel refuses the lease while the file is open for writing, and no longer when it is
 * only mapped so. There the file below is asked too, if it can be found (overlay.h). Otherwise nobody can
 * tell.
 */
#ifndef TRACECORE_BASE_WRITERS_H
#define TRACECORE_BASE_WRITERS_H

#include <stdbool.h>

/** fd: a regular file, open for reading only. False: nobody can, or the kernel does not tell (the caller
 * neither owns the file nor has CAP_LEASE; the file system has no leases). Keeps errno. */
bool wt_file_has_writer(int fd);
/** fd: any descriptor of a regular file, also O_PATH. False also where it cannot be opened through /proc.
 * Keeps errno. */
bool wt_path_has_writer(int fd);

/** fd: any descriptor, also O_PATH. The file lies in a file system in memory (tmpfs, ramfs, hugetlbfs). There
 * a process that has a file mapped can write to it and leave its times as they are for ever: Linux changes
 * them when a process first writes to a page, if it has mapped the page for reading only until then, and
 * makes pages read-only again when it writes them back to a disk (vma_wants_writenotify and
 * fault_dirty_shared_page in the kernel's mm). These file systems have no disk. A file on an overlay counts
 * as one unless the file system below shows that it is none: by attributes that only others know. */
bool wt_file_is_in_memory(int fd);

#endif
