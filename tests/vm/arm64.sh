#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots Debian's arm64 kernel in qemu and runs test scripts inside: arm64.sh all | NAME... | shell
# The machine is software-emulated and has a PMUv3 with real overflow interrupts. Needs the arm64 build
# (make VARIANT=arm64) and `tests/vm/fetch.sh kernel build/vm`. Prints the guest's test points.
set -eu
cd "$(dirname "$0")/../.."
root=build/arm64-root vm=build/vm image=build/vm/initrd.gz stage=build/vm/initrd
readelf=aarch64-linux-gnu-readelf
[ $# -gt 0 ] || set -- all

# Copies the libraries FILE needs, and what they need, into the image.
add_libraries() {
	for name in $($readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ ! -e "$stage/lib/$name" ] || continue
		for directory in build/arm64/sdk build/arm64/reader $root/lib/aarch64-linux-gnu $root/usr/lib/aarch64-linux-gnu $root/lib; do
			[ -e "$directory/$name" ] || continue
			cp -L "$directory/$name" "$stage/lib/$name"
			add_libraries "$stage/lib/$name"
			break
		done
		[ -e "$stage/lib/$name" ] || { echo "arm64.sh: no library $name for $1" >&2; exit 1; }
	done
}

add_program() {
	mkdir -p "$(dirname "$stage/$2")"
	cp --remove-destination "$1" "$stage/$2"
	add_libraries "$1"
}

build_image() {
	rm -rf $stage
	mkdir -p $stage/bin $stage/sbin $stage/lib $stage/proc $stage/sys $stage/dev $stage/etc $stage/src/tests \
		$stage/tests $stage/var/tmp $stage/modules
	echo 'root:x:0:0::/:/bin/sh
nobody:x:65534:65534::/:/bin/sh' >$stage/etc/passwd
	cp $vm/bin/busybox $stage/bin/
	for applet in $(busybox --list); do
		[ -e "$stage/bin/$applet" ] || ln -s busybox "$stage/bin/$applet"
	done
	cp -L $root/lib/ld-linux-aarch64.so.1 $stage/lib/
	cp -L /usr/aarch64-linux-gnu/lib/libgcc_s.so.1 $stage/lib/ # backtrace(3) loads it by name
	cp tests/vm/guest/init $stage/init
	for module in crc16 crc32c_generic libcrc32c mbcache jbd2 ext4 loop; do
		find $vm/lib/modules -name "$module.ko" -exec cp {} $stage/modules/ \;
	done
	cp tests/vm/guest/*.sh tests/integration/lib.sh $stage/tests/
	cp -r manifests $stage/src/ 2>/dev/null || :
	for data in tests/golden tests/golden_bad; do
		[ ! -d $data ] || cp -r $data $stage/src/tests/
	done
	[ ! -e build/arm64/wtrace ] || add_program build/arm64/wtrace bin/wtrace
	for program in build/arm64/tests/programs/* build/arm64/tests/stress/*; do
		case $program in *.d) ;; *) add_program "$program" "bin/${program##*/}" ;; esac
	done
	# host_only.txt: computes or spins for minutes here, or asks dpkg; qemu's user mode runs it too.
	for test in $(find build/arm64/tests/unit -name '*_test' | grep -v -x -f tests/vm/host_only.txt); do
		add_program "$test" "units/${test#build/arm64/tests/unit/}"
		aarch64-linux-gnu-strip --strip-debug "$stage/units/${test#build/arm64/tests/unit/}"
	done
	(cd $stage && find . | cpio --quiet -o -H newc -R 0:0) | gzip -1 >$image
}

# The firmware is there for ACPI, which names the PMU armv8_pmuv3_0 as on server machines. The kernel signs
# its return addresses: pauth-impdef takes a signature that is cheaper to emulate than the architecture's cipher.
boot() {
	timeout "${WT_VM_TIMEOUT:-600}" qemu-system-aarch64 -machine virt -cpu max,pauth-impdef=on -smp 2 \
		-m 1024 -nographic -no-reboot -nic none -bios $vm/usr/share/qemu-efi-aarch64/QEMU_EFI.fd \
		-initrd $image "$@" -kernel "$(find $vm/boot -name 'vmlinuz-*')" \
		-append "console=ttyAMA0 acpi=force quiet loglevel=3 panic=-1 rdinit=/init wt.tests=$tests"
}

# Two kinds of machine: a fast one whose CPUs run in parallel, and one that counts instructions precisely, so that
# its PMU counts them too, and that is nearly deterministic; its time is virtual.
parallel='-accel tcg,thread=multi'
precise='-accel tcg -icount shift=0,sleep=off'

run_in() { # MACHINE NAME...: boots, prints the test points; fails when the machine did not come to its end
	machine=$1
	shift
	tests=$(echo "$*" | tr ' ' ,)
	# shellcheck disable=SC2086
	boot $machine </dev/null 2>&1 | sed -u 's/\r//g; s/.*\x1b\[[0-9;=]*[HhJ]//' | tee "$vm/console-$1.log"
	grep -q '^vm came to its end' "$vm/console-$1.log" || {
		echo 'arm64.sh: the machine did not come to its end' >&2
		return 1
	}
}

build_image
status=0
case $* in
shell)
	tests=shell
	# shellcheck disable=SC2086
	boot $parallel
	;;
all) # both at once: the tests of the fast one mostly wait
	run_in "$parallel" units ring disk &
	fast=$!
	run_in "$precise" record stacks hotplug paranoid || status=1
	wait $fast || status=1
	;;
units | ring | disk) run_in "$parallel" "$@" || status=1 ;;
*) run_in "$precise" "$@" || status=1 ;;
esac
exit $status
