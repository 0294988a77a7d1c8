# The commands that need no candidate, or a built-in one.
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

row 0 'qkvet [0-9]+\.[0-9]+' '' --version
row 0 'check' '' --help
row 0 'call-timeout' '' check --help

for what in props kernels contracts presets profiles strata; do row 0 '.' - list $what; done
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
row 0 'a case counts only if' - explain matches-reference

row 0 'o\[0,0,0,0\] = 17\.(4999|5000)' - ref "$example" --digits 40
row 0 'o\[0,0,0,0\] = [0-9.]{1,4}$' - ref "$example" --digits 3
row 0 'lse\[0,0,0\] = 1\.386' - ref "$example" --digits 1000
row 0 'exact \[17\.' - repro "$example"
row 0 'matches-reference +1 +1 +0' '' repro "$example" builtin:naive
row 0 'matches-reference +1 +1 +0' '' repro "$example" builtin:flash --prop matches-reference

row 0 'verdict  holds' '' check builtin:naive --cases 5 --seed 3
row 0 'verdict  holds' '' check builtin:flash --cases 5 --prop matches-reference,convex-hull
row 0 'contract   f64' '' check builtin:naive --cases 5 --dtype f64 --prop matches-reference
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
row 1 'exp_error = 4' - judge q.npy k.npy v.npy wrong.npy
row 1 'o\[0,0,0,0\] = 15\.5' - judge q.npy k.npy v.npy wrong.npy
row 1 'FAIL' - judge q.npy k.npy v.npy nan.npy
row 0 '^pass' - judge q.npy k.npy v.npy right.npy --lse lse.npy --scale 0.5
row 0 '^pass' - judge q.npy k.npy v.npy ten.npy --mask first.npy
row 0 '^pass' - judge q.npy k.npy v.npy ten.npy --causal tl
row 0 '^pass' - judge q.npy k.npy v.npy right.npy --causal br
row 0 '^pass' - judge q.npy k.npy v.npy right.npy --causal 1
row 1 'FAIL' - judge q.npy k.npy v.npy right.npy --causal 0

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
