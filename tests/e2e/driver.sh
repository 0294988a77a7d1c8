# What the tables share: `row` runs qkvet once and compares exit code, stdout and stderr.
# Usage of a table: table.sh QKVET SOURCE_FOLDER EXAMPLES_FOLDER WORK_FOLDER
set -uo pipefail
qkvet=$1 source_folder=$2 examples=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
rows=0 failures=0
# Python candidates run where scripts/test put numpy, if it did.
[ ! -d "$source_folder/build/venv/bin" ] || PATH=$source_folder/build/venv/bin:$PATH

# The worked example: scores 0 and (almost) ln 3, values 10 and 20.
example='qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,0x1.193ea8p0/v:10,20'

# row CODE OUT ERR ARGS...: OUT and ERR are extended regular expressions that must match somewhere;
# '-' means that the stream must be empty, '' that it is not looked at. No message may look like a
# crash of our own.
row() {
  local code=$1 out=$2 err=$3 got=0
  shift 3
  rows=$((rows + 1))
  "$qkvet" "$@" >stdout 2>stderr </dev/null || got=$?
  local why=''
  [ "$got" = "$code" ] || why="exit $got, expected $code"
  matches "$out" stdout || why="$why; stdout does not match '$out'"
  matches "$err" stderr || why="$why; stderr does not match '$err'"
  if grep -qE 'Traceback|terminate called|Assertion|core dumped|AddressSanitizer' stderr; then
    why="$why; stderr shows a crash"
  fi
  [ -z "$why" ] && return
  failures=$((failures + 1))
  printf 'FAILED: qkvet %s\n  %s\n--- stdout\n%s\n--- stderr\n%s\n' "$*" "$why" \
    "$(head -c 3000 stdout)" "$(head -c 3000 stderr)"
}

matches() {
  case $1 in
    '') return 0 ;;
    -) [ ! -s "$2" ] ;;
    *) grep -qE -- "$1" "$2" ;;
  esac
}

# claim WORDS COMMAND...: the command must succeed.
claim() {
  local words=$1
  shift
  rows=$((rows + 1))
  "$@" && return
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$words"
}

# npy FILE DESCR ORDER SHAPE DATA: an .npy file of version 1.0; DATA is for printf %b.
npy() {
  local header="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
  local length=${#header}
  printf '\x93NUMPY\x01\x00' >"$1"
  printf "\\x$(printf %02x $((length & 255)))\\x$(printf %02x $((length >> 8)))" >>"$1"
  printf '%s' "$header" >>"$1"
  printf '%b' "$5" >>"$1"
}

finish() {
  printf '%d rows, %d failed\n' "$rows" "$failures"
  [ "$failures" -eq 0 ]
}
