#!/usr/bin/env bash
# tools/check_headers.sh passes a good tree and names what is wrong in each bad one.
# Usage: check_headers_test.sh CXX
set -euo pipefail
export CXX=$1
check=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../tools" && pwd -P)/check_headers.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

good_tree() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch"/tree/src/heed/core "$scratch"/tree/apps/heed/console
  cd "$scratch/tree"
  printf '#pragma once\n#include <cstdint>\nint64_t f();\n' >src/heed/core/a.h
  printf '// The function.\n#include "heed/core/a.h"\n\n#include <string>\n' >src/heed/core/a.cpp
  printf '#pragma once\n#include "heed/core/a.h"\ninline int64_t g() { return f(); }\n' >src/heed/core/b.h
  printf '#pragma once\nint h(Unknown);\n' >src/heed/core/kernel-inl.h
  printf '#pragma once\n#include "heed/core/b.h"\n' >apps/heed/console/c.h
}

# expect_refusal TEXT: the tree is refused, and TEXT is printed.
expect_refusal() {
  local printed
  if printed=$(bash "$check" "$scratch/tree" 2>&1); then
    echo "expected '$1', but the check passed" >&2
    exit 1
  fi
  [[ $printed == *"$1"* ]] || {
    echo "expected '$1', got: $printed" >&2
    exit 1
  }
}

good_tree
bash "$check" "$scratch/tree"

printf '#pragma once\n#include "heed/core/b.h"\nstd::string s();\n' >src/heed/core/b2.h
expect_refusal "heed/core/b2.h:3"
good_tree
printf 'Size count();\n' >>apps/heed/console/c.h
expect_refusal "console/c.h:3"
good_tree
printf '#include <string>\n#include "heed/core/a.h"\n' >src/heed/core/a.cpp
expect_refusal 'src/heed/core/a.cpp: the first include must be "heed/core/a.h"'
