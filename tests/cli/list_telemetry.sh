# SPDX-License-Identifier: MIT
# A vendor's file, with its words, whatever CPU it is of; then a metric that cannot be read, and no JSON at all.
cat >cpu.json <<'END'
{"product_configuration": {"product_name": "Neoverse Q7", "part_num": "0xabc", "implementer": "0x41"},
 "events": {"CPU_CYCLES": {"code": "0x11", "title": "Cycle"}, "STALL": {"code": "0x3c", "title": "Stalled\u001b[2J"}},
 "metrics": {"stalled": {"title": "Stalled", "description": "How long\nit stood still.", "units": "percent of cycles",
  "formula": "100 * STALL / CPU_CYCLES", "sample_events": ["STALL"]}},
 "groups": {"metrics": {"General": {"metrics": ["stalled"]}}}}
END
wtrace list metrics --telemetry cpu.json -v
wtrace list events --telemetry cpu.json
sed 's/100 \* STALL/100 * STALL */' cpu.json >bad.json
wtrace list metrics --telemetry bad.json
printf '{"a":\n}' >worse.json
wtrace list metrics --telemetry worse.json
