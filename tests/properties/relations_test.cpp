// Relations between runs: a correct kernel holds under each, with and without promises of bits and
// in both formats; a wrong one is killed by the relation alone, without the oracle; and an error
// within the bound, which matches-reference passes, is killed where bits are promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "try_on.hpp"

namespace qkvet::test {
namespace {

using Bend = void (*)(Problem&);
using Warp = void (*)(const Problem&, Outputs&);
using Trigger = bool (*)(const Problem&);

/// A property, a mistake that its relation alone must find, and when an error of one unit in the
/// last place breaks bits that it asks for (null: it asks for none).
struct Row {
  const char* property;
  Bend bend;
  Warp warp;
  Trigger nudge;
};

/// Changes each output to f(output).
template <class F>
void each(Outputs& outputs, const F& f) {
  for (std::uint64_t& bits : outputs.o.bits) {
    bits = encode(outputs.o.format, f(decode(outputs.o.format, bits)));
  }
}

/// Each finite output one unit in the last place away from 0.
void nudge(Outputs& outputs) {
  for (std::uint64_t& bits : outputs.o.bits) {
    const double x = decode(outputs.o.format, bits);
    if (std::isfinite(x) && std::fabs(x) > 0) ++bits;
  }
  for (std::uint64_t& bits : outputs.lse) {
    const double x = decode(outputs.lse_format, bits);
    if (std::isfinite(x) && std::fabs(x) > 0) ++bits;
  }
}

/// The first `count` outputs are halved.
void scale_front(Outputs& outputs, std::int64_t count) {
  for (std::int64_t n = 0; n < count; ++n) {
    std::uint64_t& bits = outputs.o.bits[static_cast<std::size_t>(n)];
    bits = encode(outputs.o.format, decode(outputs.o.format, bits) / 2);
  }
}

/// True in every n-th call: what a kernel with a history does.
bool one_in(int n) {
  static int calls = 0;
  return ++calls % n == 0;
}

bool large_query(const Problem& p) { return std::fabs(decode(p.format, p.q.bits.front())) > 1; }

void raise_lse(Outputs& outputs) {
  for (std::uint64_t& bits : outputs.lse) {
    bits = encode(outputs.lse_format, decode(outputs.lse_format, bits) + 0.5);
  }
}

void odd_keys_scale(Problem& p) {
  if (p.shape.S % 2 != 0) p.scale = 3;
}

bool front_above_back(const Problem& p) {
  return decode(p.format, p.q.bits.front()) > decode(p.format, p.q.bits.back());
}

bool large_value(const Problem& p) {
  return std::any_of(p.v.bits.begin(), p.v.bits.end(),
                     [&p](std::uint64_t bits) { return std::fabs(decode(p.format, bits)) > 6; });
}

bool has_mask(const Problem& p) { return p.mask.attend.has_value(); }

const Row rows[] = {
    {"causal-equals-mask",
     [](Problem& p) {
       if (!p.mask.causal) return;
       p = fix(p);
       for (std::int64_t& offset : p.mask.diagonal.offsets) ++offset;
     },
     nullptr, has_mask},
    {"window-equals-mask",
     [](Problem& p) {
       if (p.mask.window && p.mask.window->right) ++*p.mask.window->right;
     },
     nullptr, has_mask},
    {"key-range-equals-mask",
     [](Problem& p) {
       if (!p.mask.key_range) return;
       p = fix(p);
       for (std::int64_t& start : p.mask.key_range->start) start = 0;
     },
     nullptr, has_mask},
    {"alibi-equals-bias",
     [](Problem& p) {
       if (!p.alibi_slopes) return;
       for (std::uint64_t& bits : p.alibi_slopes->bits) {
         bits = encode(p.alibi_slopes->format, 2 * decode(p.alibi_slopes->format, bits));
       }
     },
     nullptr, nullptr},
    {"bool-equals-minus-inf",
     [](Problem& p) {
       if (p.mask.attend) p.mask.attend->attend.back() = 1 - p.mask.attend->attend.back();
     },
     nullptr, has_mask},
    {"neutral-feature",
     [](Problem& p) {
       if (p.mask.attend) p.mask.attend->attend.back() = 0;
       if (p.mask.window && p.mask.window->left) p.mask.window->left = 0;
       if (p.alibi_slopes) p.scale = 3;
       if (p.sinks) p.sinks->bits.back() = encode(p.sinks->format, 0);
     },
     nullptr, has_mask},
    {"mask-broadcast",
     [](Problem& p) {
       if (p.mask.attend && p.mask.attend->attend.size() > 1) p.mask.attend->attend.front() = 0;
       if (p.mask.bias && p.mask.bias->bits.size() > 1) {
         p.mask.bias->bits.front() = encode(p.mask.bias->format, 3);
       }
     },
     nullptr,
     [](const Problem& p) {
       return (p.mask.attend && p.mask.attend->extents[0] == p.shape.B &&
               p.mask.attend->extents[1] == p.shape.H_q) ||
              (p.mask.bias && p.mask.bias->extents[0] == p.shape.B &&
               p.mask.bias->extents[1] == p.shape.H_q);
     }},
    {"mask-intersection",
     [](Problem& p) {
       if (p.mask.attend && p.mask.causal) p.mask.causal = false;
     },
     nullptr, [](const Problem& p) { return p.mask.causal || p.mask.key_range.has_value(); }},
    {"value-power-of-two", nullptr,
     [](const Problem&, Outputs& o) {
       each(o, [](double x) { return std::fabs(x) < 1e-3 ? 0 : x; });
     },
     nullptr},
    {"value-negation", nullptr,
     [](const Problem&, Outputs& o) { each(o, [](double x) { return x < -1 ? -1 : x; }); },
     [](const Problem& p) { return decode(p.format, p.v.bits.front()) < 0; }},
    {"value-linearity", nullptr,
     [](const Problem&, Outputs& o) { each(o, [](double x) { return std::fmin(x, 1); }); },
     nullptr},
    {"value-shift", nullptr,
     [](const Problem&, Outputs& o) { each(o, [](double x) { return x > 4 ? x - 0.5 : x; }); },
     nullptr},
    {"constant-values", nullptr,
     [](const Problem&, Outputs& o) { each(o, [](double x) { return x * 1.25; }); }, nullptr},
    {"value-columns-independent", nullptr,
     [](const Problem& p, Outputs& o) {
       const double shared = decode(p.format, p.v.bits.back());
       each(o, [shared](double x) { return x + shared / 64; });
     },
     [](const Problem& p) { return std::fabs(decode(p.format, p.v.bits.back())) > 4; }},
    {"lse-ignores-values", nullptr,
     [](const Problem& p, Outputs& o) {
       const double v = decode(p.format, p.v.bits.front());
       for (std::uint64_t& bits : o.lse) {
         bits = encode(o.lse_format, decode(o.lse_format, bits) + v);
       }
     },
     [](const Problem& p) { return std::fabs(decode(p.format, p.v.bits.front())) > 4; }},
    {"chunked-equals-whole",
     [](Problem& p) {
       if (!p.mask.causal || p.shape.L < 3) return;
       p = fix(p);
       for (std::int64_t& offset : p.mask.diagonal.offsets) ++offset;
     },
     nullptr, [](const Problem& p) { return p.shape.L >= 3; }},
    {"decode-equals-prefill",
     [](Problem& p) {
       if (p.shape.L == 1) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return p.shape.L == 1; }},
    {"query-permutation", nullptr,
     [](const Problem& p, Outputs& o) { scale_front(o, p.shape.d_v); }, front_above_back},
    {"hidden-key", odd_keys_scale, nullptr, [](const Problem& p) { return p.shape.S % 2 != 0; }},
    {"padded-equals-unpadded", odd_keys_scale, nullptr,
     [](const Problem& p) { return p.shape.S % 2 != 0; }},
    {"left-pad-shift", odd_keys_scale, nullptr, nullptr},
    {"neighbour-independence",
     [](Problem& p) {
       if (std::fabs(decode(p.format, p.q.bits.front())) > 8) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return std::fabs(decode(p.format, p.q.bits.front())) > 8; }},
    {"batch-invariance",
     [](Problem& p) {
       if (p.shape.B > 2) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return p.shape.B > 2; }},
    {"batch-permutation", nullptr,
     [](const Problem& p, Outputs& o) { scale_front(o, p.shape.outputs() / p.shape.B); },
     front_above_back},
    {"head-permutation", nullptr,
     [](const Problem& p, Outputs& o) { scale_front(o, p.shape.L * p.shape.d_v); },
     front_above_back},
    {"grouped-equals-repeated",
     [](Problem& p) {
       if (p.shape.H_q == p.shape.H_kv) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return p.shape.H_q == p.shape.H_kv; }},
    {"mirror",
     [](Problem& p) {
       if (!p.mask.causal) return;
       p = fix(p);
       for (std::int64_t& offset : p.mask.diagonal.offsets) ++offset;
     },
     nullptr, nullptr},
    {"future-key-dead",
     [](Problem& p) {
       if (!p.mask.causal) return;
       p = fix(p);
       for (std::int64_t& offset : p.mask.diagonal.offsets) ++offset;
     },
     nullptr, large_value},
    {"out-of-window-dead",
     [](Problem& p) {
       if (p.mask.window && p.mask.window->left) ++*p.mask.window->left;
       if (p.mask.window && p.mask.window->right) ++*p.mask.window->right;
     },
     nullptr, large_value},
    {"hidden-nonfinite", [](Problem& p) { p.mask = {}; }, nullptr,
     [](const Problem& p) {
       return std::any_of(p.k.bits.begin(), p.k.bits.end(),
                          [&p](std::uint64_t bits) { return std::isnan(decode(p.format, bits)); });
     }},
    {"split-merge", nullptr,
     [](const Problem& p, Outputs& o) {
       if (p.shape.S % 2 != 0) raise_lse(o);
     },
     nullptr},
    {"duplicate-keys", odd_keys_scale, nullptr, nullptr},
    {"leave-one-out",
     [](Problem& p) {
       if (p.mask.attend) p.scale = 3;
     },
     nullptr, nullptr},
    {"lse-weights", nullptr,
     [](const Problem& p, Outputs& o) {
       if (!p.mask.attend) raise_lse(o);
     },
     nullptr},
    {"sink-from-lse",
     [](Problem& p) {
       if (!p.sinks) return;
       for (std::uint64_t& bits : p.sinks->bits) {
         bits = encode(p.sinks->format, decode(p.sinks->format, bits) + 1);
       }
     },
     nullptr, nullptr},
    {"sink-equals-key", [](Problem& p) { p.sinks.reset(); }, nullptr, nullptr},
    {"bias-tilt",
     [](Problem& p) {
       if (!p.mask.bias) return;
       for (std::uint64_t& bits : p.mask.bias->bits) {
         bits = encode(p.mask.bias->format, decode(p.mask.bias->format, bits) / 2);
       }
     },
     nullptr, nullptr},
    {"negate-q-and-k",
     [](Problem& p) {
       if (decode(p.format, p.q.bits.front()) < 0) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return decode(p.format, p.q.bits.front()) < 0; }},
    {"scale-fold",
     [](Problem& p) {
       if (large_query(p)) p.scale = 2 * scale_value(p);
     },
     nullptr, large_query},
    {"zero-channels",
     [](Problem& p) {
       if (p.shape.d_k % 2 != 0) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return p.shape.d_k % 2 != 0; }},
    {"orthogonal-basis", [](Problem& p) { p.scale = 3; }, nullptr, nullptr},
    {"softcap-limits", [](Problem& p) { p.softcap = std::fmin(p.softcap, 2); }, nullptr, nullptr},
    {"dominant-key", nullptr,
     [](const Problem&, Outputs& o) { each(o, [](double x) { return x / 2; }); },
     [](const Problem&) { return true; }},
    {"low-and-high-scores", nullptr,
     [](const Problem&, Outputs& o) { each(o, [](double x) { return 1.5 * x; }); }, nullptr},
    {"layout",
     [](Problem& p) {
       if (!(p.layouts == Layouts{})) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return !(p.layouts == Layouts{}); }},
    {"repeat", nullptr,
     [](const Problem& p, Outputs& o) {
       if (one_in(5)) scale_front(o, p.shape.d_v);
     },
     [](const Problem&) { return one_in(3); }},
    {"history-free", nullptr,
     [](const Problem& p, Outputs& o) {
       if (one_in(7)) scale_front(o, p.shape.d_v);
     },
     [](const Problem&) { return one_in(4); }},
    {"num-splits",
     [](Problem& p) {
       if (p.call.splits > 1) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return p.call.splits > 1; }},
    {"threads",
     [](Problem& p) {
       if (p.call.threads > 2) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return p.call.threads > 2; }},
    {"memory-kept",
     [](Problem& p) {
       if (!(p.layouts == Layouts{})) p.scale = 3;
     },
     nullptr, [](const Problem& p) { return !(p.layouts == Layouts{}); }},
    {"range-limits", nullptr,
     [](const Problem&, Outputs& o) {
       each(o, [](double x) { return std::fabs(x) > 0x1p60 ? x / 2 : x; });
     },
     nullptr},
    {"minus-inf-score",
     [](Problem& p) {
       for (std::uint64_t& bits : p.k.bits) {
         if (!is_finite(p.format, bits)) bits = encode(p.format, 0);
       }
     },
     nullptr, nullptr},
};

/// hidden-nonfinite speaks only where selection is promised, and what dominant-key knows
/// without the oracle is a bit pattern.
Contract contract_for(const Row& row, Format format = Format::binary32) {
  Contract contract = plain_contract(format);
  contract.promises.selection = std::string_view(row.property) == "hidden-nonfinite";
  // An absolute error of tanh, times a cap of 2^40, is as wide as V.
  contract.arithmetic.tanh_absolute = false;
  contract.promises.exact_one = std::string_view(row.property) == "dominant-key";
  contract.promises.minus_inf = std::string_view(row.property) == "minus-inf-score";
  return contract;
}

class Relation : public testing::TestWithParam<Row> {};

void PrintTo(const Row& row, std::ostream* out) { *out << row.property; }

TEST_P(Relation, HoldsForACorrectKernel) {
  const Property& property = *property_named(GetParam().property);
  PlainCandidate correct;
  const Counts counts = try_on(property, correct, contract_for(GetParam()), 60);
  EXPECT_EQ(counts.fail, 0) << counts.first_failure;
  EXPECT_GE(counts.applied, 15);
  EXPECT_GE(counts.pass * 10, counts.applied * 7)
      << counts.vacuous << " vacuous, " << counts.undecided << " undecided of " << counts.applied;
  const Counts wide = try_on(property, correct, contract_for(GetParam(), Format::binary64), 20);
  EXPECT_EQ(wide.fail, 0) << wide.first_failure;
  EXPECT_GT(wide.pass, 0);
}

TEST_P(Relation, HoldsForACorrectKernelThatPromisesBits) {
  const Property& property = *property_named(GetParam().property);
  PlainCandidate correct;
  for (const Format format : {Format::binary32, Format::binary64}) {
    const Counts counts = try_on(property, correct, promising_contract(format), 30);
    EXPECT_EQ(counts.fail, 0) << counts.first_failure;
    EXPECT_GT(counts.pass, 0);
  }
}

TEST_P(Relation, AloneKillsAWrongKernel) {
  const Property& property = *property_named(GetParam().property);
  BentCandidate wrong(GetParam().bend, GetParam().warp);
  EXPECT_GT(try_relation_alone(property, wrong, contract_for(GetParam()), 80).fail, 0);
  PlainCandidate correct;
  const Counts none = try_relation_alone(property, correct, contract_for(GetParam()), 20);
  EXPECT_EQ(none.fail, 0) << none.first_failure;
}

class RelationOfBits : public testing::TestWithParam<Row> {};

TEST_P(RelationOfBits, KillsAnErrorWithinTheBound) {
  const Row& row = GetParam();
  const Property& property = *property_named(row.property);
  BentCandidate wrong({}, [&row](const Problem& p, Outputs& o) {
    if (row.nudge(p)) nudge(o);
  });
  const Contract contract = promising_contract();
  EXPECT_EQ(try_on(all_properties().front(), wrong, contract, 30).fail, 0);
  EXPECT_GT(try_on(property, wrong, contract, 80).fail, 0);
}

std::vector<Row> rows_of_bits() {
  std::vector<Row> kept;
  for (const Row& row : rows) {
    if (row.nudge != nullptr) kept.push_back(row);
  }
  return kept;
}

std::string name_of(const testing::TestParamInfo<Row>& info_) {
  std::string name = info_.param.property;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

TEST(EveryArgumentMatters, KillsAKernelThatIgnoresOne) {
  const Property& property = *property_named("every-argument-matters");
  const Bend ignored[] = {[](Problem& p) { p.softcap = 0; }, [](Problem& p) { p.sinks.reset(); },
                          [](Problem& p) { p.mask.window.reset(); },
                          [](Problem& p) { p.mask.causal = false; }};
  for (const Bend bend : ignored) {
    BentCandidate wrong(bend);
    EXPECT_GT(try_on(property, wrong, plain_contract(), 60).fail, 0);
  }
  PlainCandidate correct;
  const Counts counts = try_on(property, correct, plain_contract(), 40);
  EXPECT_EQ(counts.fail, 0) << counts.first_failure;
  EXPECT_GE(counts.pass, 15);
}

TEST(RejectOrCorrect, KillsAKernelThatIsWrongAtABorder) {
  const Property& property = *property_named("reject-or-correct");
  const Bend wrong_at[] = {[](Problem& p) {
                             if (p.shape.d_k > 256) p.scale = 3;
                           },
                           [](Problem& p) {
                             if (p.shape.S > 1000) p.scale = 3;
                           }};
  for (const Bend bend : wrong_at) {
    BentCandidate wrong(bend);
    EXPECT_GT(try_on(property, wrong, plain_contract(), 60).fail, 0);
  }
  PlainCandidate correct;
  const Counts counts = try_on(property, correct, plain_contract(), 60);
  EXPECT_EQ(counts.fail, 0) << counts.first_failure;
  EXPECT_GE(counts.pass, 40);
}

TEST(RejectOrCorrect, StaysInsideTheLimits) {
  const Property& property = *property_named("reject-or-correct");
  Contract contract = plain_contract();
  contract.limits.d_k = {64, 64};
  contract.limits.d_v = {64, 128};
  contract.limits.unequal_lengths = Allow::never;
  contract.limits.grouped = Allow::never;
  std::set<std::string> roles;
  for (int n = 0; n < 60; ++n) {
    const auto problem = prepared_case(property, contract, small_cases(Format::binary32), n);
    ASSERT_TRUE(problem);
    const Plan plan = property.plan(*problem, contract);
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_FALSE(outside(contract.limits, plan.runs[0].problem));
    roles.insert(plan.runs[0].role);
  }
  EXPECT_GE(roles.size(), 6U);
}

INSTANTIATE_TEST_SUITE_P(All, Relation, testing::ValuesIn(rows), name_of);
INSTANTIATE_TEST_SUITE_P(All, RelationOfBits, testing::ValuesIn(rows_of_bits()), name_of);

}  // namespace
}  // namespace qkvet::test
