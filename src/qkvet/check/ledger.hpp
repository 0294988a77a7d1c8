// What a judge has gathered so far: counts, the worst ratio, the worst finding. Judges fill one and
// turn it into a Verdict at the end, so that every property counts and words its findings alike.
#pragma once

#include <functional>
#include <optional>
#include <qkvet/check/property.hpp>
#include <qkvet/check/verdict.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// One output place of one exhibit: what was admitted there and what was seen.
struct Spot {
  const Exhibit* exhibit = nullptr;
  PlaceIndex at;

  [[nodiscard]] const Place& place() const;
  /// True if the candidate returned this output (an LSE may be missing).
  [[nodiscard]] bool present() const;
  [[nodiscard]] Format format() const;
  [[nodiscard]] std::uint64_t bits() const;
  [[nodiscard]] double got() const;
};

/// Calls `visit` for every output place and then for every LSE that the problem asks for (c = -1).
void for_places(const Shape& shape, bool lse, const std::function<void(const PlaceIndex&)>& visit);

/// "o[0,1,2,3]" or "lse[0,1,2]".
[[nodiscard]] std::string name_of(const PlaceIndex& at);

class Ledger {
 public:
  explicit Ledger(std::string_view property) : property_(property) {}

  void count(const Place& place) { tally_.add(place); }
  /// A ratio error / allowed of something that was accepted.
  void measure(double ratio);
  /// Keeps the worst finding; of equal ones the first. Fills in the property's name.
  void fail(Finding finding);
  /// `got` at `spot` is not admitted by `allowed`. `why` is asked only for the finding that is kept.
  void reject(const Spot& spot, const Place& allowed, double got, std::uint64_t bits,
              const std::function<std::string()>& why);

  /// Fail if anything failed; Undecided if places were seen and none of them decides (Vacuous if
  /// that is so because the contract gives no finite bound for some); else Pass.
  [[nodiscard]] Verdict verdict() const;

 private:
  std::string property_;
  Tally tally_;
  double worst_ = 0;
  std::optional<Finding> finding_;
};

}  // namespace qkvet
