#!/usr/bin/env bash
# Fails on code that breaks the shape of docs/architecture.md: a layer that includes what stands below
# it, headers that include each other, a device conditional above backend/, a macro in a header, a
# source file that has grown too long.
# Usage: check_layers.sh [PROJECT_FOLDER]
set -euo pipefail
cd -- "${1-$(dirname -- "${BASH_SOURCE[0]}")/..}"

# One line per layer: what it may include besides itself. The facade is what lies in src/heed itself.
layers='
core:
backend: core
autograd: core backend
model: core backend autograd
text: core
data: core text
evaluate: core text
phrasebook: core
train: core backend autograd model data
decode: core backend autograd model text
documents: core backend autograd model text decode
tasks: core backend autograd model text data evaluate train decode
pages: core backend autograd model text data evaluate train decode
run: core pages backend autograd model text data evaluate train decode tasks
serve: core pages backend autograd model text decode documents
facade: core pages backend autograd model text data evaluate train decode documents tasks run
'
longest=600

existing=()
for folder in src apps tests examples bench tools fuzz; do
  [[ ! -d $folder ]] || existing+=("$folder")
done

find "${existing[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.sh' \) -print0 |
  sort -z | xargs -0 -r awk -v layers="$layers" -v longest="$longest" '
  function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
  }

  BEGIN {
    count = split(layers, rows, "\n")
    for (row = 1; row <= count; row++) {
      words = split(rows[row], word, /[: ]+/)
      for (i = 1; i <= words; i++) if (word[i] != "") may[word[1], word[i]] = known[word[1]] = 1
    }
  }

  FNR == 1 {
    layer = FILENAME ~ /^src\/heed\/[^\/]+$/ ? "facade" : ""
    if (FILENAME ~ /^src\/heed\/[^\/]+\//) {
      split(FILENAME, part, "/")
      layer = part[3]
      if (!(layer in known)) complain("the layer " layer " is not in the list of tools/check_layers.sh")
    }
  }

  FNR == longest + 1 { complain("over " longest " lines: a file is one idea") }

  layer != "" && /^[ \t]*#[ \t]*include[ \t]*[<"]heed\// {
    split($0, part, /[<"\/>]/)
    included = part[3]
    if (included ~ /\.h$/) {
      if (layer != "facade") complain(layer " must not include the facade heed/" included)
    } else if (!((layer, included) in may)) {
      complain(layer " must not include heed/" included "/")
    }
  }

  # Only backend/ knows devices and instruction sets.
  FILENAME ~ /^(src|apps)\// && layer != "backend" &&
    /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif).*(CUDA|__AVX|__AMX|__SSE|__ARM_)/ {
    complain("device conditional outside backend/: " $0)
  }

  # An include guard is the one macro that a header may define: no value, and a name that ends in _H.
  FILENAME ~ /\.h$/ && /^[ \t]*#[ \t]*define/ && !/define[ \t]+[A-Z0-9_]+_H_?[ \t]*$/ {
    complain("macro in a header: " $0)
  }

  END { exit bad }
'

# tsort names the members of each circle on lines of their own, after a line that ends in a colon.
circle=$(find "${existing[@]}" -type f -name '*.h' -print0 | xargs -0 -r awk '
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    print FILENAME, (part[2] ~ /^heed\// ? "src/" : "apps/heed/") part[2]
  }' | sort | { tsort 2>&1 >/dev/null || :; } | sed -n 's/^tsort: \(.*[^:]\)$/\1/p' | paste -s -d ' ')
if [[ -n $circle ]]; then
  echo "${circle%% *}: headers that include each other: $circle"
  exit 1
fi
