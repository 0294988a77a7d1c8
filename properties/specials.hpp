// Single NaNs and infinities put into a problem, and which outputs they can reach: what
// nan-stays-in-its-row, visible-nan-due and infinity-confined share.
#pragma once

#include <cstdint>
#include <qkvet/check/ledger.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/problem.hpp>
#include <string_view>
#include <vector>

namespace qkvet {

/// One input element: channel c of query (b, h, i); channel c of key j, or column c of its value,
/// in the key head that (b, h) reads; the bias of (b, h, i, j), which a broadcast tensor shares
/// with others.
struct Special {
  enum class In : std::uint8_t { q, k, v, bias };

  In in = In::q;
  std::int64_t b = 0, h = 0, i = 0, j = 0, c = 0;
};

/// "q", "k", "v" or "the bias".
[[nodiscard]] std::string_view word(Special::In in);

/// One place in each of q, k, v and, if there is one, the bias: all of one row and of the visible
/// key that weighs most in it (any key and no bias, if no row sees one). Not the last row where there are
/// several: what follows a special value is where it leaks to. Requires outputs, S > 0 and d_k > 0.
[[nodiscard]] std::vector<Special> special_places(const Problem& problem, const Contract& contract,
                                                  Choices& choices);

/// The problem with x at that place.
[[nodiscard]] Problem with_special(const Problem& problem, const Special& place, double x);

/// True if the output at `at` may depend on the place: a hidden key counts as read unless selection
/// is promised.
[[nodiscard]] bool reaches(const Problem& problem, const Contract& contract, const Special& place,
                           const PlaceIndex& at);

/// True if some output cannot depend on it.
[[nodiscard]] bool spares_some(const Problem& problem, const Contract& contract,
                               const Special& place);

/// Relates what the place cannot reach to the run without the special value: by bits where the
/// contract promises them for what differs, else by `meet`.
void relate_spared(Ledger& ledger, const Exhibit& without, const Exhibit& with,
                   const Special& place);

}  // namespace qkvet
