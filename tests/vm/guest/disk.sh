#!/bin/sh
# SPDX-License-Identifier: MIT
# A real file system under a session: the kernel makes it read-only while the log grows (its emergency remount), and
# writable again; then its disk stands still. The session lives, says what is wrong, counts what it costs and goes on.
. /tests/lib.sh

for module in crc16 crc32c_generic libcrc32c mbcache jbd2 ext4 loop; do
	insmod "/modules/$module.ko" || echo "# no module $module"
done
# Half of it is for others: a session leaves 64 MiB.
truncate -s 128M "$TMP/image" && mke2fs -F "$TMP/image" >made 2>&1
mkdir disk
loop=$(losetup -f)
losetup "$loop" "$TMP/image"
mount_disk() { mount -t ext4 -o "$1" "$loop" "$TMP/disk"; }
disk_is() { grep -q " $TMP/disk ext4 $1," /proc/mounts; }
unmount() {
	umount "$TMP/disk" 2>/dev/null
	losetup -d "$loop" 2>/dev/null
	cleanup
}
trap unmount EXIT

field() { wtrace status --session "$1" --json | sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" | head -n 1; }
events() { wtrace dump "$1" -e "emit/$2" | wc -l; }
logged() { [ "$(wtrace dump "$TMP/disk/spool/$1.part" -e "emit/$2" | wc -l)" -ge "$3" ]; }
names() { wtrace status --session "$1" | grep -Eq "$2"; }
# PRODUCED WRITTEN LOST WRONG of provider emit.
counted() {
	wtrace dump "$1" -e wtrace/counted | awk '/provider=emit / {
		for (i = 1; i <= NF; i++) if (split($i, f, "=") == 2) v[f[1]] = f[2]
		p += v["produced"]; w += v["written"]; l += v["lost"]; wrong += v["produced"] != v["written"] + v["lost"]
	} END { print p + 0, w + 0, l + 0, wrong + 0 }'
}

# With delayed allocation the kernel takes what is written to a file system it made read-only and keeps it in memory.
check 'an ext4 on a loop device' mount_disk rw,nodelalloc
mkdir -m 700 disk/spool
export WTRACE_SPOOL="$TMP/disk/spool"
check 'start' wtrace start -p emit --session sick --buffer-size 256K
worker=$(field sick worker)
check 'events while the disk works' user_emit -n 1000
check 'are in the log' wait_until 60 logged sick tick 1000
echo u >/proc/sysrq-trigger
check 'the kernel makes it read-only' wait_until 60 disk_is ro
check 'events that find no disk' user_emit -n 2000 -e 2
check 'status names the reason' wait_until 60 names sick 'cannot write.*Read-only file system'
is 'the session lives' "$(field sick worker)" "$worker"
check 'the log reads to there' wtrace dump disk/spool/sick.part -e emit/tick
is 'with all that was written' "$(wc -l <out)" 1000
check 'the disk is writable again' mount -o remount,rw "$TMP/disk"
check 'events after that' user_emit -n 3000
check 'are in the log' wait_until 60 logged sick tick 4000
check 'status says that it is over' wait_until 60 names sick 'can be written again'
is 'the session lives' "$(field sick worker)" "$worker"
check 'stop' wtrace stop --session sick -o sick.etl
check 'the log is whole' wtrace verify sick.etl
is 'what came before and after is there' "$(events sick.etl tick)" 4000
# shellcheck disable=SC2046
set -- $(counted sick.etl)
is 'written + lost = produced, as the programs counted' "$1 $(($2 + $3)) $4" '6000 6000 0'

# A disk that takes nothing for a while, and says nothing: every write waits. Programs do not.
check 'start' wtrace start -p emit --session stuck --buffer-size 256K
worker=$(field stuck worker)
check 'events while the disk works' user_emit -n 1000
check 'are in the log' wait_until 60 logged stuck tick 1000
check 'the disk stands still' fsfreeze --freeze "$TMP/disk"
check 'more events than the buffers hold' user_emit -n 20000 -e 2
read -r _ ok _ full _ <out
check 'the disk goes on' fsfreeze --unfreeze "$TMP/disk"
check 'events after that' user_emit -n 3000
check 'are in the log' wait_until 60 logged stuck tick 4000
is 'the session lives' "$(field stuck worker)" "$worker"
check 'stop' wtrace stop --session stuck -o stuck.etl
check 'the log is whole' wtrace verify stuck.etl
# shellcheck disable=SC2046
set -- $(counted stuck.etl)
is 'written + lost = produced, as the programs counted' "$1 $(($2 + $3)) $4" '24000 24000 0'
is 'lost is what was refused' "$3" "$full"
at_least 'some was' "$full" 1
done_testing
