#!/usr/bin/env bash
# ./dev answers from any folder, refuses what it does not know, and says what a machine lacks.
set -euo pipefail
project=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect STATUS TEXT COMMAND...: the command exits with STATUS and prints TEXT.
expect() {
  local status=0 printed
  printed=$("${@:3}" 2>&1 </dev/null) || status=$?
  [[ $status == "$1" && $printed == *"$2"* ]] || {
    echo "expected exit $1 and '$2' from '${*:3}', got exit $status and: $printed" >&2
    exit 1
  }
}

# A copy in a path with a space, called from elsewhere.
copy="$scratch/a copy"
mkdir -p "$copy/tools"
cp "$project/dev" "$copy/"
cp -r "$project/tools/dev" "$copy/tools/"
cd /

expect 0 "Usage: ./dev COMMAND" "$copy/dev"
expect 0 "Usage: ./dev COMMAND" "$copy/dev" --help
expect 0 "Usage: ./dev COMMAND" "$copy/dev" build --help
expect 0 "Usage: ./dev COMMAND" "$copy/dev" test -h
expect 2 "unknown command 'biuld', did you mean build?" "$copy/dev" biuld
expect 1 "check: unknown option '--covrage'; expected --coverage" "$copy/dev" check --covrage
expect 1 "fuzz: no target named 'nothing'" "$copy/dev" fuzz nothing
expect 1 "fuzz: --seconds needs a whole number from 1, got '0'" "$copy/dev" fuzz --seconds 0
expect 2 "unknown command 'tests', did you mean test?" "$copy/dev" tests

# A machine of another distribution: no apt-get, and few commands.
mkdir "$scratch/bin"
for tool in bash dirname mkdir cat; do
  ln -s "$(command -v "$tool")" "$scratch/bin/$tool"
done
bare=(env -i HOME="$scratch" PATH="$scratch/bin" "$copy/dev")
expect 0 "Usage: ./dev COMMAND" "${bare[@]}"
for lacking in "the command c++" "the command cmake" "header sentencepiece_processor.h" "header gtest/gtest.h"; do
  expect 1 "$lacking" "${bare[@]}" test
done

# A Debian machine where everything is installed: nothing is installed, the build goes on to cmake.
cat >"$scratch/bin/dpkg-query" <<'FAKE'
#!/usr/bin/env bash
printf installed
FAKE
printf '#!/usr/bin/env bash\necho "apt-get must not run" >&2; exit 1\n' >"$scratch/bin/apt-get"
printf '#!/usr/bin/env bash\necho "cmake $*"; exit 1\n' >"$scratch/bin/cmake"
chmod +x "$scratch"/bin/{dpkg-query,apt-get,cmake}
ln -s "$(command -v tail)" "$scratch/bin/tail"
expect 1 "cmake --preset release" "${bare[@]}" build

# A run of all tests has many in a process and leaves those named Soak out; a filter finds any.
printf '#!/usr/bin/env bash\nexit 0\n' >"$scratch/bin/cmake"
printf '#!/usr/bin/env bash\necho "ctest $*"\n' >"$scratch/bin/ctest"
chmod +x "$scratch/bin/ctest"
for tool in nproc awk; do ln -s "$(command -v "$tool")" "$scratch/bin/$tool"; done
expect 0 "-C Shards -LE alone -E Soak" "${bare[@]}" test
expect 0 "-C Shards -LE alone -E Soak --rerun-failed" "${bare[@]}" test -- --rerun-failed
expect 0 " -R Name" "${bare[@]}" test Name
expect 0 "--preset asan-short" "${bare[@]}" sanitize

# Nothing installed: the build asks for the program's packages only, as root or by sudo.
printf '#!/usr/bin/env bash\nexit 1\n' >"$scratch/bin/dpkg-query"
ln -s "$(command -v env)" "$scratch/bin/env"
printf '#!/usr/bin/env bash\nwhile [[ $1 != env ]]; do shift; done\n"$@"\n' >"$scratch/bin/sudo"
chmod +x "$scratch/bin/sudo"
expect 1 "installing 19 packages: g++ cmake" "${bare[@]}" build
expect 1 "apt-get must not run" "${bare[@]}" build

# Coverage by folder, from a table of gcovr: 85 of 100 lines.
log=$scratch/log root=$copy
source "$copy/tools/dev/coverage.sh"
report=$scratch/report
cat >"$report" <<'REPORT'
filename,line_total,line_covered,line_percent,branch_total,branch_covered,branch_percent,function_total,function_covered,function_percent
core/error.cpp,60,60,1.0,0,0,,4,4,1.0
backend/cpu/norm.cpp,40,25,0.625,2,2,1.0,4,4,1.0
REPORT
table() { coverage_table "$1" <"$2"; }
expect 0 "backend           40 lines      15 never run   62.5 %" table 85 "$report"
expect 1 "all              100 lines      15 never run   85.0 %" table 86 "$report"
expect 1 "no file was measured" table 90 /dev/null
