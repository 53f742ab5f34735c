# SPDX-License-Identifier: MIT
"""annotate.py JSON PROGRAM HITS DISASSEMBLER: the JSON of wtrace annotate has the shape that wperf's readers take, its
sums are HITS, and the instructions are those of `objdump -d PROGRAM`."""
import json
import re
import subprocess
import sys

# What readers of wperf's JSON require of each object: name -> type.
SHAPE = {
    'document': {'sampling': dict, 'functions': list},
    'sampling': {'pe_file': str, 'pdb_file': str, 'sample_display_row': int, 'samples_generated': int,
                 'samples_dropped': int, 'base_address': int, 'runtime_delta': int, 'events': list},
    'event': {'type': str, 'samples': list, 'interval': int, 'printed_sample_num': int, 'annotate': list},
    'sample': {'overhead': float, 'count': int, 'symbol': str},
    'annotate': {'function_name': str, 'source_code': list},
    'source_code': {'line_number': int, 'hits': int, 'filename': str, 'instruction_address': str,
                    'disassembled_line': dict},
    'disassembled_line': {'disassemble': list},
    'disassemble': {'address': str, 'instruction': str},
}
OPEN = {'document'}


def check(name, value):
    for key, kind in SHAPE[name].items():
        assert isinstance(value.get(key), kind), (name, key, value.get(key))
    assert name in OPEN or set(value) == set(SHAPE[name]), (name, sorted(value))


def plain(text):
    text = re.sub(r' *<[^>]*>', '', text)
    return re.sub(r'\s+', ' ', re.sub(r'0x([0-9a-f]{4,})\b', r'\1', text)).strip()


document = json.load(open(sys.argv[1], encoding='utf-8'))
program, hits, disassembler = sys.argv[2], int(sys.argv[3]), sys.argv[4]
check('document', document)
check('sampling', document['sampling'])
for event in document['sampling']['events']:
    check('event', event)
    for sample in event['samples']:
        check('sample', sample)
    for function in event['annotate']:
        check('annotate', function)
        for line in function['source_code']:
            check('source_code', line)
            check('disassembled_line', line['disassembled_line'])
            for instruction in line['disassembled_line']['disassemble']:
                check('disassemble', instruction)
            assert line['instruction_address'] in [
                instruction['address'] for instruction in line['disassembled_line']['disassemble']]
        assert sum(line['hits'] for line in function['source_code']) == hits

(function,) = document['functions']
rows = function['instructions']
assert function['hits'] == hits and hits > 0
assert sum(row['hits'] for row in rows) == hits
assert sum(line['hits'] for line in function['lines']) + function['unplaced'] == hits
assert function['unplaced'] == 0
assert any(line['inlined'] == 'mix' for line in function['lines'])
assert rows[0]['block'] and any(row['target'] is not None for row in rows)
assert all(rows[row['target']]['block'] for row in rows if row['target'] is not None)

start = int(rows[0]['address'], 16)
end = int(rows[-1]['address'], 16) + len(rows[-1]['bytes']) // 2
printed = subprocess.run(['objdump', '-d', '-w', '--no-show-raw-insn', f'--start-address={start}', f'--stop-address={end}',
                          program], check=True, capture_output=True, text=True).stdout
wanted = re.findall(r'^ +([0-9a-f]+):\t(.*)$', printed, re.M)
assert [row['address'] for row in rows] == [address for address, _ in wanted]
if disassembler == 'objdump':
    for row, (_, text) in zip(rows, wanted):
        assert plain(row['text']) == plain(text), (row['text'], text)
else:
    assert all(row['text'] and row['text'] != '(bad)' for row in rows)
