# Shared by the scripts of this folder (bash): install what is missing, make the Python environment,
# configure and build. All progress goes to stderr; stdout belongs to the caller.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/build/venv

# What the library and the command line need, and what tests and benchmarks need besides.
run_packages=(g++ cmake ninja-build libflint-arb-dev libflint-dev libmpfr-dev libboost1.81-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libxxhash-dev python3 python3-venv)
test_packages=("${run_packages[@]}" clang-19 libclang-rt-19-dev llvm-19 librapidcheck-dev
  libgtest-dev libbenchmark-dev libeigen3-dev ccache)

# A failed set-up has a code of its own: `scripts/run ARGS` otherwise exits with the codes of qkvet.
setup_failed=70

say() { printf 'qkvet: %s\n' "$*" >&2; }
die() { say "$*"; exit "$setup_failed"; }

# Prints those of the given Debian packages that are not installed, one a line.
missing_packages() {
  command -v dpkg-query >/dev/null || { printf '%s\n' "$@"; return; }
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^.i  *//p') || true
  printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "$installed") || true
}

# Installs those of the given Debian packages that are missing: as root, else through sudo, else it
# names them and stops. QKVET_SKIP_INSTALL=1 skips it (other systems, packages by other means).
install_packages() {
  [ -z "${QKVET_SKIP_INSTALL:-}" ] || return 0
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    die "no apt-get here. Install these Debian packages or what matches them, then run again with" \
      "QKVET_SKIP_INSTALL=1: ${missing[*]}"
  fi
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "not root and no sudo. As root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  "${apt[@]}" update >&2 || say "apt-get update failed; trying with the lists at hand"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install: ${missing[*]}"
}

# Makes or refreshes build/venv; nothing happens while scripts/requirements.txt stays as it was.
ensure_venv() {
  local wanted=$root/scripts/requirements.txt stamp=$venv/qkvet-requirements.txt
  local python=/usr/bin/python3
  cmp -s "$wanted" "$stamp" && [ -x "$venv/bin/python" ] && return 0
  [ -x "$python" ] || python=python3
  say "making the Python environment $venv"
  "$python" -m venv --clear "$venv" >&2 || die "$python -m venv failed (package python3-venv)"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$wanted" >&2 ||
    die "pip could not install what scripts/requirements.txt lists"
  cp "$wanted" "$stamp"
}

# The same with what only tests need (scripts/requirements-test.txt).
ensure_test_venv() {
  local wanted=$root/scripts/requirements-test.txt stamp=$venv/qkvet-requirements-test.txt
  ensure_venv
  cmp -s "$wanted" "$stamp" && return 0
  say "adding what only tests need to $venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$wanted" >&2 ||
    die "pip could not install what scripts/requirements-test.txt lists"
  cp "$wanted" "$stamp"
}

# configure FOLDER OPTIONS...: runs cmake; a cache that came from another source folder is dropped.
configure() {
  local build=$1 cache=$1/CMakeCache.txt
  shift
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$cache" "$build/CMakeFiles"
  fi
  if command -v ccache >/dev/null; then
    set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >&2 ||
    die "cmake could not configure $build"
}

# build FOLDER TARGETS...: says something only if there is something to do or to complain about.
build() {
  local folder=$1
  shift
  # The tests share a precompiled header: what ccache must overlook to keep such objects.
  local overlooked=pch_defines,time_macros
  CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=$overlooked \
    ninja -C "$folder" --quiet "$@" 2>&1 |
    sed '/^ninja: no work to do\.$/d' >&2 || die "the build in $folder failed"
}

# Set-up and build for a user: build/bin/qkvet with its worker. One at a time, so that two shells do
# not build into each other.
ensure_qkvet() {
  mkdir -p "$root/build"
  (
    exec 8>"$root/build/.lock" && flock 8
    install_packages "${run_packages[@]}"
    ensure_venv
    if ! [ -f "$root/build/build.ninja" ]; then
      configure "$root/build" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        -DQKVET_DEVELOPER_MODE=OFF
      say "building: a few minutes the first time"
    fi
    build "$root/build" qkvet qkvet-worker
  ) || exit
}

# ensure_fuzzers TARGETS...: programs of build/fuzz, built with clang-19 and libFuzzer, and the seeds of
# fuzz targets in build/fuzz/seeds.
ensure_fuzzers() {
  mkdir -p "$root/build"
  (
    exec 8>"$root/build/.lock" && flock 8
    install_packages "${run_packages[@]}" clang-19 libclang-rt-19-dev llvm-19
    configure "$root/build/fuzz" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
      -DQKVET_DEVELOPER_MODE=OFF -DQKVET_FUZZERS=ON
    build "$root/build/fuzz" "$@"
  ) || exit
}
