# SPDX-License-Identifier: MIT
# 10,000 events are fine, one more is not, and neither is a text of 17 MB.
events() {
	awk -v n="$1" 'BEGIN {
		print "{\"wtrace_manifest\": 1, \"provider\": \"large\", \"events\": ["
		for (i = 0; i < n; i++)
			printf "%s{\"id\": %d, \"name\": \"event_%d\", \"fields\": [{\"name\": \"x\", \"type\": \"u32\"}]}\n", i ? "," : "", i, i
		print "]}"
	}'
}
events 10000 >full.json
wtrace manifest check full.json
wtrace manifest diff full.json full.json
wtrace manifest header full.json | grep -c '^static inline int large_event_[0-9]*_write('
events 10001 >over.json
wtrace manifest check over.json
{ printf '{"wtrace_manifest": 1, "provider": "fat", "help": "'; head -c 17000000 /dev/zero | tr '\0' x; printf '"}'; } >fat.json
wtrace manifest check fat.json
