#!/usr/bin/env bash
# Fails on a header of src/heed or apps/heed that lacks an include of its own. A header with a source
# file beside it must be the first include of that file: every build then compiles it before anything
# else. The other headers are compiled here, each alone. A header named *-inl.h belongs to its source
# file and is left out, as are those that only nvcc reads. Compiler: CXX, or clang++. Jobs: CMAKE_BUILD_PARALLEL_LEVEL, or one per core.
# Usage: check_headers.sh [PROJECT_FOLDER]
set -euo pipefail
cd -- "${1-$(dirname -- "${BASH_SOURCE[0]}")/..}"
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
compile=("${CXX:-clang++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Isrc -Iapps/heed -x c++ /dev/null)

bad=0
alone=()
while IFS= read -r header; do
  name=${header#src/}
  name=${name#apps/heed/}
  source=${header%.h}.cpp
  if [[ ! -f $source ]]; then
    alone+=("$name")
  elif ! grep -m 1 '^[[:space:]]*#[[:space:]]*include' "$source" | grep -qF "\"$name\""; then
    echo "$source: the first include must be \"$name\", so that the header is compiled alone"
    bad=1
  fi
done < <(find src/heed apps/heed -name '*.h' ! -name '*-inl.h' ! -path '*/cuda/hardware/*' | LC_ALL=C sort)

if ((${#alone[@]} > 0)); then
  printf '%s\n' "${alone[@]}" | xargs -d '\n' -n 1 -P "$jobs" "${compile[@]}" -include || {
    echo "a header does not compile alone: it lacks an include"
    bad=1
  }
fi
exit "$bad"
