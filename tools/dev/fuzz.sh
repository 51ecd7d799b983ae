# Sourced by ./dev. Runs the fuzz targets (fuzz/*_fuzz.cpp), each from the seeds that the build made and
# what earlier runs found in build/fuzz/corpus/.

# fuzz [TARGET] [--seconds N | --runs N]: those whose name contains TARGET, 60 seconds each.
fuzz() {
  local limit=-max_total_time=60 filter=
  while (($# > 0)); do
    case $1 in
      --seconds | --runs)
        [[ ${2-} =~ ^[1-9][0-9]*$ ]] || stop "fuzz: $1 needs a whole number from 1, got '${2-}'"
        limit=-max_total_time=$2
        [[ $1 == --seconds ]] || limit=-runs=$2
        shift
        ;;
      -*) stop "fuzz: unknown option '$1'; expected --seconds N or --runs N" ;;
      *) filter=$1 ;;
    esac
    shift
  done
  [[ -n $(fuzz_targets "$filter") ]] || stop "fuzz: no target named '$filter'; there are: $(fuzz_targets | tr '\n' ' ')"
  need build fuzz
  configure fuzz
  compile fuzz
  local target found=() all=0
  for target in $(fuzz_targets "$filter"); do
    run_fuzz_target "$target" "$limit" || found+=("$target")
  done
  say "$all executions in all"
  ((${#found[@]} == 0)) || stop "the fuzzer found something: ${found[*]} (the inputs: build/fuzz/findings/)"
}

# The targets whose name contains $1, one a line.
fuzz_targets() {
  local source
  for source in "$root"/fuzz/*_fuzz.cpp; do
    source=$(basename "$source" .cpp)
    [[ $source != *"${1-}"* ]] || echo "$source"
  done
}

# run_fuzz_target TARGET LIMIT: adds the executions to $all. One allocation beyond 64 MiB, 10 seconds
# for one input, a leak, or whatever the sanitizers see, is a finding.
run_fuzz_target() {
  local target=$1 build=$root/build/fuzz status=0 executions
  mkdir -p "$build/corpus/$target" "$build/findings"
  local output=$build/findings/$target.log
  (cd "$build/findings" && TMPDIR=$build UBSAN_OPTIONS=print_stacktrace=1 "$build/fuzz/$target" \
    "$2" -timeout=10 -malloc_limit_mb=64 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$target-" "$build/corpus/$target" "$build/fuzz/seeds/$target") >"$output" 2>&1 || status=$?
  executions=$(awk '/stat::number_of_executed_units/ {print $2}' "$output")
  all=$((all + ${executions:-0}))
  if ((status == 0)); then
    say "$target: ${executions:-0} executions, nothing found"
  else
    say "$target: found something after ${executions:-some} executions:"
    grep -m 3 -E 'ERROR|SUMMARY|runtime error|Test unit written' "$output" >&2 || tail -n 5 "$output" >&2
    return 1
  fi
}
