# SPDX-License-Identifier: MIT
"""Proofs, one address at a time, that a place in a program has the names and lines that wtrace tells and addr2line
does not. The witnesses are neither of the two: the symbol table as `readelf` reads it, and the debug information as
`llvm-dwarfdump` reads it (whose tree of functions is searched here, by the rule of DWARF 5, 3.3.8: a call lies within
its caller). The kinds of difference, and what proves each:

  clone      addr2line tells the function that a clone (.isra.0, .cold, ...) was made of: a symbol of the very name that
             wtrace tells covers the address
  alias      a function has several names: symbols of both names cover the address
  padding    between two functions: no symbol and no function of the debug information covers the address, and the
             function that addr2line tells ends before it
  file name  no unit of the debug information covers the address, and the symbol table's name of the object (which may be
             crtstuff.c or cpuinfo.o) is what addr2line tells, without a line
  file       the line table says the file that wtrace tells
  stub       a stub of the procedure linkage table, of which addr2line tells nothing: its jump goes through the word that
             a relocation fills with the address of the function that wtrace tells
  call       the tree of functions has exactly the calls that wtrace tells, at their places, and no others
"""
import re
import subprocess

CLONE = re.compile(r"( \[clone [^]]*\]|\.(isra|part|constprop|cold|lto_priv|llvm)(\.\d+)?)+$")
DIE = re.compile(r"0x([0-9a-f]+):( +)DW_TAG_(\w+)")
ATTRIBUTE = re.compile(r" +DW_AT_(name|linkage_name|abstract_origin|specification|low_pc|high_pc|call_file|call_line)\t\((.*)\)$")
RANGE = re.compile(r" +\[0x([0-9a-f]+), 0x([0-9a-f]+)\)+$")


def said(*words, given=None, codes=(0,)):
    done = subprocess.run(words, input=given, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in codes:
        raise SystemExit("%s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


def demangled(names):
    names = sorted(names)
    return dict(zip(names, said("c++filt", "-i", given="".join(name + "\n" for name in names)).splitlines()))


class Symbols:
    """Functions of the symbol table: (start, end, name, name of the object file)."""

    def __init__(self, path):
        self.rows, file = [], ""
        for line in said("readelf", "-sW", path).splitlines():
            words = line.split()
            if len(words) < 7 or not re.fullmatch(r"\d+:", words[0]):
                continue
            if words[3] == "FILE":
                file = words[7] if len(words) > 7 else ""
            elif words[3] in ("FUNC", "IFUNC") and words[6] != "UND":
                start = int(words[1], 16)
                self.rows.append((start, start + int(words[2], 0), words[7].split("@")[0], file))
        plain = demangled({row[2] for row in self.rows})
        self.rows = sorted((start, end, plain[name], file) for start, end, name, file in self.rows)
        starts = sorted({row[0] for row in self.rows})
        following = dict(zip(starts, starts[1:]))
        # A symbol of assembly has no size: it lasts until the next.
        self.lasting = [(start, end if end > start else following.get(start, start), name, file)
                        for start, end, name, file in self.rows]

    def covering(self, address):
        return [row for row in self.lasting if row[0] <= address < row[1]]

    def named(self, name):
        return [row for row in self.rows if row[2] == name]


class Function:
    """A DIE of a function or of an inlined call."""

    def __init__(self, offset, tag, parent):
        self.offset, self.tag, self.parent = offset, tag, parent
        self.attributes, self.ranges = {}, []

    def finish(self):
        low, high = (self.attributes.get(word, "") for word in ("low_pc", "high_pc"))
        if low and high:
            self.ranges.append((int(low, 16), int(high, 16)))

    def covers(self, address):
        return any(low <= address < high for low, high in self.ranges)


class Tree:
    """The functions of the debug information, as llvm-dwarfdump prints them."""

    def __init__(self, path):
        self.functions, stack, die = {}, [], None
        for line in said("llvm-dwarfdump-14", "--debug-info", path).splitlines():
            match = DIE.match(line)
            if match:
                depth = len(match[2])
                while stack and stack[-1][0] >= depth:
                    stack.pop()
                die = None
                if match[3] in ("subprogram", "inlined_subroutine"):
                    die = Function(int(match[1], 16), match[3], stack[-1][1] if stack else None)
                    self.functions[die.offset] = die
                    stack.append((depth, die))
                continue
            if die is None:
                continue
            match = ATTRIBUTE.match(line)
            if match:
                die.attributes[match[1]] = match[2]
            match = RANGE.match(line)
            if match:
                die.ranges.append((int(match[1], 16), int(match[2], 16)))
        for die in self.functions.values():
            die.finish()

    def name(self, die):
        """As the linker knows it, else as the source does."""
        plain = None
        while die is not None:
            if "linkage_name" in die.attributes:
                return die.attributes["linkage_name"].strip('"')
            plain = plain or die.attributes.get("name")
            origin = die.attributes.get("abstract_origin") or die.attributes.get("specification")
            die = self.functions.get(int(origin.split()[0], 16)) if origin else None
        return (plain or "").strip('"')

    def chain(self, address):
        """The functions there, innermost first: (name, file and line of its call). None: two branches claim it."""
        found = []
        for die in self.functions.values():
            line, up = [], die
            while up is not None and up.covers(address):
                line.append(up)
                up = up.parent if up.tag == "inlined_subroutine" else None
            if line and line[-1].tag == "subprogram":
                found.append(line)
        found.sort(key=len)
        if not found or any(die not in found[-1] for line in found for die in line):
            return None
        return [(self.name(die), die.attributes.get("call_file", "").strip('"').rsplit("/", 1)[-1],
                 int(die.attributes.get("call_line", "0"))) for die in found[-1]]


class Proof:
    def __init__(self, path):
        self.path = path
        self._symbols = self._tree = None
        rows = re.findall(r"\] \.plt\S*\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", said("readelf", "-SW", path))
        self.stubs = [(int(start, 16), int(start, 16) + int(size, 16)) for start, size in rows]
        rows = re.findall(r"^([0-9a-f]+) .*(?:JUMP_SLOT|GLOB_DAT)\S*\s+[0-9a-f]+ ([^\s@]+)", said("readelf", "-rW", path), re.M)
        self.slots = {int(offset, 16): name for offset, name in rows}

    @property
    def symbols(self):
        self._symbols = self._symbols or Symbols(self.path)
        return self._symbols

    @property
    def tree(self):
        self._tree = self._tree or Tree(self.path)
        return self._tree

    def looked_up(self, address):
        """Whether a unit and a function cover the address, and its place."""
        text = said("llvm-dwarfdump-14", "--lookup=0x%x" % address, self.path, codes=(0, 1))
        if "file format elf" not in text: # exit code 1 is said of what is not found, too
            raise SystemExit("%s: llvm-dwarfdump does not read it" % self.path)
        line = re.search(r"^Line info: (?:file '(.*)', )?line (\d+)", text, re.M)
        return ("DW_TAG_compile_unit" in text, "DW_TAG_subprogram" in text or "DW_TAG_inlined_subroutine" in text,
                ((line[1] or "").rsplit("/", 1)[-1], int(line[2])) if line else ("", 0))

    def of_name(self, address, own, theirs):
        """Equal but for the name of the function that was not inlined."""
        mine, other = own[-1][0], theirs[-1][0]
        names = {row[2] for row in self.symbols.covering(address)}
        if own[:-1] != theirs[:-1] or own[-1][1:] != theirs[-1][1:] or mine not in names:
            return None
        if CLONE.search(mine) and CLONE.sub("", mine) == other:
            return "clone"
        return "alias" if other in names else None

    def of_padding(self, address, own, theirs):
        if len(own) != 1 or own[0][0] or len(theirs) != 1 or self.symbols.covering(address):
            return None
        named = self.symbols.named(theirs[0][0])
        _, function, place = self.looked_up(address)
        before = named and all(start < address and end <= address for start, end, _, _ in named)
        return "padding" if before and not function and place == own[0][1:] else None

    def of_file_name(self, address, own, theirs):
        if len(own) != 1 or own[0][1:] != ("", 0) or len(theirs) != 1 or theirs[0][2] or own[0][0] != theirs[0][0]:
            return None
        same = [row for row in self.symbols.covering(address) if row[2:] == theirs[0][:2]]
        return "file name" if same and not self.looked_up(address)[0] else None

    def of_file(self, address, own, theirs):
        if own[1:] != theirs[1:] or own[0][0] != theirs[0][0] or own[0][2] != theirs[0][2]:
            return None
        return "file" if self.looked_up(address)[2] == own[0][1:] else None

    def of_stub(self, address, own, theirs):
        if theirs != [("", "", 0)] or len(own) != 1 or own[0][1:] != ("", 0):
            return None
        for start, end in self.stubs:
            if not start <= address < end:
                continue
            entry = start + (address - start) // 16 * 16
            text = said("llvm-objdump-14", "-d", "--start-address=%d" % entry, "--stop-address=%d" % (entry + 16), self.path)
            jump = re.search(r"jmp\S*\s+\*.*# 0x([0-9a-f]+)", text)
            name = self.slots.get(int(jump[1], 16)) if jump else None
            return "stub" if name and own[0][0] == demangled({name})[name] + "@plt" else None
        return None

    def of_call(self, address, own, theirs):
        chain = self.tree.chain(address)
        if chain is None or len(chain) != len(own) or len(own) == 1:
            return None
        plain = demangled({row[0] for row in chain})
        calls = [(plain[inner[0]], *inner[1:]) for inner in chain[:-1]]
        if calls != [(inner[0], *outer[1:]) for inner, outer in zip(own, own[1:])]:
            return None
        names = {row[2] for row in self.symbols.covering(address)} | {plain[chain[-1][0]]}
        place = own[0][1:] == theirs[0][1:] or own[0][1:] == self.looked_up(address)[2]
        return "call" if own[-1][0] in names and place else None

    def kind(self, address, own, theirs):
        """The kind of a difference that is proved, or None."""
        if not own or not theirs:
            return None
        for proof in (self.of_name, self.of_padding, self.of_file_name, self.of_file, self.of_stub, self.of_call):
            kind = proof(address, own, theirs)
            if kind:
                return kind
        return None
