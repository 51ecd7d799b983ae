#!/usr/bin/env bash
# tools/check_paper_links.sh accepts a page that matches the source and reports each mismatch.
set -euo pipefail
check=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../tools" && pwd -P)/check_paper_links.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/docs" "$scratch/src"
printf 'int one() {\n  return 1;\n}\n\nint two() {\n  int x = 2;\n  return x;\n}\n' >"$scratch/src/a.cpp"

# page LINK_NAME LINK_PATH CODE: a page of one link and one quotation.
page() {
  printf 'See [`%s`](%s):\n\n```cpp\n%b\n```\n\n```\n$ figures\n1 2\n```\n' "$1" "$2" "$3"
}

# expect_complaint PART NAME PATH CODE
expect_complaint() {
  page "$2" "$3" "$4" >"$scratch/docs/paper.md"
  cp "$scratch/docs/paper.md" "$scratch/docs/paper.zh.md"
  local printed
  if printed=$(bash "$check" "$scratch"); then
    echo "expected a complaint '$1' about '$4' of $2 in $3, but the check passed" >&2
    exit 1
  fi
  [[ $printed == "paper.md:"*"$1"* ]] || { echo "expected '$1', got: $printed" >&2 && exit 1; }
}

good='int x = 2;\nreturn x;'
page 'int two' ../src/a.cpp "$good" | tee "$scratch/docs/questions.md" >"$scratch/docs/questions.zh.md"
page 'int two' ../src/a.cpp "$good" | tee "$scratch/docs/paper.md" >"$scratch/docs/paper.zh.md"
bash "$check" "$scratch"
page 'int two' ../src/a.cpp 'int one() {\n...\nreturn x;' | tee "$scratch/docs/paper.md" >"$scratch/docs/paper.zh.md"
bash "$check" "$scratch"

expect_complaint "../src/b.cpp does not exist" 'int two' ../src/b.cpp "$good"
expect_complaint "has no heading with the anchor #there" 'int two' '../src/a.cpp#there' "$good"
expect_complaint "../src/a.cpp does not contain int three" 'int three' ../src/a.cpp "$good"
expect_complaint "../src/a.cpp does not contain the quoted lines" 'int two' ../src/a.cpp 'int x = 3;'
expect_complaint "../src/a.cpp does not contain the quoted lines" 'int two' ../src/a.cpp 'return 1;\nreturn x;'
expect_complaint "../src/a.cpp does not contain the quoted lines" 'int two' ../src/a.cpp 'return x;\n...\nint x = 2;'

# The Chinese page quotes other code, or other figures.
page 'int two' ../src/a.cpp "$good" >"$scratch/docs/paper.md"
page 'int one' ../src/a.cpp 'return 1;' >"$scratch/docs/paper.zh.md"
! bash "$check" "$scratch" >/dev/null || { echo "other code passed in the Chinese page" >&2 && exit 1; }
sed 's/^1 2$/1 3/' "$scratch/docs/paper.md" >"$scratch/docs/paper.zh.md"
! bash "$check" "$scratch" >/dev/null || { echo "other figures passed in the Chinese page" >&2 && exit 1; }

# The other pages are checked too.
page 'int two' ../src/a.cpp "$good" | tee "$scratch/docs/paper.md" >"$scratch/docs/paper.zh.md"
page 'int three' ../src/a.cpp "$good" >"$scratch/docs/questions.zh.md"
! bash "$check" "$scratch" >/dev/null || { echo "an unknown name passed in questions.zh.md" >&2 && exit 1; }
