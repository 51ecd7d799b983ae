#!/usr/bin/env bash
# Installs heed from BUILD_FOLDER under SCRATCH and builds another project against what was installed.
# Usage: install_test.sh BUILD_FOLDER SCRATCH CXX
set -euo pipefail
build=$1 scratch=$2 compiler=$3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
# The package must not remember where it was installed.
mv "$scratch/first" "$scratch/moved here"

for file in man/man1/heed.1 bash-completion/completions/heed zsh/site-functions/_heed \
  fish/vendor_completions.d/heed.fish; do
  [[ -s "$scratch/moved here/share/$file" ]] || {
    echo "install_test: share/$file is missing" >&2
    exit 1
  }
done
"$scratch/moved here/bin/heed" version
cmake -G Ninja -S "$here/consumer" -B "$scratch/consumer" -DCMAKE_BUILD_TYPE=Debug \
  -DEXAMPLES="$here/../../examples" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/moved here"
cmake --build "$scratch/consumer"
printed=$("$scratch/consumer/consumer")
"$scratch/consumer/attention"
[[ $printed == "the sum is 45" ]] || {
  echo "install_test: expected 'the sum is 45', got '$printed'" >&2
  exit 1
}
