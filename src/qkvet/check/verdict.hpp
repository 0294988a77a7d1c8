// What a check concludes: one variant, one printed word each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <qkvet/bound/admissible.hpp>

namespace qkvet {

/// Where in the output: lse places have c = -1.
struct PlaceIndex {
  std::int64_t b = 0, h = 0, i = 0, c = 0;

  bool operator==(const PlaceIndex&) const = default;
};

/// Elements judged, by kind: every verdict carries them, so that nothing passes in silence.
struct Tally {
  std::int64_t checked = 0, hull = 0, exact = 0, exempt = 0, uncheckable = 0;
  std::int64_t vacuous = 0;  ///< of the uncheckable: the contract gives no finite bound

  void add(PlaceKind kind);
  void add(const Place& place);
  Tally& operator+=(const Tally& other);
  [[nodiscard]] std::int64_t total() const { return checked + hull + exact + exempt + uncheckable; }
};

/// A proof that the candidate broke a property.
struct Finding {
  std::string property;
  std::string label;      ///< wrong, non-finite, crash, timeout, out-of-bounds, unwritten, input-changed, ...
  std::string run;        ///< role of the planned run, "" for the problem itself
  PlaceIndex place;
  Place allowed;          ///< what was admitted at the place
  double got = 0;         ///< exact value of the encoding
  std::uint64_t got_bits = 0;
  double excess = 0;      ///< error / radius (or distance in radii from the set); infinity for classes
  std::string message;    ///< one sentence: what was seen and what would have been right
  /// For deduplication and for the minimiser: property, label, run (its numbers as #), class of got
  /// (finite/nan/inf), kind.
  [[nodiscard]] std::string signature() const;
  /// Label, class of got, kind: "wrong finite checked". The same for whatever property found it.
  [[nodiscard]] std::string outcome() const;
};

struct Pass { double headroom = 0; Tally tally; };       ///< headroom: worst error / radius
struct Fail { Finding finding; Tally tally; };
struct Suspect { Finding finding; Tally tally; };
struct Refused { std::string reason; };
struct Vacuous { std::string reason; Tally tally; };
struct Undecided { std::string reason; Tally tally; };

using Verdict = std::variant<Pass, Fail, Suspect, Refused, Vacuous, Undecided>;

/// "pass", "FAIL", "suspect", "refused", "vacuous", "undecided".
[[nodiscard]] std::string_view word(const Verdict& verdict);
[[nodiscard]] const Finding* finding_of(const Verdict& verdict);
[[nodiscard]] Tally tally_of(const Verdict& verdict);

}  // namespace qkvet
