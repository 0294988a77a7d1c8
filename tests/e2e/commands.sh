# The commands that need no candidate, or a built-in one.
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

row 0 'qkvet [0-9]+\.[0-9]+' '' --version
row 0 'check' '' --help
row 0 'call-timeout' '' check --help

for what in props kernels contracts criteria presets profiles strata; do row 0 '.' - list $what; done
row 0 'matches-reference' - list props
row 0 'builtin:flash' - list kernels
row 0 'f32-any/1' - list contracts
row 0 '^contract = f32-flash/1' - list contracts f32-flash
row 0 '^sdpa' - list presets
row 0 '^smoke.*200 cases' - list profiles

# The worked example, as a student writes it.
row 0 'Weights: 1/4 = 0\.25 and 3/4 = 0\.75\. Output: .* = 17\.5' - explain worked-example
row 0 '= 17\.5; log-sum-exp 1\.38629' - explain worked-example
row 0 'output = sum of weight \* v = 10;' - explain worked-example
row 0 'output = sum of weight \* v = 15;' - explain worked-example
row 0 'nn.MultiheadAttention True means masked' - explain worked-example
row 0 'weight' - explain "$example"
row 0 'section' - explain "$example" --contract f32-any
for name in $("$qkvet" list contracts | cut -d/ -f1); do
  row 0 '^ products .*q\.k is summed in' - explain --contract "$name"
done
row 0 'keep the 11 bits of TF32' - explain --contract tf32
row 0 '256 times a weight is rounded to e4m3' - explain --contract bf16-fp8
printf 'contract = low\nbase = f16-fused/1\n[arithmetic]\naccumulator = f16\n[limits]\nS <= 64\n' >low.contract
row 0 'From 1024 keys on, such sums promise nothing' - explain --contract low.contract
row 0 'limits  .*S = 0\.\.64' - explain --contract low.contract
row 0 'a case counts only if' - explain matches-reference
row 0 'unit roundoff u +0x1p-11' - explain --dtype f16
row 0 'largest +0x1\.fep\+127' - explain --dtype bf16
row 0 'Stored in bf16, ln 3 is 1\.1015625' - explain worked-example --dtype bf16
row 0 'd_k 1  d_v 1  f16' - explain 'qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f16/q:1/k:0,0x1.194p0/v:10,20' \
  --contract f16-any
row 0 'exact \[17\.' - repro 'qk1:b1.hq1.hk1.l1.s2.dk1.dv1/bf16/q:1/k:0,0x1.1ap0/v:10,20'

row 0 'o\[0,0,0,0\] = 17\.(4999|5000)' - ref "$example" --digits 40
row 0 'o\[0,0,0,0\] = [0-9.]{1,4}$' - ref "$example" --digits 3
row 0 'lse\[0,0,0\] = 1\.386' - ref "$example" --digits 1000
row 0 'o\[0,0,0,0\] = \+0x1\.18p\+4 17\.5  \[double\]' - ref "$example" --round bf16
row 0 'lse\[0,0,0\] = \+0x1\.62e43p\+0 1\.386' - ref "$example" --round f32
row 0 'o\[0,0,0,0\] = \+0x1\.1[78].*\[arb\]' - ref "$example" --round f64
row 0 'exact \[17\.' - repro "$example"
row 0 'matches-reference +1 +1 +0' '' repro "$example" builtin:naive
row 0 'matches-reference +1 +1 +0' '' repro "$example" builtin:flash --prop matches-reference

row 0 'verdict  holds' '' check builtin:naive --cases 5 --seed 3
row 0 'verdict  holds' '' check builtin:flash --cases 5 --prop matches-reference,convex-hull
row 0 'contract   f64' '' check builtin:naive --cases 5 --dtype f64 --prop matches-reference
# All formats that a kernel's own contracts declare are drawn; --dtype says which instead.
row 0 'contract   f16: naive-f16/1' '' check builtin:naive --cases 8 --prop matches-reference
row 0 'contract   bf16: flash-bf16/1' '' check builtin:flash --cases 8 --prop matches-reference
row 0 'features  .*bf16 [0-9]' '' check builtin:flash --cases 12 --dtype bf16,f16 \
  --prop matches-reference
row 0 'contract   f16: naive-f16/1' '' check builtin:naive --cases 4 --dtype all \
  --prop matches-reference
row 0 'contract   bf16: bf16-math/1' '' check builtin:naive --cases 4 --contract bf16-math \
  --prop matches-reference
row 0 'contract   f16: naive-f16/1' '' check builtin:naive --cases 4 --where format=f16 \
  --prop matches-reference
claim 'nothing else is drawn then' bash -c '! grep -q "contract   f32" stdout'
row 0 'matches-reference +1 +1 +0' '' \
  repro 'qk1:b1.hq1.hk1.l1.s2.dk1.dv1/bf16/q:1/k:0,0x1.1ap0/v:10,20' builtin:flash
row 0 'verdict  holds' '' check builtin:flash --cases 5 --where 'd_k=8,causal=yes' \
  --prop matches-reference --contract f32-any
row 0 '.' '' check builtin:naive --cases 3 --json report.json --junit report.xml \
  --prop matches-reference
claim 'report.json is written' grep -q '"exit_code": 0' report.json
claim 'report.xml is written' grep -q '<testsuite name="qkvet builtin:naive"' report.xml

# One seed, one report.
row 0 '.' '' check builtin:naive --cases 4 --seed 11 --json one.json
row 0 '.' '' check builtin:naive --cases 4 --seed 11 --json two.json
claim 'same seed, same report' diff <(sed 's/one.json//' one.json) <(sed 's/two.json//' two.json)

# A dump of a real run: q = 1, keys 0 and 0, values 10 and 20 give 15.
npy q.npy '<f4' False '(1, 1)' '\x00\x00\x80\x3f'
npy k.npy '<f4' False '(2, 1)' '\x00\x00\x00\x00\x00\x00\x00\x00'
npy v.npy '<f4' False '(2, 1)' '\x00\x00\x20\x41\x00\x00\xa0\x41'
npy right.npy '<f4' False '(1, 1)' '\x00\x00\x70\x41'
npy wrong.npy '<f4' False '(1, 1)' '\x00\x00\x78\x41'
npy ten.npy '<f4' False '(1, 1)' '\x00\x00\x20\x41'
npy nan.npy '<f4' False '(1, 1)' '\x00\x00\xc0\x7f'
npy lse.npy '<f4' False '(1,)' '\x18\x72\x31\x3f'
npy first.npy '|b1' False '(1, 2)' '\x01\x00'
row 0 '^pass' - judge q.npy k.npy v.npy right.npy
row 1 '^FAIL 1 of 1 .*worst' - judge q.npy k.npy v.npy wrong.npy
row 0 '[0-9]+ fields are not declared' - judge q.npy k.npy v.npy right.npy
row 1 'exp_error = 6' - judge q.npy k.npy v.npy wrong.npy
row 1 'o\[0,0,0,0\] = 15\.5' - judge q.npy k.npy v.npy wrong.npy
row 1 'FAIL' - judge q.npy k.npy v.npy nan.npy
row 0 '^pass' - judge q.npy k.npy v.npy right.npy --lse lse.npy --scale 0.5
row 0 '^pass' - judge q.npy k.npy v.npy ten.npy --mask first.npy
row 0 '^pass' - judge q.npy k.npy v.npy ten.npy --causal tl
row 0 '^pass' - judge q.npy k.npy v.npy right.npy --causal br
row 0 '^pass' - judge q.npy k.npy v.npy right.npy --causal 1
row 1 'FAIL' - judge q.npy k.npy v.npy right.npy --causal 0

# Beside our verdict what others' rules say; one of them may decide.
row 0 'onednn' - list criteria
row 0 'allclose-1e-2 +pass' - judge q.npy k.npy v.npy right.npy --criteria
row 1 'certified +FAIL' - judge q.npy k.npy v.npy wrong.npy --criteria
row 1 'nmse +FAIL +0\.00104 +0\.0005' - judge q.npy k.npy v.npy wrong.npy --criterion nmse
row 1 'cosine +FAIL' - judge q.npy k.npy v.npy nan.npy --criterion cosine
npy near.npy '<f4' False '(1, 1)' '\x00\x01\x70\x41'
row 1 'FAIL 1 of 1' - judge q.npy k.npy v.npy near.npy
row 0 'allclose-1e-3 +pass' - judge q.npy k.npy v.npy near.npy --criterion allclose-1e-3
row 0 'fa2x +4 +4 +0' '' check builtin:naive --cases 4 --prop matches-reference --no-corpus --criteria
claim 'without being asked, no criterion' bash -c \
  '! "$0" check builtin:naive --cases 1 --prop matches-reference --no-corpus 2>&1 | grep -q fa2x' "$qkvet"
row 0 'verdict  holds by fa2x' '' repro "$example" builtin:naive --criterion fa2x \
  --prop matches-reference
row 1 'verdict  FAIL by allclose \(1 of 1 cases fail it\); ours: 1 cases, 0 failed' '' repro \
  'qk1:b1.hq1.hk1.l1.s2.dk1.dv1/bf16/q:1/k:0,0x1.1ap0/v:10,20' builtin:flash --prop matches-reference \
  --criterion allclose

# A contract that promises nothing about a row of 1,024 keys: neither a pass nor a failure.
zeros=$(printf '\\x00\\x00%.0s' $(seq 1024)) ones=$(printf '\\x00\\x3c%.0s' $(seq 1024))
npy q1.npy '<f2' False '(1, 1)' '\x00\x00'
npy k1024.npy '<f2' False '(1024, 1)' "$zeros"
npy v1024.npy '<f2' False '(1024, 1)' "$ones"
npy one16.npy '<f2' False '(1, 1)' '\x00\x3c'
printf 'contract = f16-sums\nbase = f16-fused/1\n[arithmetic]\naccumulator = f16\n' >sums.contract
row 4 '^vacuous' - judge q1.npy k1024.npy v1024.npy one16.npy --contract sums.contract
row 0 '^pass' - judge q1.npy k1024.npy v1024.npy one16.npy
row 4 ' vacuous +[0-9.]+% of [0-9]+ elements: the contract gives no finite bound' '' check builtin:flash --dtype f16 --cases 3 \
  --where 'S>=1024,S<=1100,d_k<=4,d_v<=4,L<=2' --prop matches-reference --contract sums.contract --no-corpus

# The same in half precision: f16 has a name in .npy files, bf16 has not. 15 is 0x4b80 and 0x4170.
npy q16.npy '<f2' False '(1, 1)' '\x00\x3c'
npy k16.npy '<f2' False '(2, 1)' '\x00\x00\x00\x00'
npy v16.npy '<f2' False '(2, 1)' '\x00\x49\x00\x4d'
npy right16.npy '<f2' False '(1, 1)' '\x80\x4b'
npy wrong16.npy '<f2' False '(1, 1)' '\xc0\x4b'
npy qb.npy '<V2' False '(1, 1)' '\x80\x3f'
npy kb.npy '|V2' False '(2, 1)' '\x00\x00\x00\x00'
npy vb.npy '<u2' False '(2, 1)' '\x20\x41\xa0\x41'
npy rightb.npy '<V2' False '(1, 1)' '\x70\x41'
npy wrongb.npy '<V2' False '(1, 1)' '\x78\x41'
row 0 '^pass' - judge q16.npy k16.npy v16.npy right16.npy
row 0 '^pass' - judge q16.npy k16.npy v16.npy right16.npy --lse lse.npy --scale 0.5
row 1 'FAIL' - judge q16.npy k16.npy v16.npy wrong16.npy
row 0 'bf16-any' - judge qb.npy kb.npy vb.npy rightb.npy --dtype bf16
row 1 'FAIL' - judge qb.npy kb.npy vb.npy wrongb.npy --dtype bf16
row 65 - 'qb.npy: descr.*--dtype bf16 says it' judge qb.npy kb.npy vb.npy rightb.npy
row 65 - 'q16.npy: dtype f16, but --dtype says bf16' \
  judge q16.npy k16.npy v16.npy right16.npy --dtype bf16
row 65 - 'right.npy: dtype f32, but the outputs of contract f16-any are f16' \
  judge q16.npy k16.npy v16.npy right.npy

row 0 'wrote .*mine.c' - new c mine.c
claim 'the C file is the example' cmp -s mine.c "$source_folder/examples/c/attention.c"
claim 'the printed compile line works' bash -c \
  "$("$qkvet" new c again.c | sed -n 's/^compile it: //p')"
row 0 'compile it: .* named.c -o named.so' - new c named
row 0 'wrote .*mine.py' - new py mine.py

row 0 'worker' - doctor

# A reader that leaves early, as `| head` does, is no error of ours and gets no message.
claim 'a closed pipe is silent' bash -c \
  '(sleep 0.2; "$0" explain worked-example 2>stderr) | true; ! [ -s stderr ]' "$qkvet"

finish
