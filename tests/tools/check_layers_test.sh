#!/usr/bin/env bash
# tools/check_layers.sh passes a good tree and names what is wrong in each bad one.
set -euo pipefail
check=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../tools" && pwd -P)/check_layers.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

good_tree() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch"/tree/src/heed/{core,backend/cpu,autograd,model,text,train,decode,evaluate,phrasebook} \
    "$scratch"/tree/apps/heed
  cd "$scratch/tree"
  printf '#ifndef HEED_CORE_A_H_\n#define HEED_CORE_A_H_\n#endif\n' >src/heed/core/a.h
  printf '#include "heed/core/a.h"\n#if defined(HEED_CUDA)\n#endif\n' >src/heed/backend/cpu/b.cpp
  printf '#include <vector>\n#include "heed/backend/cpu/b.h"\n' >src/heed/model/m.cpp
  printf '#include "heed/model/m.h"\n#define LOCAL 1\n' >src/heed/train/t.cpp
  printf '#include "heed/train/t.h"\n#include "heed/decode/d.h"\n' >apps/heed/main.cpp
  printf '#include "heed/core/a.h"\n' >src/heed/phrasebook/p.h
  printf '#include "heed/paper.h"\n#include "heed/train/t.h"\n' >src/heed/heed.h
}

# expect_complaint TEXT FILE LINE: the good tree with LINE added to FILE is refused with TEXT.
expect_complaint() {
  good_tree
  printf '%b\n' "$3" >>"$2"
  local printed
  if printed=$(bash "$check" "$scratch/tree"); then
    echo "expected a complaint '$1' about '$3' in $2, but the check passed" >&2
    exit 1
  fi
  [[ $printed == "$2:"*"$1"* && $printed != *$'\n'* ]] || {
    echo "expected one complaint '$1' about $2, got: $printed" >&2
    exit 1
  }
}

good_tree
bash "$check" "$scratch/tree"

expect_complaint "core must not include heed/backend/" src/heed/core/a.h '#include "heed/backend/b.h"'
expect_complaint "backend must not include heed/autograd/" src/heed/backend/cpu/b.cpp '# include <heed/autograd/x.h>'
expect_complaint "text must not include heed/model/" src/heed/text/x.cpp '#include "heed/model/m.h"'
expect_complaint "model must not include heed/text/" src/heed/model/m.cpp '#include "heed/text/x.h"'
expect_complaint "train must not include heed/decode/" src/heed/train/t.cpp '#include "heed/decode/d.h"'
expect_complaint "decode must not include heed/train/" src/heed/decode/d.cpp '#include "heed/train/t.h"'
expect_complaint "phrasebook must not include heed/text/" src/heed/phrasebook/p.h '#include "heed/text/x.h"'
expect_complaint "facade must not include heed/phrasebook/" src/heed/heed.h '#include "heed/phrasebook/p.h"'
expect_complaint "must not include the facade" src/heed/decode/d.cpp '#include "heed/heed.h"'
expect_complaint "device conditional" src/heed/model/m.cpp '#ifdef __CUDACC__'
expect_complaint "device conditional" apps/heed/main.cpp '#if defined(HEED_CUDA)'
expect_complaint "macro in a header" src/heed/core/a.h '#define SQUARE(x) ((x) * (x))'
expect_complaint "macro in a header" src/heed/core/a.h '#define HEED_VALUE 3'
expect_complaint "over 600 lines" src/heed/core/long.cpp "$(printf '//\\n%.0s' {1..600})"
good_tree
printf '#include "heed/core/b.h"\n' >>src/heed/core/a.h
printf '#include "heed/core/c.h"\n' >src/heed/core/b.h
printf '#include "heed/core/a.h"\n' >src/heed/core/c.h
printed=$(bash "$check" "$scratch/tree") && { echo "a circle of three headers passed" >&2; exit 1; }
for name in core/a core/b core/c; do
  [[ $printed == *"src/heed/$name.h"* ]] || { echo "not named of a circle: $name.h in $printed" >&2; exit 1; }
done
good_tree
mkdir src/heed/misc
printf 'int x;\n' >src/heed/misc/x.cpp
! bash "$check" "$scratch/tree" >/dev/null || { echo "an unknown layer passed" >&2; exit 1; }
