# `qkvet corpus`, and the corpus of `check`: what comes with qkvet, what a user adds, what is damaged.
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

# The corpus that comes with qkvet is found from the build tree, and replayed before anything is drawn.
row 0 '[0-9]{3} cases in .*corpus, 0 set aside' - corpus list
row 0 'pytorch/pytorch#103749' - corpus list
row 0 '; [0-9]{2,} from the corpus' '' check builtin:naive --cases 1 --prop matches-reference
row 0 '; 0 from the corpus' '' check builtin:naive --cases 1 --prop matches-reference --no-corpus

# Into a corpus of one's own: a qk1: text, a case file, a folder of findings, bytes.
other='qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20'
row 0 'added .*mine/worked.case' - corpus import "$example" --into mine --name worked \
  --provenance 'owner/name#12: the worked example' --prop convex-hull
row 0 'known .*qk1: is worked.case' - corpus import "$example" --into mine
row 0 '1 added' - corpus import "$other" --into mine --reason 'another one'
row 0 'worked.case' - corpus list mine
row 0 'property convex-hull' - corpus list mine
claim 'the file says its version' grep -q '^# case-file: 1$' mine/worked.case
claim 'and its checksum' grep -qE '^# checksum: [0-9a-f]{16}$' mine/worked.case
row 0 'convex-hull +[12] ' '' check builtin:naive --cases 1 --prop convex-hull --no-corpus --corpus mine
row 1 '.' '' check "$examples/attention_buggy.so" --cases 150 --prop matches-reference --out found \
  --no-corpus
row 0 '1 added' - corpus import found --into mine
claim 'a finding brings its own provenance' \
  grep -qE '^# provenance: found by qkvet [0-9.]+ on .*attention_buggy.so: wrong at o' mine/matches-*.case
row 0 '0 added, 1 known' - corpus import found --into mine
row 0 'exact' '' repro mine/matches-*.case
row 1 'stratum  corpus' '' check "$examples/attention_buggy.so" --cases 1 --stop-first --no-corpus \
  --corpus mine --prop matches-reference --out again

# To bytes and back: the case bit for bit, one flat folder.
row 0 '3 files to bytes' - corpus convert --to bytes mine bytes
claim 'the bytes are the line' test "$(cat bytes/worked)" = "$example"
row 0 '3 files to texts' - corpus convert --to text bytes texts
row 0 '3 files to twice' - corpus convert --to bytes texts twice
claim 'the round trip is exact' diff -r bytes twice
row 0 '[0-9]{3} files to seeds' - corpus convert --to bytes "$source_folder/corpus" seeds
claim 'regressions are named so' test -s seeds/regressions_tail_of_one_key
row 0 '1 files' - corpus convert --to bytes mine/worked.case one.bytes
claim 'one file to one file' test "$(cat one.bytes)" = "$example"
printf '\001\002\003\004' >choices
row 2 - 'choices: .*--where' corpus convert --to text choices choices.case
row 0 '1 files' - corpus convert --to text choices choices.case --where 'L<=8,S<=8'
row 0 '.' - ref choices.case
row 0 '1 added' - corpus import choices --into mine --where 'L<=8,S<=8' --reason 'drawn'

# What adds nothing goes; what stands for a bug stays.
row 0 'kept   worked.case' - corpus min mine small
row 0 '[0-9]+ of 4 cases kept in small' - corpus min mine small2 --candidate builtin:naive
mkdir -p same
printf '%s\n# reason: one\n' "$example" >same/a.case
printf '%s\n# reason: same classes\n' "${example/10,20/10,21}" >same/b.case
row 0 '1 of 2 cases kept' - corpus min same fewer
printf '%s\n# provenance: own: a bug\n' "${example/10,20/10,21}" >same/b.case
row 0 '1 of 2 cases kept in fewer2' - corpus min same fewer2
claim 'the bug is kept' test -e fewer2/b.case
cp same/b.case same/c.case
printf '%s\n# provenance: own: another bug\n' "${example/10,20/10,21}" >same/d.case
row 0 '2 of 4 cases kept in fewer3' - corpus min same fewer3
claim 'one bug in two files is one, two bugs in one case are two' \
  test -e fewer3/b.case -a ! -e fewer3/c.case -a -e fewer3/d.case

# Bad input. A damaged file is set aside, named and counted; the rest runs; 65 unless --skip-bad.
row 2 - 'subcommand is required' corpus
row 2 - '--to' corpus convert mine out
row 2 - "--to" corpus convert --to tar mine out
row 2 - 'provenance is due' corpus import 'qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32/q:1/k:0/v:3' --into mine
row 2 - "--prop 'none'" corpus import "$example" --into new --prop none --reason x
row 2 - "--name 'a/b'" corpus import "$example" --into new --name a/b --reason x
row 2 - 'there are 2 cases' corpus import "$example" "$other" --into new --name one --reason x
row 66 - 'no/corpus' corpus list no/corpus
row 66 - 'absent' corpus convert --to bytes absent out
row 66 - 'absent' corpus import absent --into new --reason x
row 73 - 'mine: not an empty folder' corpus min same mine
: >plain
row 73 - 'plain' corpus import "$example" --into plain --reason x
row 73 - 'plain' corpus convert --to bytes mine plain
row 73 - 'worked.case: it exists' corpus import 'qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32/q:1/k:0/v:3' \
  --into mine --name worked --reason x
row 65 '0 added, 0 known, 1 set aside' 'set aside: case' corpus import 'qk1:nonsense' --into new --reason x
damage() {  # damage NAME SAYS: damaged/NAME.case is set aside with that message, in every command
  row 65 'convex-hull +2 ' "$2" check builtin:naive --cases 1 --prop convex-hull --no-corpus \
    --corpus damaged --out d
  row 0 'convex-hull +2 ' '1 corpus files set aside, 1 read' check builtin:naive --cases 1 \
    --prop convex-hull --no-corpus --corpus damaged --skip-bad --out d
  row 65 '1 set aside' "damaged/$1.case.*$2" corpus list damaged
  row 0 '1 set aside' "$2" corpus list damaged --skip-bad
  row 65 '1 files to d.*, 1 set aside' "$2" corpus convert --to bytes damaged "d.$1"
  rm "damaged/$1.case"
}
mkdir -p damaged
cp mine/worked.case damaged/good.case
sed 's/^# case-file: 1$/# case-file: 2/' mine/worked.case >damaged/newer.case
damage newer "case file of version '2'"
sed 's/10,20/10,21/' mine/worked.case >damaged/edited.case
damage edited "checksum '[0-9a-f]{16}', but the file has [0-9a-f]{16}"
head -c 30 mine/worked.case >damaged/short.case
damage short 'truncated'
sed '/checksum/,$d' mine/worked.case >damaged/headless.case
damage headless 'the checksum is missing: truncated'
sed 's/^qk1:/qk2:/' mine/worked.case >damaged/next.case
damage next 'version qk2'

finish
