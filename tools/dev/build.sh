# Sourced by ./dev. Configures, builds and tests the presets of CMakePresets.json.

# The C++ files under the given directories, separated by NUL.
sources() {
  local folder
  for folder in "$@"; do
    [[ ! -d $folder ]] || find "$folder" \( -name '*.h' -o -name '*.cpp' \) -print0
  done
}

# One job per core, but no more than memory holds: a kernel file takes about 1 GiB to compile.
jobs_allowed() {
  local jobs memory=
  jobs=$(nproc)
  [[ ! -r /proc/meminfo ]] || memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  if [[ -n $memory ]] && ((memory < jobs)); then jobs=$((memory > 0 ? memory : 1)); fi
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}"
}

# configure PRESET [CMAKE ARGS...]; with HEED_WERROR=ON in the environment, as in .ci/run, every warning
# is an error; HEED_UNITY_BATCH is how many sources are compiled as one.
configure() {
  if ! (cd "$root" && cmake --preset "$@" ${HEED_WERROR:+-DHEED_WERROR="$HEED_WERROR"} \
    ${HEED_UNITY_BATCH:+-DCMAKE_UNITY_BUILD_BATCH_SIZE="$HEED_UNITY_BATCH"}) >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    stop "cmake could not configure build/$1 (the whole log: $log)"
  fi
}

# compile PRESET [ARGS...]
compile() {
  (cd "$root" && CMAKE_BUILD_PARALLEL_LEVEL=$(jobs_allowed) cmake --build --preset "$@") ||
    stop "the build of build/$1 failed"
}

# The program alone needs no test packages, so a new build directory starts without tests.
build_program() {
  if [[ -f $root/build/release/CMakeCache.txt ]]; then
    configure release -DHEED_PYTHON=OFF
  else
    configure release -DHEED_TESTS=OFF
  fi
  compile release --target heed_program
}

# test_with TEST-PRESET [FILTER | -- CTEST ARGS...]: a FILTER finds single tests; a run of all has many in
# a process, without those named Soak.
test_with() {
  local preset=$1
  local build=${preset%-short} arguments=(-C Shards -LE alone -E Soak) targets=() short=OFF examples=ON
  shift
  # The sanitizers' subset runs no examples, leaves two of their checks to the whole suite, and takes the
  # tests as the release build compiled them.
  if [[ $preset == *-short ]]; then examples=OFF; fi
  if [[ $preset == *-short && $# -eq 0 ]]; then
    configure release -DHEED_PYTHON=OFF -DHEED_TESTS=ON
    compile release --target short_test_cases
    # (The preset names what it leaves out.)
    short=ON arguments=(-C Shards -LE alone) targets=(--target short_tests)
  fi
  if [[ ${1-} == -- ]]; then
    arguments+=("${@:2}")
  elif (($# > 0)); then
    arguments=(-R "$1") targets=()
  fi
  # (The Python module is ./dev python's, whose virtual environment may be gone.)
  configure "$build" -DHEED_PYTHON=OFF -DHEED_TESTS=ON -DHEED_EXAMPLES=$examples -DHEED_SANITIZE_SHORT=$short \
    -DHEED_TEST_CASES="$root/build/release/tests"
  compile "$build" ${targets[@]+"${targets[@]}"}
  if [[ -z ${HEED_DATA-} && -d $root/../shared/data ]]; then
    HEED_DATA=$(cd "$root/../shared/data" && pwd -P)
    export HEED_DATA
  fi
  local run=()
  # GCC 12's thread sanitizer cannot place its shadow under the address randomisation of new kernels.
  if [[ $build == tsan ]] && setarch -R true 2>/dev/null; then run=(setarch -R); fi
  (cd "$root" && ${run[@]+"${run[@]}"} ctest --preset "$preset" \
    --parallel "${CTEST_PARALLEL_LEVEL:-$(nproc)}" ${arguments[@]+"${arguments[@]}"})
}
