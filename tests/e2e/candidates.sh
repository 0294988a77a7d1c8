# Candidates in a worker: shared libraries and Python files, right, wrong and unusable.
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

# The C example holds; its buggy brother is caught, and the printed repro line shows it again.
row 0 'verdict  holds' '' check "$examples/attention.so" --cases 20
row 1 'FAIL matches-reference' '' check "$examples/attention_buggy.so" --cases 150 \
  --no-corpus --prop matches-reference --out found --json found.json
claim 'the finding is saved' bash -c 'ls found/matches-reference-*.case >/dev/null'
claim 'the minimal case has one row, 65 keys and one channel' \
  grep -q '"case": "qk1:b1.hq1.hk1.l1.s65.dk1.dv1/f32' found.json
repro=$(sed -n 's/^ *"repro": "qkvet \(repro .*\)"$/\1/p' found.json | head -1)
rows=$((rows + 1))
eval "set -- $repro"
row 1 'FAIL matches-reference' '' "$@"
saved=$(ls found/*.case | grep -v raw | head -1)
row 1 'FAIL matches-reference' '' repro "$saved" "$examples/attention_buggy.so"
row 0 'verdict  holds' '' repro "$saved" "$examples/attention.so"
row 0 'verdict  holds' '' repro "$saved" builtin:flash
row 1 '' '' check "$examples/attention_buggy.so" --cases 150 --stop-first --out stop \
  --prop matches-reference
mkdir -p corpus/regressions
cp "$saved" corpus/regressions/tail.case
row 1 'after 1 cases' '' check "$examples/attention_buggy.so" --cases 1 --corpus corpus \
  --no-corpus --out again --prop matches-reference
# The corpus that comes with qkvet is replayed without being asked for, and holds this very case.
row 1 'stratum  corpus' '' check "$examples/attention_buggy.so" --cases 1 --stop-first --out known \
  --prop matches-reference
printf 'qk1:broken\n' >corpus/bad.case
row 65 'verdict' 'bad.case' check "$examples/attention.so" --cases 1 --corpus corpus
row 0 'verdict' 'bad.case' check "$examples/attention.so" --cases 1 --corpus corpus --skip-bad
# What the usual rules say of the finding, if asked.
row 1 'also +allclose [a-zA-Z]+, .*onednn ' '' check "$examples/attention_buggy.so" --stop-first --criteria \
  --prop matches-reference

# A fault that needs earlier calls: said, kept, and its line repeats those calls.
sed 's/^  return QKVET_OK;/  static int calls; if (++calls > 90 \&\& B * H * L * d_v > 0) o[-1] += 9;\n&/' \
  "$source_folder/examples/c/attention.c" >stateful.c
include=$("$qkvet" doctor | sed -n 's,^kernel.h *\(.*\)/qkvet/candidate/kernel.h$,\1,p')
claim 'the stateful kernel compiles' cc -O1 -shared -fPIC -I "$include" stateful.c -o stateful.so -lm
row 1 'state +state-dependent: fails only after earlier calls' '' check ./stateful.so --cases 70 \
  --prop matches-reference --json state.json --out state
repro=$(sed -n 's/^ *"repro": "qkvet \(check .*\)",*$/\1/p' state.json | head -1)
eval "set -- $repro"
row 1 'FAIL matches-reference' '' "$@"

# A finding outlives a disk that does not take it.
: >file
row 73 - "out 'file/folder'" check "$examples/attention.so" --cases 1 --out file/folder
mkdir -p "blocked/$(basename "$saved")"
row 73 'qkvet repro .qk1:' '' check "$examples/attention_buggy.so" --cases 150 \
  --prop matches-reference --out blocked
row 74 'verdict' '' check "$examples/attention.so" --cases 2 --json /dev/full \
  --prop matches-reference

# What cannot be loaded.
numpy_example=py:$source_folder/examples/numpy_attention.py:attention
printf 'not a library' >text.so
row 69 - 'text\.so' check ./text.so --cases 1
row 69 - 'text\.so' check ./text.so --cases 1 --json no.json --junit no.xml
claim 'an unusable candidate leaves no empty report' bash -c '[ ! -e no.json ] && [ ! -e no.xml ]'
row 66 - 'absent\.so' check ./absent.so --cases 1
row 66 - 'absent\.py' check py:absent.py:attention --cases 1
row 69 - 'no_such_symbol' check "$examples/attention.so:no_such_symbol" --cases 1

python_file() {  # python_file FILE BODY: a candidate with this one statement
  printf 'def attention(query, key, value, **kw):\n  %s\n' "$2" >"$1"
}

# Python, where there is numpy.
if python3 -c 'import numpy' 2>/dev/null; then
  row 0 'verdict  holds' '' check "$numpy_example" --cases 10
  python_file shape.py 'return value.mean(-2)'
  row 1 'FAIL' '' check py:shape.py:attention --cases 3 --prop matches-reference
  python_file exits.py 'raise SystemExit(3)'
  row 1 'FAIL' '' check py:exits.py:attention --cases 1 --prop matches-reference
  python_file refuses.py 'raise NotImplementedError("no")'
  row 3 'not tested' '' check py:refuses.py:attention --cases 2 --prop matches-reference
  printf 'import no_such_module\n' >imports.py
  row 69 - 'no_such_module' check py:imports.py:attention --cases 1
  printf 'attention = 3\n' >number.py
  row 69 - 'callable' check py:number.py:attention --cases 1
  printf 'def attention():\n  return 0\n' >arity.py
  row 69 - 'arity\.py' check py:arity.py:attention --cases 1
  row 69 - 'absent' check py:number.py:absent --cases 1
else
  printf 'no numpy for python3: the Python rows were left out\n'
fi
row 69 - 'no-such-python' check "$numpy_example" --cases 1 --python no-such-python

# A signal ends the campaign with its report.
rows=$((rows + 1))
"$qkvet" check builtin:naive --cases 1000000 --prop matches-reference >stdout 2>stderr &
pid=$!
until grep -q qkvet "/proc/$pid/cmdline" 2>/dev/null; do :; done
sleep 1
kill -TERM $pid
wait $pid
code=$?
claim "SIGTERM gives 143 (got $code)" test "$code" = 143
claim 'and the report so far' grep -q 'interrupted; so far' stdout

finish
