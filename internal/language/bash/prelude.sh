# What stands in the shell before the user's code, in functions and variables whose names
# begin with __praxis: doc.go says how they play together. @BASH@ is the shell's program.

# A shell that was started again reads what follows, and then the state that the one before
# it has left.
__praxis_trap= __praxis_how= __praxis_status=0 __praxis_last=0 __praxis_leaving= __praxis_name= __praxis_cell=
builtin shopt -s expand_aliases
builtin trap __praxis_interrupt INT

# Waits for the driver and does what it asks, until it is to run a cell, whose code is then
# in __praxis_code. Its own status is that of the cell before, for a cell that looks at $?.
__praxis_next() {
  local __praxis_op __praxis_a __praxis_b
  local -
  set +efuvx
  if [[ -n $__praxis_cell ]]; then # "continue" led here
    __praxis_last=0
    __praxis_end
  fi
  while :; do
    __praxis_op=
    if ! IFS=' ' builtin read -r __praxis_op __praxis_a __praxis_b </proc/$PPID/task/$PPID/fd/211; then
      [[ -n $__praxis_op ]] || [[ -e /proc/$PPID/task/$PPID/fd/211 ]] || builtin kill -KILL "$BASHPID"
      [[ -n $__praxis_op ]] || continue
    fi
    IFS= builtin read -r -d '' __praxis_code </proc/$PPID/task/$PPID/fd/210
    case $__praxis_op in
      execute) break ;;
      change)
        builtin eval "$__praxis_code" </dev/null >/dev/null 2>&1
        builtin printf 'changed\0' >/proc/$PPID/task/$PPID/fd/214
        ;;
      complete)
        builtin compgen -A "$__praxis_a" -- "$__praxis_code" >/proc/$PPID/task/$PPID/fd/214 2>/dev/null
        builtin printf '\0' >/proc/$PPID/task/$PPID/fd/214
        ;;
    esac
  done
  __praxis_how= __praxis_cell=1
  return "$__praxis_last"
}

# Ends a cell that came to its end.
__praxis_end() {
  __praxis_last=$? __praxis_cell=
  if [[ -n $__praxis_trap ]]; then
    local __praxis_text=$__praxis_trap
    __praxis_trap=
    __praxis_run_trap "$__praxis_last" "$__praxis_text" >/proc/$PPID/task/$PPID/fd/1 2>/proc/$PPID/task/$PPID/fd/2 || :
  fi
  builtin printf 'done %s\0' "$__praxis_last" >/proc/$PPID/task/$PPID/fd/214
}

# Runs a text with a status in $?. In a condition a status is no error.
__praxis_run_trap() {
  if __praxis_set "$1"; then builtin eval "$2"; else builtin eval "$2"; fi
}

__praxis_set() { return "$1"; }

# Leaves the cell. There is one way out of every function, loop and file that is read and
# that puts local variables back: an error in an expansion. It ends the shell with its EXIT
# trap.
__praxis_unwind() {
  { : "${__praxis_gone?}"; } 2>/dev/null
}

# An interrupt that comes when the cell has ended is not that of the next one.
__praxis_interrupt() {
  [[ -n $__praxis_cell ]] || return 0
  __praxis_status=130 __praxis_how=interrupt
  __praxis_unwind
}

# Gives what follows a name, arguments and a standard input, as a script has them.
__praxis_invoke() {
  if [[ -n $1 ]]; then
    exec <"$1"
    command rm -f -- "$1"
  fi
  __praxis_name=$2 __praxis_arguments=("${@:3}") __praxis_status=0 __praxis_how=invoke
  __praxis_unwind
}

exit() {
  { local - __praxis_now=$?; set +x; } 2>/dev/null
  if [[ $BASH_SUBSHELL != 0 ]]; then
    builtin exit "${@-$__praxis_now}"
  fi
  if [[ $# -gt 1 ]]; then
    builtin printf '%s: exit: too many arguments\n' "$0" >&2
    return 1
  fi
  if [[ -n ${1+x} && ! $1 =~ ^[-+]?[0-9]{1,18}$ ]]; then
    builtin printf '%s: exit: %s: numeric argument required\n' "$0" "$1" >&2
    set -- 2
  fi
  __praxis_status=$((${1:-$__praxis_now} & 255)) __praxis_how=exit
  if [[ -n $__praxis_leaving ]]; then
    return "$__praxis_status"
  fi
  __praxis_unwind
}

# The EXIT trap of the shell is ours; the user's is kept and runs when a cell ends.
trap() {
  { local - __praxis_list=() __praxis_action __praxis_name; set +x; } 2>/dev/null
  if [[ $# == 0 || $1 == -p || $1 == -l ]]; then
    [[ -z $__praxis_trap || $# -gt 1 && " ${*:2} " != *" EXIT "* || ${1-} == -l ]] || builtin printf 'trap -- %s EXIT\n' "${__praxis_trap@Q}"
    [[ $# == 0 ]] || shift
    for __praxis_name; do
      [[ $__praxis_name == EXIT ]] || __praxis_list+=("$__praxis_name")
    done
    [[ $# -gt 0 && ${#__praxis_list[@]} == 0 ]] || builtin trap "${__praxis_action:--p}" "${__praxis_list[@]}" | while IFS= builtin read -r __praxis_name; do
      [[ $__praxis_name == *"__praxis_"* ]] || builtin printf '%s\n' "$__praxis_name"
    done
    return 0
  fi
  if [[ $BASH_SUBSHELL != 0 ]]; then
    builtin trap "$@"
    return
  fi
  [[ $1 != -- ]] || shift
  if [[ $# == 1 ]]; then
    set -- - "$1"
  fi
  __praxis_action=$1
  shift
  for __praxis_name; do
    case ${__praxis_name^^} in
      EXIT | SIGEXIT | 0)
        # Ours is among what a shell that leaves lists.
        case $__praxis_action in
          -) __praxis_trap= ;;
          *__praxis_leave*) ;;
          *) __praxis_trap=$__praxis_action ;;
        esac
        ;;
      INT | SIGINT | 2)
        if [[ $__praxis_action == - ]]; then
          builtin trap __praxis_interrupt INT
        else
          builtin trap -- "$__praxis_action" INT
        fi
        ;;
      RETURN)
        # This function returns, too, and that is not what is meant.
        if [[ $__praxis_action == - || -z $__praxis_action || $__praxis_action == *'== trap ]] || builtin eval '* ]]; then
          builtin trap -- "$__praxis_action" RETURN
        else
          builtin trap -- "[[ \${FUNCNAME-} == trap ]] || builtin eval ${__praxis_action@Q}" RETURN
        fi
        ;;
      *) __praxis_list+=("$__praxis_name") ;;
    esac
  done
  [[ ${#__praxis_list[@]} == 0 ]] || builtin trap -- "$__praxis_action" "${__praxis_list[@]}"
}

# Writes everything of the shell that is not the process's own, as commands that make it
# again. First the options as they are, then the rest.
__praxis_dump() {
  local __praxis_name __praxis_list=()
  builtin set +o
  builtin printf '\0'
  set +efuvx
  builtin printf 'builtin cd -- %s\nbuiltin unset -v OLDPWD\n' "${PWD@Q}"
  for __praxis_name in "${!_@}" "${!a@}" "${!b@}" "${!c@}" "${!d@}" "${!e@}" "${!f@}" "${!g@}" "${!h@}" "${!i@}" "${!j@}" \
    "${!k@}" "${!l@}" "${!m@}" "${!n@}" "${!o@}" "${!p@}" "${!q@}" "${!r@}" "${!s@}" "${!t@}" "${!u@}" "${!v@}" "${!w@}" \
    "${!x@}" "${!y@}" "${!z@}" "${!A@}" "${!B@}" "${!C@}" "${!D@}" "${!E@}" "${!F@}" "${!G@}" "${!H@}" "${!I@}" "${!J@}" \
    "${!K@}" "${!L@}" "${!M@}" "${!N@}" "${!O@}" "${!P@}" "${!Q@}" "${!R@}" "${!S@}" "${!T@}" "${!U@}" "${!V@}" "${!W@}" \
    "${!X@}" "${!Y@}" "${!Z@}"; do
    case $__praxis_name in
      __praxis_* | _ | BASH | BASHOPTS | BASHPID | BASH_* | COMP_WORDBREAKS | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HISTCMD) ;;
      LINENO | PIPESTATUS | PPID | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | UID) ;;
      *) __praxis_list+=("$__praxis_name") ;;
    esac
  done
  builtin declare -p "${__praxis_list[@]}"
  builtin printf 'SECONDS=%s\n' "$SECONDS"
  builtin unset -f exit trap __praxis_next __praxis_end __praxis_run_trap __praxis_set __praxis_unwind __praxis_interrupt __praxis_begin
  builtin unset -f __praxis_invoke __praxis_dump __praxis_leave
  builtin declare -f
  builtin declare -Fx
  builtin alias -p
  builtin shopt -p
  builtin trap -p
  builtin printf '\0'
}

# The EXIT trap: the cell ended with an exit, an error that ends a shell, or an interrupt.
# The shell tells its state and begins anew as the same process, with the same children,
# descriptors, limits and folder. Only its list of jobs is lost.
__praxis_leave() {
  local __praxis_text=$__praxis_trap __praxis_folder __praxis_file __praxis_options=$-
  [[ -n $__praxis_how ]] || __praxis_status=$1
  shift
  if [[ -n $__praxis_text ]]; then
    set +eu
    __praxis_trap= __praxis_leaving=1
    __praxis_run_trap "$__praxis_status" "$__praxis_text" >/proc/$PPID/task/$PPID/fd/1 2>/proc/$PPID/task/$PPID/fd/2
    __praxis_leaving=
    [[ $__praxis_options != *e* ]] || set -e
    [[ $__praxis_options != *u* ]] || set -u
  fi
  __praxis_cell=
  __praxis_dump >/proc/$PPID/task/$PPID/fd/215 || :
  set +efuvx
  builtin printf 'left %s %s %s\0' "$__praxis_status" "${__praxis_how:-end}" "$__praxis_name" >/proc/$PPID/task/$PPID/fd/214 || return
  builtin read -r __praxis_file </proc/$PPID/task/$PPID/fd/211 || return
  IFS= builtin read -r -d '' __praxis_folder </proc/$PPID/task/$PPID/fd/210
  __praxis_file=${__praxis_folder##*/}
  builtin cd -- "${__praxis_folder%/*}" || return
  builtin exec -- @BASH@ --noprofile --norc -- "$__praxis_file" "$@" >/dev/null 2>&1
}

__praxis_begin() {
  builtin trap '{ __praxis_exit=$?; if [[ -n ${FUNCNAME[1]+x} || $__praxis_how == invoke ]]; then __praxis_leave "$__praxis_exit" "${__praxis_arguments[@]}"; else __praxis_leave "$__praxis_exit" "$@"; fi; } 2>/dev/null' EXIT
  builtin printf 'ready %s\0' "$BASH_VERSION" >/proc/$PPID/task/$PPID/fd/214
}
