# Sourced by ./dev. Builds and tests the Python package in a virtual environment of its own.

# The status when PyPI has not given the packages that the build needs: no fault of the checkout.
no_packages=75

# python_requirements KEY...: the requirements of pyproject.toml under a key, one in each line.
python_requirements() {
  "$python" - "$root/pyproject.toml" "$@" <<'PYTHON'
import sys
try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10: pip has its own copy
    from pip._vendor import tomli as tomllib

path, *keys = sys.argv[1:]
with open(path, "rb") as file:
    value = tomllib.load(file)
for key in keys:
    value = value[key]
print("\n".join(value))
PYTHON
}

# pip_install FILE ARGS...: quietly, from a list of requirements.
pip_install() {
  if ! "$python" -m pip --disable-pip-version-check install --quiet "${@:2}" -r "$1" >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "pip could not install what $1 names (the whole log: $log)"
    exit "$no_packages"
  fi
}

python_package() {
  local wheel= extras=(test) extra
  case ${1-} in
    --wheel)
      wheel=yes extras=(wheel)
      shift
      ;;
    --all)
      extras=(test examples spark tensorboard)
      shift
      ;;
  esac
  local folder=$root/build/python
  mkdir -p "$folder"
  local python=$folder/venv/bin/python
  [[ -x $python ]] || "${PYTHON:-python3}" -m venv "$folder/venv" >>"$log" 2>&1 ||
    stop "${PYTHON:-python3} -m venv failed (the whole log: $log)"
  say "what the build needs, from PyPI"
  {
    python_requirements build-system requires
    python_requirements project dependencies
    for extra in "${extras[@]}"; do python_requirements project optional-dependencies "$extra"; done
  } >"$folder/requirements.txt"
  pip_install "$folder/requirements.txt"
  export PATH=$folder/venv/bin:$PATH
  CMAKE_BUILD_PARALLEL_LEVEL=$(jobs_allowed)
  export CMAKE_BUILD_PARALLEL_LEVEL
  if [[ -n $wheel ]]; then
    make_wheel "$folder"
    return
  fi
  # The objects of build/release are the package's too. pip would compile them again.
  say "the package (its C++ in build/release)"
  configure release -DHEED_PYTHON=ON -DPython_EXECUTABLE="$python"
  compile release --target heed_python heed_program >>"$log"
  echo "$root/build/release/python" >"$("$python" -c 'import site; print(site.getsitepackages()[0])')/heed.pth"
  ln -sf "$root/build/release/heed" "$folder/venv/bin/heed"
  say "tests"
  (cd "$root" && HEED_PROGRAM=$folder/venv/bin/heed "$python" -m pytest -q -p no:cacheprovider "$@")
}

# A wheel with the libraries of Debian's packages in it.
make_wheel() {
  local folder=$1
  rm -rf "$folder/wheels"
  say "a wheel (its C++ in build/python/wheel)"
  "$python" -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps \
    --wheel-dir "$folder/wheels/plain" "$root" >>"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    stop "pip wheel . failed (the whole log: $log)"
  }
  "$python" -m auditwheel repair --wheel-dir "$folder/wheels" "$folder"/wheels/plain/*.whl >>"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    stop "auditwheel repair failed (the whole log: $log)"
  }
  say "$(cd "$root" && ls build/python/wheels/*.whl)"
}
