# `qkvet fuzz`: finds, keeps, replays; its bad input.
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

small='L<=8,S<=80,d_k<=4,d_v<=4'

# A correct kernel holds; the buggy one is found, minimised, saved, and its repro line shows it again.
row 0 'search +60 executions in .*, 0 from the corpus; ended by: 60 runs' '' fuzz \
  "$examples/attention.so" --runs 60 --prop matches-reference --where "$small" --no-corpus
claim 'the correct kernel holds' grep -q 'verdict  holds' stdout
row 1 'FAIL matches-reference' '' fuzz "$examples/attention_buggy.so" --runs 600 --stop-first \
  --prop matches-reference --where "$small" --out found --json found.json --corpus corpus --no-corpus
claim 'the finding is saved' bash -c 'ls found/matches-reference-*.case >/dev/null'
claim 'the minimal case has one row, 65 keys and one channel' \
  grep -q '"case": "qk1:b1.hq1.hk1.l1.s65.dk1.dv1/f32' found.json
repro=$(sed -n 's/^ *"repro": "qkvet \(repro .*\)"$/\1/p' found.json | head -1)
eval "set -- $repro"
row 1 'FAIL matches-reference' '' "$@"

# What was kept is replayed first, and the finding as a case of the corpus needs no run to show.
claim 'inputs were kept' bash -c '[ "$(ls corpus/fuzz-*.case | wc -l)" -gt 10 ]'
row 0 ' [1-9][0-9]+ from the corpus' '' fuzz "$examples/attention.so" --runs 1 --corpus corpus \
  --prop matches-reference --where "$small" --no-corpus
cp found/matches-reference-*.case corpus
row 1 ' from the corpus; ended by: the first finding' '' fuzz "$examples/attention_buggy.so" --runs 1 --stop-first \
  --prop matches-reference --where "$small" --corpus corpus --no-corpus --out again

# The corpus that comes with qkvet is replayed before that, and finds the bug by itself.
row 1 '1 executions in .*, ended by: the first finding|stratum  corpus' '' fuzz \
  "$examples/attention_buggy.so" --runs 1 --stop-first --prop matches-reference --out theirs
row 0 ' [1-9][0-9] from the corpus; ended by: 1 runs' '' fuzz "$examples/attention.so" --runs 1 \
  --prop matches-reference
mkdir one
printf 'qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20\n' >one/mine.case
theirs=$(sed -n 's/.*, \([0-9]*\) from the corpus.*/\1/p' stdout)
row 0 " $((theirs + 1)) from the corpus" '' fuzz "$examples/attention.so" --runs 1 --corpus one \
  --prop matches-reference

# One seed and a number of runs give one result.
row 0 '.' '' fuzz builtin:flash --runs 40 --seed 3 --where "$small" --no-corpus --json one.json
row 0 '.' '' fuzz builtin:flash --runs 40 --seed 3 --where "$small" --no-corpus --json two.json
claim 'same seed, same report' diff <(sed 's/one.json//' one.json) <(sed 's/two.json//' two.json)

# A time.
row 0 'ended by: the time is up' '' fuzz builtin:flash --time 300ms --where "$small" \
  --prop matches-reference --no-corpus

# The corpus folder: made if missing, else clear words. A bad file in it is set aside.
row 73 - "corpus 'found.json': not a folder" fuzz builtin:flash --runs 1 --corpus found.json
row 73 - "corpus 'found.json/below': cannot create" fuzz builtin:flash --runs 1 \
  --corpus found.json/below
row 73 - "corpus '/proc': no file can be made" fuzz builtin:flash --runs 1 --corpus /proc
row 0 'verdict' '' fuzz builtin:flash --runs 20 --corpus deep/new --prop matches-reference --no-corpus
claim 'a missing folder was made' test -d deep/new
mkdir bad
printf 'qk1:broken\n' >bad/broken.case
row 65 'verdict' 'broken.case' fuzz builtin:flash --runs 20 --corpus bad --prop matches-reference \
  --no-corpus
claim 'bad files are counted beside those that were read' grep -q '1 corpus files set aside' stderr
row 65 ' [1-9][0-9] from the corpus' 'broken.case' fuzz "$examples/attention.so" --runs 1 \
  --corpus bad --prop matches-reference
row 0 'verdict' 'broken.case' fuzz builtin:flash --runs 20 --corpus bad --prop matches-reference \
  --no-corpus --skip-bad

# Bad options.
row 2 - 'candidate' fuzz
row 2 - "--time '0'" fuzz builtin:flash --time 0
row 2 - "--time 'soon'" fuzz builtin:flash --time soon
row 2 - "--runs '0'" fuzz builtin:flash --runs 0
row 2 - "--runs 'many'" fuzz builtin:flash --runs many
row 2 - "--prop 'no-such'" fuzz builtin:flash --prop no-such
row 2 - '--cases' fuzz builtin:flash --cases 5
row 69 - 'builtin:fastest.*naive' fuzz builtin:fastest
: >file
row 73 - "out 'file/folder'" fuzz builtin:flash --runs 1 --out file/folder

# Ctrl-C keeps what was found.
rows=$((rows + 1))
"$qkvet" fuzz builtin:naive --time 600s --prop matches-reference --no-corpus >stdout 2>stderr &
pid=$!
until grep -q qkvet "/proc/$pid/cmdline" 2>/dev/null; do :; done
sleep 1
kill -INT $pid
wait $pid
code=$?
# A background process of a shell ignores SIGINT unless it asks for it: ours does.
claim "SIGINT gives 130 (got $code)" test "$code" = 130
claim 'and the report so far' grep -q 'interrupted; so far' stdout
claim 'that says how the search ended' grep -q 'ended by: a signal' stdout

finish
