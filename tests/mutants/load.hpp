// A mutant of this folder as a candidate.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/candidate/kernel.h>
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

}  // namespace qkvet::test
