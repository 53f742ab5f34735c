#!/bin/sh
# SPDX-License-Identifier: MIT
# Kinds of programs: one that calls in unusual ways (tests/programs/twists.c) is built, linked and run in many ways. What says complete
# or completed names the right callers. The walker's sources draw some of the kinds; WT_KINDS=all takes all of them.
# Runs beside others.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/tests/integration/lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip 'kinds of programs' 'they are built for x86-64'; done_testing; }

for kb in 5 20; do
	printf 'void through(void (*fn)(unsigned long), unsigned long until) { volatile char room[%d << 10]; room[3] = 1; fn(until); room[4] = 2; }\n' "$kb" >"l$kb.c"
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o "l$kb.so" "l$kb.c"
done
printf '#define _GNU_SOURCE\n#include <link.h>\nunsigned la_version(unsigned v) { return v; }\nunsigned la_objopen(struct link_map *m, Lmid_t l, uintptr_t *c) { (void)m, (void)l, (void)c; return LA_FLG_BINDTO | LA_FLG_BINDFROM; }\n' >audit.c
gcc -shared -fPIC -o audit.so audit.c

seed=$(cat "$tree"/consumers/unwind/*.[ch] "$tree"/tracecore/stackwalk/*.[ch] | cksum | cut -d' ' -f1)
number=$((seed % 10)) said=0
# Every tenth.
is_drawn() {
	number=$((number + 1))
	[ "${WT_KINDS:-}" = all ] || [ $((number % 10)) = 0 ]
}

held() {
	sed "s/^/# $1: /" told
	is "$1: wrong among complete and completed" \
		"$(python3 -c 'import json; t = json.load(open("told")); print(sum(t["wrong"].get(s, 0) for s in ("complete", "completed")))')" 0
	said=$((said + $(python3 -c 'import json; t = json.load(open("told")); print(sum(t["statuses"].get(s, 0) for s in ("complete", "completed")))')))
}

# kind NAME COMPILER OPTION...
kind() {
	is_drawn || return 0
	kind=$1
	shift
	rm -f twists
	"$@" -D_GNU_SOURCE -w -o twists "$tree/tests/programs/twists.c" -pthread -ldl >built 2>&1 || { skip "$kind" "$(head -n 1 built)"; return; }
	chmod 755 twists
	runs "$kind" ./twists
}
# runs NAME COMMAND...: the command is twists in some place.
runs() {
	kind=$1
	shift
	check "$kind: it is recorded" timeout 60 wtrace record --stackwalk -F 4000 -o kind.etl --force -- "$@" 0.3 7 truth ./l5.so ./l20.so
	check "$kind: the truth is compared" python3 "$tree/tests/integration/stack_proof.py" kind.etl truth twists
	cp out told
	held "$kind"
}
# place NAME COMMAND...
place() {
	is_drawn || return 0
	[ -x twists ] || check 'twists' gcc -O2 -D_GNU_SOURCE -w -o twists "$tree/tests/programs/twists.c" -pthread -ldl
	runs "$@"
}

kind 'no separate code' gcc -O2 -Wl,-z,noseparate-code
kind 'no relro' gcc -O2 -Wl,-z,norelro
kind 'static' gcc -O2 -static
kind 'static, position independent' gcc -O2 -static-pie
kind 'not position independent' gcc -O2 -no-pie
kind 'lld' gcc -O2 -fuse-ld=lld
kind 'gold' gcc -O2 -fuse-ld=gold
kind 'folded by gold' gcc -O2 -ffunction-sections -fuse-ld=gold -Wl,--icf=safe
kind 'endbr64' gcc -O2 -fcf-protection=full -Wl,-z,ibtplt
kind 'endbr64, lld' gcc -O2 -fcf-protection=full -fuse-ld=lld -Wl,-z,force-ibt
kind 'retpolines, lld' gcc -O2 -fuse-ld=lld -Wl,-z,retpolineplt
kind 'counted calls' gcc -O2 -pg
kind 'told of calls' gcc -O2 -finstrument-functions
kind 'split stacks' gcc -O2 -fsplit-stack -fuse-ld=gold
kind 'debug_frame alone' gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables
kind 'no data' gcc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables
kind 'no red zone' gcc -O2 -mno-red-zone
kind 'probed stacks' gcc -O2 -fstack-clash-protection -fstack-protector-all
kind 'wide vectors' gcc -O3 -mavx2 -ftree-vectorize
kind 'small' gcc -Os
kind 'not optimized' gcc -O0
kind 'saved by moves' gcc -O2 -mtune=k8
kind 'at link time' gcc -O2 -flto
kind 'clang' clang -O2
kind 'clang, small' clang -Oz
kind 'clang, lld' clang -O2 -fuse-ld=lld
kind 'no names' gcc -O2 -s -rdynamic
kind 'compressed debug data' gcc -O2 -g -gz -fno-asynchronous-unwind-tables
place 'audited' env LD_AUDIT="$TMP/audit.so" ./twists
place 'bound at start' env LD_BIND_NOW=1 ./twists
place 'traced by another' strace -f -o trace.out ./twists
mkdir memory && mount -t tmpfs none memory 2>/dev/null && cp twists memory/ 2>/dev/null && place 'in memory' ./memory/twists
umount memory 2>/dev/null
at_least 'stacks that say so' "$said" 1
done_testing
