#!/usr/bin/env bash
# Trains small models in every way that must give the same bytes from one version to the next,
# translates with one of them, and compares SHA-256 sums of the results with those recorded in
# tests/recorded/INSTRUCTION_SET.txt. A commit that changes a sum says why and records the new one
# (RECORD=1). The sums depend on libm and SentencePiece; those recorded are of Debian 12.
# WHICH=short leaves out what takes minutes. HEED_INSTRUCTION_SET chooses the instruction set (AVX2).
# Needs HEED_PROGRAM, and an empty current directory, in which it writes text/, models/, lines.zh,
# lines.en and sums. ./dev soak runs it.
set -euo pipefail
heed=${HEED_PROGRAM:?the heed program}
if [[ -n $(ls -A) ]]; then
  echo "recorded_bytes: $PWD is not empty: run it in an empty directory, since it writes text/, models/, lines.zh, lines.en and sums there" >&2
  exit 2
fi
which=${WHICH:-all}
export HEED_INSTRUCTION_SET=${HEED_INSTRUCTION_SET:-AVX2}
recorded=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../tests/recorded" && pwd -P)/$HEED_INSTRUCTION_SET.txt
if ! "$heed" version | grep -q "found:.*\b$HEED_INSTRUCTION_SET\b"; then
  echo "recorded_bytes: skipped: this machine cannot run $HEED_INSTRUCTION_SET"
  exit 0
fi

mkdir models
"$heed" phrasebook --pairs 8000 --valid-pairs 200 --test-pairs 1800 --seed 5 --output text --quiet
cat text/valid.zh text/test.zh >lines.zh
cat text/valid.en text/test.en >lines.en

record() { printf '%s  %s\n' "$(sha256sum | cut -d ' ' -f 1)" "$1" | tee -a sums; }

# What a run reports, without the names of its values, its times and its memory.
reports() {
  sed -E 's/,"memory":[0-9]+//; s/"(seconds|tokens_per_second)":[-+.e0-9]+//g; s/"[a-z_]+"://g' "$1/metrics.jsonl"
}

learn() {
  local name=$1
  shift
  "$heed" train --source text/train.zh --target text/train.en --valid-source text/valid.zh \
    --valid-target text/valid.en --model "models/${name// /_}" --vocabulary-size 1500 --warmup-steps 100 \
    --report-every 50 --validate-every 150 --scored-lines 0 --seed 7 --quiet "$@"
}

train() {
  learn "$@" --steps 300
  record "weights $1" <"models/${1// /_}/model.safetensors"
  record "reports $1" < <(reports "models/${1// /_}")
}

# Batches that are small for their model, clipped gradients and accumulated gradients each take
# another path through the code.
declare -A small_batch=([tiny]=200 [small]=400)
presets=(tiny small)
[[ $which == all ]] || presets=(tiny)
for preset in "${presets[@]}"; do
  for compute in fp32 bf16; do
    options=(--preset "$preset" --compute "$compute")
    few=(--batch-tokens "${small_batch[$preset]}")
    train "$preset $compute" "${options[@]}" "${few[@]}"
    train "$preset $compute clipped" "${options[@]}" "${few[@]}" --clip-norm 0.5
    train "$preset $compute accumulated" "${options[@]}" "${few[@]}" --accumulate 3
    train "$preset $compute accumulated clipped" "${options[@]}" "${few[@]}" --accumulate 3 \
      --clip-norm 0.5
    [[ $which == all && $preset == tiny ]] || continue
    train "$preset $compute large" "${options[@]}" --batch-tokens 2000
    train "$preset $compute modern" "${options[@]}" --batch-tokens 500 --shards 8 \
      --optimizer adamw --ema 0.99 --schedule cosine --dropout 0.2 --attention-dropout 0.1 \
      --activation-dropout 0.1 --activation gelu --tie-embeddings none --vocabularies separate \
      --average last:2
  done
done

# The same run in two processes.
resumed=(--preset tiny --compute fp32 --batch-tokens "${small_batch[tiny]}")
learn "tiny fp32 resumed" "${resumed[@]}" --steps 170
train "tiny fp32 resumed" "${resumed[@]}" --resume
cmp models/tiny_fp32/model.safetensors models/tiny_fp32_resumed/model.safetensors

# 2,000 translations each, with the search named: the model's own may change with its scores.
train translator --preset tiny --compute fp32 --batch-tokens 2000
translate() {
  local name=$1
  shift
  record "translations $name" < <("$heed" translate --model models/translator --input lines.zh \
    --format jsonl --length-penalty 0.6 --quiet "$@")
}
for compute in fp32 bf16 int8; do
  translate "$compute greedy" --compute "$compute" --beam 1
  translate "$compute beam 4" --compute "$compute" --beam 4
  translate "$compute sampled" --compute "$compute" --sample --temperature 0.8 --top-k 40 --top-p 0.95
done
translate "fp32 with alignments" --compute fp32 --beam 4 --alignments weights
translate "fp32 diverse" --compute fp32 --beam 4 --beam-groups 2 --nbest 4 --no-repeat-ngram-size 3 --min-length 4
translate "bf16 with prefixes" --compute bf16 --beam 4 --target-prefix <(cut -d ' ' -f 1-2 lines.en | awk 'NR % 2 { print; next } { print "" }')
record "scores fp32" < <("$heed" score --model models/translator --source lines.zh --target lines.en \
  --compute fp32 --quiet)

if [[ ${RECORD:-0} == 1 ]]; then
  cp sums "$recorded"
  echo "recorded_bytes: $(wc -l <sums) sums written to $recorded"
  exit 0
fi
wrong=0
while read -r sum name; do
  expected=$(awk -v name="$name" '{ s = $1; $1 = ""; sub(/^ +/, ""); if ($0 == name) print s }' "$recorded")
  [[ $sum == "$expected" ]] || { echo "recorded_bytes: $name: $sum, recorded $expected"; wrong=1; }
done <sums >&2
((wrong == 0)) || exit 1
echo "recorded_bytes: $(wc -l <sums) sums as recorded"
