#include "fuzz/subject.hpp"

#include <cstdio>
#include <cstdlib>
#include <qkvet/check/examine.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>

#include "properties/registry.hpp"

/// Contract text that qkvet_add_fuzzer(... CONTRACT file) linked in; absent without one.
extern "C" __attribute__((weak)) const char* qkvet_fuzz_contract();

namespace qkvet::fuzz {
namespace {

std::optional<ContractSet> linked_contracts() {
  if (qkvet_fuzz_contract == nullptr) return std::nullopt;
  return read_contracts(qkvet_fuzz_contract(), "CONTRACT of qkvet_add_fuzzer");
}

const qkvet_candidate& table_named(const std::string& kernel) {
  const qkvet_candidate* table = kernel.empty() ? qkvet_candidate_v1() : builtin_kernel(kernel);
  if (table == nullptr) {
    throw InputError(ExitCode::usage, "--kernel=" + kernel + ": no built-in kernel of that name");
  }
  return *table;
}

}  // namespace

Subject::Subject(const Settings& settings, Domain (*narrowed)(Domain))
    : table_(table_named(settings.kernel)), candidate_(in_process(table_)), call_(table_) {
  name_ = builtin_kernel(candidate_->name()) == &table_ ? "builtin:" + candidate_->name()
                                                        : candidate_->name();
  const std::optional<ContractSet> contracts = linked_contracts();
  Domain wanted = narrowed(domain_of(settings.size));
  if (!settings.where.empty()) wanted = narrow(wanted, settings.where);
  for (const Format format : wanted.formats) {
    Terms terms = terms_for(format, *candidate_, contracts, wanted);
    if (!terms.domain.formats.empty()) terms_.push_back(std::move(terms));
  }
  if (terms_.empty()) {
    throw InputError(ExitCode::usage, candidate_->name() + " takes no format that is left to draw");
  }
}

const Contract* Subject::contract(Format format) const {
  for (const Terms& terms : terms_) {
    if (terms.contract.format == format) return &terms.contract;
  }
  return nullptr;
}

Problem Subject::draw(Choices& choices) const {
  const Terms& terms = terms_[choices.below(terms_.size())];
  return qkvet::draw(choices, terms.domain).problem;
}

void found(Subject& subject, const Problem& problem, std::string_view property,
           const std::string& what) {
  const std::string text = write_case(problem);
  std::fprintf(stderr, "\nqkvet fuzz: %s\n case   %s\n", what.c_str(), text.c_str());
  if (!property.empty()) {
    const std::string line = repro_line(text, "", property, subject.name(), "");
    std::fprintf(stderr, " repro  %s\n", line.c_str());
    if (!subject.name().starts_with("builtin:")) {
      std::fprintf(stderr, "        where %s stands for the kernel as a library: ./mine.so\n",
                   subject.name().c_str());
    }
  }
  std::fflush(stderr);
  std::abort();
}

void must_hold(Subject& subject, const Problem& problem, std::string_view property) {
  const Contract* contract = subject.contract(problem.format);
  if (contract == nullptr) return;
  try {
    const Property& named = *property_named(property);
    const Verdict verdict =
        examine(problem, named, subject.candidate(), *contract, {CrossCheck::sixteenth});
    const auto* fail = std::get_if<Fail>(&verdict);
    if (fail == nullptr) return;
    // Said at once: on a smaller case the kernel may die.
    std::fprintf(stderr,
                 "\nqkvet fuzz: FAIL %s (level L0), now made smaller; was found in digest %s\n",
                 std::string(property).c_str(), digest(problem).c_str());
    const Minimised minimal =
        minimise(problem, fail->finding, named, subject.candidate(), *contract, contract->limits,
                 {CrossCheck::never}, MinimiseBudget{1000, 100'000'000}, {});
    found(subject, minimal.problem, property,
          "FAIL " + std::string(property) + " (" + minimal.finding.label +
              ", level L0): " + minimal.finding.message);
  } catch (const OracleDisagreement& error) {
    found(subject, problem, {}, std::string("an error of ours, no finding: ") + error.what());
  }
}

}  // namespace qkvet::fuzz
