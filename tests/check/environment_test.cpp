// A caller may leave flushing on (a library built with -ffast-math does, when it loads) or another
// rounding direction: every public entry must answer as it does without, and leave the caller's
// environment as it was.
#include <gtest/gtest.h>

#include <bit>
#include <qkvet/check/examine.hpp>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/simpler.hpp>
#include <qkvet/problem/text.hpp>

#include "../bound/digests/numbers.hpp"
#include "../support/plain_candidate.hpp"

namespace qkvet::test {
namespace {

#if defined(__x86_64__)

/// MXCSR: flush to zero, denormals are zero, both, and the three directed roundings.
constexpr std::uint64_t flush = 0x8000, denormals = 0x0040, down = 0x2000, up = 0x4000,
                        to_zero = 0x6000;

/// An environment for a scope, put back even when a test fails half-way.
class Spoilt {
 public:
  explicit Spoilt(std::uint64_t bits) : before_(read_float_environment()) {
    // The x87 control word has its rounding two bits lower.
    set_float_environment(
        {before_.control | bits, static_cast<std::uint16_t>(before_.x87 | (bits & to_zero) >> 3)});
  }
  ~Spoilt() { set_float_environment(before_); }
  Spoilt(const Spoilt&) = delete;
  Spoilt& operator=(const Spoilt&) = delete;

 private:
  FloatEnvironment before_;
};

/// A public entry as a text that depends on every number it computes.
struct Entry {
  const char* name;
  std::string (*answer)();
};

Problem subnormal_problem() {
  return read_case(
      "qk1:b1.hq1.hk1.l1.s3.dk1.dv1/f64/q:1/k:0,0x1.2688b70e62bp-1030,0x1.999999999999ap-4/"
      "v:0x1.8p-1063,0x1.3333333333333p-2,-0x1p-1074/lse",
      "text");
}

std::string drawn() {
  std::string out;
  for (std::uint64_t n = 0; n < 40; ++n) out += digest(digest_problem(Format::binary32, n));
  return out;
}

std::string smallest_problem() {
  Domain domain;
  domain.bias = domain.softcap = Allow::must;
  return write_case(*smallest(domain));
}

std::string rows(Rung rung) {
  std::string out;
  for (std::uint64_t n = 0; n < 4; ++n) {
    out += std::to_string(enclosure_digest(digest_problem(Format::binary64, n), rung)) + " ";
  }
  return out + std::to_string(enclosure_digest(subnormal_problem(), rung));
}

std::string bounds() {
  std::string out;
  for (const char* name : {"f64-any", "f32-any", "f16-math"}) {
    const Contract contract = *builtin_contract(name);
    for (std::uint64_t n = 0; n < 4; ++n) {
      const Problem problem = digest_problem(contract.format, n);
      out += std::to_string(bound_digest(problem, contract, Rung::first)) + " ";
    }
  }
  return out;
}

std::string one_row_admitted() {
  const Problem problem = subnormal_problem();
  const Contract contract = *builtin_contract("f64-any");
  const RowEnclosure row = enclose_row(problem, contract.semantics, Rung::arb, 0, 0, 0);
  Hash hash;
  for (const Place& place : admit_row(problem, contract, row, 0, 0, 0)) add(hash, place);
  return std::to_string(hash.sum());
}

std::string decimals() {
  std::string out;
  for (const std::string& text : decimal_row(subnormal_problem(), {}, 0, 0, 0, 40)) out += text;
  return out;
}

std::string checked() {
  return cross_check(digest_problem(Format::binary64, 1), {}).value_or("agree") +
         cross_check(subnormal_problem(), {}).value_or("agree");
}

std::optional<std::string> always(const Problem&, const Contract&) { return std::nullopt; }
Plan plan_one(const Problem& problem, const Contract&) { return {{{problem, ""}}, {}}; }
Verdict judge_all(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger("own");
  for (const Exhibit& exhibit : exhibits) judge_own(ledger, exhibit);
  return ledger.verdict();
}

std::string examined() {
  constexpr Impostor zeros[] = {Impostor::zeros};
  const Property property{"own", "own", always, plan_one, judge_all, zeros, nullptr, ""};
  std::string out;
  for (std::uint64_t n = 0; n < 6; ++n) {
    PlainCandidate candidate;
    const Problem problem = digest_problem(Format::binary32, n);
    const Verdict verdict =
        examine(problem, property, candidate, plain_contract(), ExamineOptions{CrossCheck::always});
    out += word(verdict);
    if (const auto* pass = std::get_if<Pass>(&verdict)) {
      out += std::to_string(std::bit_cast<std::uint64_t>(pass->headroom));
    }
  }
  return out;
}

std::string simplified() {
  std::string out;
  (void)simpler(subnormal_problem(), Domain{}, [&](const Problem& offer) {
    out += digest(offer);
    return out.size() % 3 == 0;
  });
  return out;
}

const Entry entries[] = {
    {"read_case and write_case", [] { return write_case(subnormal_problem()); }},
    {"draw", drawn},
    {"smallest", smallest_problem},
    {"RowEncloser, first rung", [] { return rows(Rung::first); }},
    {"RowEncloser, Arb", [] { return rows(Rung::arb); }},
    {"RowEncloser, definition", [] { return rows(Rung::definition); }},
    {"admit, explain_bound, score_size, constant_radius", bounds},
    {"enclose_row, admit_row", one_row_admitted},
    {"decimal_row", decimals},
    {"cross_check", checked},
    {"examine", examined},
    {"simpler", simplified},
};

TEST(FloatEnvironment, TheSpoiltOnesSpoil) {
  volatile double one = 1, three = 3, tiny = 0x1p-1060, half = 0.5;
  const double third = one / three, product = tiny * half;
  {
    const Spoilt environment(up);
    EXPECT_GT(one / three, third);
  }
  const Spoilt environment(flush);
  EXPECT_LT(tiny * half, product);
}

TEST(FloatEnvironment, OfTheCallerChangesNoAnswerAndIsPutBack) {
  for (const Entry& entry : entries) {
    const std::string due = entry.answer();
    for (const std::uint64_t bits : {flush, denormals, flush | denormals, down, up, to_zero}) {
      const Spoilt environment(bits);
      const FloatEnvironment set = read_float_environment();
      const std::string answer = entry.answer();
      const FloatEnvironment left = read_float_environment();
      set_float_environment({0x1f80, 0x037f});  // for the comparison and its messages
      EXPECT_EQ(answer, due) << entry.name << " under MXCSR " << bits;
      EXPECT_EQ(changed_float_environment(set, left), "") << entry.name;
    }
  }
}

TEST(FloatEnvironment, StickyFlagsOfTheCallerStay) {
  std::feclearexcept(FE_ALL_EXCEPT);
  (void)rows(Rung::first);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0) << "raised by an oracle";
  std::feraiseexcept(FE_DIVBYZERO);
  (void)rows(Rung::first);
  EXPECT_NE(std::fetestexcept(FE_DIVBYZERO), 0) << "cleared by an oracle";
  std::feclearexcept(FE_ALL_EXCEPT);
}

#endif

}  // namespace
}  // namespace qkvet::test
