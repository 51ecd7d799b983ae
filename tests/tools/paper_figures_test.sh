#!/usr/bin/env bash
# The tables in docs/paper.md and docs/paper.zh.md that stand below a line "paper_figures NAME" are
# what that command prints, and every table that it prints stands in both.
# Usage: paper_figures_test.sh PROGRAM DOCS
set -euo pipefail
program=$1 docs=$2
names=$("$program" 2>&1 | sed 's/.*one of \(.*\), got.*/\1/') || true
[[ $names == *scores* ]] || { echo "cannot read the list of tables: $names" >&2 && exit 1; }
for page in "$docs"/paper.md "$docs"/paper.zh.md; do
  for name in $names; do
    quoted=$(awk -v line="$ build/release/tests/paper_figures $name" '
      /^```/ { inside = 0 }
      inside
      $0 == line { inside = 1 }' "$page")
    printed=$("$program" "$name")
    [[ $quoted == "$printed" ]] || {
      echo "$page: the table '$name' is not what paper_figures prints:" >&2
      diff <(echo "$quoted") <(echo "$printed") >&2 || true
      exit 1
    }
  done
done
