# SPDX-License-Identifier: MIT
# Makes the rows of tools/peer_words.c of tools/peers.txt, which says what the lines mean. A line that is none of these
# ends the build.
BEGIN {
	how["say"] = "WT_PEER_SAY"
	how["needless"] = "WT_PEER_NEEDLESS"
	how["root"] = "WT_PEER_ROOT"
	how["run"] = "WT_PEER_RUN"
	how["run-with"] = "WT_PEER_RUN_WITH"
}

function fail(what) {
	printf "%s:%d: %s\n", FILENAME, begun, what > "/dev/stderr"
	exit failed = 1
}

function quoted(text) {
	gsub(/\\/, "&&", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

# {NAME} in a text stands for another text.
function filled(text,    name) {
	while (match(text, /[{][A-Z_]+[}]/)) {
		name = substr(text, RSTART + 1, RLENGTH - 2)
		if (!(name in texts))
			fail("no text is called " name)
		text = substr(text, 1, RSTART - 1) texts[name] substr(text, RSTART + RLENGTH)
	}
	return text
}

function take_section(line) {
	array = line == "[texts]" ? "texts" : line == "[first]" ? "first_words" : line ~ /^\[on .+\]$/ ? "options" : \
		line ~ /^\[at .+\]$/ ? "behind" : ""
	if (!array)
		fail("unknown section " line)
	where = line ~ / / ? substr(line, 5, length(line) - 5) : ""
}

function take_row(line,    words, here) {
	sub(/ \|$/, " | ", line)
	if (split(line, columns, " \\| ") < 3 || !(columns[2] in how))
		fail("WORDS | HOW | HERE expected")
	here = substr(line, length(columns[1] columns[2]) + 7)
	rows[array] = rows[array] "\t{" quoted(where) ", " quoted(columns[1]) ", " how[columns[2]] ", " \
		quoted(filled(here)) "},\n"
}

function take(line) {
	if (line ~ /^\[/)
		take_section(line)
	else if (array == "texts" && match(line, /^[A-Z_]+ = /))
		texts[substr(line, 1, RLENGTH - 3)] = filled(substr(line, RLENGTH + 1))
	else if (array && array != "texts")
		take_row(line)
	else if (line)
		fail("unknown line")
}

/^\t/ {
	sub(/^\t/, " ")
	row = row $0
	next
}
row { take(row) }
{
	row = /^#/ ? "" : $0
	begun = FNR
}

END {
	if (failed)
		exit 1
	if (row)
		take(row)
	for (array in rows)
		printf "static const struct wt_peer %s[] = {\n%s};\n\n", array, rows[array]
}
