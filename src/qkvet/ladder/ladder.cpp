// One row, rung by rung. Nothing is answered that a rung has not proved.
#include <algorithm>
#include <cmath>
#include <optional>
#include <qkvet/ladder/certify.hpp>
#include <qkvet/ladder/climb.hpp>
#include <qkvet/ladder/compensated.hpp>
#include <qkvet/ladder/first_rows.hpp>
#include <qkvet/oracle/head.hpp>
#include <qkvet/ladder/ladder.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {

using namespace ladder;

struct Ladder::State {
  const Problem& problem;
  Semantics semantics;
  LadderOptions options;
  const Kernels& kernels;
  HeadBlocks head;
  std::int64_t b = -1, kv_head = -1;              // of the head
  std::int64_t rows_b = -1, rows_h = -1, rows_i = -1;  // of the rows
  FirstRows rows;
  CompensatedRow compensated;
  std::optional<Climb> climb;
  std::vector<double> outputs, rounded;
  std::vector<std::int64_t> open;
  RoundedRow answer;

  State(const Problem& a_problem, const Semantics& a_semantics, const LadderOptions& a_options)
      : problem(a_problem),
        semantics(a_semantics),
        options(a_options),
        kernels(a_options.kernels != nullptr ? *a_options.kernels : *available_kernels().back()),
        rows(problem, semantics, kernels) {}

  void hold(std::int64_t entry, std::int64_t h, std::int64_t i);
  [[nodiscard]] bool tidy(std::int64_t entry, std::int64_t h, std::int64_t i,
                          std::int64_t r) const;
  void compute(std::int64_t entry, std::int64_t h, std::int64_t i);
  void answer_empty(std::int64_t h);
  void first(std::int64_t r);
  void column_by_column(std::int64_t entry, std::int64_t h, std::int64_t i, std::int64_t r);
  void rest_of_row(std::int64_t r);
  void upper(std::int64_t entry, std::int64_t h, std::int64_t i);
  [[nodiscard]] Rounded& place(std::int64_t wanted);
};

// The head, and the group of queries in which i is.
void Ladder::State::hold(std::int64_t entry, std::int64_t h, std::int64_t i) {
  if (entry != b || problem.shape.kv_head(h) != kv_head) {
    b = entry;
    kv_head = problem.shape.kv_head(h);
    head = HeadBlocks(problem, b, kv_head);
    rows_b = -1;
  }
  const std::int64_t start = i - i % group;
  if (rows_b == entry && rows_h == h && rows_i == start) return;
  rows_b = entry;
  rows_h = h;
  rows_i = start;
  rows.compute(head, entry, h, start, std::min(group, problem.shape.L - start));
}

// No NaN and no infinity but a bias of -inf: then the class is told by the number of visible keys.
bool Ladder::State::tidy(std::int64_t entry, std::int64_t h, std::int64_t i, std::int64_t r) const {
  if (!head.tidy || !rows.finite_inputs(r)) return false;
  if (!problem.mask.bias) return true;
  for (std::int64_t j = 0; j < head.S; ++j) {
    if (!(bias_value(problem, entry, h, i, j) <= info(Format::binary64).max)) return false;
  }
  return true;
}

Rounded& Ladder::State::place(std::int64_t wanted) {
  if (wanted < head.d_v) return answer.o[static_cast<std::size_t>(wanted)];
  if (wanted == head.d_v) return answer.lse;
  return answer.weights[static_cast<std::size_t>(wanted - head.d_v - 1)];
}

void Ladder::State::answer_empty(std::int64_t h) {
  const auto exactly = [&](double x) {
    const std::uint64_t bits = encode(options.format, x);
    return Rounded{bits, bits, Step::exact};
  };
  std::fill(answer.o.begin(), answer.o.end(), exactly(0));
  std::fill(answer.weights.begin(), answer.weights.end(), exactly(0));
  answer.lse = exactly(has_sink(problem, h) ? problem.sinks->value(h, 0, 0, 0)
                                            : -std::numeric_limits<double>::infinity());
}

// The vectorised rounding test; leaves what it does not decide in `open`.
void Ladder::State::first(std::int64_t r) {
  open.clear();
  const RowError& error = rows.error(r);
  const bool usable = error.usable && options.from == Step::first;
  const bool tested = usable && options.format != Format::binary64;
  rounded.resize(static_cast<std::size_t>(head.d_pad));
  outputs.resize(rounded.size());
  if (tested) {
    kernels.round(rows.numerators(r), head.value_max.data(),
                  rounding_test(options.format, error), head.d_pad, outputs.data(), rounded.data());
  }
  for (std::int64_t d = 0; d < head.d_v; ++d) {
    const auto at = static_cast<std::size_t>(d);
    Rounded& o = answer.o[at];
    if (o.step == Step::undefined) continue;
    if (tested && !std::isnan(rounded[at])) {
      const std::uint64_t bits = encode_normal(options.format, rounded[at]);
      o = {bits, bits, Step::first};
    } else if (!(head.value_max[at] > 0)) {
      o = {0, 0, Step::exact};  // A column of zeros.
    } else {
      open.push_back(d);
    }
  }
}

// Sharper bounds for single columns: docs/ladder.md 5 and 6.
void Ladder::State::column_by_column(std::int64_t entry, std::int64_t h, std::int64_t i,
                                     std::int64_t r) {
  if (options.format == Format::binary64 || !rows.error(r).usable || open.empty()) return;
  if (options.from <= Step::sharp) {
    std::erase_if(open, [&](std::int64_t d) {
      const double o = rows.numerators(r)[d] / rows.error(r).sum;
      const auto bits = round_certainly(options.format, o, sharp_error(head, rows, r, d, o));
      if (bits) place(d) = {*bits, *bits, Step::sharp};
      return bits.has_value();
    });
  }
  if (options.from > Step::compensated || open.empty()) return;
  if (!compensated.compute(problem, head, rows, kernels, entry, h, i, r)) return;
  std::erase_if(open, [&](std::int64_t d) {
    const Bounded o = compensated.output(head, d);
    const auto bits = round_certainly(options.format, o.value, o.error);
    if (bits) place(d) = {*bits, *bits, Step::compensated};
    return bits.has_value();
  });
}

// The log-sum-exp and the weights.
void Ladder::State::rest_of_row(std::int64_t r) {
  const bool usable = rows.error(r).usable && options.from == Step::first;
  const auto settle = [&](std::int64_t wanted, const Bounded& x, bool positive) {
    auto bits = usable ? round_certainly(options.format, x.value, x.error) : std::nullopt;
    // No weight is negative: what rounds to either zero is +0.
    if (usable && positive && !bits && !(x.value - x.error > 0)) {
      const double high = x.value + 2 * x.error;
      if (same_bits(encode(options.format, high), 0)) bits = 0;
    }
    if (bits) {
      place(wanted) = {*bits, *bits, Step::first};
    } else {
      open.push_back(wanted);
    }
  };
  settle(head.d_v, usable ? log_sum(rows, r) : Bounded{0, 0}, false);
  if (!options.weights) return;
  for (std::int64_t j = 0; j < head.S; ++j) {
    Rounded& p = place(head.d_v + 1 + j);
    if (p.step == Step::exact) continue;  // hidden
    settle(head.d_v + 1 + j, usable ? weight(rows, r, j) : Bounded{0, 0}, true);
  }
}

void Ladder::State::upper(std::int64_t entry, std::int64_t h, std::int64_t i) {
  if (open.empty()) return;
  if (!climb) climb.emplace(problem, semantics, options.format);
  const std::vector<Rounded> decided = climb->decide(entry, h, i, open);
  for (std::size_t n = 0; n < open.size(); ++n) place(open[n]) = decided[n];
}

void Ladder::State::compute(std::int64_t entry, std::int64_t h, std::int64_t i) {
  hold(entry, h, i);
  const std::int64_t r = i - rows_i;
  const Rounded nothing, pending{0, 0, Step::undecided}, hidden{0, 0, Step::exact};
  answer.row_class = rows.visible_keys(r) > 0 ? RowClass::live : RowClass::empty;
  answer.o.assign(static_cast<std::size_t>(head.d_v), pending);
  answer.lse = pending;
  answer.weights.assign(static_cast<std::size_t>(options.weights ? head.S : 0), pending);
  const bool plain = tidy(entry, h, i, r);
  if (!plain || options.weights) {
    const RowEnclosure facts = classify_row(problem, semantics, head.facts, entry, h, i);
    answer.row_class = facts.row_class;
    for (std::size_t d = 0; d < answer.o.size(); ++d) {
      const ColumnFacts& column = facts.columns[d];
      if (column.visible_nan || column.visible_inf) answer.o[d] = nothing;
    }
    for (std::size_t j = 0; j < answer.weights.size(); ++j) {
      if (!facts.trace.keys[j].visible) answer.weights[j] = hidden;
    }
  }
  if (answer.row_class == RowClass::empty) {
    answer_empty(h);
  } else if (answer.row_class == RowClass::nonfinite) {
    std::fill(answer.o.begin(), answer.o.end(), nothing);
    std::fill(answer.weights.begin(), answer.weights.end(), nothing);
    answer.lse = nothing;
  } else {
    first(r);
    column_by_column(entry, h, i, r);
    rest_of_row(r);
    upper(entry, h, i);
  }
}

Ladder::Ladder(const Problem& problem, const Semantics& semantics, const LadderOptions& options)
    : state_(std::make_unique<State>(problem, semantics, options)) {}
Ladder::~Ladder() = default;
Ladder::Ladder(Ladder&&) noexcept = default;
Ladder& Ladder::operator=(Ladder&&) noexcept = default;

const RoundedRow& Ladder::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  const DefaultFloatEnvironment environment;
  state_->compute(b, h, i);
  return state_->answer;
}

}  // namespace qkvet
