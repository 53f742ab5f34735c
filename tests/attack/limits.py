# SPDX-License-Identifier: MIT
"""The limits and sandboxes of matrix.py, which kinds of programs make no sense in them, and what is known to fall short."""
import fnmatch
import os
import shutil

USER = "64123"  # a user id that nothing else uses
ALL = ("dynamic", "static", "musl")


class Limit:
    """words: for tests/programs/limited; place: what /dev/shm is; around, inside: commands before limited and behind it;
    sandbox: entered by the program once it has registered, late: before the session starts."""

    def __init__(self, name, *words, place="common", around=(), inside=(), sandbox="none", late=False, env=None, builds=ALL,
                 only=("*",), never=()):
        self.name, self.words, self.place, self.around, self.inside = name, words, place, around, inside
        self.sandbox, self.late, self.env, self.builds, self.only, self.never = sandbox, late, env or {}, builds, only, never


def own_mounts(command):
    """A mount namespace in which command has run."""
    return ("unshare", "-m", "--propagation", "private", "sh", "-c", f'{command} && exec "$@"', "sh")


CHROOT = shutil.which("chroot")
# Roots of their own: one that looks like the machine's, and one with the programs and /dev/shm alone. $1: limited.
OVERLAY = ("mount -t tmpfs none /mnt && mkdir /mnt/upper /mnt/work /mnt/root"
           " && mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root"
           ' && mount --rbind /dev /mnt/root/dev && mount --rbind /proc /mnt/root/proc'
           ' && mount --bind "${1%/tests/programs/*}" "/mnt/root${1%/tests/programs/*}"')
BARE = ('mount -t tmpfs none /mnt && mkdir -p /mnt/root/dev/shm "/mnt/root${1%/tests/programs/*}"'
        ' && mount --bind /dev/shm /mnt/root/dev/shm && mount --bind "${1%/tests/programs/*}" "/mnt/root${1%/tests/programs/*}"')

UID = f"uid={USER}"
LOADED = ("dynamic",)
# Programs that are traced, or single-stepped, are slow enough without an emulator; others ask what it has not.
PLAIN = ("plain", "threads", "storm", "children", "big", "at_exit", "nothing", "becomes", "thread_chain")
# These ask the kernel by their nature: registering, a state record, the helper thread.
ASKS = ("comes_and_goes", "state", "helper", "plugin")

LIMITS = [
    Limit("nothing"),
    Limit("a user", UID),
    Limit("fsize 0", "fsize=0"),
    Limit("fsize 0 as a user", "fsize=0", UID),
    Limit("fsize 4K", "fsize=4096"),
    Limit("fsize 20M", "fsize=20971520", UID),
    Limit("nofile 3", "nofile=3", builds=("static", "musl")),
    Limit("nofile 4", "nofile=4"),
    Limit("nofile 5", "nofile=5"),
    Limit("nofile 6", "nofile=6", UID),
    Limit("nofile 8", "nofile=8"),
    Limit("as 64M", "as=67108864"),
    Limit("as 256M", "as=268435456", UID),
    Limit("data 4M", "data=4194304"),
    Limit("stack 64K", "stack=65536"),
    Limit("stack 256K", "stack=262144", UID),
    Limit("memlock 0", "memlock=0", UID),
    Limit("memlock 1M", "memlock=1048576", UID),
    Limit("nproc 1", "nproc=1", "uid=64125"),
    Limit("core 0", "core=0"),
    Limit("cpu 20", "cpu=20"),
    Limit("rtprio 0", "rtprio=0", UID),
    Limit("sigpending 0", "sigpending=0", UID),
    Limit("locks, nice, msgqueue 0", "locks=0", "nice=0", "msgqueue=0", "rttime=0", UID),
    Limit("nofile 64", "nofile=64", UID),
    Limit("no rseq", env={"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}),
    Limit("full: 0 pages", place="full0"),
    Limit("full: 1 page", UID, place="full1"),
    Limit("full: 4 pages", place="full4"),
    Limit("full: 16 pages", UID, place="full16"),
    Limit("full: 64 pages", place="full64"),
    Limit("no inodes", place="inodes"),
    Limit("shm read-only", around=own_mounts("mount -o remount,bind,ro /dev/shm")),
    Limit("shm absent", around=own_mounts("mount -t tmpfs -o ro,mode=0 none /dev/shm")),
    Limit("shm of one page", UID, around=own_mounts("mount -t tmpfs -o size=4k,mode=1777 none /dev/shm")),
    Limit("shm noexec", around=own_mounts("mount -o remount,bind,noexec,nosuid,nodev /dev/shm")),
    Limit("no /proc", around=own_mounts("mount -t tmpfs none /proc"), never=("vforks", "becomes", "exec_in_thread", "other_root*", "same_addresses", "spawns", "counts_itself", "joins_space")),
    Limit("user namespace", around=("unshare", "-U")),
    Limit("user namespace of root", around=("unshare", "-U", "-r")),
    Limit("nested user namespaces", around=("unshare", "-U", "-r", "unshare", "-U", "-r")),
    Limit("no_new_privs", around=("setpriv", "--no-new-privs")),
    Limit("same addresses", around=("setarch", "-R")),
    Limit("pid namespace", around=("unshare", "-p", "-f")),
    Limit("time namespace", around=("unshare", "--time", "--boottime", "100000", "--monotonic", "100000", "-f")),
    Limit("errno filter before exec", UID, "sandbox=errno", builds=("static", "musl")),
    Limit("proc hidden", UID, around=own_mounts("mount -t proc -o hidepid=2 none /proc")),
    Limit("proc read-only", around=own_mounts("mount -o remount,bind,ro /proc")),
    Limit("no /dev", around=own_mounts("mount -t tmpfs none /dev")),
    Limit("shm is a link to nowhere", UID, around=own_mounts("mount -t tmpfs none /dev && ln -s /nowhere /dev/shm")),
    Limit("shm on disk", around=own_mounts('d=${1%/tests/programs/*}/disk; mkdir -p "$d" && mount --bind "$d" /dev/shm')),
    Limit("overlay root", around=own_mounts(OVERLAY), inside=(CHROOT, "/mnt/root")),
    Limit("bare root", around=own_mounts(BARE), inside=(CHROOT, "/mnt/root"), builds=("static", "musl")),
    Limit("bare root as a user", around=own_mounts(BARE), inside=(CHROOT, f"--userspec={USER}:{USER}", "/mnt/root"), builds=("static", "musl")),
    Limit("all namespaces", around=("unshare", "-U", "-r", "-m", "-p", "-f", "-i", "-u", "-n", "--mount-proc")),
    Limit("root without capabilities", around=("setpriv", "--bounding-set=-all", "--inh-caps=-all")),
    Limit("umask 777", around=("sh", "-c", 'umask 777; exec "$@"', "sh")),
    Limit("stdio closed", around=("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")),
    Limit("nproc 0", "nproc=0", "uid=64126"),
    Limit("stack 16K", "stack=16384"),
    Limit("stack 32K", "stack=32768", UID),
    Limit("the last user id", "uid=4294967294"),
    Limit("memory that is not zero", env={"MALLOC_PERTURB_": "165"}, builds=("dynamic", "static")),
    Limit("strict", sandbox="strict", never=ASKS),
    Limit("kill filter", sandbox="kill", never=ASKS),
    Limit("errno filter", UID, sandbox="errno", never=("first_ends", "plugin")),
    Limit("strict, then a session", sandbox="strict", never=ASKS, late=True),
    Limit("kill filter, then a session", UID, sandbox="kill", never=ASKS, late=True),
    Limit("errno filter, then a session", sandbox="errno", never=("first_ends", "plugin"), late=True),
    Limit("strict, told", sandbox="strict-told", never=ASKS),
    Limit("kill filter, told", UID, sandbox="kill-told", never=ASKS),
    Limit("strict, told, then a session", UID, sandbox="strict-told", never=ASKS, late=True),
    Limit("kill filter, told, then a session", sandbox="kill-told", never=ASKS, late=True),
    Limit("a session later", UID, late=True),
]
if os.uname().machine == "x86_64":
    LIMITS += [
        Limit("no counter", sandbox="tsc", never=ASKS),
        Limit("no counter, then a session", sandbox="tsc", never=ASKS, late=True),
        Limit("no counter, told", sandbox="tsc-told", never=ASKS),
        Limit("no counter, told, then a session", UID, sandbox="tsc-told", never=ASKS, late=True),
    ]
if shutil.which("strace"):
    LIMITS.append(Limit("strace", inside=(shutil.which("strace"), "-f", "-o", "/dev/null"), only=PLAIN))
if shutil.which("valgrind"):
    LIMITS.append(Limit("valgrind", inside=(shutil.which("valgrind"), "-q"), builds=LOADED, only=PLAIN))

# (kind, limit, why), with * for any: what cannot be had (ENABLE.md, section 9). Such pairs are left out, and named. A program
# that does not tell dies, or lives, as a session's look at it comes late or in time.
KNOWN = [
    ("*", "strict", "not told, and nothing shows that the counter is forbidden"),
    ("many", "kill filter", "not told, and more events than there are blocks ready before a session looks"),
    ("big", "kill filter", "the same, for lanes"),
    ("*", "no counter", "not told, and nothing shows it (but LIVE)"),
]
# Kinds that "no counter" harms in no case: they register behind it, announce it, write only in children (a fork asks), or
# write nothing.
LIVE = {"no counter": ("closed_stdio", "daemon_of_two", "dies_with_parent", "forbids_itself", "killed", "no_directory", "no_umask",
                       "not_dumpable_first", "nothing", "other_root_first", "other_user_first", "pid_namespace", "single_steps",
                       "stops", "system_calls_traced", "time_namespace", "user_namespace_first")}
# The same for one build of a kind.
KNOWN_OF_BUILD = [
    ("locked", "memlock 1M", "musl", "mlockall fails where all that is mapped, locked or not, is more than the limit; others are above it without the library"),
]
# Limits under which no stacks are asked for: the system calls of first stacks kill who has forbidden them and not told.
UNASKED = ("kill filter",)
# As KNOWN, for what is lost and not counted: such pairs are run.
UNCOUNTED = [
    ("*", "full*", "no room for the count"),
    ("*", "shm on disk", "no session sees that directory"),
    ("no_memory_first", "a session later", "root's row cannot be mapped without memory"),
]


def among(table, kind, limit):
    return any(fnmatch.fnmatch(kind, k) and fnmatch.fnmatch(limit.name, l) for k, l, _ in table)


def known_of_build(kind, limit, build):
    return any(kind == k and limit.name == l and build == b for k, l, b, _ in KNOWN_OF_BUILD)


def allowed(kind, limit):
    if not any(fnmatch.fnmatch(kind, p) for p in limit.only) or any(fnmatch.fnmatch(kind, p) for p in limit.never):
        return False
    return kind in LIVE.get(limit.name, ()) or not among(KNOWN, kind, limit)
