#!/bin/sh
# SPDX-License-Identifier: MIT
# The JSON of each command that a user of wperf types: by schemas written after wperf's documents, and by a reader that takes
# what the extensions of two editors take.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
case $here in /*) ;; *) here=$WT_ROOT/tests/integration ;; esac
ln -s "$(command -v wtrace)" bin/wperf
cpu=$(last_cpu)

# read_as LABEL KIND [SYMBOL [disassembled]]: reads the file `out`
read_as() {
	label=$1
	shift
	# Debian's interpreter, for which its packages are
	if /usr/bin/python3 "$here/wperf_json.py" "$@" <out >found 2>&1; then ok "$label"
	else not_ok "$label" "$(grep -v '^ *$' found | tail -n 12 | cut -c 1-200)"; fi
}
# answers KIND WORD...: standard output is that JSON and nothing else
answers() {
	kind=$1
	shift
	code=0
	"$@" >out 2>err || code=$?
	is "$*: ends well" "$code" 0
	read_as "$*: JSON" "$kind"
}

answers version wperf --version --json
answers list wperf list --json
answers list-v wperf list -v --json
answers list-v wperf list -v --json --cpu-model neoverse-v1
answers test wperf test --json
answers test wperf test -e '{page-faults,minor-faults},task-clock' --json
answers man wperf man neoverse-n1/ld_spec --json
answers man wperf man neoverse-n1/l1d_cache_mpki --json
answers man wperf man neoverse-n1/Operation_Mix --json
answers man wperf man loader --json
answers detect wperf detect --json
answers detect wperf detect -v --json
answers cpuinfo wperf cpuinfo --json
answers stat wperf stat -e page-faults -c "$cpu" --timeout 0.1 --json
answers stat wperf stat -e '{page-faults,minor-faults},task-clock' --timeout 0.1 --json
answers stat wperf stat -e page-faults --json -- true
answers timeline wperf stat -t -i 0 -n 2 --timeout 0.1 -e page-faults -c "$cpu" --json

cat >work.c <<'C'
__attribute__((noinline)) int burn(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i * 7;
	return sum;
}
int main(void)
{
	for (int i = 0; i < 200; i++)
		burn(1000000);
	return 0;
}
C
gcc -g -O1 -o work work.c
answers sample wperf record -q -e cpu-clock:100000 -c "$cpu" --timeout 60 --json -- ./work
check 'record --annotate' wperf record -q -e cpu-clock:100000 -c "$cpu" --timeout 60 --force-lock --json --annotate -- ./work
read_as 'record --annotate: JSON and lines' sample burn:work
check 'record --disassemble' wperf record -q -e cpu-clock:100000 -c "$cpu" --timeout 60 --json --disassemble -- ./work
read_as 'record --disassemble: JSON and instructions' sample burn:work disassembled
check 'record -v' wperf record -v -e cpu-clock:100000 -c "$cpu" --timeout 60 --sample-display-row 0 --json --annotate -- ./work
read_as 'record -v: JSON, code addresses and modules' sample-v burn:work
sed 's/"address":\([1-9]\)/"address":9\1/' out >moved && mv moved out
check 'an address that lies nowhere is found' sh -c '! /usr/bin/python3 "$1" sample-v burn:work <out' sh "$here/wperf_json.py"
check 'record -v, as a table' wperf record -v -e cpu-clock:100000 --symbol burn --timeout 60 -- ./work
check_out 'its modules' '^        work +/.*/work$'
check_out 'and its code addresses' '^ +[0-9a-f]+ +[0-9]+  burn:work$'
check 'record --output' wperf record -q -e cpu-clock:100000 -c "$cpu" --output result.json --output-csv result.csv -- ./work
cp result.json out
read_as 'record --output FILE.json: JSON' sample
check 'a log' wtrace record -q -e cpu-clock:100000 -o run.etl -- ./work
check 'annotate' wtrace annotate run.etl burn --process work --json
read_as 'annotate: JSON and instructions' annotate burn:work disassembled
check 'annotate without instructions' wtrace annotate run.etl burn --process work --no-asm --json
read_as 'annotate --no-asm: JSON' annotate burn:work

background sh -c 'while :; do :; done'
answers sample wperf sample -q -e cpu-clock:1000000 -p "$bg" --timeout 0.5 --json

# The checks can fail: a member too many, a member that lacks, a number for a text.
echo '{"Version":[{"Component":"wperf","Version":"1","GitVer":"","FeatureString":"","More":""}]}' >out
check 'a member too many is found' sh -c '! /usr/bin/python3 "$1" version <out' sh "$here/wperf_json.py"
echo '{"Version":[{"Component":"wperf","Version":"1","GitVer":""}]}' >out
check 'a member that lacks is found' sh -c '! /usr/bin/python3 "$1" version <out' sh "$here/wperf_json.py"
echo '{"Manual_Results":[{"Field_Type":"NAME","Result":1},{"Field_Type":"TYPE","Result":"x"},{"Field_Type":"UNIT","Result":"x"}]}' >out
check 'a number for a text is found' sh -c '! /usr/bin/python3 "$1" man <out' sh "$here/wperf_json.py"
done_testing
