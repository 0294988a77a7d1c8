// `qkvet judge`: one dump of a real run, from anywhere, against what its contract admits.
#include <fmt/format.h>

#include <cmath>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/npy.hpp>
#include <qkvet/campaign/rulings.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/report/wrap.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/values.hpp"

namespace qkvet::cli {
namespace {

[[noreturn]] void refuse(const std::string& file, std::string_view what) {
  throw InputError(ExitCode::bad_data, fmt::format("{}: {}", file, what));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// The file's array with `axes` or fewer axes; missing leading ones become 1.
NpyArray open_array(const Judge& options, const std::string& file, std::size_t least,
                    std::size_t axes) {
  const bool bfloat16 = options.format == Format::bfloat16;
  NpyArray array =
      read_npy(read_file(file), file, bfloat16 ? RawPairs::bfloat16 : RawPairs::refused);
  if (array.shape.size() < least || array.shape.size() > axes) {
    refuse(file, fmt::format("shape {} has {} axes, expected {} to {}", shape_text(array.shape),
                             array.shape.size(), least, axes));
  }
  array.shape.insert(array.shape.begin(), axes - array.shape.size(), 1);
  return array;
}

Tensor open_tensor(const Judge& options, const std::string& file) {
  NpyArray array = open_array(options, file, 2, 4);
  if (!array.format) refuse(file, "descr '|b1': expected floats (<f2, <f4 or <f8, bf16 as |V2)");
  return {*array.format,
          {array.shape[0], array.shape[1], array.shape[2], array.shape[3]},
          std::move(array.bits)};
}

void need(const std::string& file, std::string_view axis, std::int64_t got, std::int64_t wanted,
          const std::string& other) {
  if (got == wanted) return;
  refuse(file, fmt::format("extent {} of axis {}, but {} has {}", got, axis, other, wanted));
}

void need_format(const std::string& file, Format got, Format wanted, std::string_view whose) {
  if (got == wanted) return;
  refuse(file, fmt::format("dtype {}, but {} {}", info(got).name, whose, info(wanted).name));
}

Diagonal read_diagonal(const std::string& text) {
  if (text == "tl") return {Diagonal::Kind::top_left, {}};
  if (text == "br") return {Diagonal::Kind::bottom_right, {}};
  if (text.find_first_not_of("-0123456789") != text.npos) {
    throw InputError(ExitCode::usage,
                     fmt::format("--causal '{}': give tl (top left), br (bottom right) or the "
                                 "offset of the diagonal",
                                 text));
  }
  constexpr std::int64_t most = std::int64_t{1} << 40;
  return {Diagonal::Kind::fixed, {read_count("--causal", text, -most, most)}};
}

/// Axes of a mask are 1 or the problem's.
void need_broadcast(const std::string& file, const std::vector<std::int64_t>& shape,
                    const Shape& problem) {
  const std::array<std::int64_t, 4> full{problem.B, problem.H_q, problem.L, problem.S};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (shape[axis] != 1 && shape[axis] != full[axis]) {
      refuse(file, fmt::format("shape {} does not broadcast to [B, H_q, L, S] = [{}]",
                               shape_text(shape), fmt::join(full, ", ")));
    }
  }
}

void open_masks(const Judge& options, Problem& problem) {
  if (options.causal) {
    problem.mask.causal = true;
    problem.mask.diagonal = read_diagonal(*options.causal);
  }
  if (options.mask) {
    const NpyArray array = open_array(options, *options.mask, 1, 4);
    if (array.format) refuse(*options.mask, "floats; a boolean mask is |b1, see --bias for floats");
    need_broadcast(*options.mask, array.shape, problem.shape);
    BoolMask mask{{array.shape[0], array.shape[1], array.shape[2], array.shape[3]}, {}};
    for (const std::uint64_t bit : array.bits) mask.attend.push_back(bit != 0 ? 1 : 0);
    problem.mask.attend = std::move(mask);
  }
  if (options.bias) {
    Tensor bias = open_tensor(options, *options.bias);
    need_broadcast(*options.bias, {bias.extents.begin(), bias.extents.end()}, problem.shape);
    problem.mask.bias = std::move(bias);
  }
}

Problem open_problem(const Judge& options) {
  Problem problem;
  problem.q = open_tensor(options, options.q);
  problem.k = open_tensor(options, options.k);
  problem.v = open_tensor(options, options.v);
  problem.format = problem.q.format;
  if (options.format) need_format(options.q, problem.format, *options.format, "--dtype says");
  need_format(options.k, problem.k.format, problem.format, "q has");
  need_format(options.v, problem.v.format, problem.format, "q has");
  const auto& [B, H_q, L, d_k] = problem.q.extents;
  const auto& [k_B, H_kv, S, k_d] = problem.k.extents;
  const auto& [v_B, v_H, v_S, d_v] = problem.v.extents;
  need(options.k, "B", k_B, B, "q");
  need(options.k, "d_k", k_d, d_k, "q");
  need(options.v, "B", v_B, B, "q");
  need(options.v, "H_kv", v_H, H_kv, "k");
  need(options.v, "S", v_S, S, "k");
  problem.shape = {B, H_q, H_kv, L, S, d_k, d_v};
  problem.scale = options.scale;
  problem.softcap = options.softcap;
  problem.want_lse = options.lse.has_value();
  open_masks(options, problem);
  validate(problem);
  return problem;
}

/// What was seen over all places of one tensor.
struct Seen {
  Tally tally;
  std::int64_t outside = 0;
  double worst = 0;
  FindingRecord first;  ///< the worst place outside
};

void look(const std::vector<Place>& places, Format format, const std::vector<std::uint64_t>& bits,
          const Shape& shape, bool lse, Seen& seen) {
  const std::int64_t columns = lse ? 1 : shape.d_v;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const double got = decode(format, bits[n]);
    seen.tally.add(places[n]);
    const double ratio = places[n].ratio(got);
    if (places[n].contains(got)) {
      seen.worst = std::max(seen.worst, ratio);
      continue;
    }
    Finding& worst = seen.first.finding;
    if (seen.outside++ > 0 && !(ratio > worst.excess)) continue;
    const std::int64_t row = static_cast<std::int64_t>(n) / columns;
    worst.place = {row / (shape.L * shape.H_q), row / shape.L % shape.H_q, row % shape.L,
                   lse ? -1 : static_cast<std::int64_t>(n) % columns};
    worst.allowed = places[n];
    worst.got = got;
    worst.got_bits = bits[n];
    worst.excess = ratio;
  }
}

/// What the contract leaves open matters to who must doubt a verdict: all of it with a failure, its
/// number otherwise.
void print_contract(const Contract& contract, bool failed) {
  fmt::print(" contract {}/{}{}\n", contract.name, contract.version,
             contract.assumed ? " (assumed: none was given)" : "");
  if (contract.assumed_fields.empty()) return;
  fmt::print("          {} fields are not declared, so at their loosest: --contract sets them{}\n",
             contract.assumed_fields.size(),
             failed ? "" : fmt::format(" (qkvet list contracts {})", contract.name));
  if (failed) fmt::print("{}", assumed_lines(contract.assumed_fields, "          "));
}

/// The LSE of the dump as the kernel's output, checked against the problem's shape.
void open_lse(const Judge& options, const Shape& shape, Outputs& outputs) {
  if (!options.lse) return;
  NpyArray lse = open_array(options, *options.lse, 1, 3);
  if (!lse.format) refuse(*options.lse, "descr '|b1': expected floats");
  if (lse.shape != std::vector<std::int64_t>{shape.B, shape.H_q, shape.L}) {
    refuse(*options.lse, fmt::format("shape {}, expected [B, H_q, L] = [{}, {}, {}]",
                                     shape_text(lse.shape), shape.B, shape.H_q, shape.L));
  }
  outputs.lse = std::move(lse.bits);
  outputs.lse_format = *lse.format;
}

Outputs open_outputs(const Judge& options, const Shape& shape, const Contract& contract) {
  Outputs outputs;
  outputs.o = open_tensor(options, options.out);
  need_format(options.out, outputs.o.format, contract.arithmetic.out,
              fmt::format("the outputs of contract {} are", contract.name));
  const std::array<std::int64_t, 4> wanted{shape.B, shape.H_q, shape.L, shape.d_v};
  if (outputs.o.extents != wanted) {
    refuse(options.out, fmt::format("shape [{}], expected [B, H_q, L, d_v] = [{}]",
                                    fmt::join(outputs.o.extents, ", "), fmt::join(wanted, ", ")));
  }
  open_lse(options, shape, outputs);
  return outputs;
}

ExitCode print_verdict(const Seen& seen) {
  const Tally& tally = seen.tally;
  fmt::print(" elements {}: checked {}, hull {}, exact {}, exempt {}, uncheckable {}\n",
             tally.total(), tally.checked, tally.hull, tally.exact, tally.exempt,
             tally.uncheckable);
  if (tally.vacuous > 0) {
    fmt::print(" vacuous  {} of them: the contract gives no finite bound there\n", tally.vacuous);
  }
  if (seen.outside > 0) {
    const Finding& worst = seen.first.finding;
    fmt::print(
        "FAIL {} of {} elements; the worst:\n where    {} = {}\n          exact value in "
        "[{}, {}]\n          allowed {}, {:.4g} times what is allowed\n",
        seen.outside, tally.total(), describe_place(worst.place), worst.got, worst.allowed.exact.lo,
        worst.allowed.exact.hi, describe_allowed(worst.allowed), worst.excess);
    return ExitCode::fail;
  }
  if (tally.checked + tally.hull + tally.exact == 0) {
    fmt::print("{}: no element could be decided under this contract\n",
               tally.vacuous > 0 ? "vacuous" : "undecided");
    return ExitCode::inconclusive;
  }
  fmt::print("pass: every element is admitted; the worst error is {:.3g} of its bound\n",
             seen.worst);
  return ExitCode::holds;
}

/// The table of criteria; the exit code by the one that was chosen, else by our verdict.
ExitCode print_criteria(const CriteriaOptions& options, const Exhibit& exhibit, ExitCode own) {
  const std::unique_ptr<Candidate> plain = plain_implementation();
  const std::vector<Ruling> rulings = rulings_on(exhibit, plain.get());
  fmt::print("{}", describe_rulings(rulings));
  if (options.gate.empty() || options.gate == criteria().front().name) return own;
  const auto chosen = static_cast<std::size_t>(criterion_named(options.gate) - criteria().data());
  switch (rulings[chosen].word) {
    case Ruling::Word::pass:
      return ExitCode::holds;
    case Ruling::Word::fail:
      return ExitCode::fail;
    case Ruling::Word::absent:
      break;
  }
  return ExitCode::nothing_tested;
}

}  // namespace

int run(const Judge& options) {
  need_criterion(options.criteria);
  const PlannedRun run{open_problem(options), ""};
  const Problem& problem = run.problem;
  const Contract contract = contract_at(problem.format, options.contract);
  Exhibit exhibit{&run, &contract, {}, {}};
  exhibit.observation.outputs = open_outputs(options, problem.shape, contract);
  exhibit.admissible = admit(problem, contract, Rung::arb);
  const Outputs& outputs = exhibit.observation.outputs;
  Seen seen;
  look(exhibit.admissible.o, outputs.o.format, outputs.o.bits, problem.shape, false, seen);
  if (options.lse) {
    look(exhibit.admissible.lse, outputs.lse_format, outputs.lse, problem.shape, true, seen);
  }
  fmt::print("{}\n", describe_shape(problem));
  print_contract(contract, seen.outside > 0);
  ExitCode code = print_verdict(seen);
  if (options.criteria.wanted()) code = print_criteria(options.criteria, exhibit, code);
  return static_cast<int>(code);
}

}  // namespace qkvet::cli
