#!/usr/bin/env bash
# How the cost of training and decoding grows with the model, the length of sentences, the batch and
# the threads: Markdown tables from `heed bench`. HEED_PROGRAM is the program (default
# build/release/heed), SECONDS_EACH the time for each figure (default 2).
set -euo pipefail
heed=${HEED_PROGRAM:-build/release/heed}

# The "value" and the share of the peak, in percent, of the n-th figure of `heed bench "${@:2}"`.
figure() {
  "$heed" bench --seconds "${SECONDS_EACH:-2}" --json "${@:2}" | tr -d '\n' |
    sed 's/"share_of_peak"/\n&/g' | sed -n "$1p;$(($1 + 1))p" | tr -d '\n' |
    sed -E 's/.*"value":([0-9.e+]+),.*"share_of_peak":([0-9.]+).*/\1 \2/' |
    awk '{printf "%.0f | %.0f%%", $1, 100 * $2}'
}

table() {
  printf '\n| %s | tokens/s | share of the peak |\n|---|---|---|\n' "$1"
}

table "training, by model (vocabulary 8,000; batches of 4,096 tokens of sentences of 15)"
for preset in tiny small base big; do
  echo "| $preset | $(figure 1 --part training --preset $preset) |"
done

table "training small, by the length of sentences"
for length in 15 64 256 1024 4096; do
  echo "| $length | $(figure 1 --part training --length $length) |"
done

table "training small, by the batch"
for tokens in 128 512 1024 2048 4096 16384; do
  echo "| $tokens tokens | $(figure 1 --part training --batch-tokens $tokens) |"
done

table "training small, by threads"
for threads in 1 2; do
  echo "| $threads | $(figure 1 --part training --threads $threads) |"
done

table "decoding, greedy, 64 sentences a thread, by model"
for preset in tiny small base big; do
  echo "| $preset | $(figure 1 --part decoding --preset $preset) |"
done

table "decoding small, greedy, 64 sentences a thread, by the length of sentences"
for length in 15 64 256 1024; do
  echo "| $length | $(figure 1 --part decoding --length $length) |"
done

table "decoding small, greedy, 64 sentences a thread, by threads"
for threads in 1 2; do
  echo "| $threads | $(figure 1 --part decoding --threads $threads) |"
done
