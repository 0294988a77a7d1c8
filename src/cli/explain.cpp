// `qkvet explain`: one row of attention step by step, as one writes it on paper; properties in
// words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/commands.hpp"
#include "cli/explain_contract.hpp"
#include "cli/session.hpp"
#include "properties/registry.hpp"

namespace qkvet::cli {
namespace {

constexpr std::int64_t most_rows = 8, most_keys = 24, most_columns = 8;

/// The middle of a (narrow) enclosure, short.
std::string brief(const Interval& value) {
  const double mid = value.mid();
  if (!std::isfinite(mid)) return value.lo > 0 ? "inf" : value.hi < 0 ? "-inf" : "?";
  if (value.contains(0)) return "0";
  return fmt::format("{:.6g}", mid);
}

std::string values(const Tensor& tensor, std::int64_t b, std::int64_t h, std::int64_t row) {
  std::string text = "[";
  for (std::int64_t c = 0; c < tensor.extents[3] && c < most_columns; ++c) {
    text += fmt::format("{}{:.6g}", c == 0 ? "" : ", ", tensor.value(b, h, row, c));
  }
  return text + (tensor.extents[3] > most_columns ? ", ...]" : "]");
}

void print_keys(const Problem& problem, const RowEnclosure& row, std::int64_t b, std::int64_t h) {
  fmt::print("  {:>5} {:>12} {:>10} {:>12} {:>8} {:>12}  v\n", "key", "scale*q.k", "bias", "score",
             "visible", "weight");
  std::int64_t shown = 0;
  for (const KeyTrace& key : row.trace.keys) {
    if (++shown > most_keys) break;
    const std::string v =
        key.sink ? "0 (a sink)" : values(problem.v, b, problem.shape.kv_head(h), key.key);
    fmt::print("  {:>5} {:>12} {:>10} {:>12} {:>8} {:>12}  {}\n", key.key, brief(key.x),
               brief(key.bias), key.visible ? brief(key.s) : "-inf", key.visible ? "yes" : "no",
               key.visible ? brief(key.weight) : "0", v);
  }
  const auto keys = static_cast<std::int64_t>(row.trace.keys.size());
  if (keys > most_keys) fmt::print("  ... {} more keys\n", keys - most_keys);
}

void print_row(const Problem& problem, const RowEnclosure& row, const PlaceIndex& at) {
  fmt::print("row b {}, h {}, i {}: q = {}\n", at.b, at.h, at.i,
             values(problem.q, at.b, at.h, at.i));
  print_keys(problem, row, at.b, at.h);
  switch (row.row_class) {
    case RowClass::live: {
      std::string text;
      for (std::size_t c = 0; c < row.o.size() && c < most_columns; ++c) {
        text += (c == 0 ? "" : ", ") + brief(row.o[c]);
      }
      fmt::print("  output = sum of weight * v = {}; log-sum-exp {}\n", text, brief(row.trace.lse));
      break;
    }
    case RowClass::empty:
      fmt::print("  no visible key: a softmax over nothing; what is due is a convention\n");
      break;
    case RowClass::nonfinite:
      fmt::print("  a visible score is NaN or infinite: no output is defined\n");
      break;
  }
}

void print_bound(const Problem& problem, const Contract& contract, const RowEnclosure& row) {
  if (row.row_class != RowClass::live || problem.shape.d_v == 0) return;
  fmt::print("  error bound of column 0 under {}/{} (docs/bounds.md):\n", contract.name,
             contract.version);
  for (const Term& term : explain_bound(problem, contract, row, 0)) {
    fmt::print("   {:<24} {:>12.4g}  section {}\n", term.name, term.value, term.section);
  }
}

void explain_case(const Problem& problem, const std::optional<Contract>& contract) {
  const Semantics semantics = contract ? contract->semantics : Semantics{};
  const Shape& shape = problem.shape;
  fmt::print("{}\n", describe_shape(problem));
  fmt::print("scale = {}{}\n", scale_value(problem), problem.scale ? "" : " (1/sqrt(d_k))");
  std::int64_t shown = 0;
  for (std::int64_t n = 0; n < shape.rows() && shown < most_rows; ++n, ++shown) {
    const PlaceIndex at{n / (shape.H_q * shape.L), n / shape.L % shape.H_q, n % shape.L, 0};
    const RowEnclosure row = enclose_row(problem, semantics, Rung::arb, at.b, at.h, at.i);
    print_row(problem, row, at);
    if (contract) print_bound(problem, *contract, row);
  }
  if (shape.rows() > most_rows) fmt::print("... {} more rows\n", shape.rows() - most_rows);
}

/// One query, keys 0 and ln 3, values 10 and 20.
Problem worked_example(double q, Format format) {
  Problem problem;
  problem.shape = {1, 1, 1, 1, 2, 1, 1};
  problem.format = format;
  problem.scale = 1;
  problem.q = make_tensor(format, {1, 1, 1, 1});
  problem.k = make_tensor(format, {1, 1, 2, 1});
  problem.v = make_tensor(format, {1, 1, 2, 1});
  problem.q.set(0, 0, 0, 0, q);
  problem.k.set(0, 0, 1, 0, std::log(3.0));
  problem.v.set(0, 0, 0, 0, 10);
  problem.v.set(0, 0, 1, 0, 20);
  return problem;
}

void explain_format(Format format) {
  const FormatInfo& f = info(format);
  fmt::print("{}: {} bytes, {} significant bits, exponents {} to {}\n", f.name, f.bytes, f.precision,
             f.e_min, f.e_max);
  const auto say = [](std::string_view name, double value, std::string_view words) {
    fmt::print(" {:<22} {:<24} {:.6g}{}\n", name, fmt::format("{:a}", value), value, words);
  };
  say("unit roundoff u", f.u, "  (half of the distance from 1 to the next number)");
  say("largest", f.max, "  (twice as much is infinity)");
  say("smallest normal", f.mu, "  (what flushing to zero takes is below it)");
  say("smallest subnormal", f.eta, "");
  say("integers exact up to", std::ldexp(1.0, f.precision), "");
  const auto from = [&](double x) { return decode(format, encode(format, x)); };
  say("1/3 is stored as", from(1.0 / 3), "");
  say("ln 3 is stored as", from(std::log(3.0)), "");
  fmt::print(" assumed of a kernel that declares nothing: {}-any (`qkvet list contracts {}-any`)\n",
             f.name, f.name);
}

void explain_worked_example(Format format) {
  fmt::print(
      "Attention of one query over two keys, by hand.\n"
      "q = 1, keys 0 and ln 3 = 1.09861, values 10 and 20, d_k = 1, so scale = 1.\n"
      "Scores are q*k: 0 and ln 3. exp of them: 1 and 3, their sum is 4.\n"
      "Weights: 1/4 = 0.25 and 3/4 = 0.75. Output: 0.25*10 + 0.75*20 = 17.5.\n\n");
  if (format != Format::binary64) {
    fmt::print("Stored in {}, ln 3 is {:.9g}, so what follows is the exact answer to that.\n\n",
               info(format).name, decode(format, encode(format, std::log(3.0))));
  }
  explain_case(worked_example(1, format), std::nullopt);
  fmt::print("\nThe second key masked: its weight is 0, the first has all, the output is 10.\n");
  Problem masked = worked_example(1, format);
  masked.mask.attend = BoolMask{{1, 1, 1, 2}, {1, 0}};
  explain_case(masked, std::nullopt);
  fmt::print("\nq = 0: all scores are 0, equal scores give equal weights 0.5, the output is 15.\n");
  explain_case(worked_example(0, format), std::nullopt);
  fmt::print(
      "\nFour traps:\n"
      "1. The softmax axis. Scores are [L, S]: weights sum to 1 over the keys (the last axis), "
      "never\n"
      "   over the queries. With L = S both run; with one query the wrong axis gives every weight "
      "1.\n"
      "2. K against V. Keys are compared with q and give the scores, values are averaged. "
      "Swapped,\n"
      "   shapes still fit when d_k = d_v.\n"
      "3. What True means in a boolean mask. In PyTorch's scaled_dot_product_attention True means\n"
      "   attend; in key_padding_mask of nn.MultiheadAttention True means masked. qkvet: attend.\n"
      "4. Fully masked rows. A softmax over no key is 0/0. Some give 0, some NaN, some the mean of "
      "V;\n"
      "   a contract says which one is due, and such a row must never change another one.\n");
}

std::string_view impostor_word(Impostor impostor) {
  switch (impostor) {
    case Impostor::zeros:
      return "all zeros";
    case Impostor::mean_v:
      return "the mean of V";
    case Impostor::first_v:
      return "the first visible V";
    case Impostor::unmasked:
      return "the output without its mask";
    case Impostor::sign_flip:
      return "the negated output";
  }
  return "?";
}

void explain_property(const Property& property) {
  fmt::print("{}: {}\n", property.name, property.statement);
  if (!property.kills.empty())
    fmt::print(" the wrong kernel that it must catch: {}\n", property.kills);
  for (const Impostor impostor : property.impostors) {
    fmt::print(" a case counts only if it would reject: {}\n", impostor_word(impostor));
  }
}

}  // namespace

int run(const Explain& options) {
  if (options.subject.empty() && options.contract) {
    const ContractSet set = open_contracts(*options.contract);
    if (options.format) need_format(set, {*options.format}, "--dtype says");
    for (const Contract& contract : set.contracts) {
      if (options.format && *options.format != contract.format) continue;
      fmt::print("{}", contract_in_words(contract));
    }
  } else if (options.subject.empty()) {
    if (!options.format) {
      throw InputError(
          ExitCode::usage,
          "explain: give a case, worked-example, a property, --contract NAME or --dtype FORMAT");
    }
    explain_format(*options.format);
  } else if (options.subject == "worked-example") {
    explain_worked_example(options.format.value_or(Format::binary64));
  } else if (const Property* property = property_named(options.subject)) {
    explain_property(*property);
  } else {
    const Problem problem = open_case(options.subject).problem;
    if (options.format && *options.format != problem.format) {
      throw InputError(ExitCode::usage,
                       fmt::format("--dtype {}: the case is {}; its format is in its text",
                                   info(*options.format).name, info(problem.format).name));
    }
    std::optional<Contract> contract;
    if (options.contract) contract = contract_at(problem.format, options.contract);
    explain_case(problem, contract);
  }
  return static_cast<int>(ExitCode::holds);
}

}  // namespace qkvet::cli
