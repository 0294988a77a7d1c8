// The command line's grammar: the only source that knows CLI11.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/report/report.hpp>

#include "cli/values.hpp"

namespace qkvet::cli {
namespace {

using Text = std::string;

/// An option whose text is read strictly by `read` once everything is parsed.
template <typename Read>
CLI::Option* strict(CLI::App& app, const Text& name, const Text& help, Read read) {
  return app
      .add_option_function<Text>(
          name, [name, read](const Text& text) { read(name, text); }, help)
      ->take_last()
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void add_candidate(CLI::App& app, CandidateOptions& options) {
  app.add_option("--contract", options.contract, "a contract file or a name of `list contracts`");
  app.add_option("--like", options.like, "signature preset of a Python candidate (`list presets`)");
  app.add_option("--python", options.python, "interpreter of a Python candidate");
  app.add_option("--tensors", options.tensors, "numpy or torch")
      ->check(CLI::IsMember({"numpy", "torch"}));
  app.add_option("--env", options.env, "environment variable that the worker gets (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  strict(app, "--call-timeout", "time limit of one call (10s)",
         [&](const Text& name, const Text& text) {
           options.call_timeout_s = read_seconds(name, text);
         });
  strict(app, "--load-timeout", "time limit of loading the candidate (60s)",
         [&](const Text& name, const Text& text) {
           options.load_timeout_s = read_seconds(name, text);
         });
}

void add_criteria(CLI::App& app, CriteriaOptions& options) {
  app.add_flag("--criteria", options.all,
               "also what the usual acceptance rules say (`list criteria`)");
  app.add_option("--criterion", options.gate,
                 "the rule that decides the exit code (certified: our own verdict)");
}

void add_cases(CLI::App& app, CaseOptions& options) {
  app.add_option("candidate", options.candidate.spec,
                 "builtin:NAME, ./lib.so[:symbol] or py:file.py:function")
      ->required();
  add_candidate(app, options.candidate);
  strict(app, "--seed", "seed of all cases (1)",
         [&](const Text& name, const Text& text) { options.seed = read_seed(name, text); });
  app.add_option("--prop", options.properties, "only these properties (`list props`)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option_function<std::vector<Text>>(
         "--dtype",
         [&](const std::vector<Text>& names) {
           for (const Text& name : names) add_formats("--dtype", name, options.formats);
         },
         "only these storage formats: f32, f64, bf16, f16, or all (default: those that the "
         "candidate's own contracts declare, else f32 and f64)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--where", options.where, "only such problems, e.g. \"d_k=64,causal=yes\"")
      ->allow_extra_args(false);
  app.add_option("--out", options.out, "folder for findings (qkvet-out)");
  app.add_option("--json", options.json, "write the report as JSON");
  app.add_option("--junit", options.junit, "write the report as JUnit XML");
  app.add_flag("--stop-first", options.stop_first, "stop at the first finding");
  app.add_flag("--strict", options.strict, "suspect or undecided cases give exit 4");
  app.add_flag("--skip-bad", options.skip_bad, "unreadable corpus files are listed, not exit 65");
  app.add_flag("--no-corpus", options.no_corpus, "do not replay the cases that come with qkvet");
}

void add_check(CLI::App& top, Check& options) {
  CLI::App& app = *top.add_subcommand("check", "vet a kernel: every property, many cases");
  add_cases(app, options);
  app.add_option("--profile", options.profile, "smoke or ci (`list profiles`)");
  strict(app, "--cases", "cases of every property, instead of the profile's numbers",
         [&](const Text& name, const Text& text) {
           options.cases = read_count(name, text, 1, 100'000'000);
         });
  app.add_option("--corpus", options.corpora,
                 "folder of cases to replay first, beside those of qkvet (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  add_criteria(app, options.criteria);
}

void add_fuzz(CLI::App& top, Fuzz& options) {
  CLI::App& app = *top.add_subcommand(
      "fuzz", "search for faults that need rare things together, guided by shapes and values");
  add_cases(app, options);
  strict(app, "--time", "how long to search: 60s (the default), 500ms, 10m",
         [&](const Text& name, const Text& text) { options.seconds = read_seconds(name, text); });
  strict(app, "--runs", "so many executions instead; then one seed gives one result",
         [&](const Text& name, const Text& text) {
           options.runs = read_count(name, text, 1, 1'000'000'000);
         });
  app.add_option("--corpus", options.corpus,
                 "folder that is replayed first, after the cases of qkvet, and takes the inputs that "
                 "reach something new; made if missing");
}

void add_repro(CLI::App& top, Repro& options) {
  CLI::App& app = *top.add_subcommand("repro", "run one case again, or show what it expects");
  app.add_option("case", options.problem, "qk1: text or a case file")->required();
  app.add_option("candidate", options.candidate.spec, "as for check");
  app.add_option("--prop", options.properties, "properties to check")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_candidate(app, options.candidate);
  add_criteria(app, options.criteria);
}

void add_ref(CLI::App& top, Ref& options) {
  CLI::App& app = *top.add_subcommand("ref", "the exact answer, to any number of digits or rounded once");
  app.add_option("case", options.problem, "qk1: text or a case file")->required();
  strict(app, "--digits", "significant digits (40)", [&](const Text& name, const Text& text) {
    options.digits = static_cast<int>(read_count(name, text, 1, 1000));
  });
  strict(app, "--round", "instead of digits: correctly rounded to f64, f32, f16 or bf16",
         [&](const Text& name, const Text& text) { options.round = read_format(name, text); });
  app.get_option("--round")->excludes("--digits");
  app.add_option("--contract", options.contract, "whose conventions");
}

void add_explain(CLI::App& top, Explain& options) {
  CLI::App& app = *top.add_subcommand("explain", "scores, weights and output step by step");
  app.add_option("subject", options.subject, "a case, worked-example, or a property");
  strict(app, "--dtype", "explain this storage format, or the worked example in it",
         [&](const Text& name, const Text& text) { options.format = read_format(name, text); });
  app.add_option("--contract", options.contract, "explain its error bound as well; without a subject: what it promises, in words");
}

void add_judge(CLI::App& top, Judge& options) {
  CLI::App& app = *top.add_subcommand("judge", "judge one dump of a real run (.npy files)");
  app.add_option("q", options.q, "[L,d_k], [H_q,L,d_k] or [B,H_q,L,d_k]")->required();
  app.add_option("k", options.k, "[S,d_k], ...")->required();
  app.add_option("v", options.v, "[S,d_v], ...")->required();
  app.add_option("out", options.out, "[L,d_v], ...: what was computed")->required();
  app.add_option("--lse", options.lse, "log-sum-exp, [L], [H_q,L] or [B,H_q,L]");
  app.add_option("--causal", options.causal, "tl, br or the offset of the diagonal");
  app.add_option("--mask", options.mask, "boolean mask, true = attend");
  app.add_option("--bias", options.bias, "additive bias");
  strict(app, "--dtype", "format of q, k, v: bf16 for files of two raw bytes an element (|V2)",
         [&](const Text& name, const Text& text) { options.format = read_format(name, text); });
  strict(app, "--scale", "default: exactly 1/sqrt(d_k)",
         [&](const Text& name, const Text& text) { options.scale = read_number(name, text); });
  strict(app, "--softcap", "cap of tanh capping",
         [&](const Text& name, const Text& text) { options.softcap = read_number(name, text); });
  app.add_option("--contract", options.contract, "a contract file or name");
  add_criteria(app, options.criteria);
}

void add_rest(CLI::App& top, List& list, New& fresh, Doctor& doctor) {
  CLI::App& listing = *top.add_subcommand("list", "what there is");
  listing.add_option("what", list.what, "props, kernels, contracts, criteria, presets, profiles, strata or coverage")
      ->required()
      ->check(CLI::IsMember(
          {"props", "kernels", "contracts", "criteria", "presets", "profiles", "strata", "coverage"}));
  listing.add_option("name", list.name, "of one contract: its text in full");
  listing.add_option("--profile", list.profile, "of coverage: smoke or ci");
  strict(listing, "--seed", "of coverage: the campaign's seed (1)",
         [&](const Text& name, const Text& text) { list.seed = read_seed(name, text); });
  listing.add_flag("--all", list.all, "of coverage: every pair, not only rare and excluded ones");
  listing.add_option("--json", list.json, "of coverage: write it as JSON too");
  CLI::App& making = *top.add_subcommand("new", "a kernel to start from, complete");
  making.add_option("language", fresh.language, "c or py")
      ->required()
      ->check(CLI::IsMember({"c", "py"}));
  making.add_option("path", fresh.path, "file or folder (default: the current folder)");
  CLI::App& look = *top.add_subcommand("doctor", "versions, worker, Python, processor");
  look.add_option("--python", doctor.python, "interpreter to look at");
}

void add_bad(CLI::App& app, CorpusTool& options) {
  app.add_flag("--skip-bad", options.skip_bad, "unreadable files are listed, not exit 65");
}

/// The one source of an action (a vector would swallow what follows it).
CLI::Option* add_from(CLI::App& app, CorpusTool& options, const Text& help) {
  return app.add_option_function<Text>(
      "from", [&](const Text& text) { options.sources = {text}; }, help);
}

void add_convert(CLI::App& tool, CorpusTool& options) {
  CLI::App& app = *tool.add_subcommand(
      "convert",
      "Between case files and the inputs of fuzz engines (libFuzzer, AFL++). To bytes: one file per "
      "case, its qk1: line, named after the case. To text: a qk1: line gives the same case back, bit "
      "for bit; other bytes are choices, and give the case that they draw inside --where. What a case "
      "file says beside its case is not in the bytes.");
  app.add_option("--to", options.to, "bytes or text")
      ->required()
      ->check(CLI::IsMember({"bytes", "text"}));
  add_from(app, options, "a file, or a folder of them")->required();
  app.add_option("out", options.target, "a folder; or a file, if FROM is one")->required();
  app.add_option("--where", options.where,
                 "to text: the domain of the fuzz target, e.g. \"L<=8,S<=8\"; '' for no limits");
  add_bad(app, options);
}

void add_import(CLI::App& tool, CorpusTool& options) {
  CLI::App& app = *tool.add_subcommand(
      "import",
      "Puts cases into a corpus: the minimal findings of a folder such as qkvet-out, case files, "
      "inputs of a fuzz engine, or qk1: text. A problem that the corpus has is not put in twice. Each "
      "case needs its provenance: from its file (a saved finding has one), from --provenance, or, on "
      "a terminal, you are asked.");
  app.add_option("from", options.sources, "folders, files or qk1: text")->required();
  app.add_option("--into", options.target, "folder of the corpus; made if missing")->required();
  app.add_option("--provenance", options.provenance,
                 "what failed, where it was reported: \"owner/name#12: what goes wrong\"");
  app.add_option("--reason", options.reason, "why it is kept, if it is no bug");
  app.add_option("--prop", options.property, "the property that shows it (`list props`)");
  app.add_option("--name", options.name, "name of the file without .case, for one case");
  app.add_option("--where", options.where, "the domain in which bytes are choices, as for convert");
  add_bad(app, options);
}

void add_min(CLI::App& tool, CorpusTool& options) {
  CLI::App& app = *tool.add_subcommand(
      "min",
      "Copies to OUT the cases of FROM that are worth their time. A case with a provenance stands for "
      "a bug and is always kept. Of the others, the simplest first, one is kept if it adds a class "
      "that none before it has: a feature or a pair of features, an extent (0, 1, more, at the border "
      "of tiles of 16, 32, 64), a broadcast form, a layout, a size of values; with --candidate also a "
      "verdict: property, word and, of a finding, its signature. Of two files with one case, property and "
      "provenance one is kept. A set is made smaller, not its cases: findings were made small before they "
      "were saved. FROM is left as it is.");
  add_from(app, options, "folder of a corpus")->required();
  app.add_option("out", options.target, "folder that is new or empty")->required();
  app.add_option("--candidate", options.candidate.spec, "as for check");
  add_candidate(app, options.candidate);
  add_bad(app, options);
}

void add_corpus(CLI::App& top, CorpusTool& options) {
  CLI::App& tool = *top.add_subcommand("corpus", "cases kept from earlier: list and tend them");
  tool.require_subcommand(1);
  CLI::App& listing = *tool.add_subcommand("list", "each case: digest, shape, why it is kept");
  add_from(listing, options, "folder (default: the corpus that comes with qkvet)");
  add_bad(listing, options);
  add_convert(tool, options);
  add_import(tool, options);
  add_min(tool, options);
}

Text quoted(const std::vector<Text>& words) {
  Text text;
  for (const Text& word : words) text += (text.empty() ? "'" : ", '") + word + "'";
  return text;
}

/// The library calls a misspelled command a missing one.
void need_command(const CLI::App& app, int argc, char** argv) {
  const Text first = argc > 1 ? argv[1] : "-";
  if (first.starts_with("-")) return;
  Text names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == first) return;
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  throw InputError(ExitCode::usage, "no command '" + first + "'; commands are " + names);
}

/// What is wrong with the command line: first what nobody expected, in the order it was typed.
Text complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<Text> left = app.remaining(true), typed;
  for (int n = 1; n < argc; ++n) {
    const auto found = std::find(left.begin(), left.end(), argv[n]);
    if (found == left.end()) continue;
    typed.push_back(*found);
    left.erase(found);
  }
  typed.insert(typed.end(), left.begin(), left.end());
  if (typed.empty()) return error.what();
  const bool option = typed.front().starts_with("-");
  return (option ? "no such option, or not here: " : "not expected: ") + quoted(typed);
}

Text command_line(int argc, char** argv) {
  Text text = "qkvet";
  for (int n = 1; n < argc; ++n) {
    text += ' ';
    text += shell_quoted(argv[n]);
  }
  return text;
}

}  // namespace

std::variant<Command, int> parse(int argc, char** argv) {
  Check check;
  Fuzz fuzz;
  Repro repro;
  Ref ref;
  Explain explain;
  Judge judge;
  List list;
  CorpusTool corpus;
  New fresh;
  Doctor doctor;
  CLI::App app(
      "qkvet vets attention kernels: correct within their declared arithmetic, or wrong, "
      "with proof and the smallest case that shows it");
  app.set_version_flag("--version", "qkvet " + Text(version()));
  app.require_subcommand(1);
  add_check(app, check);
  add_fuzz(app, fuzz);
  add_repro(app, repro);
  add_ref(app, ref);
  add_explain(app, explain);
  add_judge(app, judge);
  add_corpus(app, corpus);
  add_rest(app, list, fresh, doctor);
  need_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help, --version: printed, nothing more to do.
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw InputError(ExitCode::usage, complaint(app, error, argc, argv) +
                                          "; `qkvet --help` and `qkvet COMMAND "
                                          "--help` list the options");
  }
  const auto chosen = [&](const char* name) { return app.got_subcommand(name); };
  check.command = fuzz.command = repro.command = command_line(argc, argv);
  if (chosen("check")) return Command(std::move(check));
  if (chosen("fuzz")) return Command(std::move(fuzz));
  if (chosen("repro")) return Command(std::move(repro));
  if (chosen("ref")) return Command(std::move(ref));
  if (chosen("explain")) return Command(std::move(explain));
  if (chosen("judge")) return Command(std::move(judge));
  if (chosen("list")) return Command(std::move(list));
  if (chosen("corpus")) {
    corpus.action = app.get_subcommand("corpus")->get_subcommands().front()->get_name();
    return Command(std::move(corpus));
  }
  if (chosen("new")) return Command(std::move(fresh));
  return Command(std::move(doctor));
}

}  // namespace qkvet::cli
