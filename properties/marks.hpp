// Which keys of which heads a plan fills with garbage, and which rows must not notice.
#pragma once

#include <cstdint>
#include <functional>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

/// marks[mark_at(b, g, j)] != 0: key j of key head g of entry b is marked.
using Marks = std::vector<char>;

[[nodiscard]] std::size_t mark_at(const Shape& shape, std::int64_t b, std::int64_t g,
                                  std::int64_t j);

/// The keys that no row of the head sees; if there are none, the one that most rows do not see.
[[nodiscard]] Marks marked_keys(const Problem& problem, const Contract& contract);

/// For each row whether it sees none of the marked keys.
[[nodiscard]] std::vector<char> unaffected_rows(const Problem& problem, const Contract& contract,
                                                const Marks& marks);

/// x times -7 and a little more: far from x, and small enough that no score of moderate inputs
/// overflows.
[[nodiscard]] double garbage(Format format, double x, Choices& choices);

/// k and v of the marked keys changed, element by element.
[[nodiscard]] Problem with_marked(const Problem& problem, const Marks& marks,
                                  const std::function<double(double)>& change);

}  // namespace qkvet
