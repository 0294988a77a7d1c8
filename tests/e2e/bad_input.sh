# Bad input: each row is a message that names what is wrong, and an exact exit code.
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

# Usage: 2.
row 2 - "no command ''" ''
row 2 - 'subcommand'
row 2 - "no command 'nonsense'; commands are check, fuzz, repro" nonsense
row 2 - "no command 'chek'" chek builtin:naive
row 2 - "no such option, or not here: '--sed', 'more'" check --sed builtin:naive more
row 2 - "not expected: 'one', 'two'" check builtin:naive one two
row 2 - '--no-such-option' check builtin:naive --no-such-option
row 2 - 'candidate' check
row 2 - "--seed 'x'.*whole number" check builtin:naive --seed x
row 2 - "--seed '-1'" check builtin:naive --seed=-1
row 2 - "--seed '1.5'" check builtin:naive --seed 1.5
row 2 - "--seed '18446744073709551616'" check builtin:naive --seed 18446744073709551616
row 2 - '--seed' check builtin:naive --seed=
row 2 - '--seed' check builtin:naive --seed 1 --seed 2
row 2 - "--cases '0'" check builtin:naive --cases 0
row 2 - "--cases '-5'" check builtin:naive --cases=-5
row 2 - "--cases '99999999999999999999'" check builtin:naive --cases 99999999999999999999
row 2 - "--profile 'weekly'.*smoke" check builtin:naive --profile weekly
row 2 - "--prop 'no-such'.*matches-reference" check builtin:naive --prop no-such
row 2 - "--criterion 'close'.*certified, allclose" check builtin:naive --criterion close
row 2 - "--criterion 'close'.*certified, allclose" judge q k v o --criterion close
row 2 - 'nothing to judge without a candidate' repro "$example" --criteria
row 2 - "--dtype 'f8'.*f32" check builtin:naive --dtype f8
row 2 - "--dtype 'f8'.*f32" judge q.npy k.npy v.npy out.npy --dtype f8
row 2 - 'the candidate takes none' check "$examples/attention.so" --dtype bf16,f16
row 2 - 'give a case, worked-example' explain
row 2 - '--dtype f16: the case is f32' explain "$example" --dtype f16
row 2 - "--call-timeout '0'" check builtin:naive --call-timeout 0
row 2 - "--call-timeout '-1s'" check builtin:naive --call-timeout=-1s
row 2 - "--load-timeout 'soon'" check builtin:naive --load-timeout soon
row 2 - "--call-timeout 'nan'" check builtin:naive --call-timeout nan
row 2 - 'd_q' check builtin:naive --where 'd_q=3'
row 2 - 'd_k' check builtin:naive --where 'd_k=many'
row 2 - '--tensors' check builtin:naive --tensors jax
row 2 - "--digits '0'" ref "$example" --digits 0
row 2 - "--digits '1001'" ref "$example" --digits 1001
row 2 - 'from 1 to 1000' ref "$example" --digits 1000000000
row 2 - "--round 'f8'" ref "$example" --round f8
row 2 - '--round' ref "$example" --round f32 --digits 10
row 2 - 'nothing' list nothing
row 2 - 'fortran' new fortran
row 2 - "--scale 'wide'" judge q k v o --scale wide
row 2 - "--scale 'inf'" judge q k v o --scale inf

# Missing input: 66. Candidates that cannot be used: 69. Places that cannot be written: 73.
row 66 - 'absent.case' repro absent.case builtin:naive
row 66 - 'absent.case' ref absent.case
row 66 - 'absent.case' explain absent.case
row 66 - 'regular file' ref .
row 66 - 'regular file' ref /dev/null
row 66 - "--contract 'no-such'.*f32-any" check builtin:naive --contract no-such
row 66 - 'no/corpus' check builtin:naive --corpus no/corpus
row 66 - 'absent.npy' judge absent.npy k.npy v.npy out.npy
row 69 - 'py:mine.py:FUNCTION' check mine.py
row 69 - 'py:mine.py:f$' check mine.py:f
row 69 - 'compile it' check mine.c
row 69 'not found' - doctor --python /nope
row 69 - "builtin:fastest.*naive" check builtin:fastest
row 73 - 'no/folder/report.json' check builtin:naive --json no/folder/report.json
row 73 - 'no/folder/report.xml' check builtin:naive --junit no/folder/report.xml
: >mine.c
row 73 - 'mine.c: it exists' new c mine.c

# One value per occurrence: the candidate is not swallowed.
for option in --prop --where --env --dtype --corpus; do
  row 69 - 'builtin:fastest' check $option "$(case $option in
    --prop) echo matches-reference ;; --where) echo d_k=3 ;; --dtype) echo f32 ;; *) echo . ;;
  esac)" builtin:fastest
done

# A contract of another format is said, not dropped: 2.
other='contract f64-any is for f64; .* f32'
row 2 - "$other" repro "$example" --contract f64-any
row 2 - "$other" repro "$example" builtin:naive --contract f64-any
row 2 - "$other" ref "$example" --contract f64-any
row 2 - "$other" explain "$example" --contract f64-any
row 2 - "$other" check builtin:naive --contract f64-any --dtype f32
row 2 - "$other" check "$examples/attention.so" --contract f64-any
row 2 - 'only contracts' list props matches-reference

# Malformed contracts: 65.
printf 'contract = mine\nbase = f32-any/1\n[arithmetic]\nspeed = high\n' >unknown.contract
row 65 - 'unknown.contract.*4.*speed' check builtin:naive --contract unknown.contract
contract_row() {
  printf "contract = mine\nbase = f32-any/1\n[arithmetic]\n$1\n" >bad.contract
  row 65 - "$2" check builtin:naive --contract bad.contract
  row 65 - "$2" explain --contract bad.contract
}
contract_row 'exp_error =' "bad.contract:4: field exp_error: ''"
contract_row 'exp_error = -2' "bad.contract:4: field exp_error: '-2'.*from 0"
contract_row 'exp_error = nan' "bad.contract:4: field exp_error: 'nan'"
contract_row 'tile = 64\nnorm_first = yes\nrenormalises = yes' \
  'bad.contract:6: contract mine: renormalises = yes and norm_first = yes contradict each other'
row 2 - 'explain: give a case.*--contract NAME' explain
row 2 - "$other" explain --contract f64-any --dtype f32
: >empty.contract
row 65 - 'empty.contract' check builtin:naive --contract empty.contract

# Malformed case text: 65, naming the source and the field.
while IFS='|' read -r text says; do
  row 65 - "$says" ref "qk1:$text"
  printf 'qk1:%s\n' "$text" >bad.case
  row 65 - "bad.case.*$says" ref bad.case
done <<'END'
|shape|
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1|v
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10|v
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20,30|v
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20/wings:2|wings
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/q:1/k:0,1/v:10,20|q
b1.b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20|b
b1.hq1.hk1.l1.s2.dk1.dz1/f32/q:1/k:0,1/v:10,20|dz
b1.hq1.hk1.l1.s2.dk1/f32/q:1/k:0,1/v:10,20|dv
b1.hq1.hk1.l1.s9223372036854775808.dk1.dv1/f32/q:1/k:0,1/v:10,20|s
b1.hq1.hk1.l1.s4294967296.dk4294967296.dv1/f32/q:1/k:0,1/v:10,20|
b1.hq1.hk1.l1.s-2.dk1.dv1/f32/q:1/k:0,1/v:10,20|s
b1.hq3.hk2.l1.s2.dk1.dv1/f32/q:1,1,1/k:4*0/v:4*1|
b1.hq1.hk1.l1.s2.dk1.dv1/f31/q:1/k:0,1/v:10,20|f31
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:one/k:0,1/v:10,20|one
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:0.1/k:0,1/v:10,20|0\.1
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:9999999999999999999*0/v:10,20|
b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20 and more|
END
printf 'qk2:b1\n' >other.case
row 65 - 'other.case' ref other.case
printf '' >empty.case
row 65 - 'empty.case' ref empty.case
head -c 4096 /dev/urandom >noise.case
row 65 - 'noise.case' ref noise.case
printf '%s\n# seed: 1\n# seed: 2\n' "$example" >twice.case
row 65 - 'twice.case:3' ref twice.case

# Dumps: 65, naming the file and the field. (Each kind of malformed header: tests/campaign.)
one='\x00\x00\x80\x3f'
npy q.npy '<f4' False '(1, 1)' "$one"
npy k.npy '<f4' False '(2, 1)' "$one$one"
npy v.npy '<f4' False '(2, 1)' "$one$one"
npy out.npy '<f4' False '(1, 1)' "$one"
dump() {  # dump SAYS DESCR ORDER SHAPE DATA: a bad out.npy
  npy bad.npy "$2" "$3" "$4" "$5"
  row 65 - "bad.npy: .*$1" judge q.npy k.npy v.npy bad.npy
}
row 2 - "$other" judge q.npy k.npy v.npy out.npy --contract f64-any
dump 'pickle' '|O' False '(1, 1)' "$one"
dump 'big-endian' '>f4' False '(1, 1)' "$one"
dump 'fortran_order' '<f4' True '(1, 1)' "$one"
dump 'truncated' '<f4' False '(1, 2)' "$one"
dump 'too many' '<f4' False '(1, 1)' "$one$one"
dump 'expected .*d_v' '<f4' False '(1, 2)' "$one$one"
dump 'axes' '<f4' False '(1, 1, 1, 1, 1)' "$one"
dump 'dtype f64' '<f8' False '(1, 1)' "$one$one"
dump 'elements' '<f4' False '(4294967296, 4294967296)' "$one"
printf 'text' >text.npy
row 65 - 'text.npy: magic' judge text.npy k.npy v.npy out.npy
row 65 - 'q.npy: .*axis S, but k has 2' judge q.npy k.npy q.npy out.npy
npy wide.npy '<f4' False '(2, 2)' "$one$one$one$one"
row 65 - 'wide.npy: .*d_k' judge q.npy wide.npy v.npy out.npy
npy mask.npy '|b1' False '(1, 3)' '\x01\x01\x01'
row 65 - 'mask.npy: .*broadcast' judge q.npy k.npy v.npy out.npy --mask mask.npy
row 65 - 'bias.*|out.npy' judge q.npy k.npy v.npy out.npy --mask out.npy
row 2 - "--causal 'up'" judge q.npy k.npy v.npy out.npy --causal up

# Standard output that takes nothing.
rows=$((rows + 1))
"$qkvet" list props >/dev/full 2>stderr
code=$?
claim "a full standard output gives 74 (got $code)" test "$code" = 74

finish
