// Contract text: round trip, strictness (a table of bad texts and what their messages must name),
// bases.
#include <gtest/gtest.h>
#include <qkvet/candidate/kernel.h>

#include <qkvet/contract/contract.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

TEST(Contract, BuiltinsAreComplete) {
  for (const char* name :
       {"f32-any", "f64-any", "f32-ieee", "f64-ref", "f32-flash", "bf16-any", "f16-any",
        "bf16-fused", "f16-fused", "bf16-math", "f16-math", "tf32", "bf16-fp8", "f16-fp8"}) {
    const auto contract = builtin_contract(name);
    ASSERT_TRUE(contract) << name;
    EXPECT_EQ(contract->source, "builtin");
    EXPECT_FALSE(contract->assumed);
  }
  EXPECT_TRUE(builtin_contract("f32-any/1"));
  EXPECT_FALSE(builtin_contract("f32-any/2"));
}

TEST(Contract, DefaultsOfTheStructAreF32Any) {
  EXPECT_EQ(builtin_contract("f32-any")->arithmetic, Arithmetic{});
  EXPECT_EQ(builtin_contract("f32-any")->semantics, Semantics{});
}

TEST(Contract, F64AnyIsF32AnyInF64) {
  Arithmetic a = builtin_contract("f64-any")->arithmetic;
  for (Format* format : {&a.dot, &a.scaled, &a.score, &a.score_store, &a.weight, &a.accumulator,
                         &a.part, &a.out, &a.lse_out}) {
    EXPECT_EQ(*format, Format::binary64);
    *format = Format::binary32;
  }
  EXPECT_EQ(a, Arithmetic{});
}

TEST(Contract, LowAnyIsF32AnyWithLowWeightsScaledInputsAndOutputs) {
  for (const auto& [name, format] : {std::pair{"bf16-any", Format::bfloat16},
                                     std::pair{"f16-any", Format::binary16}}) {
    const Contract contract = *builtin_contract(name);
    EXPECT_EQ(contract.format, format);
    Arithmetic a = contract.arithmetic;
    for (Format* part : {&a.scaled, &a.score_store, &a.weight, &a.part, &a.out}) {
      EXPECT_EQ(*part, format) << name;
      *part = Format::binary32;
    }
    EXPECT_EQ(a.rounds_weight, Arithmetic::Choice::any) << name;
    a.rounds_weight = Arithmetic::Choice::no;
    EXPECT_EQ(a, Arithmetic{}) << name;
  }
}

TEST(Contract, FusedAndMathDifferInWhatIsStoredLow) {
  for (const char* format : {"bf16", "f16"}) {
    const std::string name = format;
    const Arithmetic fused = builtin_contract(name + "-fused")->arithmetic;
    const Arithmetic math = builtin_contract(name + "-math")->arithmetic;
    EXPECT_EQ(fused.score_stores, 0);
    EXPECT_EQ(fused.scaled, Format::binary32);
    EXPECT_EQ(fused.part, Format::binary32);
    EXPECT_EQ(math.score_stores, 1);
    EXPECT_EQ(math.score_store, *format_named(name));
    EXPECT_EQ(math.norm_first, Arithmetic::Choice::yes);
    EXPECT_EQ(math.sum_of_rounded, Arithmetic::Choice::no);
    EXPECT_FALSE(fused.f16_flushes || math.f16_flushes);
  }
}

TEST(Contract, AnUnchangedMaximumIsExactAndNamedAmongWhatIsAssumed) {
  for (const Contract& contract : builtin_contracts()) {
    EXPECT_EQ(contract.arithmetic.unchanged_max, Arithmetic::UnchangedMax::exact) << contract.name;
  }
  const Contract assumed = ContractSet{}.at(Format::bfloat16);
  EXPECT_EQ(assumed.name, "bf16-any");
  EXPECT_TRUE(assumed.assumed);
  EXPECT_EQ(ContractSet{}.at(Format::binary16).name, "f16-any");
  int named = 0;
  for (const std::string& line : assumed.assumed_fields) {
    if (!line.starts_with("unchanged_max = exact")) continue;
    ++named;
    EXPECT_NE(line.find("set by --contract, [arithmetic] unchanged_max"), std::string::npos);
  }
  EXPECT_EQ(named, 1);
}

TEST(Contract, WrittenTextReadsBackEqual) {
  std::vector<Contract> all = builtin_contracts();
  const ContractSet simple = read_contracts(QKVET_SIMPLE_CONTRACT, "kernel.h");
  all.push_back(simple.contracts.front());
  Contract odd = *builtin_contract("f32-flash");
  odd.name = "odd";
  odd.version = 7;
  odd.arithmetic.exp_error = 0.1;
  odd.arithmetic.merge = Arithmetic::Merge::sigmoid;
  odd.arithmetic.rescales = 0;
  odd.arithmetic.unchanged_max = Arithmetic::UnchangedMax::rounded;
  odd.arithmetic.part = Format::bfloat16;
  odd.arithmetic.score_stores = 2;
  odd.arithmetic.cap_stores = 3;
  odd.arithmetic.f16_flushes = false;
  odd.promises.exact_one = false;
  odd.semantics.empty_row = Semantics::EmptyRow::nan;
  odd.promises.mask_forms = true;
  odd.limits.d_k = {1, 64};
  odd.limits.sinks = Allow::must;
  all.push_back(odd);
  for (const Contract& contract : all) {
    const std::string text = write_contract(contract);
    const ContractSet back = read_contracts(text, "back");
    ASSERT_EQ(back.contracts.size(), 1U) << text;
    const Contract& again = back.contracts.front();
    EXPECT_EQ(write_contract(again), text);
    EXPECT_EQ(again.arithmetic, contract.arithmetic) << text;
    EXPECT_EQ(again.semantics, contract.semantics);
    EXPECT_EQ(again.promises, contract.promises);
    EXPECT_EQ(again.limits, contract.limits);
    EXPECT_EQ(again.format, contract.format);
    EXPECT_EQ(digest(again), digest(contract));
  }
  EXPECT_NE(digest(all[0]), digest(all[1]));
}

TEST(Contract, TheSimpleContractOfTheAbiHeaderIsF32AnyWithLimits) {
  const ContractSet set = read_contracts(QKVET_SIMPLE_CONTRACT, "kernel.h");
  ASSERT_EQ(set.contracts.size(), 1U);
  EXPECT_EQ(set.contracts[0].arithmetic, builtin_contract("f32-any")->arithmetic);
  EXPECT_EQ(set.contracts[0].limits.sinks, Allow::never);
  EXPECT_EQ(set.contracts[0].limits.formats, std::vector<Format>{Format::binary32});
}

TEST(Contract, UndeclaredFormatIsTheLoosestMarkedAsAssumed) {
  const Contract nothing = ContractSet{}.at(Format::binary64);
  EXPECT_EQ(nothing.name, "f64-any");
  EXPECT_TRUE(nothing.assumed);
  EXPECT_GT(nothing.assumed_fields.size(), 40U);
  const ContractSet set = read_contracts(QKVET_SIMPLE_CONTRACT, "kernel.h");
  EXPECT_EQ(set.at(Format::binary32).name, "simple-f32");
  EXPECT_FALSE(set.at(Format::binary32).assumed);
  EXPECT_TRUE(set.at(Format::binary64).assumed);
  EXPECT_EQ(set.at(Format::binary64).limits.sinks, Allow::never);
}

TEST(Contract, TakesItsOwnFormatUnlessItsLimitsSayOtherwise) {
  const std::vector<Format> low{Format::bfloat16};
  EXPECT_EQ(builtin_contract("bf16-math")->limits.formats, low);
  EXPECT_EQ(ContractSet{}.at(Format::bfloat16).limits.formats, low);
  const ContractSet open = read_contracts(
      "contract = a\nbase = f32-any\n[limits]\nd_k <= 64\ncontract = b\nbase = bf16-any\n", "t");
  EXPECT_EQ(open.at(Format::bfloat16).limits.formats, low);
  EXPECT_EQ(open.at(Format::binary16).limits.formats, std::vector<Format>{Format::binary16});
  EXPECT_EQ(open.at(Format::binary16).limits.d_k.max, 64);
  EXPECT_EQ(open.at(Format::binary32).limits.formats, drawn_formats());
  const ContractSet closed = read_contracts(QKVET_SIMPLE_CONTRACT, "kernel.h");
  EXPECT_EQ(closed.at(Format::bfloat16).limits.formats, std::vector<Format>{Format::binary32})
      << "it takes f32 and says so";
}

TEST(Contract, WhatALooseBaseLeavesOpenIsNamed) {
  const ContractSet set = read_contracts(
      "contract = a\nbase = f32-any/1\n[arithmetic]\nexp_error = 1.5\n"
      "contract = b\nbase = f32-ieee/1\n",
      "t");
  const Contract loosest = ContractSet{}.at(Format::binary32);
  const std::vector<std::string>& open = set.contracts[0].assumed_fields;
  EXPECT_EQ(open.size() + 1, loosest.assumed_fields.size());
  for (const std::string& field : open) EXPECT_FALSE(field.starts_with("exp_error")) << field;
  EXPECT_TRUE(set.contracts[1].assumed_fields.empty());
}

TEST(Contract, SeveralContractsAndBasesInOneText) {
  const ContractSet set = read_contracts(
      "# two\ncontract = a\nbase = f32-ieee\n[arithmetic]\nexp_error = 1.5 # tight\n"
      "contract = b/3\nbase = a/1\n[semantics]\nempty_row = zero\n",
      "t");
  ASSERT_EQ(set.contracts.size(), 2U);
  EXPECT_EQ(set.contracts[1].version, 3);
  EXPECT_DOUBLE_EQ(set.contracts[1].arithmetic.exp_error, 1.5);
  EXPECT_EQ(set.contracts[1].semantics.empty_row, Semantics::EmptyRow::zero);
  EXPECT_EQ(set.contracts[0].semantics.empty_row, Semantics::EmptyRow::exempt);
}

struct Bad {
  const char* text;
  const char* where;  ///< source and line
  const char* names;  ///< what else the message must say
};

class BadContract : public testing::TestWithParam<Bad> {};

TEST_P(BadContract, IsRefusedWithLineAndField) {
  try {
    (void)read_contracts(GetParam().text, "f.contract");
    FAIL() << "accepted: " << GetParam().text;
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ExitCode::bad_data) << message;
    EXPECT_NE(message.find(GetParam().where), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().names), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadContract,
    testing::Values(
        Bad{"", "f.contract:0", "no contract"}, Bad{"# nothing\n", "f.contract:1", "no contract"},
        Bad{"base = f32-any\n", "f.contract:1", "before the first"},
        Bad{"contract = a\nbase = f99\n", "f.contract:2", "f32-any/1"},
        Bad{"contract = a\nbase = f32-any/2\n", "f.contract:2", "f32-any/2"},
        Bad{"contract = a b\n", "f.contract:1", "name"},
        Bad{"contract = a/0\n", "f.contract:1", "version"},
        Bad{"contract = a/x\n", "f.contract:1", "version"},
        Bad{"contract = a\n", "f.contract:1", "dot_lanes"},
        Bad{"contract = a\nformat = f32\n[arithmetic]\ndot = f32\n", "f.contract:4", "exp_error"},
        Bad{"contract = a\nbase = f32-any\nformat = f64\n", "f.contract:3", "format"},
        Bad{"contract = a\nbase = f32-any\nformat = f33\n", "f.contract:3", "bf16"},
        Bad{"contract = a\nbase = f32-any\ncolour = red\n", "f.contract:3", "colour"},
        Bad{"contract = a\nbase = f32-any\n[arith]\n", "f.contract:3", "[arithmetic]"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\n[arithmetic]\n", "f.contract:4", "twice"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_eror = 1\n", "f.contract:4",
            "exp_error"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_error = 1\nexp_error = 1\n",
            "f.contract:5", "twice"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_error = -1\n", "f.contract:4",
            "exp_error"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_error = nan\n", "f.contract:4",
            "exp_error"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_error = 1e10\n", "f.contract:4",
            "4294967296"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_error = 1 2\n", "f.contract:4",
            "number"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nexp_error =\n", "f.contract:4", "number"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\ntile = 0\n", "f.contract:4", "any, or"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nmerge_levels = any\n", "f.contract:4",
            "integer"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nshift = lazy\n", "f.contract:4", "fused"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nflushes = maybe\n", "f.contract:4",
            "yes, no"},
        Bad{"contract = a\nbase = f32-any\n[semantics]\nempty_row = 0\n", "f.contract:4", "zero"},
        Bad{"contract = a\nbase = f32-any\n[promises]\nbatches = yes\n", "f.contract:4", "batch"},
        Bad{"contract = a\nbase = f32-any\n[limits]\ncausal = perhaps\n", "f.contract:4", "causal"},
        Bad{"contract = a\nbase = f32-any\n[limits]\nfoo = 1\n", "f.contract:4", "foo"},
        Bad{"contract = a\nbase = f32-any\n[limits]\nL <= 8\nL <= 9\n", "f.contract:5", "twice"},
        Bad{"contract = a\nbase = f32-any\njust words\n", "f.contract:3", "just words"},
        Bad{"contract = a\nbase = f32-any\ncontract = a\nbase = f32-any\n", "f.contract:3",
            "twice"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nnorm_first = yes\nrenormalises = yes\n",
            "f.contract:5", "renormalises = yes and norm_first = yes contradict"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nrenormalises = yes\nnorm_first = yes\n"
            "tile = 64\n",
            "f.contract:5", "nothing to divide"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nmerge_levels = 0\n", "f.contract:4",
            "contradict"},
        Bad{"contract = a\nbase = f32-any\n[semantics]\nempty_row = mean\n[promises]\nselection = "
            "yes\n",
            "f.contract:6", "contradict"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\noperands = tf33\n", "f.contract:4",
            "tf32_truncated"},
        Bad{"contract = a\nbase = f64-any\n[arithmetic]\noperands = tf32\n", "f.contract:4",
            "dot = f64 and operands = tf32 contradict"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nadder_terms = 0\n", "f.contract:4",
            "at least one product"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nweight_scale = 256\n", "f.contract:4",
            "weight_scale = 256 and narrow_weight = no contradict"},
        Bad{"contract = a\nbase = bf16-fp8\n[arithmetic]\nweight_scale = -1\n", "f.contract:4",
            "weight_scale"},
        Bad{"contract = a\nbase = bf16-fp8\n[arithmetic]\nweight_scale = nan\n", "f.contract:4",
            "weight_scale"},
        Bad{"contract = a\nbase = bf16-fp8\n[arithmetic]\nweight_scale = 0\n", "f.contract:4",
            "would be 0"},
        Bad{"contract = a\nbase = bf16-fp8\n[arithmetic]\nweight_scale = 464\n", "f.contract:4",
            "overflow"},
        Bad{"contract = a\nbase = bf16-fp8\n[arithmetic]\nlazy_rescale = 8\n", "f.contract:4",
            "e^8"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nunchanged_max = maybe\n",
            "f.contract:4", "exact, rounded"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nunchanged_max = rounded\n[promises]\n"
            "exact_one = yes\n",
            "f.contract", "contradict"},
        Bad{"contract = a\nbase = f32-any\n[arithmetic]\nshift = fused\n[promises]\nexact_one = "
            "yes\n",
            "f.contract", "contradict"}));

}  // namespace
}  // namespace qkvet
