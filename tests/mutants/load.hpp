// A mutant of this folder as a candidate, and the campaign that has to kill it.
#pragma once

#include <dlfcn.h>
#include <qkvet/candidate/kernel.h>

#include <memory>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <stdexcept>
#include <string>

namespace qkvet::test {

/// Loaded from QKVET_MUTANT_FOLDER into this process: our own code, level L0.
inline std::unique_ptr<Candidate> load_mutant(const std::string& name) {
  const std::string path = std::string(QKVET_MUTANT_FOLDER) + "/" + name + ".so";
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw std::runtime_error(dlerror());
  const auto entry = reinterpret_cast<qkvet_candidate_fn>(dlsym(module, "qkvet_candidate_v1"));
  return in_process(*entry());
}

/// The ci profile in the formats that the candidate declares; findings stay as they were drawn.
inline CampaignOptions ci_campaign(const Candidate& candidate) {
  CampaignOptions options;
  options.profile = *profile_named("ci");
  options.seed = 3;
  options.domain.formats.clear();
  for (const Contract& contract : candidate.contracts().contracts) {
    if (!contract.assumed) options.domain.formats.push_back(contract.format);
  }
  options.minimise.calls = 0;
  return options;
}

}  // namespace qkvet::test
