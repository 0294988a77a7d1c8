#include <qkvet/campaign/drawing.hpp>
#include <qkvet/campaign/examiner.hpp>
#include <qkvet/campaign/far_strides.hpp>

namespace qkvet {
namespace {

constexpr int redraws_of_a_wish = 8;  // then the case is drawn as it comes

/// A plan of several problems costs as much as they do together, so what is dear is left to the
/// property that judges one problem by itself.
bool judges_one_problem(const Property& property) { return property.name == "matches-reference"; }

/// Half of the cases where one problem is judged, whose other half statistics are asked of, and two
/// of three elsewhere.
bool is_steered(bool single, std::int64_t n) { return single ? n % 2 != 0 : n % 3 != 0; }

/// Numbers of batch entries and heads that need more than 16 bits are dear, and wished for together
/// with anything else they are seldom: some cases are theirs.
constexpr std::int64_t cases_per_many = 400;

std::optional<FeatureValues> many_at(std::int64_t n) {
  FeatureValues wishes;
  const std::int64_t place = n % cases_per_many;
  if (place == cases_per_many / 2 - 1) wishes[Feature::batch] = 2;
  if (place == cases_per_many - 1) wishes[Feature::kv_heads] = 3;
  if (wishes == FeatureValues{}) return std::nullopt;
  return wishes;
}

std::uint64_t stream_of(std::string_view name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a: a property's cases depend on its name only.
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(hash ^ mix(seed));
}

}  // namespace

Drawing::Drawing(const Property& property, std::uint64_t seed)
    : property_(property),
      stream_(stream_of(property.name, seed)),
      steering_(mix(stream_ ^ 0x9e3779b97f4a7c15U)) {}

Drawing::Case Drawing::draw_case(std::int64_t n, int redraw,
                                 const std::function<const Domain&(Choices&)>& domain_of) {
  const bool single = judges_one_problem(property_);
  const bool steered = is_steered(single, n);
  if (redraw == 0) wishes_ = steered ? std::optional(steering_.next()) : std::nullopt;
  if (single && redraw == 0) {
    if (const auto many = many_at(n)) wishes_ = many;
  }
  if (redraw >= redraws_of_a_wish) wishes_.reset();
  const std::uint64_t place = static_cast<std::uint64_t>(n) * redraws_per_case +
                              static_cast<std::uint64_t>(redraw);
  const std::uint64_t seed = mix(stream_ + place);
  Choices choices = Choices::from_seed(seed);
  const Domain& domain = domain_of(choices);
  Drawn drawn = draw(choices, domain, wishes_.value_or(FeatureValues{}),
                     single ? full_size : small_size);
  prepare(drawn.problem, property_, domain, mix(seed));
  if (single) stride_far(drawn.problem, domain, seed);
  return {std::move(drawn), seed, wishes_.has_value()};
}

}  // namespace qkvet
