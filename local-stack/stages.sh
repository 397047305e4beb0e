# Tells how far ./run is: on a terminal in one line that moves, elsewhere in lines of their own. To be sourced.

moves=
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then moves=true; fi
stage=
stage_number=0
at_work=

stage_begin() { # NAME
  stage_number=$((stage_number + 1))
  stage="$stage_number/4 $1"
  stage_begun=$SECONDS
  stage_told=$SECONDS
  if [ -n "$moves" ]; then printf '%s ...' "$stage"; else echo "$stage ..."; fi
}

stage_tell() { # DETAIL
  local text
  text="$stage ... $((SECONDS - stage_begun)) s${1:+ ($1)}"
  if [ -n "$moves" ]; then
    printf '\r%s\033[K' "$text"
  elif [ $((SECONDS - stage_told)) -ge 5 ]; then
    echo "$text"
    stage_told=$SECONDS
  fi
}

stage_end() {
  local text="$stage: $((SECONDS - stage_begun)) s"
  if [ -n "$moves" ]; then printf '\r%s\033[K\n' "$text"; else echo "$text"; fi
  stage=
}

# what is said next has a line of its own
stage_break() {
  if [ -n "$stage" ] && [ -n "$moves" ]; then echo; fi
  stage=
}

# Runs a command whose output goes to a log, and calls a function twice a second meanwhile. The command is the leader of a group of
# its own, so that Ctrl-C ends all that it has started.
work() { # LOG FUNCTION COMMAND...
  local log=$1 tell=$2 code=0
  shift 2
  set -m
  "$@" >>"$log" 2>&1 </dev/null &
  at_work=$!
  set +m
  while kill -0 "$at_work" 2>/dev/null; do
    "$tell" "$log"
    sleep 0.5
  done
  wait "$at_work" 2>/dev/null || code=$?
  at_work=
  return $code
}

end_work() {
  [ -z "$at_work" ] || kill -- "-$at_work" 2>/dev/null || true
  stage_break
}
