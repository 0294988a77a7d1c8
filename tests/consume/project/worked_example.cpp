// The example that every reader can check by hand, through the installed library: keys 0 and ln 3
// with values 10 and 20 give 17.5, and an in-process kernel of the user's is judged.
#include <cmath>
#include <cstdio>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/properties/registry.hpp>
#include <string_view>

namespace {

qkvet::Problem worked_example() {
  using qkvet::Format;
  qkvet::Problem problem;
  problem.shape.S = 2;
  problem.format = Format::binary64;
  problem.q = qkvet::make_tensor(Format::binary64, {1, 1, 1, 1});
  problem.k = qkvet::make_tensor(Format::binary64, {1, 1, 2, 1});
  problem.v = qkvet::make_tensor(Format::binary64, {1, 1, 2, 1});
  problem.q.set(0, 0, 0, 0, 1.0);
  problem.k.set(0, 0, 1, 0, std::log(3.0));
  problem.v.set(0, 0, 0, 0, 10.0);
  problem.v.set(0, 0, 1, 0, 20.0);
  qkvet::validate(problem);
  return problem;
}

// Answers `value` to everything: right for the worked example only if value is 17.5.
template <int tenths>
int constant(void*, const qkvet_args* args, qkvet_error*) {
  *static_cast<double*>(args->o->data) = tenths / 10.0;
  return QKVET_OK;
}

template <int tenths>
const char* judged() {
  const qkvet_candidate table = {
      sizeof(qkvet_candidate), QKVET_ABI, "constant", "0", nullptr, nullptr,
      constant<tenths>,        nullptr};
  const auto candidate = qkvet::in_process(table);
  const qkvet::Contract contract = candidate->contracts().at(qkvet::Format::binary64);
  const qkvet::Property* property = qkvet::property_named("matches-reference");
  if (property == nullptr) return "no property";
  const auto verdict = qkvet::examine(worked_example(), *property, *candidate, contract, {});
  return qkvet::word(verdict).data();
}

}  // namespace

int main() {
  const qkvet::RowEnclosure row =
      qkvet::enclose_row(worked_example(), qkvet::Semantics{}, qkvet::Rung::arb, 0, 0, 0);
  std::printf("o in [%.17g, %.17g]\n", row.o[0].lo, row.o[0].hi);
  // ln 3 is a double here, so the exact output differs from 17.5 by less than 20 * 2^-53; the ends
  // of its enclosure round outward to doubles, 2^-48 apart here.
  if (!(row.o[0].lo > 17.5 - 0x1p-47 && row.o[0].hi < 17.5 + 0x1p-47)) return 1;
  std::printf("17.5: %s, 15.0: %s\n", judged<175>(), judged<150>());
  return std::string_view(judged<175>()) == "pass" && std::string_view(judged<150>()) == "FAIL" ? 0
                                                                                                : 1;
}
