# SPDX-License-Identifier: MIT
# What stands behind "--" is a word like others, also where it begins with a dash. No command leaves it out.
code() { wtrace "$@"; echo "exit $?"; }
code stop -- no-such-session
code status -- no-such-session
code info -- -log.etl
code verify -- -log.etl
code doctor -- more
code cpuinfo -- more
code cmninfo -- more
code list -- no-such-section
code manifest -- check
code mark -- two words
code enable --session no-such-session -- my-app
