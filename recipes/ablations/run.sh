#!/usr/bin/env bash
# Trains the rows of rows.txt, one after the other, and prints a table of them: see README.md.
#
# recipes/ablations/run.sh [GROUP|ROW]...         trains these rows (all), then prints the table
# recipes/ablations/run.sh table [GROUP|ROW]...   prints the table of what is finished
# recipes/ablations/run.sh list [GROUP|ROW]...    prints the rows: finished or not, group, row, options
#
#   HEED_PROGRAM     the program (build/release/heed)
#   HEED_DATA        the directory that holds multi30k/
#   HEED_ABLATIONS   a directory to work in, kept: a finished row is not computed again, an interrupted
#                    one is resumed (build/ablations)
#   STEPS            for a trial: fewer training steps than base.toml has
#   THREADS          threads, which do not change the results (as many as cores)
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd -- "$here/../.." && pwd -P)
source "$here/../interruptible.sh"
folder=$(realpath -m -- "${HEED_ABLATIONS-$root/build/ablations}")
steps=${STEPS-$(sed -n 's/^steps *= *\([0-9]*\).*/\1/p' "$here/base.toml")}
threads=${THREADS-$(nproc)}

fail() {
  echo "run.sh: $1" >&2
  exit "${2-1}"
}

# Reads rows.txt into three arrays. The name of a run follows from the row's options alone.
groups=() labels=() options=()
read_rows() {
  local group label words line number=0
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    [[ $line =~ ^[[:space:]]*(#|$) ]] && continue
    IFS='|' read -r group label words <<<"$line"
    read -r group <<<"$group"
    read -r label <<<"$label"
    read -r words <<<"$words"
    [[ -n $group && -n $label ]] || fail "rows.txt:$number: expected 'group | row | options', got '$line'"
    [[ " $words " == *" --seed "* ]] || words="${words:+$words }--seed 1"
    groups+=("$group") labels+=("$label") options+=("$words")
  done <"$here/rows.txt"
}

# name_of OPTIONS: --heads 1 --seed 1 is heads_1_seed_1.
name_of() {
  local name=" $1"
  name=${name// --/ }
  name=${name# }
  printf '%s' "${name//[ \/]/_}"
}

# Sets `selected` to the indices of the rows whose group or label is among the arguments, or of all.
selected=()
select_rows() {
  local index argument found
  for argument in "$@"; do
    found=no
    for index in "${!groups[@]}"; do
      [[ $argument != "${groups[index]}" && $argument != "${labels[index]}" ]] || found=yes
    done
    [[ $found == yes ]] || fail "no group or row is named '$argument'; see run.sh list" 2
  done
  for index in "${!groups[@]}"; do
    [[ $# -eq 0 ]] && selected+=("$index")
    for argument in "$@"; do
      [[ $argument != "${groups[index]}" && $argument != "${labels[index]}" ]] && continue
      selected+=("$index")
      break
    done
  done
}

# What all finished rows have in common: the settings without comments and spaces.
settings() {
  sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$here/base.toml"
  echo "steps=$steps"
}

# last_of FILE KEY: the value of the key in the last validation, or nothing.
last_of() {
  [[ -e $1 ]] || return 0
  grep '"kind":"validation"' "$1" | tail -1 | grep -o "\"$2\":[0-9.e+-]*" | cut -d: -f2 || true
}

# save NAME STATUS PERPLEXITY BLEU NOTE: writes what the table is made of, as a whole or not at all.
save() {
  local speed machine parameters log=logs/$1.log metrics=models/$1/metrics.jsonl
  # The median: a pause of the machine does not count.
  speed=$({ grep -o '"tokens_per_second":[0-9.]*' "$metrics" 2>/dev/null || true; } | cut -d: -f2 | sort -n |
    awk '{ value[NR] = $1 } END { if (NR) printf "%.0f", value[int((NR + 1) / 2)] }')
  parameters=$(sed -n 's/^\([0-9]*\) parameters, .*/\1/p' "$log" | tail -1)
  machine=$(sed -n 's/^[0-9]* parameters, .*(\(.*\)) on .*/\1/p' "$log" | tail -1)
  printf '%s\n' "status=$2" "perplexity=$3" "bleu=$4" "parameters=$parameters" "tokens_per_second=$speed" \
    "machine=$machine" "note=$5" >"results/$1.partial" &&
    mv "results/$1.partial" "results/$1"
}

# refusal LOG: the last error of the program, without its name.
refusal() {
  { sed -n 's/^heed: //p' "$1" | grep -v '^warning: ' || echo "the program ended without a message"; } | tail -1
}

# is_trained MODEL: the last validation is that after the last step, which a stopped run does not have.
is_trained() {
  [[ -e $1/config.json && $(last_of "$1/metrics.jsonl" step) == "$steps" ]]
}

# train_row NAME OPTIONS: status 1 if that gave no result. Called in a condition, where bash ignores
# set -e: each step checks its own status.
train_row() {
  local name=$1 status=0 bleu perplexity test=$HEED_DATA/multi30k/test_2016_flickr
  local log=logs/$name.log model=models/$name
  local -a words
  read -ra words <<<"$2"
  if ! is_trained "$model"; then
    : >"$log" || return 1
    run "$program" train --config "$here/base.toml" --tokenizer-model vocabulary.spm --steps "$steps" \
      --model "$model" --threads "$threads" --no-inspect --resume "${words[@]}" 2>>"$log" || status=$?
    if grep -q 'is not finite at step' "$log"; then
      save "$name" diverged '' '' "$(grep -o 'not finite at step [0-9]*' "$log" | tail -1)"
      return
    fi
    # An option that the program refuses: it learned the vocabulary with all that the rows share.
    if [[ $status -eq 2 ]]; then
      save "$name" refused '' '' "$(refusal "$log")"
      return
    fi
    is_trained "$model" || return 1
  fi
  run "$program" evaluate --model "$model" --source "$test.en.gz" --reference "$test.de.gz" --beam 1 \
    --compute fp32 --threads "$threads" --json --quiet >"logs/$name.bleu" 2>>"$log" ||
    return 1
  bleu=$(grep -o '"score": *[0-9.e-]*' "logs/$name.bleu" | sed 's/.*: *//')
  perplexity=$(last_of "$model/metrics.jsonl" perplexity)
  [[ -n $bleu && -n $perplexity ]] || return 1
  save "$name" finished "$perplexity" "$bleu" '' || return 1
  # The training state: three times as large as the model, and not needed any more.
  rm -rf "logs/$name.bleu" "$model/training"
}

# The vocabulary that all rows share. A failure here is one of the settings that all have.
learn_vocabulary() {
  local log=logs/vocabulary.log
  : >"$log"
  run "$program" train --config "$here/base.toml" --steps 1 --model models/vocabulary \
    --threads "$threads" --no-inspect --overwrite 2>>"$log" ||
    fail "cannot learn the vocabulary: $(refusal "$log") ($folder/$log)"
  mv models/vocabulary/source.spm vocabulary.spm
  rm -rf models/vocabulary
}

# Trains the selected rows and counts in `failed` those without a result.
failed=0
train() {
  local index name
  program=$(realpath -- "${HEED_PROGRAM-$root/build/release/heed}")
  [[ -x $program ]] || fail "no program $program: build it, or set HEED_PROGRAM"
  [[ -n ${HEED_DATA-} ]] || fail "HEED_DATA is not set: it is the directory that holds multi30k/"
  HEED_DATA=$(realpath -- "$HEED_DATA")
  export HEED_DATA
  [[ -e $HEED_DATA/multi30k/test_2016_flickr.de.gz ]] ||
    fail "$HEED_DATA has no multi30k/test_2016_flickr.de.gz: HEED_DATA is the directory that holds multi30k/"
  mkdir -p "$folder"/{models,logs,results}
  cd -- "$folder"
  [[ -e settings ]] || settings >"$folder/settings"
  settings | cmp -s - settings ||
    fail "$folder holds rows of other settings (base.toml or STEPS): set HEED_ABLATIONS to another directory"
  trap stop INT TERM HUP
  [[ -e vocabulary.spm ]] || learn_vocabulary
  for index in "${selected[@]}"; do
    name=$(name_of "${options[index]}")
    # A refused row costs nothing to try again.
    if [[ -e results/$name ]] && ! grep -q '^status=refused$' "results/$name"; then continue; fi
    printf '%s | %s | %s: ' "${groups[index]}" "${labels[index]}" "${options[index]}" >&2
    if train_row "$name" "${options[index]}"; then
      sed -n 's/^status=//p; /^\(perplexity\|bleu\|note\)=./p' "results/$name" | paste -sd ' ' >&2
    else
      failed=$((failed + 1))
      echo "no result, tried again by the next run: $(refusal "logs/$name.log") ($folder/logs/$name.log)" >&2
    fi
  done
}

# One line a row: group, label, options, status, perplexity, BLEU, parameters, tokens/s, machine, note.
results() {
  local index name key value file
  for index in "${selected[@]}"; do
    file=$folder/results/$(name_of "${options[index]}")
    local status=missing perplexity='' bleu='' parameters='' tokens_per_second='' machine='' note=''
    if [[ -e $file ]]; then
      while IFS='=' read -r key value; do
        case $key in
          status | perplexity | bleu | parameters | tokens_per_second | machine | note) printf -v "$key" '%s' "$value" ;;
        esac
      done <"$file"
    fi
    printf '%s|' "${groups[index]}" "${labels[index]}" "${options[index]}" "$status" "$perplexity" "$bleu" \
      "$parameters" "$tokens_per_second" "$machine" "${note//|/ }"
    echo
  done
}

# The table and the chart of the selected rows, and of the baselines, which judge them.
table() {
  local index all=()
  for index in "${!groups[@]}"; do
    [[ ${groups[index]} != baseline && " ${selected[*]} " != *" $index "* ]] || all+=("$index")
  done
  selected=("${all[@]}")
  mkdir -p "$folder"
  cd -- "$folder"
  results | awk -f "$here/table.awk" >table.md.partial
  mv table.md.partial table.md
  results | awk -f "$here/chart.awk" >chart.svg.partial
  mv chart.svg.partial chart.svg
  cat table.md
  printf '\nwritten to %s and chart.svg beside it\n' "$folder/table.md"
}

main() {
  read_rows
  case ${1-} in
    -h | --help) sed -n '2,/^set /{/^set /!p}' "${BASH_SOURCE[0]}" | sed 's/^# \{0,1\}//' ;;
    list)
      select_rows "${@:2}"
      results | awk -F'|' '{ printf "%-9s %s | %s | %s\n", $4, $1, $2, $3 }'
      ;;
    table)
      select_rows "${@:2}"
      table
      ;;
    *)
      select_rows "$@"
      train
      table
      [[ $failed -eq 0 ]] || fail "$failed of the selected rows have no result yet"
      ;;
  esac
}
main "$@"
