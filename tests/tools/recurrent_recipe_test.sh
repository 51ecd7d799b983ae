#!/usr/bin/env bash
# recipes/recurrent/run.sh divides the corpora, trains what is missing, and makes its tables.
set -euo pipefail
project=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A copy with few rows, in a path with a space.
recipe="$scratch/the recipe"
cp -r "$project/recipes/recurrent" "$recipe"
cp "$project/recipes/interruptible.sh" "$scratch"
cat >"$recipe/rows.txt" <<'ROWS'
# corpus | model | options
multi30k-en-de | all | --vocabulary-size 100
multi30k-en-de | transformer | --steps 20
multi30k-en-de | rnn | --architecture rnn --steps 20
ngolin-zh-en | all | --vocabularies separate
ngolin-zh-en | rnn | --architecture rnn --steps 30
ROWS
export HEED_RECURRENT="$scratch/made rows" HEED_DATA="$scratch/data" HEED_PROGRAM="$scratch/heed" SEEDS="1 2"

fail() {
  echo "$1" >&2
  exit 1
}
# expect TEXT: the last output has this line or part of one.
expect() { [[ $printed == *"$1"* ]] || fail "expected '$1' in: $printed"; }

mkdir -p "$HEED_DATA"/{multi30k,ngolin-zh-en}
for part in train val test_2016_flickr; do
  printf '%s\n' 'a dog' 'a dog runs in the wide and open field today .' | gzip >"$HEED_DATA/multi30k/$part.en.gz"
  printf '%s\n' 'ein Hund' 'ein Hund rennt heute .' | gzip >"$HEED_DATA/multi30k/$part.de.gz"
done
# The 28th sentence is for the test again, and has the English of the 3rd.
for i in {1..30}; do
  printf '第 %d 句\tsentence %d\n' "$i" "$((i == 28 ? 3 : i))"
done | gzip >"$HEED_DATA/ngolin-zh-en/cmn-eng.txt.gz"

# A program that reports its arguments and does what a run needs.
cat >"$HEED_PROGRAM" <<'PROGRAM'
#!/usr/bin/env bash
echo "$*" >>"$HEED_RECURRENT/calls"
command=$1
if [[ $command == evaluate ]]; then
  echo '[{"name":"BLEU","score":31.25},{"name":"chrF2","score": 55.5}]' && exit
fi
while [[ $1 != --model ]]; do shift; done
if [[ $command == translate ]]; then cp "$4" "$6" && exit; fi
[[ "$*" != *rnn* || ! -e $HEED_RECURRENT/killed ]] || exit 137
echo '1234 parameters, cpu (AVX2, fp32) on 1 thread, 4 shards a batch' >&2
mkdir -p "$2/training"
printf '{"kind":"validation","step":%s,"epoch":1.0,"loss":2,"perplexity":9.5,"best":true}\n' 10 20 >"$2/metrics.jsonl"
PROGRAM
chmod +x "$HEED_PROGRAM"

mkdir -p "$HEED_RECURRENT"
touch "$HEED_RECURRENT/killed"
! printed=$("$recipe/run.sh" multi30k-en-de 2>&1) || fail "a killed run passed: $printed"
expect 'multi30k-en-de.rnn.2: no result, tried again by the next run'
expect '| multi30k-en-de | transformer | 1234 | 20 | 2 | 9.50 ± 0.00 | 31.25 ± 0.00 | 55.50 ± 0.00 |'
[[ $printed != *'| rnn |'* ]] || fail "a run that was killed has a row: $printed"
[[ ! -e $HEED_RECURRENT/models/multi30k-en-de.transformer.1/training ]] || fail "the training state remains"
rm "$HEED_RECURRENT/killed"
: >"$HEED_RECURRENT/calls"
printed=$("$recipe/run.sh" 2>&1)
expect '| multi30k-en-de | rnn | 1234 |'
expect '| multi30k-en-de | rnn | 31.25 (1) | - | 31.25 (1) | - | - |'
[[ $(grep -c '^train' "$HEED_RECURRENT/calls") == 4 ]] || fail "not 4 trainings: $(<"$HEED_RECURRENT/calls")"
grep -q -- '--source-language zh --target-language en --vocabularies separate --architecture rnn --steps 30 --seed 2' \
  "$HEED_RECURRENT/calls" || fail "the options are others: $(<"$HEED_RECURRENT/calls")"

# Sentences 1 and 28 are for the test, 2 and 29 for validation; 3 has the English of one of them.
text=$HEED_RECURRENT/text/ngolin-zh-en
[[ $(<"$text.test.zh") == '第 1 句'$'\n''第 28 句' ]] || fail "the test is $(<"$text.test.zh")"
[[ $(<"$text.dev.en") == 'sentence 2'$'\n''sentence 29' ]] || fail "the validation text is $(<"$text.dev.en")"
[[ $(wc -l <"$text.train.en") == 25 ]] || fail "$(wc -l <"$text.train.en") pairs of training text"
! grep -q 'sentence 3$' "$text.train.en" || fail "a sentence of the test is in the training text"
! "$recipe/run.sh" table nothing 2>/dev/null || fail "an unknown row passed"
