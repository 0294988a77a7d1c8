#include <qkvet/campaign/drawing.hpp>
#include <qkvet/campaign/examiner.hpp>
#include <qkvet/campaign/far_strides.hpp>

namespace qkvet {
namespace {

constexpr int redraws_of_a_wish = 8;  // then the case is drawn as it comes

/// A plan of several problems costs as much as they do together; large ones are left to the property
/// that judges each by itself.
const CaseSize& size_of(std::string_view property) {
  return property == "matches-reference" ? full_size : small_size;
}

/// Half of the cases of matches-reference, whose other half statistics are asked of, and two of
/// three elsewhere.
bool is_steered(std::string_view property, std::int64_t n) {
  return property == "matches-reference" ? n % 2 != 0 : n % 3 != 0;
}

/// Numbers of batch entries and heads that need more than 16 bits are dear, and wished for together
/// with anything else they are seldom: some cases of matches-reference are theirs.
constexpr std::int64_t cases_per_many = 400;

std::optional<FeatureValues> many_at(std::string_view property, std::int64_t n) {
  if (property != "matches-reference") return std::nullopt;
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
  const bool steered = is_steered(property_.name, n);
  if (redraw == 0) wishes_ = steered ? std::optional(steering_.next()) : std::nullopt;
  if (const auto many = many_at(property_.name, n); many && redraw == 0) wishes_ = many;
  if (redraw >= redraws_of_a_wish) wishes_.reset();
  const std::uint64_t place = static_cast<std::uint64_t>(n) * redraws_per_case +
                              static_cast<std::uint64_t>(redraw);
  const std::uint64_t seed = mix(stream_ + place);
  Choices choices = Choices::from_seed(seed);
  const Domain& domain = domain_of(choices);
  Drawn drawn = draw(choices, domain, wishes_.value_or(FeatureValues{}), size_of(property_.name));
  prepare(drawn.problem, property_, domain, mix(seed));
  if (property_.name == "matches-reference") stride_far(drawn.problem, domain, seed);
  return {std::move(drawn), seed, wishes_.has_value()};
}

}  // namespace qkvet
