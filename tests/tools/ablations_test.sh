#!/usr/bin/env bash
# recipes/ablations/run.sh makes its table and chart of recorded results, and trains what is missing.
set -euo pipefail
project=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A copy with few rows, in a path with a space.
recipe="$scratch/the recipe"
cp -r "$project/recipes/ablations" "$recipe"
cp "$project/recipes/interruptible.sh" "$scratch"
cat >"$recipe/rows.txt" <<'ROWS'
# group | row | options
baseline | seed 1 | --seed 1
baseline | seed 2 | --seed 2
baseline | seed 3 | --seed 3
score | general | --attention general
score | dot | --attention dot
norm | pre | --norm pre
without | scale | --attention dot
without | residuals | --residual off
without | warm-up | --warmup-steps 0
activation | GELU | --activation gelu
ROWS
export HEED_ABLATIONS="$scratch/made rows" HEED_DATA="$scratch/data" HEED_PROGRAM="$scratch/heed" STEPS=20 THREADS=1

fail() {
  echo "$1" >&2
  exit 1
}
# expect TEXT: the last output has this line or part of one.
expect() { [[ $printed == *"$1"* ]] || fail "expected '$1' in: $printed"; }

# recorded NAME STATUS PERPLEXITY BLEU NOTE
recorded() {
  mkdir -p "$HEED_ABLATIONS/results"
  printf '%s\n' "status=$2" "perplexity=$3" "bleu=$4" parameters=7577600 tokens_per_second=6500 "note=$5" \
    >"$HEED_ABLATIONS/results/$1"
}
recorded seed_1 finished 8 30 ''
printed=$("$recipe/run.sh" table)
expect "1 of 3 seeds are finished, so that nothing can be judged yet"
# Means 9 and 31, standard deviations 1 and 1.
recorded seed_2 finished 9 31 ''
recorded seed_3 finished 10 32 ''
recorded attention_general_seed_1 finished 11 29 ''
recorded attention_dot_seed_1 finished 11.5 28.5 ''
recorded norm_pre_seed_1 finished 5.5 33.5 ''
recorded residual_off_seed_1 finished 300 0.5 ''
recorded warmup-steps_0_seed_1 diverged '' '' 'not finite at step 7 <'
printed=$("$recipe/run.sh" table)
expect '| score | general | `--attention general` | 7577600 | 6500 | 11.00 | +2.0 SD: equal | 29.00 | -2.0 SD: equal |'
expect '| score | dot | `--attention dot` | 7577600 | 6500 | 11.50 | +2.5 SD: worse | 28.50 | -2.5 SD: worse |'
expect '| without | scale | `--attention dot` | 7577600 | 6500 | 11.50 | +2.5 SD: worse |'
expect '| 5.50 | -3.5 SD: better, far (check) | 33.50 | +2.5 SD: better |'
expect '| diverged: not finite at step 7 < |'
expect '| activation | GELU | `--activation gelu` | - | - | not run yet |'
expect 'To check: norm, pre; without, residuals; without, warm-up.'
expect 'Not run yet: 1 of 10 rows.'
[[ $(<"$HEED_ABLATIONS/chart.svg") == "<svg "*"not finite at step 7 &lt;"*"</svg>" ]] || fail "the chart is not whole"
grep -q '>-30.5 (cut off)<' "$HEED_ABLATIONS/chart.svg" || fail "the chart has no bar that is cut off"
printed=$("$recipe/run.sh" table norm)
expect '| norm | pre |'
[[ $printed != *general* ]] || fail "a row that was not selected: $printed"
! "$recipe/run.sh" list nothing 2>/dev/null || fail "an unknown row passed"

# A program that reports its arguments, and trains, fails, diverges or refuses by their words.
mkdir -p "$HEED_DATA/multi30k"
touch "$HEED_DATA/multi30k/test_2016_flickr.de.gz"
cat >"$HEED_PROGRAM" <<'PROGRAM'
#!/usr/bin/env bash
echo "$*" >>"$HEED_ABLATIONS/calls"
if [[ $1 == evaluate ]]; then echo '[{"name":"BLEU","score":31.25,"signature":"x"}]' && exit; fi
[[ ! -e $HEED_ABLATIONS/full ]] || { echo "heed: no space left" >&2 && exit 1; }
[[ ! -e $HEED_ABLATIONS/killed ]] || exit 137
while [[ $1 != --model ]]; do shift; done
echo '1234 parameters, cpu (AVX2, fp32) on 1 thread, 4 shards a batch' >&2
[[ "$*" != *"--norm pre"* ]] || { echo "heed: the loss is not finite at step 7 (loss nan)" >&2 && exit 1; }
[[ "$*" != *"--attention dot"* ]] || { echo "heed: no such attention" >&2 && exit 2; }
mkdir -p "$2/training"
touch "$2/config.json" "$2/source.spm"
step=20
[[ "$*" != *gelu* || -e $HEED_ABLATIONS/once ]] || { step=11 && touch "$HEED_ABLATIONS/once"; }
printf '{"kind":"train","tokens_per_second":%s}\n' 100 900 300 >"$2/metrics.jsonl"
printf '{"kind":"validation","step":%s,"perplexity":9.5,"best":true}\n' 10 "$step" >>"$2/metrics.jsonl"
PROGRAM
chmod +x "$HEED_PROGRAM"
rm -r "$HEED_ABLATIONS"
mkdir "$HEED_ABLATIONS"

# The first call stops GELU early, which has no result then; the second call completes that row alone.
! printed=$("$recipe/run.sh" baseline norm GELU scale 2>&1) || fail "a row without a result passed: $printed"
expect 'activation | GELU | --activation gelu --seed 1: no result'
expect '| baseline | seed 3 | `--seed 3` | 1234 | 300 | 9.50 | | 31.25 | |'
expect '| diverged: not finite at step 7 |'
expect '| refused: no such attention |'
expect 'Instruction set and compute type: AVX2, fp32.'
[[ $(grep -c '^train' "$HEED_ABLATIONS/calls") == 7 ]] || fail "not 7 trainings: $(<"$HEED_ABLATIONS/calls")"
[[ ! -e $HEED_ABLATIONS/models/seed_1/training ]] || fail "the training state of a finished row remains"
: >"$HEED_ABLATIONS/calls"
"$recipe/run.sh" baseline norm GELU >/dev/null 2>&1
[[ $(grep -c '^train' "$HEED_ABLATIONS/calls") == 1 ]] || fail "not 1 training: $(<"$HEED_ABLATIONS/calls")"
grep -q -- '--resume --activation gelu --seed 1' "$HEED_ABLATIONS/calls" || fail "GELU was not resumed"

# A failure of the machine is no result. Other settings do not join these rows.
touch "$HEED_ABLATIONS/full"
! printed=$("$recipe/run.sh" residuals 2>&1) || fail "a full disk passed: $printed"
expect 'no result, tried again by the next run: no space left'
rm "$HEED_ABLATIONS/full"
touch "$HEED_ABLATIONS/killed"
! printed=$("$recipe/run.sh" residuals 2>&1) || fail "a killed program passed: $printed"
expect 'no result, tried again by the next run: the program ended without a message'
! printed=$(STEPS=30 "$recipe/run.sh" 2>&1) || fail "other settings passed: $printed"
expect 'holds rows of other settings'
