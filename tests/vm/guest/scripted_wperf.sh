#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of WindowsPerf's documents, typed as they stand there: the answers have the shape of those documents, line by line,
# with other numbers. For the arm64 machine: the words are Arm's.
. /tests/lib.sh
ln -s "$(command -v wtrace)" wperf && PATH="$PWD:$PATH"

# Numbers are N, whatever their width; what rules the columns is as long as they are.
shape() { sed -E 's/[0-9][0-9,.]*[0-9]|\b[0-9]\b/N/g; s/=+/=/g; s/ +/ /g; s/ $//' "$1"; }
shaped() { # NAME FILE: the shape that stands on standard input
	cat >wanted
	shape "$2" >shape
	shape wanted >wanted.shape
	if cmp -s shape wanted.shape; then ok "$1"; else
		not_ok "$1" 'another shape'
		diff wanted.shape shape | sed 's/^/# /'
	fi
}

check 'a set of events' wperf stat -m imix -c 1 sleep 3
shaped 'a set of events: the table' out <<'TABLE'
counting ... done

Performance counter stats for core 1, no multiplexing, kernel mode excluded, on Arm Limited core implementation:
note: 'e' - normal event, 'gN' - grouped event with group number N, metric name will be appended if 'e' or 'g' comes from it

        counter value  event name  event idx  event note
        =============  ==========  =========  ==========
       23,859,193,503  cycle       fixed      e
        8,877,337,489  inst_spec   0x1b       g0,imix
          712,165,071  dp_spec     0x73       g0,imix
        3,464,962,917  vfp_spec    0x75       g0,imix
            6,647,740  ase_spec    0x74       g0,imix
        9,116,947,967  ld_spec     0x70       g0,imix
           13,268,033  st_spec     0x71       g0,imix

                3.31 seconds time elapsed
TABLE

check 'two cores, more events than counters' wperf stat -m imix,icache -c 0,1 --timeout 1
grep -E '^(Perf|System|Overall| +counter)' out >lines
shaped 'two cores: a table for each, and one for both' lines <<'TABLE'
Performance counter stats for core 0, multiplexed, kernel mode excluded, on Arm Limited core implementation:
        counter value  event name        event idx  event note  multiplexed  scaled value  95 % within
Performance counter stats for core 1, multiplexed, kernel mode excluded, on Arm Limited core implementation:
        counter value  event name        event idx  event note  multiplexed  scaled value  95 % within
Overall:
        counter value  event name        event idx  event note  multiplexed  scaled value  95 % within
TABLE
is 'two cores: all events of each' "$(grep -c 'g[01],i' out)" 33

check 'a timeline' wperf stat -t -i 0 -n 3 --timeout 0.2 -m imix -c 1 -k --output-csv line.csv
shaped 'a timeline: its CSV' line.csv <<'CSV'
Multiplexing,FALSE
Kernel mode,TRUE
Count interval,0.00
Vendor,Arm Limited
Event class,core

core 1,core 1,core 1,core 1,core 1,core 1,core 1,
cycle,inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec,
1,2,3,4,5,6,7,
1,2,3,4,5,6,7,
1,2,3,4,5,6,7,
CSV
many=inst_spec,vfp_spec,ase_spec,dp_spec,ld_spec,st_spec,br_immed_spec,crypto_spec
check 'a timeline with turns' wperf stat -t -i 0 -n 2 --timeout 0.5 -e $many -c 1 --output-csv turns.csv
is 'a timeline with turns: the head' "$(sed -n '1p;8p' turns.csv | tr '\n' ' ')" \
	"Multiplexing,TRUE $(echo "$many" | sed 's/,/,sched_times,/g'),sched_times, "
check 'a set of events as JSON' wperf stat -m imix -c 1 --timeout 0.2 --json
check_out 'as JSON: the parts' '^\{"core":\{"Multiplexing":false,"Kernel_mode":false,"cores":\[\{"core_number":1,"Performance_counter":\[\{"counter_value":[0-9]+,"event_name":"cycle","event_idx":"fixed","event_note":"e"\}'
check_out 'as JSON: its end' '"overall":\{\},"ts_metric":\{\}\},"dsu":\{\},"dmc":\{\},"Time_elapsed":0\.[0-9]+\}$'
check 'metrics of clusters and memory' wperf stat -m l3_cache,ddr_bw --timeout 0.5
grep -A 3 '^Telemetry' out >lines
shaped 'metrics: the table' lines <<'TABLE'
Telemetry Solution Metrics:

        core  product_name  metric_name                value  unit
        ====  ============  ===========                =====  ====
TABLE
at_least 'metrics: of each core and of all' "$(grep -c ' bytes per second$' out)" 12

# Events by the names of the CPU's model, counted into a log.
total() { # COUNTER: the kernel's sum over all CPUs
	wtrace dump counts.etl -e counters/total --where "counter == '$1'" --csv | tr -d '\r' |
		awk -F, '{ gsub(/"/, "") } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { n += $at["value"] } END { printf "%.0f\n", n }'
}
check 'a log of counts by name' wtrace record -q -p counters:ld_spec+inst_spec+loads=r70:info --count-interval 50ms -o counts.etl -- busy 1
at_least 'a log of counts: ld_spec counted' "$(total ld_spec)" 1
is 'a log of counts: it is the number of the model' "$(total loads)" "$(total ld_spec)"
check 'a log of counts: its fields' wtrace view counts.etl -e counters/interval --group-by cpu --columns sum:ld_spec,sum:inst_spec

# sample and record: a line of the documents, with another program, and one for the editors. ld_spec counts 33.6 in 10 ns of
# user mode.
cp "$(command -v busy)" python_d.exe
background taskset 2 ./python_d.exe 600
program=$bg
check 'a program to sample' wait_until 60 grep -q ready background.out
check 'sample' wperf sample -e ld_spec:100000,inst_spec:500000 -pe_file python_d.exe -c 1 --timeout 0.1
kill "$program"
is 'sample: the head' "$(sed -n 1,4p out)" "$(printf '%s\n' 'sampling ... done!' \
	'======================== sample source: ld_spec, top 50 hot functions ========================' \
	'        overhead  count  symbol' '        ========  =====  ======')"
check_out 'sample: the other event' 'sample source: inst_spec, top 50'
share=$(awk '$3 == "spin_hot:python_d.exe" { print int($1); exit }' out)
at_least 'sample: three quarters in spin_hot' "$share" 65
at_most 'sample: three quarters in spin_hot' "$share" 85
check 'record' wperf record -q -e ld_spec:1000000 --annotate --disassemble --json -o result.json -- ./python_d.exe 0.1
check 'record: the function is annotated' grep -q '"type":"ld_spec".*"function_name":"spin_hot:python_d.exe"' result.json

# list opens each event: those of the model count on this PMU.
check 'list' wperf list
check_out 'list: an event of the model is usable here' '^ +ld_spec +0x0070 .* yes$'
check_out 'list: one of a cluster too' '^ +arm_dsu.*l3d_cache .* yes$'
done_testing
