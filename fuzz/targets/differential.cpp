// differential: every output against the reference. Most cases end at the screen, which accepts
// what lies inside a proven lower part of the bound; the waist decides all others.
#include "fuzz/kernel_target.hpp"
#include "fuzz/screen.hpp"

namespace qkvet::fuzz {
namespace {

Domain everything(Domain domain) { return domain; }

void judge(Subject& subject, const Contract& contract, const Problem& problem, std::uint64_t) {
  static Screen screen;
  const Seen& seen = subject.call().run(problem, contract);
  if (screen.accepts(problem, contract, seen)) return;
  must_hold(subject, problem, "matches-reference");
}

}  // namespace

const KernelTarget kernel_target{"differential", everything, 1, nullptr, judge};

}  // namespace qkvet::fuzz
