#!/usr/bin/env bash
# Checks and measures the CUDA backend on a machine with a GPU where nothing can be built or fetched.
#
#   tools/gpu_check.sh pack FOLDER [BUILD]    here: puts program, tests and their libraries into FOLDER
#   FOLDER/gpu_check.sh run OUTPUT [PART...]  there: runs the parts (default: all of them), and writes
#                                             logs and gpu_check.json into the folder OUTPUT
#
# Parts: tests (every test of a kernel), sanitizer (some of them under memcheck and racecheck, where
# compute-sanitizer is installed), training (300 steps of the phrasebook beside the CPU's, and a second
# time for equal bytes), decoding (its translations beside the CPU's), bench (base and big).
# The machine needs a driver and libcublasLt.so.13 of CUDA, whose versions are printed first.
set -uo pipefail

pack() {
  local folder=$1 build=${2:-build/release}
  cmake --build "$build" --target heed_program cuda_tests || exit
  mkdir -p "$folder/lib"
  cp tools/gpu_check.sh "$folder/"
  cp "$build/heed" "$build/tests/cuda_emulation/cuda_tests" "$folder/"
  strip "$folder/heed" "$folder/cuda_tests"
  ldd "$folder/heed" "$folder/cuda_tests" | awk '$3 ~ /^\// {print $3}' | sort -u |
    grep -vE '/(libc|libm|libstdc\+\+|libgcc_s)\.so' | xargs -I{} cp -L {} "$folder/lib/"
  du -sh "$folder"
}

# Lines of the JSON file.
say() { printf '%s: %s\n' "$1" "$2"; json+="${json:+,}\"$1\":\"${2//\"/\'}\""; }

tests() {
  "$here/cuda_tests" --gtest_brief=1 >"$out/tests.log" 2>&1
  say tests "exit $?, $(grep -cE '^\[  FAILED  \] .*where' "$out/tests.log") lines of failures, $(grep -E 'tests? ran' "$out/tests.log")"
  grep -E '^\[  FAILED  \]|error' "$out/tests.log" | sort -u | head -20
}

sanitizer() {
  command -v compute-sanitizer >/dev/null || { say sanitizer "not installed"; return; }
  for tool in memcheck racecheck; do
    timeout "${SANITIZER_SECONDS:-60}" compute-sanitizer --tool $tool --error-exitcode 9 "$here/cuda_tests" \
      --gtest_brief=1 --gtest_filter="${SANITIZER_FILTER:-*Rows*:*Elementwise*:*HeadRows*:*Attention.ASequence*}" >"$out/$tool.log" 2>&1
    say $tool "exit $?, $(grep 'SUMMARY' "$out/$tool.log")"
  done
}

train() { # name, device, compute, options
  local model=$out/work/$1 device=$2 compute=$3
  shift 3
  "$here/heed" train --source "$out/work/text/train.zh" --target "$out/work/text/train.en" \
    --valid-source "$out/work/text/test.zh" --valid-target "$out/work/text/test.en" --preset tiny \
    --vocabulary-size 2000 --batch-tokens 1024 --shards 1 --warmup-steps 800 --dropout 0 \
    --steps "${STEPS:-300}" --report-every 20 --save-minutes 0 --overwrite --device "$device" --compute "$compute" \
    "$@" --model "$model" >"$model.log" 2>&1 || { say "train_failed" "$(tail -1 "$model.log")"; return 1; }
}

training() {
  "$here/heed" phrasebook --pairs 20000 --seed 1 --output "$out/work/text" --overwrite --quiet
  # One after the other: together they would wait for each other's threads.
  train cuda cuda bf16 && train again cuda bf16 && train cpu cpu bf16
  cmp -s "$out/work/cuda/model.safetensors" "$out/work/again/model.safetensors" &&
    say same_bytes yes || say same_bytes no
  # The mean losses of 20 steps each.
  for name in cpu cuda; do
    say "loss_$name" "$(grep -o '"loss":[0-9.]*' "$out/work/$name/metrics.jsonl" | cut -d: -f2 | tr '\n' ' ')"
  done
}

decoding() {
  for device in cpu cuda; do
    "$here/heed" translate --model "$out/work/cuda" --device $device --compute bf16 --quiet \
      <"$out/work/text/test.zh" >"$out/work/$device.en" 2>"$out/$device.translate.log"
  done
  say translations_that_differ "$(diff "$out/work/cpu.en" "$out/work/cuda.en" | grep -c '^<') of $(wc -l <"$out/work/cpu.en")"
}

bench() {
  for preset in base big; do
    "$here/heed" bench --device cuda --part training --preset $preset --vocabulary-size 37000 --length 30 \
      --batch-tokens 25000 --seconds 3 --threads 1 >"$out/bench_$preset.log" 2>&1
    say "bench_training_$preset" "$(tail -1 "$out/bench_$preset.log")"
  done
  "$here/heed" bench --device cuda --part decoding --preset base --vocabulary-size 32000 --length 32 --beam 4 \
    --batch-tokens 16384 --seconds 3 --threads 1 >"$out/bench_decoding.log" 2>&1
  while read -r line; do say "bench_decoding_$((++n))" "$line"; done <"$out/bench_decoding.log"
}

run() {
  here=$(cd "$(dirname "$0")" && pwd)
  out=$1
  shift
  mkdir -p "$out/work"
  trap 'rm -rf "$out/work"' EXIT
  json=""
  n=0
  for folder in $(find / -name 'libcublasLt.so.1*' -not -path '/proc/*' -printf '%h\n' 2>/dev/null | sort -u); do
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:$folder
  done
  export LD_LIBRARY_PATH=$here/lib:$LD_LIBRARY_PATH
  say gpu "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)"
  say heed "$("$here/heed" version | tr '\n' ' ')"
  for part in "${@:-}"; do
    local parts=$part
    [ -n "$part" ] || parts="tests sanitizer training decoding bench"
    for each in $parts; do
      local start=$SECONDS
      $each
      say "${each}_seconds" $((SECONDS - start))
    done
  done
  printf '{%s}\n' "$json" >"$out/gpu_check.json"
}

case ${1:-} in
  pack | run) "$@" ;;
  *) sed -n '2,12s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
