#include <qkvet/candidate/candidate.hpp>

namespace qkvet {

OutputFormats output_formats(const Contract& contract) {
  return {contract.arithmetic.out, contract.arithmetic.lse_out};
}

Observation Candidate::run(const Problem& problem) {
  for (const Contract& contract : contracts().contracts) {
    if (contract.format == problem.format) return run(problem, output_formats(contract));
  }
  const bool wide = problem.format == Format::binary64;
  return run(problem, {problem.format, wide ? Format::binary64 : Format::binary32});
}

}  // namespace qkvet
