#!/usr/bin/env bash
# The wheel of the Python package where a user would have it: in a fresh virtual environment, and in a
# Debian without heed's packages (by debootstrap, as root; left out elsewhere). There the package
# trains, translates and scores, and the command answers.
# Works in the current directory; uses build/python of the checkout. ./dev soak runs it.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
"$root/dev" python --wheel
wheel=$(ls "$root"/build/python/wheels/heed-*.whl)

cat >try.py <<'PYTHON'
import random
import subprocess
import heed

draw = random.Random(1)
words = {"eins": "one", "zwei": "two", "drei": "three"}
lines = [draw.choices(list(words), k=draw.randint(1, 4)) for _ in range(300)]
with open("train.de", "w") as source, open("train.en", "w") as target:
    for line in lines:
        print(*line, file=source)
        print(*(words[word] for word in line), file=target)
heed.train(source="train.de", target="train.en", model="model", preset="tiny", tokenizer="char",
           vocabulary_size=40, batch_tokens=512, warmup_steps=20, steps=30, overwrite=True)
model = heed.Model("model")
assert isinstance(model.translate("eins zwei"), str)
assert model.score("eins", "one").log_probability < 0
assert heed.paper.causal_mask(2, 2)[0, 1] == -float("inf")
version = subprocess.run(["heed", "version"], check=True, capture_output=True, text=True).stdout
assert heed.__version__ in version, version
print("the package works:", model.backend)
PYTHON

rm -rf venv
python3 -m venv venv
venv/bin/pip --disable-pip-version-check install --quiet "$wheel"
PATH=$PWD/venv/bin:$PATH venv/bin/python try.py

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo "python_wheel: the bare Debian was left out: it needs root and debootstrap"
  exit 0
fi
[[ -x debian/usr/bin/python3 ]] ||
  debootstrap --variant=minbase --include=python3-venv,ca-certificates bookworm debian \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >debootstrap.log
cp "$wheel" try.py debian/root/
# NumPy and nanobind-backend are taken here, since the root may reach no network.
rm -rf debian/root/wheels
venv/bin/pip --disable-pip-version-check download --quiet --dest debian/root/wheels "$wheel"
# The loader finds the libraries beside the program by /proc, which the root has for this command.
unshare --mount chroot debian bash -euc "
  mount -t proc proc /proc
  cd /root
  rm -rf venv
  python3 -m venv venv
  venv/bin/pip install --quiet --no-index --find-links wheels heed
  ! ldconfig -p | grep -q sentencepiece
  PATH=/root/venv/bin:\$PATH venv/bin/python try.py"
echo "python_wheel: a fresh virtual environment and a bare Debian: both work"
