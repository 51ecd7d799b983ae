# Sourced by the recipes: a training that Ctrl-C interrupts saves its state.

# run COMMAND...: in a session of its own, where Ctrl-C does not reach it: stop() passes signals on, once,
# and the program saves its state.
child=''
run() {
  local status=0
  setsid "$@" &
  child=$!
  wait "$child" || status=$?
  child=''
  return "$status"
}

# For `trap stop INT TERM HUP`.
stop() {
  trap '' INT TERM HUP
  if [[ -n $child ]]; then
    kill -TERM "$child" 2>/dev/null || true
    wait "$child" || true
  fi
  echo "run.sh: stopped; the same command continues" >&2
  exit 130
}
