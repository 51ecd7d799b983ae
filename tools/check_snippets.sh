#!/usr/bin/env bash
# Fails unless every C++ block of README.md, README.zh.md and docs/library.md, and every Python block of
# the READMEs, is, whole, the file of examples/ that the line of text before it names: what readers copy
# is what is compiled and run; and unless both READMEs show the same examples in the same order.
# Usage: check_snippets.sh [PROJECT_FOLDER]
set -euo pipefail
cd -- "${1-$(dirname -- "${BASH_SOURCE[0]}")/..}"

pages=(README.md README.zh.md docs/library.md)
awk '
  function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
  }

  FNR == 1 { inside = 0; before = "" }

  /^```(cpp|python)/ {
    inside = 1
    count = begin = 0
    example = ""
    if (match(before, /examples\/[a-z_]+\.(cpp|py)/)) example = substr(before, RSTART, RLENGTH)
    if (example == "") complain("a block of code that no line before it says the example of")
    next
  }

  inside && /^```/ {
    inside = 0
    if (example == "") next
    length_of_file = 0
    while ((got = (getline line < example)) > 0) file[++length_of_file] = line
    if (got < 0) complain("there is no " example)
    close(example)
    same = count == length_of_file
    for (i = 1; i <= count && same; ++i) same = block[i] == file[i]
    if (!same) complain("this block is not " example)
    shown[FILENAME] = shown[FILENAME] " " example
    ++blocks
    next
  }

  inside { block[++count] = $0; next }
  /[^ ]/ { before = $0 }

  END {
    if (blocks == 0) { print "no block of code was found"; bad = 1 }
    if (shown["README.md"] != shown["README.zh.md"]) {
      print "README.zh.md: shows" shown["README.zh.md"] ", README.md" shown["README.md"]
      bad = 1
    }
    exit bad
  }
' "${pages[@]}"
