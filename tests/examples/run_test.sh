#!/usr/bin/env bash
# Runs every example. One with a comment "Prints:" must print that, the others the patterns below. Usage: run_test.sh SOURCE_FOLDER PROGRAM_FOLDER HEED
set -euo pipefail
sources=$1 programs=$2 heed=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

stop() {
  echo "run_test: $*" >&2
  exit 1
}

# expect EXAMPLE PATTERN...: its output has a line like each pattern.
expect() {
  local example=$1 pattern
  shift
  for pattern in "$@"; do
    grep -Eq "$pattern" "$example.out" || stop "$example: no line like '$pattern' in:
$(cat "$example.out")"
  done
}

"$heed" phrasebook --output corpus --pairs 5000 --valid-pairs 20 --test-pairs 20 --quiet

# The order matters: rescore reads the model that translator writes.
for example in attention attention_variants paper scores heads embeddings positions masking \
  feed_forward dropout normalization translator progress training_loop rescore; do
  case $example in
    translator) "$programs/translator" 0.02 >translator.out ;;
    rescore) "$programs/rescore" translator-model translator-model <corpus/test.zh >rescore.out ;;
    *) "$programs/$example" >"$example.out" ;;
  esac
done
expect translator '^BLEU = [0-9.]+ ' '^chrF2 = [0-9.]+$' '^perplexity [0-9.]+$'
expect progress '^step 10: loss [0-9.]+$' '^validation: perplexity [0-9.]+$' '^(stopped by the observer|all steps done)$'
expect training_loop '^step 20: perplexity [0-9.]+$'
[[ -s stepped/model.safetensors ]] || stop 'training_loop: no model was written'
[[ $(wc -l <rescore.out) == 20 ]] || stop "rescore: expected 20 lines, got $(wc -l <rescore.out)"

for source in "$sources"/*.cpp; do
  example=$(basename "$source" .cpp)
  [[ -s $example.out ]] || stop "$example was not run, or printed nothing"
  sed -n '/^\/\/ Prints:$/,$ { s/^\/\/$//p; s/^\/\/   //p }' "$source" >expected
  [[ ! -s expected ]] || diff expected "$example.out" || stop "$example prints something else"
done
