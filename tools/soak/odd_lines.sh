#!/usr/bin/env bash
# Translates LINES odd lines (default 1,000,000: empty, huge, every plane of Unicode, control
# characters, mixed scripts, broken UTF-8) with a tiny model: as many lines out as in, and memory that
# is flat after the first 1%. Then scores 5,000 as pairs. Needs HEED_PROGRAM and HEED_ODD_LINES, the program that prints the lines
# (tests/tools/odd_lines.cpp). Works in the current directory. ./dev soak runs it.
set -euo pipefail
lines=${LINES_TO_TRANSLATE:-1000000}
heed=${HEED_PROGRAM:?the heed program}
odd_lines=${HEED_ODD_LINES:?the program that prints odd lines}
allowed=${MORE_KIB:-16384} # what memory may grow by after the first 1%

"$heed" phrasebook --pairs 4000 --seed 3 --output text --overwrite --quiet
if [[ ! -e model/model.safetensors ]]; then
  "$heed" train --source text/train.zh --target text/train.en --model model --preset tiny \
    --d-model 16 --d-ff 32 --vocabulary-size 1500 --batch-tokens 1024 --steps 30 --quiet
fi

rm -f in out
mkfifo in out
"$odd_lines" "$lines" >in &
"$heed" translate --model model --beam 1 --max-length 3 --quiet <in >out &
child=$!
trap 'kill "$child" 2>/dev/null || true' EXIT

# Counts what comes out, and looks at the program's greatest memory at 1% and at the end.
awk -v lines="$lines" -v child="$child" -v allowed="$allowed" '
  # By a program of its own: the child may end while it is looked at, which awk takes ill.
  function peak(  look, line, part, kib) {
    look = "grep VmHWM /proc/" child "/status 2>/dev/null"
    if ((look | getline line) > 0) { split(line, part, /[ \t]+/); kib = part[2] }
    close(look)
    return kib
  }
  BEGIN { first = int(lines / 100); if (first < 2000) first = 2000 }
  { ++out }  # NR would count what peak() reads
  out == first { early = peak() }
  out % 1000 == 0 { now = peak(); if (now > late) late = now }
  END {
    if (early == "") early = late
    printf "odd_lines: %d lines in, %d out; memory %.1f MiB after 1%%, %.1f MiB at most\n",
      lines, out, early / 1024, late / 1024
    exit !(out == lines && late - early <= allowed)
  }' <out
trap - EXIT
wait "$child"
rm -f in out

# The same kind of lines as pairs: a score for each.
"$odd_lines" 5000 >odd
scores=$("$heed" score --model model --source odd --target odd --quiet | grep -c '^-[0-9.]*$')
echo "odd_lines: 5000 pairs in, $scores scores out"
[[ $scores == 5000 ]]
