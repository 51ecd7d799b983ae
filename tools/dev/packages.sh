# Sourced by ./dev. What each task needs, by Debian package and by what the build looks for.
# CONTRIBUTING.md says why each is here.

packages_for() {
  case $1 in
    build)
      echo g++ cmake ninja-build pkg-config libhwy-dev libsentencepiece-dev \
        libtomlplusplus-dev nlohmann-json3-dev libfmt-dev zlib1g-dev libutf8proc-dev libxxhash-dev \
        libboost-dev prometheus-cpp-dev libcld2-dev libsodium-dev libexpat1-dev libmd4c-dev \
        libre2-dev
      ;;
    test) echo libgtest-dev libgmock-dev libboost-context-dev python3 ;;
    python) echo python3-dev python3-venv ;;
    spark) echo openjdk-17-jre-headless ;;
    check) echo clang clang-format clang-tidy ;;
    fuzz) echo clang libclang-rt-dev ;;
    coverage) echo gcovr ;;
    bench) echo libbenchmark-dev ;;
  esac
}

# The same as lines "command NAME" and "library PKG-CONFIG-MODULE HEADER".
requirements_for() {
  case $1 in
    build)
      printf '%s\n' "command c++" "command cmake" "command ninja" "command pkg-config" \
        "library libhwy hwy/highway.h" "library sentencepiece sentencepiece_processor.h" \
        "library tomlplusplus toml++/toml.h" \
        "library nlohmann_json nlohmann/json.hpp" "library fmt fmt/format.h" "library zlib zlib.h" \
        "library libutf8proc utf8proc.h" "library libxxhash xxhash.h" \
        "library boost boost/beast/http.hpp" "library prometheus-cpp-core prometheus/registry.h" \
        "library cld2 cld2/public/compact_lang_det.h" "library libsodium sodium.h" \
        "library expat expat.h" "library md4c md4c.h" "library re2 re2/re2.h"
      ;;
    test)
      printf '%s\n' "library gtest gtest/gtest.h" "library gmock gmock/gmock.h" \
        "library boost_context boost/context/fiber.hpp" "command python3"
      ;;
    python) printf '%s\n' "command python3" "command python3-config" ;;
    spark) printf '%s\n' "command java" ;;
    check) printf '%s\n' "command clang++" "command clang-format" "command clang-tidy" ;;
    fuzz) printf '%s\n' "command clang++" ;;
    coverage) printf '%s\n' "command gcovr" ;;
    bench) printf '%s\n' "library benchmark benchmark/benchmark.h" ;;
  esac
}

have_command() { command -v "$1" >/dev/null 2>&1; }

have_library() {
  have_command pkg-config && pkg-config --exists "$1" ||
    { have_command c++ && printf '#include <%s>\n' "$2" | c++ -E -x c++ - >/dev/null 2>&1; }
}

# One line for each requirement of the tasks that this machine does not meet.
missing_requirements() {
  local task kind name header
  for task in "$@"; do
    requirements_for "$task"
  done | while read -r kind name header; do
    case $kind in
      command) have_command "$name" || echo "the command $name" ;;
      library) have_library "$name" "$header" || echo "the library $name (pkg-config $name, header $header)" ;;
    esac
  done
}

missing_packages() {
  local task package
  for task in "$@"; do
    for package in $(packages_for "$task"); do
      [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
  done
}

# Runs a command as root, its output in the log.
as_root() {
  local run=(env DEBIAN_FRONTEND=noninteractive "$@")
  if ((EUID != 0)); then
    if [[ -t 0 ]]; then run=(sudo "${run[@]}"); else run=(sudo -n "${run[@]}"); fi
  fi
  if ! "${run[@]}" </dev/null >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    stop "could not install the packages (the whole log: $log)"
  fi
}

# need TASK...: returns once everything that the tasks need is here, or stops with what is missing.
need() {
  mkdir -p "$root/build"
  : >"$log"
  local missing=()
  if have_command apt-get; then
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} > 0)) || return 0
    if ((EUID == 0)) || have_command sudo; then
      local options=(-q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
      say "installing ${#missing[@]} packages: ${missing[*]}"
      as_root apt-get "${options[@]}" update
      as_root apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}"
      return 0
    fi
  fi
  local packages=${missing[*]-}
  mapfile -t missing < <(missing_requirements "$@")
  ((${#missing[@]} > 0)) || return 0
  say "this machine lacks:"
  printf '  %s\n' "${missing[@]}" >&2
  [[ -z $packages ]] || stop "neither root nor sudo: have an administrator run apt-get install $packages"
  stop "install them with your system's package manager, then try again"
}
