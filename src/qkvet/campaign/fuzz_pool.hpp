// The inputs that the fuzz engine keeps: each was the first of some class.
#pragma once

#include <cstdint>
#include <qkvet/campaign/fuzz_input.hpp>
#include <unordered_map>
#include <vector>

namespace qkvet {

class FuzzPool {
 public:
  struct Kept {
    FuzzInput input;
    std::size_t values = 0;  ///< about how many bytes of its part of values `draw` reads
  };

  /// Counts the classes; keeps the input if it is the first of any. True if it was kept.
  bool add(const FuzzInput& input, std::size_t values, const std::vector<std::uint64_t>& classes);

  /// A kept input of a rare class: of a few classes drawn alike, the one that was hit least.
  /// Requires: not empty.
  [[nodiscard]] const Kept& choose(Choices& random) const;

  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }

 private:
  struct Class {
    std::size_t first = 0;  // of kept_
    std::uint64_t hits = 0;
  };

  std::vector<Kept> kept_;
  std::vector<Class> classes_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

}  // namespace qkvet
