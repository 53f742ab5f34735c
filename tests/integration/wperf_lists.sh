#!/bin/sh
# SPDX-License-Identifier: MIT
# list, test, man, detect and --version: what they say of the real machine, and wrong command lines. wperf_json.sh reads their JSON.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

wtrace list >out 2>err
if grep -q '  page-faults .* yes$' out; then ok 'a software event is usable'; else not_ok 'a software event is usable'; fi
check 'list --output FILE.json' wtrace list --output x.json
check 'it is JSON' python3 -m json.tool x.json

# As the documents type and print them.
ln -s "$(command -v wtrace)" bin/wperf
check 'wperf test' wperf test
is 'its head' "$(sed -n '1,2s/  */ /gp' out | sed 's/==*/=/g' | tr '\n' '|')" ' Test Name Result| = =|'
is 'the row that says whether there is SPE' "$(grep -Ec '^ {8}spe_device\.version_name +(FEAT_SPE|not implemented)$' out)" 1
check 'wperf --version' wperf --version
check_out 'it has a version and features' '^wtrace [0-9]+\.[0-9]+\.[0-9]+ \([a-z0-9_]+\) \+perf\+'
check 'wperf -v --version' wperf -v --version
is 'its table' "$(sed -n '1,2s/  */ /gp' out | sed 's/==*/=/g' | tr '\n' '|')" ' Component Version GitVer FeatureString| = = = =|'
check_out 'its row of wperf' '^ {8}wperf +3\.8\.0 .*\+sample\+record\+annotate'
check 'wperf --version --json' wperf --version --json
check_out 'with the members of the documents' '\{"Component":"wtrace","Version":"[0-9.]+","GitVer":"[^"]*","FeatureString":"\+'

wtrace test -e '{page-faults,minor-faults},task-clock' >out 2>err
is 'events of software need no turn' "$(awk '/schedule.turns / { print $2 }' out)" 0
is 'they are named' "$(awk '/schedule.needs_no_counter/ { print $2, $3, $4 }' out)" 'page-faults minor-faults task-clock'
is 'no schedule without events' "$(wtrace test | grep -c schedule)" 0

# page WORD SECTION TEXT: the page of the word has that text under that heading
page() {
	wtrace man "$1" >out 2>err
	found=$(awk -v s="$2" '/^[A-Z]/ { at = $0 == s } /^ / && at { $1 = $1; print }' out | tr '\n' ' ')
	case $found in *"$3"*) ok "man $1: $2" ;; *) not_ok "man $1: $2" "$found$(cat err)" ;; esac
}
page neoverse-n1/ld_spec CPU neoverse-n1
page neoverse-n1/LD_SPEC TYPE "event of the core's PMU, 0x0070"
page neoverse-n1/ld_spec METRICS load_percentage
page neoverse-n1/l1d_cache_mpki EVENTS 'l1d_cache_refill, inst_retired'
page neoverse-n1/l1d_cache_mpki FORMULA 'l1d_cache_refill / inst_retired * 1000'
page neoverse-n1/l1d_cache_mpki UNIT MPKI
page neoverse-n1/l1d_cache_mpki GROUPS L1D_Cache_Effectiveness
page neoverse-n1/Operation_Mix METRICS 'load_percentage, store_percentage'
page neoverse-v1/IMIX EVENTS 'inst_spec, dp_spec, vfp_spec, ase_spec, ld_spec, st_spec'
page dcache EVENTS 'l1d_cache, l1d_cache_refill, l2d_cache, l2d_cache_refill, inst_retired'
page dcache TYPE 'set of events, without a value'
page page-faults TYPE 'software event'
page LOADER TYPE 'provider, also LOADER'
page loader EVENTS image_load
page image_load TYPE 'event of the provider loader'
page image_load/inode TYPE 'field of loader/image_load: u64'
page loader/image_load/inode TYPE 'field of loader/image_load: u64'
page inode,page-faults EXAMPLE 'wtrace stat -e page-faults'
is 'a line has 81 columns at most' "$(wtrace man loader neoverse-n1/Operation_Mix | awk 'length > 81' | wc -l)" 0
check 'man -o FILE' wtrace man --json -o page.json loader
check 'man -o FILE: the page is in the file' grep -q '"NAME","Result":"loader"' page.json

# wrong CODE WORD ARG...
wrong() {
	wanted=$1 word=$2
	shift 2
	code=0
	wtrace "$@" >out 2>err || code=$?
	if [ "$code" != "$wanted" ]; then not_ok "$*" "exit code $code, wanted $wanted"
	elif [ "$(wc -l <err)" != 1 ] || [ -s out ]; then not_ok "$*" 'not one line on standard error alone'
	elif ! grep -qF -- "$word" err; then not_ok "$*" "no word of '$word': $(cat err)"
	else ok "$*: $(cut -c 1-90 err)"; fi
}

wrong 2 "did you mean '--json'" list --jsno
wrong 2 "did you mean '--json'" test --jsno
wrong 2 "did you mean '--json'" detect --jsn
wrong 2 'only --json' --version --jsno
wrong 2 "did you mean '--version'" --versoin
wrong 2 "did you mean 'events'" list evnts
wrong 2 "did you mean 'metrics'" list metircs
wrong 2 "did you mean 'neoverse-n1'" list --cpu-model neoverse-n11
wrong 1 './no-such-file' list --telemetry ./no-such-file
wrong 1 './no-such-file' test --telemetry ./no-such-file
wrong 2 '-o - is not standard output' list -o -
wrong 2 '-o - is not standard output' test -o -
wrong 2 'it is empty' detect -o ''
wrong 1 'cannot write ./no-such-directory/x' list -o ./no-such-directory/x
wrong 1 'cannot write ./no-such-directory/x' test -o ./no-such-directory/x
wrong 1 'cannot write ./no-such-directory/x' detect -o ./no-such-directory/x
wrong 2 "did you mean 'page-faults'" test -e page-fautls
wrong 2 "'}' is missing" test -e '{page-faults,minor-faults'
wrong 2 'an event is missing' test -e page-faults,,minor-faults
wrong 2 "mode 'p' belongs to sampling" test -e cycles:pp
wrong 2 "unknown event 'rxyz'" test -e rxyz
wrong 2 "unknown PMU 'nosuchpmu'" test -e nosuchpmu/event=1/
wrong 2 "unknown subsystem 'nosuch'" test -e nosuch:event
wrong 2 "metric 'no_such_metric'" test -m no_such_metric
wrong 2 "'-e' needs a value" test -e
wrong 2 'is given twice' test -e page-faults -e minor-faults
wrong 2 "'now' is not expected here" test now
wrong 2 "'now' is not expected here" detect now
wrong 2 'is missing' man
wrong 2 'WORD' man loader,,proc_thread
wrong 2 "did you mean '--json'" man --jsno loader
wrong 1 "did you mean 'loader'" man lodaer
wrong 1 "did you mean 'ld_spec'" man ld_spce
wrong 1 "'no_such_thing' not found" man no_such_thing
wrong 1 "did you mean 'neoverse-n1'" man neoverse-n11/ld_spec
wrong 1 "'lod_spec' not found for the CPU neoverse-n1" man neoverse-n1/lod_spec
wrong 1 'wtrace help COMMAND' man stat
wrong 2 'wtrace stat, which counts' test -c 0 -e page-faults
wrong 2 'the kernel decides' test --config count.period=50
wrong 1 './no-such-file' man --telemetry ./no-such-file ld_spec
wrong 1 'cannot write ./no-such-directory/x' man -o ./no-such-directory/x loader
wrong 2 "did you mean 'detect'" detct
wrong 2 "did you mean 'test'" tset
done_testing
