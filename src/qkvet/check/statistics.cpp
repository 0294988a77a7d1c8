#include <algorithm>
#include <cmath>
#include <map>
#include <qkvet/check/statistics.hpp>

namespace qkvet {
namespace {

bool is_tested(const Place& place, double got, const Spread& spread) {
  return place.kind == PlaceKind::checked && std::isfinite(got) && spread.sigma > 0 &&
         std::isfinite(spread.sigma);
}

/// got - exact, as far as the enclosure knows it: 0 inside of it.
double error_of(const Interval& exact, double got) {
  if (got > exact.hi) return got - exact.hi;
  return got < exact.lo ? got - exact.lo : 0;
}

/// In units of sigma; where the convention of an LSE is open, of the nearest set.
double standardised(const Place& place, double got, double sigma) {
  double best = error_of(place.exact, got) / sigma;
  for (const Alternative& other : place.also) {
    const double unit = place.radius > 0 ? sigma * (other.radius / place.radius) : sigma;
    const double e = error_of(other.exact, got) / unit;
    if (std::fabs(e) < std::fabs(best)) best = e;
  }
  return best;
}

/// Visits every output place with its flat index.
template <class Visit>
void for_outputs(const Shape& shape, const Visit& visit) {
  std::size_t n = 0;
  for (std::int64_t b = 0; b < shape.B; ++b)
    for (std::int64_t h = 0; h < shape.H_q; ++h)
      for (std::int64_t i = 0; i < shape.L; ++i)
        for (std::int64_t c = 0; c < shape.d_v; ++c) visit(PlaceIndex{b, h, i, c}, n++);
}

/// Signed numbers of rows: |sum| over its standard deviation. Rows that share their keys and values
/// are one witness, with the mean of their numbers; of rows that repeat each other one counts.
/// `common`: the part of x that may have the same sign and cause in every row.  docs/bounds.md 10.4
class RowSum {
 public:
  /// `level`: equal for rows that repeat each other.
  void add(std::int64_t head, double level, double x, double common = 0) {
    heads_[head][level].add(x, common);
  }
  [[nodiscard]] double value() const {
    // Heads that repeat each other have the same levels.
    std::map<double, Mean> witnesses;
    for (const auto& [head, rows] : heads_) {
      Mean one;
      for (const auto& [level, row] : rows) one.add(row.x(), row.common());
      witnesses[rows.begin()->first].add(one.x(), one.common());
    }
    double total = 0, common = 0;
    for (const auto& [level, one] : witnesses) {
      total += one.x();
      common += one.common();
    }
    const auto count = static_cast<double>(witnesses.size());
    return count > 0 ? std::fabs(total) / std::sqrt(count + common * common) : 0;
  }

 private:
  class Mean {
   public:
    void add(double x, double common) {
      x_ += x;
      common_ += common;
      count_ += 1;
    }
    [[nodiscard]] double x() const { return x_ / count_; }
    [[nodiscard]] double common() const { return common_ / count_; }

   private:
    double x_ = 0, common_ = 0, count_ = 0;
  };
  std::map<std::int64_t, std::map<double, Mean>> heads_;
};

/// Of row n of [B,H_q,L]: which keys and values it sees.
std::int64_t head_of(const Shape& shape, std::size_t n) {
  const auto row = static_cast<std::int64_t>(n);
  const std::int64_t b = row / (shape.H_q * shape.L), h = row / shape.L % shape.H_q;
  return b * shape.H_kv + shape.kv_head(h);
}

}  // namespace

Statistics statistics_of(const Problem& problem, const Outputs& outputs,
                         const Admissible& admissible, const Spreads& spreads) {
  Statistics out;
  auto& [z, agg, along, prob, lse, lse_sum] = out.values;
  double squares = 0, count = 0;
  std::vector<double> product(spreads.common.size()), sizes(spreads.common.size());
  for_outputs(problem.shape, [&](const PlaceIndex& at, std::size_t n) {
    const Place& place = admissible.o[n];
    const Spread& spread = spreads.o[n];
    const double got = decode(outputs.o.format, outputs.o.bits[n]);
    if (!is_tested(place, got, spread)) return;
    const double e = standardised(place, got, spread.sigma);
    const double size = place.exact.mid() / spread.sigma;
    const auto row = static_cast<std::size_t>(problem.shape.row(at.b, at.h, at.i));
    squares += e * e;
    product[row] += e * size;
    sizes[row] += size * size;
    ++count;
    if (spread.prob > 0) {
      prob = std::max(prob, std::fabs(e) * spread.sigma / std::min(spread.prob, place.radius));
    }
    if (std::fabs(e) > z) {
      z = std::fabs(e);
      out.worst = at;
    }
  });
  if (count > 0) agg = std::sqrt(squares / count);
  RowSum shared;
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    if (!(sizes[n] > 0)) continue;
    const double common = spreads.common[n] * sizes[n];
    shared.add(head_of(problem.shape, n), spreads.level[n],
               product[n] / std::sqrt(sizes[n] + common * common));
  }
  along = shared.value();
  out.places = static_cast<std::int64_t>(count);

  RowSum rows;
  const std::size_t lses = std::min(outputs.lse.size(), admissible.lse.size());
  for (std::size_t n = 0; n < lses; ++n) {
    const double got = decode(outputs.lse_format, outputs.lse[n]);
    if (!is_tested(admissible.lse[n], got, spreads.lse[n])) continue;
    const double e = standardised(admissible.lse[n], got, spreads.lse[n].sigma);
    rows.add(head_of(problem.shape, n), spreads.level[n], e, spreads.lse_common[n] / spreads.lse[n].sigma);
    ++out.places;
    if (!(std::fabs(e) > lse)) continue;
    lse = std::fabs(e);
    const auto row = static_cast<std::int64_t>(n);
    const Shape& shape = problem.shape;
    out.worst_lse = {row / (shape.H_q * shape.L), row / shape.L % shape.H_q, row % shape.L, -1};
  }
  lse_sum = rows.value();
  return out;
}

std::optional<Excess> excess_of(const Statistics& seen, const Calibration& calibration) {
  std::optional<Excess> worst;
  for (std::size_t n = 0; n < statistic_count; ++n) {
    const auto statistic = static_cast<Statistic>(n);
    double critical = calibration.critical[n];
    if (statistic == Statistic::prob) critical = std::max(1.0, critical);
    const double value = seen.values[n];
    if (!(value > critical)) continue;
    if (worst && !(value * worst->critical > worst->value * critical)) continue;
    worst = Excess{statistic, value, critical};
  }
  return worst;
}

double Calibration::rate() const {
  return static_cast<double>(statistic_count) / static_cast<double>(cases + 1);
}

}  // namespace qkvet
