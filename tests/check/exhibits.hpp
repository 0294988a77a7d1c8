// Hand-made exhibits: allowed sets and outputs as a test wants them, no oracle involved.
#pragma once

#include <cmath>
#include <limits>
#include <qkvet/check/property.hpp>
#include <utility>
#include <vector>

namespace qkvet::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline Place checked(double exact, double radius) {
  Place place;
  place.exact = {exact, exact};
  place.radius = radius;
  place.allowed = {exact - radius, exact + radius};
  return place;
}

inline Place exactly(double value) {
  Place place = checked(value, 0);
  place.kind = PlaceKind::exact;
  return place;
}

inline Place due_nan() {
  Place place;
  place.kind = PlaceKind::exact;
  place.allowed = {infinity, -infinity};
  place.nan = true;
  return place;
}

inline Place exempt() {
  Place place;
  place.kind = PlaceKind::exempt;
  place.allowed = {-1, 1};
  place.nan = place.zero = true;
  return place;
}

/// One row of d_v = places.size() f32 outputs.
class OneRow {
 public:
  OneRow(std::vector<Place> places, std::vector<double> outputs, const char* role = "") {
    run_.role = role;
    run_.problem.shape.d_v = static_cast<std::int64_t>(places.size());
    exhibit_.run = &run_;
    exhibit_.contract = &contract_;
    exhibit_.admissible.o = std::move(places);
    exhibit_.observation.outputs = outputs_of(outputs);
  }
  OneRow(const OneRow&) = delete;
  OneRow& operator=(const OneRow&) = delete;

  static Outputs outputs_of(const std::vector<double>& values) {
    Outputs out;
    out.o = make_tensor(Format::binary32, {1, 1, 1, static_cast<std::int64_t>(values.size())});
    for (std::size_t d = 0; d < values.size(); ++d) {
      out.o.bits[d] = encode(Format::binary32, values[d]);
    }
    return out;
  }

  Exhibit& exhibit() { return exhibit_; }
  Contract& contract() { return contract_; }

 private:
  PlannedRun run_;
  Contract contract_;
  Exhibit exhibit_;
};

}  // namespace qkvet::test
