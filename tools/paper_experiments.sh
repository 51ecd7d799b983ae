#!/usr/bin/env bash
# The trainings behind the tables of docs/paper.md: small models on the phrasebook, ten seconds of one
# core each (30 where a row has six layers). Prints one row for each variant: perplexity on the 500
# validation pairs and BLEU (greedy) on the 1000 test sentences, one figure a seed.
#
# tools/paper_experiments.sh [heads|scale|embeddings|positions|warmup|smoothing|epsilon|average|beam]...
#   HEED_PROGRAM   the program (build/release/heed)
#   HEED_PAPER     a directory to work in, kept: what is there is not computed again (build/paper)
#   SEEDS          "1 2 3"
# A reading that heed has no option for is built from a copy of the sources with one line changed.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
program=$(realpath -- "${HEED_PROGRAM-$root/build/release/heed}")
folder=${HEED_PAPER-$root/build/paper}
read -ra seeds <<<"${SEEDS-1 2 3}"
mkdir -p "$folder"
cd -- "$folder"

# What every training has in common. One shard: the result is that of one thread on any machine. First
# weights as the paper's own program drew them, whose effect warm-up and scale answer to.
common=(--source train.zh --target train.en --valid-source valid.zh --valid-target valid.en
  --preset tiny --d-model 64 --d-ff 256 --heads 4 --dropout 0 --batch-tokens 512
  --shards 1 --threads 1 --compute fp32 --initialization xavier --warmup-steps 250 --steps 1000 --no-inspect --overwrite)

[[ -e test.en ]] || "$program" phrasebook --output . --pairs 30000 --quiet

if [[ ! -e vocabulary.spm ]]; then
  "$program" train "${common[@]}" --vocabulary-size 1000 --steps 1 --model vocabulary --quiet
  mv vocabulary/source.spm vocabulary.spm
fi
common+=(--tokenizer-model vocabulary.spm)

# built EDIT: the path of a program whose sources are changed by one of the edits below.
built() {
  [[ $1 != none ]] || { printf '%s' "$program" && return; }
  local file old new
  case $1 in
    by-width) file=model/multi_head.cpp old='1 / std::sqrt(double(method.d_key))' new='1 / std::sqrt(double(method.d_key * method.heads))' ;;
    small-embeddings) file=model/stack.cpp old='options{std::sqrt(double(config_.d_model)),' new='options{1.0,' ;;
    interleaved) file=model/transformer.cpp old='half + i, std::cos' new='2 * i + 1, std::cos' ;;
  esac
  if [[ ! -x heed-$1 ]]; then
    # With their old times, but for the files that edits change: only those are compiled anew.
    rm -rf source
    mkdir source
    cp -rp "$root"/{CMakeLists.txt,cmake,src,apps,LICENSE} source
    touch source/src/heed/model/{transformer,stack,multi_head}.cpp
    grep -qF -- "$old" "source/src/heed/$file" || { echo "$file has no '$old' any more" >&2 && exit 1; }
    OLD=$old NEW=$new perl -0pi -e 's/\Q$ENV{OLD}\E/$ENV{NEW}/' "source/src/heed/$file"
    # Sines at the even columns go with cosines at the odd ones.
    [[ $1 != interleaved ]] || perl -pi -e 's/d_model \+ i, std::sin/d_model + 2 * i, std::sin/' "source/src/heed/$file"
    cmake -G Ninja -S source -B objects -DCMAKE_BUILD_TYPE=Release -DHEED_TESTS=OFF ${CCACHE_DIR:+-DCMAKE_CXX_COMPILER_LAUNCHER=ccache} >build.log
    cmake --build objects --target heed_program >>build.log
    cp "$(find objects -name heed -type f -perm -u+x)" "heed-$1"
  fi
  printf '%s' "$folder/heed-$1"
}

# trained EDIT SEED [OPTION...]: trains where that was not done; sets `model` to the directory.
trained() {
  local train
  model=$(printf '%s_' "$@")
  [[ ! -e $model/bleu.json ]] || return 0
  train=$(built "$1")
  "$train" train "${common[@]}" --model "$model" --seed "$2" --quiet "${@:3}" 2>"$model.log" || return 1
  "$train" evaluate --model "$model" --source test.zh --reference test.en --beam 1 --compute fp32 \
    --threads 1 --json >"$model.json"
  mv "$model.json" "$model/bleu.json"
}

# row LABEL EDIT [OPTION...]: trains with each seed and prints what came out.
row() {
  local seed perplexities='' bleus=''
  for seed in "${seeds[@]}"; do
    if trained "$2" "$seed" "${@:3}"; then
      perplexities+=" $(grep -o '"perplexity":[0-9.]*' "$model/metrics.jsonl" | tail -1 | cut -d: -f2 | xargs printf '%.2f')"
      bleus+=" $(grep -o '"score": *[0-9.]*' "$model/bleu.json" | tr -d ' ' | cut -d: -f2 | xargs printf '%.1f')"
    else
      perplexities+=" $(grep -o 'not finite at step [0-9]*' "$model.log" || echo failed)"
    fi
  done
  printf '%-20s perplexity%s, BLEU%s\n' "$1" "$perplexities" "${bleus:- none}"
}

heads() {
  local count
  for count in 1 2; do row "heads $count" none --heads "$count"; done
  row "heads 4" none
  for count in 8 16; do row "heads $count" none --heads "$count"; done
}
scale() {
  row "scale by d_k" none
  row "scale none" none --attention dot
  row "scale by d_model" by-width
  row "1 head, by d_k" none --heads 1
  row "1 head, none" none --attention dot --heads 1
}
embeddings() {
  row "embeddings times 8" none
  row "embeddings times 1" small-embeddings
}
positions() {
  row "halves" none
  row "interleaved" interleaved
  row "no positions" none --positions none
}
# A constant rate, so that the warm-up alone differs; the same in six layers a side; then the paper's.
warmup() {
  local steps rate
  for rate in 0.002 0.006; do
    for steps in 0 50 250; do
      row "constant $rate, $steps" none --schedule constant --learning-rate "$rate" --warmup-steps "$steps"
    done
  done
  for steps in 0 50 250; do
    row "6 layers 0.002, $steps" none --schedule constant --learning-rate 0.002 --warmup-steps "$steps" \
      --encoder-layers 6 --decoder-layers 6
  done
  row "noam, 25" none --warmup-steps 25
  row "noam, 250" none
  row "noam, 1000" none --warmup-steps 1000
}
smoothing() {
  row "smoothing 0" none --label-smoothing 0
  row "smoothing 0.1" none
  row "smoothing 0.3" none --label-smoothing 0.3
}
epsilon() {
  local value
  row "epsilon 1e-9" none
  for value in 1e-8 1e-6 1e-4; do row "epsilon $value" none --epsilon "$value"; done
}
# BLEU alone: validation sees the last weights, not the mean.
average() {
  row "last weights" none | sed 's/perplexity.*, BLEU/BLEU/'
  row "mean of 5" none --validate-every 50 --average last:5 | sed 's/perplexity.*, BLEU/BLEU/'
}
# Of the model that the others begin with: the beam and the paper's alpha.
beam() {
  local width alpha
  trained none "${seeds[0]}"
  for width in 1 4 10; do
    for alpha in 0 0.6 1; do
      printf 'beam %-3s alpha %-4s  ' "$width" "$alpha"
      "$program" evaluate --model "$model" --source test.zh --reference test.en --beam "$width" \
        --length-penalty "$alpha" --compute fp32 --quiet |
        sed -n 's/BLEU = \(.*\) [^ ]* (BP = \([^ ]*\) ratio = \([^ ]*\) .*/BLEU \1, length \3 of the reference/p'
    done
  done
}

[[ $# -gt 0 ]] || set -- heads scale embeddings positions warmup smoothing epsilon average beam
for experiment in "$@"; do "$experiment"; done
