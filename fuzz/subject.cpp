#include "fuzz/subject.hpp"

#include <cstdio>
#include <cstdlib>
#include <qkvet/check/examine.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>

#include "properties/registry.hpp"

namespace qkvet::fuzz {
namespace {

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
  Domain wanted = narrowed(domain_of(settings.size));
  if (!settings.where.empty()) wanted = narrow(wanted, settings.where);
  for (const Format format : wanted.formats) {
    Terms terms = terms_for(format, *candidate_, {}, wanted);
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
  }
  std::fflush(stderr);
  std::abort();
}

void must_hold(Subject& subject, const Problem& problem, std::string_view property) {
  const Contract* contract = subject.contract(problem.format);
  if (contract == nullptr) return;
  try {
    const Verdict verdict = examine(problem, *property_named(property), subject.candidate(),
                                    *contract, {CrossCheck::sixteenth});
    const auto* fail = std::get_if<Fail>(&verdict);
    if (fail == nullptr) return;
    found(subject, problem, property,
          "FAIL " + std::string(property) + " (" + fail->finding.label +
              ", level L0): " + fail->finding.message);
  } catch (const OracleDisagreement& error) {
    found(subject, problem, {}, std::string("an error of ours, no finding: ") + error.what());
  }
}

}  // namespace qkvet::fuzz
