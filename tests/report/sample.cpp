#include "sample.hpp"

#include <limits>

namespace qkvet {
namespace {

FindingRecord sample_finding() {
  FindingRecord record;
  Finding& finding = record.finding;
  finding.property = "matches-reference";
  finding.label = "wrong";
  finding.place = {0, 0, 0, 0};
  finding.allowed.exact = {0.7616, 0.7617};
  finding.allowed.radius = 0x1p-9;
  finding.allowed.allowed = {0.7596, 0.7636};
  finding.got = 0.75390625;
  finding.got_bits = 0x3f410000;
  finding.excess = 4.125;
  finding.message = "got 0.75390625, \x1b[31mnot\xff in the <allowed> & due \"set\"";
  record.case_text = "qk1:b1.hq1.hk1.l1.s65.dk1.dv1/f32/q:1/k:64*0,0x1.19p0/v:64*0,1";
  record.shape = "B 1  H 1/1  L 1  S 65  d_k 1  d_v 1  f32 L!=S";
  record.stratum = "gaussian";
  record.contract = "f32-any/1 (assumed)";
  record.format = "f32";
  record.bound_terms = {"exp 61% (3.6)", "dot 30% (3.2)"};
  record.assumed_fields = {
      "lse_base = exempt (base of the LSE; set by --contract, [semantics] lse_base = ...)",
      "dot = f32 (products and sums of q.k; set by --contract, [arithmetic] dot = ...)",
      "exp_error = 4 (error of exp, in u; set by --contract, [arithmetic] exp_error = ...)"};
  record.repro = "qkvet repro '" + record.case_text + "' ./libmine.so --prop matches-reference";
  record.saved = "qkvet-out/matches-reference-0123456789abcdef.case";
  record.after = 212;
  record.seen = 7;
  record.steps = 9;
  record.calls = 120;
  record.rule = "fails iff S mod 64 = 1 (25 of 25 tried)";
  record.key = "wrong finite checked, S > 64";
  record.reproduced = record.tries = 3;
  return record;
}

}  // namespace

Report sample_report() {
  Report report;
  report.command = "qkvet check ./libmine.so --profile ci";
  report.candidate = "./libmine.so";
  report.isolation = "L1";
  report.profile = "ci";
  report.seed = 1;
  report.contracts = {
      {"f32", "f32-any", "00aa", "builtin", 1, true, sample_finding().assumed_fields}};
  PropertyResult reference;
  reference.name = "matches-reference";
  reference.pass = 1993;
  reference.fail = 7;
  reference.worst = 4.125;
  reference.tally = {9000, 500, 300, 150, 50};
  PropertyResult dead;
  dead.name = "masked-inputs-dead";
  dead.pass = 400;
  dead.refused = 12;
  dead.reasons = {{"no sinks", 12}};
  dead.worst = std::numeric_limits<double>::infinity();
  PropertyResult empty;
  empty.name = "empty-row";
  empty.refused = 100;
  empty.reasons = {{"no masks", 100}};
  empty.last_refusal = "no masks";
  PropertyResult outside;
  outside.name = "nan-stays-in-its-row";
  outside.not_applying = 400;
  outside.last_refusal = "no NaN is drawn";
  PropertyResult stopped;
  stopped.name = "convex-hull";
  report.properties = {reference, dead, empty, outside, stopped};
  report.strata = {{"gaussian", 2000, 0, 3, {9000, 500, 300, 0, 0}},
                   {"limit", 400, 0, 0, {10, 0, 0, 150, 50}}};
  report.features = {{"f32", 2400, 0}, {"causal", 700, 0}, {"sinks", 0, 112}};
  report.findings = {sample_finding()};
  report.troubles = {{ExitCode::io_error, "qkvet-out/x.case: cannot write: No space left"}};
  report.corpus_cases = 5;
  report.across_tile = 800;
  report.long_keys = 80;
  return report;
}

}  // namespace qkvet
