#!/usr/bin/env bash
# Text that a model wrote, to learn from: the student of a larger model, and back-translation, each as the
# commands of heed that it consists of. See README.md.
#
# recipes/synthetic/run.sh distill             a teacher translates its training text, students learn from that
# recipes/synthetic/run.sh back-translate      a reverse model translates text that has no translation
# recipes/synthetic/run.sh speed               times the models of `distill`, in turn, in rounds
# recipes/synthetic/run.sh table               what is finished
#
#   HEED_PROGRAM     the program (build/release/heed)
#   HEED_DATA        the directory that holds tatoeba-en-de/
#   HEED_SYNTHETIC   a directory to work in, kept: what is finished is not computed again, an interrupted
#                    training is resumed (build/synthetic)
#   THREADS          threads, which change no result (2)
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd -- "$here/../.." && pwd -P)
source "$here/../interruptible.sh"
folder=$(realpath -m -- "${HEED_SYNTHETIC-$root/build/synthetic}")
program=$(realpath -- "${HEED_PROGRAM-$root/build/release/heed}")
threads=${THREADS-2}

# NAME|OPTIONS: the teacher, and the shapes of its students.
teacher='--encoder-layers 3 --decoder-layers 2 --d-model 192 --heads 6 --d-ff 768 --learning-rate 1.5e-3 --steps 2400'
shapes=(
  '2+1, d_model 128|--encoder-layers 2 --decoder-layers 1 --d-model 128 --heads 4 --d-ff 512 --learning-rate 2e-3 --steps 1200'
  '1+1, d_model 96|--encoder-layers 1 --decoder-layers 1 --d-model 96 --heads 4 --d-ff 384 --learning-rate 2.5e-3 --steps 1200'
)
small=${shapes[0]#*|}
parallel=20000 # pairs that back-translation has; of the others it has the English side alone

# made FILE COMMAND...: what the command writes to FILE, unless that is there.
made() {
  local file=$1
  [[ ! -e $file ]] || return 0
  if [[ $(type -t "$2") == function ]]; then
    "${@:2}" >"$file.partial"
  else
    run "${@:2}" >"$file.partial"
  fi
  mv "$file.partial" "$file"
}

# train NAME TEXT OPTIONS: from German to English, or what the options say instead.
train() {
  [[ ! -e $1.done ]] || return 0
  local options
  read -ra options <<<"$3"
  run "$program" train --model "$1" --config "$2" --batch-tokens 2048 --schedule linear --dropout 0.1 \
    --warmup-steps 200 --validate-every 500 --seed 1 "${options[@]}" --threads "$threads" --no-inspect \
    --quiet --resume
  touch "$1.done"
}

# translate MODEL TEXT FILE
translate() {
  made "$3" "$program" translate --model "$1" --input "$2" --threads "$threads" --quiet
}

# score NAME: BLEU and chrF of dev and test as NAME.scores.
score() {
  local part
  [[ ! -e $1.scores ]] || return 0
  for part in dev test; do
    translate "$1" "text/$part.de" "$1.$part"
    "$program" evaluate --hypothesis "$1.$part" --reference "text/$part.en" --metrics bleu,chrf \
      --bleu-tokenize 13a --json --quiet | grep -o '"score": *[0-9.e-]*' | sed 's/.*: *//' | paste -sd '|'
  done | paste -sd '|' >"$1.scores.partial"
  mv "$1.scores.partial" "$1.scores"
}

# config SOURCE TARGET [reversed]: a configuration that names the text of a run.
config() {
  local source=de target=en
  [[ ${3-} != reversed ]] || source=en target=de
  printf '%s\n' "source = [\"$1\"]" "target = [\"$2\"]" "valid-source = \"text/dev.$source\"" \
    "valid-target = \"text/dev.$target\"" "source-language = \"$source\"" "target-language = \"$target\"" \
    'vocabulary-size = 8000' 'vocabulary-lines = 100000'
}

prepare() {
  [[ -x $program ]] || { echo "run.sh: no program $program: build it, or set HEED_PROGRAM" >&2; exit 1; }
  [[ -e ${HEED_DATA-}/tatoeba-en-de ]] ||
    { echo "run.sh: HEED_DATA is not the directory that holds tatoeba-en-de/" >&2; exit 1; }
  local data part language
  data=$(realpath -- "$HEED_DATA")/tatoeba-en-de
  mkdir -p "$folder/text"
  cd -- "$folder"
  for part in train dev test; do
    for language in de en; do
      made "text/$part.$language" gzip -dc "$data/$part.$language.gz"
    done
  done
}

# Sequence-level distillation (Kim and Rush, 2016): the student learns the teacher's own translations of
# the training text, which are simpler than those of people: one source has one of them.
distill() {
  local shape name
  made original.toml config text/train.de text/train.en
  train teacher original.toml "$teacher"
  score teacher
  translate teacher text/train.de text/distilled.en
  made distilled.toml config text/train.de text/distilled.en
  for shape in "${!shapes[@]}"; do
    for name in direct distilled; do
      if [[ $name == direct ]]; then
        train "direct.$shape" original.toml "${shapes[shape]#*|}"
      else
        train "distilled.$shape" distilled.toml "${shapes[shape]#*|} --tokenizer-model teacher/source.spm"
      fi
      score "$name.$shape"
      made "$name.$shape.quantized" quantize "$name.$shape"
    done
  done
  made teacher.quantized quantize teacher
}

quantize() {
  "$program" quantize --model "$1" --output "$1.int8" --overwrite --quiet >&2
  stat -c %s "$1.int8/model.safetensors"
}

# Back-translation (Sennrich et al., 2016): English text gets a German side by a model that translates
# the other way, marked by <back>, and is learned beside the text that people translated.
back_translate() {
  made text/few.de head -n "$parallel" text/train.de
  made text/few.en head -n "$parallel" text/train.en
  made text/alone.en tail -n "+$((parallel + 1))" text/train.en
  made few.toml config text/few.de text/few.en
  made reversed.toml config text/few.en text/few.de reversed
  train few few.toml "$small"
  score few
  train reversed reversed.toml "$small"
  translate reversed text/alone.en text/back.de
  made mixed.toml mixed_config
  train mixed mixed.toml "$small"
  score mixed
}

# Half of what is learned is of people, half of the reverse model.
mixed_config() {
  config '' '' | grep -v '^source =\|^target ='
  cat <<'TOML'
[[corpus]]
name = "people"
source = ["text/few.de"]
target = ["text/few.en"]
weight = 0.5

[[corpus]]
name = "back"
source = ["text/back.de"]
target = ["text/alone.en"]
weight = 0.5
tag = "<back>"
TOML
}

# The lines of the test text a second of each model on one thread, five times over, the best of three rounds.
speed() {
  local round model begin end
  for _ in 1 2 3 4 5; do cat text/test.de; done >text/long.de
  for round in 1 2 3; do
    for model in teacher {direct,distilled}.{0,1}; do
      begin=$(date +%s%N)
      "$program" translate --model "$model.int8" --input text/long.de --threads 1 --quiet >/dev/null
      end=$(date +%s%N)
      echo "$model $(wc -l <text/long.de) $((end - begin))"
    done
  done | awk '{ lines = 1e9 * $2 / $3; if (lines > best[$1]) best[$1] = lines }
    END { for (model in best) printf "%s %d\n", model, best[model] }' >speeds.partial
  mv speeds.partial speeds
}

row() {
  local scores=() size speed
  IFS='|' read -ra scores <"$2.scores"
  size=$(cat "$2.quantized" 2>/dev/null || echo 0)
  speed=$(awk -v model="$2" '$1 == model { print $2 }' speeds 2>/dev/null || true)
  printf '| %s |' "$1"
  [[ -z ${3-} ]] || awk -v bytes="$size" 'BEGIN { printf " %.1f MB |", bytes / 1e6 }'
  [[ -z ${3-} ]] || printf ' %s |' "$speed"
  printf ' %.2f |' "${scores[0]}" "${scores[2]}" "${scores[3]}"
  echo
}

table() {
  local shape name
  echo '| model | size in int8 | lines a second | dev BLEU | test BLEU | test chrF |'
  echo '|---|---|---|---|---|---|'
  [[ ! -e teacher.scores ]] || row '3+2, d_model 192, the teacher' teacher sized
  for shape in "${!shapes[@]}"; do
    for name in direct distilled; do
      [[ ! -e $name.$shape.scores ]] || row "${shapes[shape]%%|*}, $name" "$name.$shape" sized
    done
  done
  printf '\n| learned from | dev BLEU | test BLEU | test chrF |\n|---|---|---|---|\n'
  [[ ! -e few.scores ]] || row "$parallel pairs" few
  [[ ! -e mixed.scores ]] || row "the same and $(wc -l <text/back.de) back-translated lines" mixed
  [[ ! -e direct.0.scores ]] || row "all $(wc -l <text/train.de) pairs" direct.0
}

case ${1-} in
  distill | back-translate | speed)
    prepare
    trap stop INT TERM HUP
    "${1//-/_}"
    ;;
  table) cd -- "$folder" && table ;;
  *) sed -n '2,/^set /{/^set /!p}' "${BASH_SOURCE[0]}" | sed 's/^# \{0,1\}//' ;;
esac
