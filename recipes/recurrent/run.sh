#!/usr/bin/env bash
# Trains the Transformer and the recurrent model of rows.txt on four corpora, each for as many steps as
# fifteen minutes of two cores have, and prints tables of them: see README.md.
#
# recipes/recurrent/run.sh [CORPUS|MODEL]...         trains these rows (all), with each seed
# recipes/recurrent/run.sh table [CORPUS|MODEL]...   prints the tables of what is finished
#
#   HEED_PROGRAM     the program (build/release/heed)
#   HEED_DATA        the directory that holds multi30k/, tatoeba-en-zh/ and ngolin-zh-en/
#   HEED_RECURRENT   a directory to work in, kept: a finished run is not computed again, an interrupted
#                    one is resumed (build/recurrent)
#   SEEDS            "1 2 3"
#   THREADS          threads of a run, which change no result (1)
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd -- "$here/../.." && pwd -P)
source "$here/../interruptible.sh"
folder=$(realpath -m -- "${HEED_RECURRENT-$root/build/recurrent}")
read -ra seeds <<<"${SEEDS-1 2 3}"
lengths=(6 9 12 16 1000) # most English words of a sentence of each group

fail() {
  echo "run.sh: $1" >&2
  exit "${2-1}"
}

# read_rows [CORPUS|MODEL]...: sets `rows` to the lines "corpus|model|options" of rows.txt that the
# arguments name. The options of a corpus, whose model is "all", come first in those of its rows.
rows=()
read_rows() {
  local corpus model options argument
  local -A common=()
  while IFS='|' read -r corpus model options; do
    [[ -n $corpus && $corpus != \#* ]] || continue
    corpus=${corpus// /} model=${model// /}
    if [[ $model == all ]]; then
      common[$corpus]=$options
    elif [[ $# -eq 0 || " $* " == *" $corpus "* || " $* " == *" $model "* ]]; then
      rows+=("$corpus|$model|${common[$corpus]} $options")
    fi
  done <"$here/rows.txt"
  for argument in "$@"; do
    [[ " ${rows[*]//|/ } " == *" $argument "* ]] || fail "rows.txt names no corpus or model '$argument'" 2
  done
}

# copy CORPUS DIR DEV TEST: the compressed texts of a corpus as text/CORPUS.{train,dev,test}.LANGUAGE.
copy() {
  local language parts=(train dev test) files=(train "$3" "$4") i
  for i in 0 1 2; do
    for language in $(languages "$1"); do
      gzip -dc "$HEED_DATA/$2/${files[i]}.$language.gz" >"text/$1.${parts[i]}.$language"
    done
  done
}

# The source and the target language of a corpus, which its name ends with.
languages() {
  local pair=${1#"${1%-*-*}"-}
  echo "${pair%-*} ${pair#*-}"
}

# Of the different Chinese sentences every 27th is for the test and every 27th for validation, with all
# of its translations. No pair of the training text has a sentence of theirs.
split_ngolin() {
  gzip -dc "$HEED_DATA/ngolin-zh-en/cmn-eng.txt.gz" >text/pairs
  awk -F'\t' '
    NR == FNR {
      if (!($1 in place)) place[$1] = count++ % 27
      if (place[$1] < 2) held[$2]
      next
    }
    {
      part = place[$1] == 0 ? "test" : place[$1] == 1 ? "dev" : "train"
      if (part == "train" && ($2 in held)) next
      print $1 >("text/ngolin-zh-en." part ".zh")
      print $2 >("text/ngolin-zh-en." part ".en")
    }' text/pairs text/pairs
}

prepare() {
  [[ ! -e text/$1.done ]] || return 0
  case $1 in
    multi30k-*) copy "$1" multi30k val test_2016_flickr ;;
    tatoeba-*) copy "$1" tatoeba-en-zh dev test ;;
    *) split_ngolin ;;
  esac
  touch "text/$1.done"
}

# score TARGET-LANGUAGE HYPOTHESES REFERENCES: prints BLEU|chrF.
score() {
  local tokenize=13a
  [[ $1 != zh ]] || tokenize=zh
  "$program" evaluate --hypothesis "$2" --reference "$3" --metrics bleu,chrf --bleu-tokenize "$tokenize" \
    --json --quiet | grep -o '"score": *[0-9.e-]*' | sed 's/.*: *//' | paste -sd '|'
}

# by_length TARGET-LANGUAGE NAME TEST: prints "|sentences|BLEU" for each group of lengths.
by_length() {
  local most least=0 bleu
  for most in "${lengths[@]}"; do
    : >"logs/$2.some"
    : >"logs/$2.right"
    paste -d '\t' "$3.en" "logs/$2.hypotheses" "$3.$1" |
      awk -F'\t' -v least="$least" -v most="$most" -v out="logs/$2" '
        { words = split($1, ignored, " ") }
        words > least && words <= most { print $2 >(out ".some"); print $3 >(out ".right"); ++count }
        END { printf "|%d|", count }'
    if [[ -s logs/$2.right ]]; then
      bleu=$(score "$1" "logs/$2.some" "logs/$2.right") || return 1
      printf '%s' "${bleu%|*}"
    fi
    least=$most
  done
}

# train_row CORPUS MODEL OPTIONS SEED: leaves corpus|model|seed|parameters|steps|perplexity|BLEU|chrF
# and the groups of lengths in results/NAME. Status 1 if that gave no result: called in a condition,
# where bash ignores set -e, so that each step checks its own status.
train_row() {
  local name=$1.$2.$4 source target words parameters last
  local model=models/$name log=logs/$name.log text=text/$1
  read -r source target <<<"$(languages "$1")"
  read -ra words <<<"$3"
  run "$program" train --config "$here/base.toml" --model "$model" --source "$text.train.$source" \
    --target "$text.train.$target" --valid-source "$text.dev.$source" --valid-target "$text.dev.$target" \
    --source-language "$source" --target-language "$target" "${words[@]}" --seed "$4" \
    --threads "${THREADS-1}" --no-inspect --resume 2>>"$log" || return 1
  run "$program" translate --model "$model" --input "$text.test.$source" --output "logs/$name.hypotheses" \
    --compute fp32 --threads "${THREADS-1}" --quiet 2>>"$log" || return 1
  parameters=$(sed -n 's/^\([0-9]*\) parameters, .*/\1/p' "$log" | tail -1)
  last=$(grep '"kind":"validation"' "$model/metrics.jsonl" | tail -1 |
    sed 's/.*"step":\([0-9]*\).*"perplexity":\([0-9.]*\).*/\1|\2/')
  {
    printf '%s|%s|%s|%s|%s|' "$1" "$2" "$4" "$parameters" "$last"
    printf '%s' "$(score "$target" "logs/$name.hypotheses" "$text.test.$target")"
    by_length "$target" "$name" "$text.test" && echo
  } >"results/$name.partial" && mv "results/$name.partial" "results/$name" || return 1
  rm -rf "$model/training" "logs/$name".{some,right} # the training state: three times the model
}

failed=0
train() {
  local row seed corpus model options name
  program=$(realpath -- "${HEED_PROGRAM-$root/build/release/heed}")
  [[ -x $program ]] || fail "no program $program: build it, or set HEED_PROGRAM"
  [[ -e ${HEED_DATA-}/multi30k ]] || fail "HEED_DATA is not the directory that holds multi30k/"
  HEED_DATA=$(realpath -- "$HEED_DATA")
  mkdir -p "$folder"/{text,models,logs,results}
  cd -- "$folder"
  trap stop INT TERM HUP
  for seed in "${seeds[@]}"; do
    for row in "${rows[@]}"; do
      IFS='|' read -r corpus model options <<<"$row"
      name=$corpus.$model.$seed
      [[ ! -e results/$name ]] || continue
      prepare "$corpus"
      if train_row "$corpus" "$model" "$options" "$seed"; then
        cat "results/$name"
      else
        failed=$((failed + 1))
        echo "$name: no result, tried again by the next run ($folder/logs/$name.log)" >&2
      fi
    done
  done
}

# What is finished, in the order of the rows.
results() {
  local row seed corpus model options
  for row in "${rows[@]}"; do
    IFS='|' read -r corpus model options <<<"$row"
    for seed in "${seeds[@]}"; do
      cat "$folder/results/$corpus.$model.$seed" 2>/dev/null || true
    done
  done
}

table() {
  results | awk -v lengths="${lengths[*]}" -f "$here/table.awk"
}

case ${1-} in
  -h | --help) sed -n '2,/^set /{/^set /!p}' "${BASH_SOURCE[0]}" | sed 's/^# \{0,1\}//' ;;
  table)
    read_rows "${@:2}"
    table
    ;;
  *)
    read_rows "$@"
    train
    table
    [[ $failed -eq 0 ]] || fail "$failed of the selected runs have no result yet"
    ;;
esac
