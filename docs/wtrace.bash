# SPDX-License-Identifier: MIT
# bash completion for wtrace. Needs nothing but bash.

_wtrace_commands='start stop record status enable disable recover view dump info verify relog merge export mark list doctor manifest help'
_wtrace_keys='process comm pid thread tid module function symbol line address stack cpu provider event level time self activity related stack_status'
_wtrace_columns='count overhead weight exclusive inclusive overhead-inclusive sum: min: max: avg: p50: p99: unique:
	first last'

# The options of a command.
_wtrace_options()
{
	local session='--providers --stackwalk --unwind --stack-bytes --session --output --event --frequency --pid --cpu
		--buffer-size --buffers --max-file --flush --filter --manifest --force --json'

	case $1 in
	start) echo "$session" ;;
	record) echo "$session --strict" ;;
	stop) echo '--session --output --force --strict --json' ;;
	status) echo '--session --json' ;;
	enable) echo '--providers --filter --manifest --session' ;;
	disable) echo '--session' ;;
	recover) echo '--session --rings --output --force --json' ;;
	view) echo '--group-by --where --from --to --event --columns --sort --top --min --inclusive --stack-order
		--callers-of --callees-of --depth --threads --missing --proved --no-self --no-resolve --json --csv --folded --strict' ;;
	info | verify) echo '--json' ;;
	relog) echo '--output --where --event --pid --from --to --drop-stacks --no-self --no-resolve --force --json' ;;
	merge) echo '--output --force --json' ;;
	export) echo '--format --output --event --from --to --no-resolve' ;;
	dump) echo '--where --from --to --event --absolute --stack --no-self --no-resolve --json --csv --follow --session
		--strict' ;;
	list) echo '--long --json' ;;
	doctor) echo '--json' ;;
	manifest) echo '--json --output' ;;
	esac
	[ "$1" = help ] || echo '--quiet --verbose --help'
}

# Names from `wtrace list events` that the given option takes.
_wtrace_events()
{
	wtrace list events 2>/dev/null |
		awk -v want="($1 " '/^[^ ]/ { take = index($0, want) } take && /^  [^ ]/ { print $1 }'
}

# Providers that programs have registered.
_wtrace_registered()
{
	wtrace list providers 2>/dev/null | awk '/^[^ ].*\(of programs of uid/ { print $1 }'
}

_wtrace_sessions()
{
	wtrace list sessions 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# Completes the last item of a list separated by commas: keeps what stands before it.
_wtrace_list()
{
	local cur=$1 before=

	[[ $cur == *,* ]] && before=${cur%,*},
	COMPREPLY=($(compgen -P "$before" -W "$2" -- "${cur##*,}"))
	[[ $3 != nospace ]] || compopt -o nospace 2>/dev/null || :
}

# The values of an option of a command; fails when the option takes none.
_wtrace_value()
{
	local command=$1 option=$2 cur=$3

	case $command:$option in
	start:-p | record:-p | enable:-p | *:--providers)
		local known="pmu-profile loader proc_thread linux: $(_wtrace_registered)"
		[[ ${cur##*,} == linux:* ]] && known=$(_wtrace_events -p)
		_wtrace_list "$cur" "$known" nospace
		;;
	*:--stackwalk) _wtrace_list "$cur" 'pmu-profile' nospace ;;
	start:-e | start:--event | record:-e | record:--event)
		COMPREPLY=($(compgen -W "$(_wtrace_events -e)" -- "$cur"))
		;;
	view:-g | *:--group-by) _wtrace_list "$cur" "$_wtrace_keys" nospace ;;
	view:-c | *:--columns) _wtrace_list "$cur" "$_wtrace_columns" nospace ;;
	view:-s | *:--sort) COMPREPLY=($(compgen -W "$_wtrace_columns key" -- "$cur")) ;;
	*:-s | *:--session) COMPREPLY=($(compgen -W "$(_wtrace_sessions)" -- "$cur")) ;;
	*:--pid) _wtrace_list "$cur" "$(cd /proc && echo [0-9]*)" nospace ;;
	*:--manifest) COMPREPLY=($(compgen -f -- "$cur")) ;;
	*:--rings) COMPREPLY=($(compgen -d -- "$cur")) ;;
	*:--stack-order) COMPREPLY=($(compgen -W 'root leaf' -- "$cur")) ;;
	*:--unwind) COMPREPLY=($(compgen -W 'tables fp' -- "$cur")) ;;
	*:--buffers) COMPREPLY=($(compgen -W 'user process' -- "$cur")) ;;
	*:--filter) COMPREPLY=($(compgen -W "$(_wtrace_registered)" -S : -- "$cur")) ;;
	*:-o | *:--output) COMPREPLY=($(compgen -f -- "$cur")) ;;
	*:-F | *:--frequency | *:--cpu | *:--buffer-size | *:--max-file | *:--flush | *:--stack-bytes | *:-w | *:--where | *:--from | *:--to | \
		*:-n | *:--top | *:--min | *:--depth | *:--threads | *:--callers-of | *:--callees-of | *:-e | *:--event)
		COMPREPLY=()
		;;
	*) return 1 ;;
	esac
}

# What bash takes for the word under the cursor begins behind the last ':' or '=': give only that part back.
_wtrace_cut_breaks()
{
	local cur=$1 i char

	for char in : =; do
		[[ $COMP_WORDBREAKS == *$char* && $cur == *$char* ]] || continue
		for i in "${!COMPREPLY[@]}"; do
			COMPREPLY[i]=${COMPREPLY[i]#"${cur%"$char"*}$char"}
		done
	done
}

_wtrace()
{
	local line=${COMP_LINE:0:COMP_POINT} words cur prev command= i

	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	cur=${words[-1]}
	prev=${words[-2]}
	COMPREPLY=()
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		if [[ ${words[i]} == -- ]]; then
			COMPREPLY=($(compgen -c -f -- "$cur"))
			return
		fi
		[[ -z $command && ${words[i]} != -* ]] && command=${words[i]}
	done
	if [[ -z $command ]]; then
		COMPREPLY=($(compgen -W "$_wtrace_commands --version --help --quiet --verbose" -- "$cur"))
	elif [[ $cur == --*=* ]]; then
		_wtrace_value "$command" "${cur%%=*}" "${cur#*=}" || COMPREPLY=()
		COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}")
	elif [[ $prev == -* && $prev != --stackwalk ]] && _wtrace_value "$command" "$prev" "$cur"; then
		:
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$(_wtrace_options "$command")" -- "$cur"))
	elif [[ $command == list ]]; then
		COMPREPLY=($(compgen -W 'providers events sessions' -- "$cur"))
	elif [[ $command == help ]]; then
		COMPREPLY=($(compgen -W "$_wtrace_commands" -- "$cur"))
	elif [[ $command == manifest && $prev == manifest ]]; then
		COMPREPLY=($(compgen -W 'check header diff' -- "$cur"))
	elif [[ $command == disable ]]; then
		COMPREPLY=($(compgen -W "$(_wtrace_registered)" -- "$cur"))
	elif [[ $command == view || $command == dump || $command == info || $command == verify || $command == relog || $command == merge || $command == export || $command == manifest || $command == recover ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
	_wtrace_cut_breaks "$cur"
}

complete -o filenames -F _wtrace wtrace
