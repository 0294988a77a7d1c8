// Each rule as its authors evaluate it, NaN and infinities included.  docs/criteria.md
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <qkvet/check/criteria.hpp>

namespace qkvet {
namespace {

using Word = Ruling::Word;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Word word_of(bool passes) { return passes ? Word::pass : Word::fail; }

/// As a maximum in numpy or torch: a NaN stays. std::max would lose it.
double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return not_a_number;
  return a < b ? b : a;
}

/// |a - b| in shares of what is allowed; 0 / 0 is none of it.
double share(double difference, double allowed) {
  return difference > 0 || std::isnan(difference) ? difference / allowed : 0;
}

Ruling certified(const Comparison& c) { return {c.own, c.worst, 1}; }

/// |got - expected| <= atol + rtol |expected|; infinities if they are equal; NaN never.
struct Closeness {
  double rtol, atol;

  [[nodiscard]] Ruling operator()(const Comparison& c, bool in_format) const {
    bool close = true;
    double worst = 0;
    for (std::size_t n = 0; n < c.got.size(); ++n) {
      const double got = c.got[n], expected = in_format ? c.rounded(n) : c.exact[n];
      const bool both_infinite = std::isinf(got) && std::isinf(expected);
      if (both_infinite && std::signbit(got) == std::signbit(expected)) continue;
      const double allowed = atol + rtol * std::fabs(expected);
      const double difference = std::fabs(got - expected);
      close = close && std::isfinite(expected) && difference <= allowed;
      worst = larger(worst, std::isfinite(expected) ? share(difference, allowed) : difference);
    }
    return {word_of(close), worst, 1};
  }
};

Ruling allclose(const Comparison& c) { return Closeness{1e-5, 1e-8}(c, false); }
Ruling allclose_3(const Comparison& c) { return Closeness{1e-3, 1e-3}(c, false); }
Ruling allclose_2(const Comparison& c) { return Closeness{1e-2, 1e-2}(c, false); }

Ruling assert_close(const Comparison& c) {
  switch (c.format) {
    case Format::binary64:
      return Closeness{1e-7, 1e-7}(c, true);
    case Format::binary32:
      return Closeness{1.3e-6, 1e-5}(c, true);
    case Format::binary16:
      return Closeness{1e-3, 1e-5}(c, true);
    case Format::bfloat16:
      break;
  }
  return Closeness{1.6e-2, 1e-5}(c, true);
}

/// The largest |from - expected|; NaN if one of them is NaN or both are the same infinity.
double largest_error(const Comparison& c, const std::vector<double>& from) {
  double worst = 0;
  for (std::size_t n = 0; n < from.size(); ++n) {
    worst = larger(worst, std::fabs(from[n] - c.rounded(n)));
  }
  return worst;
}

/// The largest |(o + 0.3 - 0.3) - o|, each sum rounded to the format: low formats add in f32.
double sum_error(const Comparison& c) {
  const bool wide = c.format == Format::binary64;
  const double third = wide ? 0.3 : static_cast<double>(0.3F);
  const auto stored = [&](double x) {
    const double held = wide ? x : decode(Format::binary32, encode(Format::binary32, x));
    return decode(c.format, encode(c.format, held));
  };
  double worst = 0;
  for (std::size_t n = 0; n < c.exact.size(); ++n) {
    const double o = c.rounded(n);
    worst = larger(worst, std::fabs(stored(stored(o + third) - third) - o));
  }
  return worst;
}

/// max |got - o| <= factor * max |twin - o| + atol, o rounded to the format.
Ruling twice_the_twin(const Comparison& c, double factor, double atol) {
  if (c.twin.empty() || c.got.empty()) return {Word::absent, 0, 0};
  const double error = largest_error(c, c.got);
  const double limit = factor * largest_error(c, c.twin) + atol;
  return {word_of(error <= limit), error, limit};
}

Ruling fa2x(const Comparison& c) { return twice_the_twin(c, 2, 0); }
Ruling fa3x(const Comparison& c) { return twice_the_twin(c, c.softcap ? 3 : 2, 2 * sum_error(c)); }

/// In the arithmetic of ggml: f32 products, double sums. f64 outputs, which it never sees, in f64.
double product(const Comparison& c, double x) {
  if (c.format == Format::binary64) return x * x;
  const auto low = static_cast<float>(x);
  return static_cast<double>(low * low);
}

/// NaN anywhere fails, an infinity (or the largest f32) needs one of its sign beside it; then the
/// quotient, over the *tested* output's own square: 0 / 0 is NaN and not above the limit.
Ruling nmse(const Comparison& c) {
  constexpr double limit = 5e-4;
  const double largest = info(Format::binary32).max;
  const auto extreme = [&](double x) { return !(std::fabs(x) < largest); };
  const bool wide = c.format == Format::binary64;
  double error = 0, norm = 0;
  for (std::size_t n = 0; n < c.got.size(); ++n) {
    const double got = c.got[n];
    const double expected =
        wide ? c.exact[n] : decode(Format::binary32, encode(Format::binary32, c.exact[n]));
    if (std::isnan(got) || std::isnan(expected)) return {Word::fail, not_a_number, limit};
    const bool alike = extreme(got) == extreme(expected);
    if (!wide && (!alike || (extreme(got) && std::signbit(got) != std::signbit(expected)))) {
      return {Word::fail, infinity, limit};
    }
    const auto difference =
        wide ? got - expected
             : static_cast<double>(static_cast<float>(got) - static_cast<float>(expected));
    error += product(c, difference);
    norm += product(c, got);
  }
  const double value = error / norm;
  return {word_of(!(value > limit)), value, limit};
}

Ruling cosine(const Comparison& c) {
  constexpr double limit = 1e-5, least = 1e-12;
  double inner = 0, norms = 0;
  for (std::size_t n = 0; n < c.got.size(); ++n) {
    inner += c.got[n] * c.exact[n];
    norms += c.got[n] * c.got[n] + c.exact[n] * c.exact[n];
  }
  const double value = 1 - 2 * inner / larger(norms, least);
  return {word_of(value < limit), value, limit};
}

/// Relative above 1e-5, else absolute, against 8 (1 + S) eps; or absolute against eps sum p|v|.
Ruling onednn(const Comparison& c) {
  const double eps = 2 * info(c.format).u;
  const double relative = 8 * (1 + static_cast<double>(c.keys)) * eps;
  bool all = true;
  double worst = 0;
  for (std::size_t n = 0; n < c.got.size(); ++n) {
    const double got = c.got[n], expected = c.rounded(n);
    if (std::isinf(got) && std::isinf(expected) && std::signbit(got) == std::signbit(expected)) {
      continue;
    }
    const double difference = std::fabs(got - expected), size = std::fabs(expected);
    const bool tiny = size <= 1e-5 && difference < 0x1p-23;
    const double measured = size > 1e-5 ? difference / size : difference;
    const bool ok = tiny || measured <= relative || difference <= eps * c.magnitude[n];
    all = all && ok;
    // The best of the ways to pass; a NaN passes none of them.
    const double by_size = share(measured, relative);
    const double by_sum = share(difference, eps * c.magnitude[n]);
    worst = larger(worst, tiny ? 0 : by_sum < by_size ? by_sum : by_size);
  }
  return {word_of(all), worst, 1};
}

constexpr std::array table{
    Criterion{"certified", "every output lies in the set that the contract admits",
              "qkvet, docs/bounds.md", certified},
    Criterion{"allclose", "|o - exact| <= 1e-8 + 1e-5 |exact|", "defaults of numpy.allclose",
              allclose},
    Criterion{"allclose-1e-3", "|o - exact| <= 1e-3 + 1e-3 |exact|", "common in kernel tests",
              allclose_3},
    Criterion{"allclose-1e-2", "|o - exact| <= 1e-2 + 1e-2 |exact|", "KernelBench, many others",
              allclose_2},
    Criterion{"assert_close", "|o - exact| <= atol + rtol |exact|, by format",
              "defaults of torch.testing.assert_close", assert_close},
    Criterion{"fa2x", "max |o - exact| <= 2 max |plain - exact|", "FlashAttention-2's tests", fa2x},
    Criterion{"fa3x", "the same + 2 max |(exact + 0.3 - 0.3) - exact|",
              "tests of FlashAttention-3 and later", fa3x},
    Criterion{"nmse", "sum (o - exact)^2 / sum o^2 <= 5e-4", "ggml, test-backend-ops", nmse},
    Criterion{"cosine", "1 - 2 sum o exact / sum (o^2 + exact^2) < 1e-5", "FlashMLA's tests",
              cosine},
    Criterion{"onednn", "|o - exact| <= 8 (1 + S) eps |exact|, or <= eps sum p|v|",
              "oneDNN, benchdnn's SDPA driver", onednn},
};

}  // namespace

std::span<const Criterion> criteria() { return table; }

const Criterion* criterion_named(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Criterion& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view word(Ruling::Word word) {
  switch (word) {
    case Word::pass:
      return "pass";
    case Word::fail:
      return "FAIL";
    case Word::absent:
      break;
  }
  return "absent";
}

}  // namespace qkvet
