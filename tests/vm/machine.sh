#!/bin/sh
# SPDX-License-Identifier: MIT
# Boots Debian's kernel in qemu and runs test scripts inside: machine.sh arm64|amd64 all | NAME... | shell
# The arm64 machine is software-emulated and has a PMUv3 with real overflow interrupts. Both can have the scripted PMUs of
# tests/vm/pmu instead, for the scripts that need them. Needs the build of that architecture and
# `tests/vm/fetch.sh kernel build/vm/ARCHITECTURE ARCHITECTURE`, for arm64 after that for amd64. Prints the guest's test points.
set -eu
cd "$(dirname "$0")/../.."
architecture=${1:-}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- all
vm=build/vm/$architecture image=build/vm/$architecture/initrd.gz stage=build/vm/$architecture/initrd
case $architecture in
arm64)
	build=build/arm64 root=build/arm64-root cross=aarch64-linux-gnu- kernel_name=arm64
	places="$root/lib/aarch64-linux-gnu $root/usr/lib/aarch64-linux-gnu $root/lib" loader=lib/ld-linux-aarch64.so.1
	libgcc=/usr/aarch64-linux-gnu/lib/libgcc_s.so.1
	;;
amd64)
	build=build root='' cross='' kernel_name=x86_64
	places="/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu" loader=lib64/ld-linux-x86-64.so.2
	libgcc=/lib/x86_64-linux-gnu/libgcc_s.so.1
	;;
*)
	echo "usage: $0 arm64|amd64 [all | NAME... | shell]" >&2
	exit 2
	;;
esac

# Copies the libraries FILE needs, and what they need, into the image.
add_libraries() {
	for name in $("${cross}readelf" -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ ! -e "$stage/lib/$name" ] || continue
		for directory in $build/sdk $build/reader $places; do
			[ -e "$directory/$name" ] || continue
			cp -L "$directory/$name" "$stage/lib/$name"
			add_libraries "$stage/lib/$name"
			break
		done
		[ -e "$stage/lib/$name" ] || { echo "machine.sh: no library $name for $1" >&2; exit 1; }
	done
}

add_program() {
	mkdir -p "$(dirname "$stage/$2")"
	cp -L --remove-destination "$1" "$stage/$2"
	add_libraries "$1"
}

# Those that qemu's user mode cannot serve (run.py: NEEDS_KERNEL); it runs the others. With WT_WHOLE=1 all.
unit_tests() {
	if [ "${WT_WHOLE:-}" ]; then
		find $build/tests/unit -name '*_test'
	else
		find $build/tests/unit -name '*live_test' -o -name rundown_test
	fi
}

# host_only.txt: computes or spins for minutes here, or asks dpkg.
add_all_tests() {
	for module in crc16 crc32c_generic libcrc32c mbcache jbd2 ext4 loop overlay; do
		find $vm/lib/modules -name "$module.ko" -exec cp {} $stage/modules/ \;
	done
	for data in tests/golden tests/golden_bad; do
		[ ! -d $data ] || cp -r $data $stage/src/tests/
	done
	for program in $build/tests/programs/* $build/tests/stress/*; do
		case $program in *.d) ;; *) add_program "$program" "bin/${program##*/}" ;; esac
	done
	for test in $(unit_tests | grep -v -x -f tests/vm/host_only.txt); do
		add_program "$test" "units/${test#"$build/tests/unit/"}"
		"${cross}strip" --strip-debug "$stage/units/${test#"$build/tests/unit/"}"
	done
}

# The scripted PMUs, for the kernel that will run them.
add_scripted_pmus() {
	headers=$(echo "$PWD/$vm/usr/src/linux-headers-"*"-$architecture") module=$vm/module
	mkdir -p $module
	# The programs that build modules run on this machine, for any kernel: they came with amd64's headers.
	kbuild=$(echo build/vm/amd64/usr/lib/linux-kbuild-*)
	[ $architecture = amd64 ] || ln -sfn "../../../${kbuild#build/vm/}" $vm/usr/lib/
	cp -u tests/vm/pmu/Kbuild tests/vm/pmu/*.c $module/
	make -s -C "$headers" M="$PWD/$module" WT_ROOT="$PWD" ARCH=$kernel_name CROSS_COMPILE=$cross CC="${cross}gcc" \
		modules >$vm/module.log 2>&1 || { cat $vm/module.log >&2; exit 1; }
	cp $module/scripted_pmu.ko $stage/modules/
	"${cross}strip" --strip-debug $stage/modules/scripted_pmu.ko
}

build_image() {
	rm -rf $stage
	mkdir -p $stage/bin $stage/sbin $stage/lib $stage/lib64 $stage/proc $stage/sys $stage/dev $stage/etc $stage/src/tests \
		$stage/tests $stage/var/tmp $stage/modules
	echo 'root:x:0:0::/:/bin/sh
nobody:x:65534:65534::/:/bin/sh' >$stage/etc/passwd
	cp $vm/bin/busybox $stage/bin/
	for applet in $(busybox --list); do
		[ -e "$stage/bin/$applet" ] || ln -s busybox "$stage/bin/$applet"
	done
	cp -L $root/$loader $stage/$loader
	cp -L $libgcc $stage/lib/ # backtrace(3) loads it by name
	cp tests/vm/guest/init $stage/init
	cp tests/vm/guest/*.sh tests/integration/lib.sh $stage/tests/
	cp -r manifests $stage/src/ 2>/dev/null || :
	[ ! -e $build/wtrace ] || add_program $build/wtrace bin/wtrace
	add_scripted_pmus
	case " $* " in
	' scripted'*) ;;
	*) [ $architecture != arm64 ] || add_all_tests ;;
	esac
	for program in busy pmu_truth pmu_rings rewrites sideband_flood text_liar; do
		add_program $build/tests/programs/$program bin/$program
	done
	"${cross}nm" $build/tests/programs/rewrites | sed -n 's/^0*\(.*\) [tT] other_code$/0x\1/p' >$stage/src/rewrites.text
	[ $architecture != amd64 ] || add_program /usr/bin/perf bin/perf
	(cd $stage && find . | cpio --quiet -o -H newc -R 0:0) | gzip -1 >$image
}

# arm64: the firmware is there for ACPI, which names the PMU armv8_pmuv3_0 as on server machines. The kernel signs
# its return addresses: pauth-impdef takes a signature that is cheaper to emulate than the architecture's cipher.
# amd64: without cmpxchg16b. QEMU 7.2, interrupted behind one, once gave the kernel flags that were half a pointer: a double fault.
# amd64: where instructions are counted, the kernel never meets its second CPU while it boots; init starts that one.
boot() { # MACHINE: its options
	set -- "$@" -smp 2 -m 1024 -nographic -no-reboot -nic none -initrd $image -kernel "$(echo $vm/boot/vmlinuz-*)"
	options="quiet loglevel=3 panic=-1 rdinit=/init wt.tests=$tests"
	case $architecture in
	arm64)
		timeout "${WT_VM_TIMEOUT:-600}" qemu-system-aarch64 -machine virt -cpu "max,pauth-impdef=on,pmu=$pmu" \
			-bios $vm/usr/share/qemu-efi-aarch64/QEMU_EFI.fd "$@" -append "console=ttyAMA0 acpi=force $options"
		;;
	amd64)
		timeout "${WT_VM_TIMEOUT:-600}" qemu-system-x86_64 -cpu max,-cx16 "$@" -append "console=ttyS0 maxcpus=1 $options"
		;;
	esac
}

# Kinds of machines: a fast one whose CPUs run in parallel; one that counts instructions precisely, so that its PMU
# counts them too, and that is nearly deterministic; its time is virtual; and that one without a PMU of its own.
pmu=on
parallel='-accel tcg,thread=multi'
precise='-accel tcg -icount shift=0,sleep=off'

run_in() { # MACHINE NAME...: boots, prints the test points; fails when the machine did not come to its end
	machine=$1
	shift
	tests=$(echo "$*" | tr ' ' ,)
	# shellcheck disable=SC2086
	boot $machine </dev/null 2>&1 | sed -u 's/\r//g; s/.*\x1b\[[0-9;=]*[HhJ]//' | tee "$vm/console-$1.log"
	grep -q '^vm came to its end' "$vm/console-$1.log" || {
		echo "machine.sh: the $architecture machine did not come to its end" >&2
		return 1
	}
}

build_image "$@"
status=0
case $architecture-$* in
*-shell)
	tests=shell
	# shellcheck disable=SC2086
	boot $parallel
	;;
arm64-all) # two at once: the tests of the fast one mostly wait
	run_in "$parallel" units ring disk &
	fast=$!
	run_in "$precise" record stacks rewritten moved hotplug paranoid || status=1
	pmu=off
	run_in "$precise" scripted scripted_stat scripted_functions scripted_wperf gone_cpu || status=1
	wait $fast || status=1
	;;
amd64-all) run_in "$precise" scripted scripted_stat scripted_functions gone_cpu rewritten moved moved_flood || status=1 ;;
arm64-units | arm64-ring | arm64-disk) run_in "$parallel" "$@" || status=1 ;;
*-scripted*)
	pmu=off
	run_in "$precise" "$@" || status=1
	;;
*) run_in "$precise" "$@" || status=1 ;;
esac
exit $status
