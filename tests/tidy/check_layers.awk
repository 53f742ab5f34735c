# SPDX-License-Identifier: MIT
# awk -f check_layers.awk layers.txt FILE...: names each #include "..." that layers.txt does not allow.
# Exit code 1 when there is one.
function directory(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "." }

function allowed(from, to,    rule, n, i, t, w) {
	if (directory(from) == directory(to))
		return 1
	rule = (from in may) ? from : directory(from)
	if (!(rule in may)) {
		unlisted[rule] = 1
		return 0
	}
	n = split(may[rule], w, " ")
	for (i = 1; i <= n; i++) {
		t = w[i]
		if (t == to || t == directory(to))
			return 1
		if (t ~ /\/\*$/ && index(directory(to) "/", substr(t, 1, length(t) - 1)) == 1)
			return 1
	}
	return 0
}

FNR == 1 { nfile++ }
nfile == 1 && /^[^#]/ && /:/ {
	split($0, side, ":")
	may[side[1]] = side[2]
	next
}
nfile > 1 && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	checked++
	if (FILENAME !~ /^tests\// && !allowed(FILENAME, quoted[2])) {
		printf "%s:%d: a file here may not include \"%s\"\n", FILENAME, FNR, quoted[2]
		bad = 1
	}
}
END {
	for (u in unlisted)
		printf "%s: not listed in layers.txt\n", u
	if (!checked) {
		print "no #include line seen: the check did not run"
		bad = 1
	}
	exit bad
}
