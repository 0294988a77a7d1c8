#include "properties/specials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/check/meet.hpp>

#include "properties/tools.hpp"

namespace qkvet {
namespace {

/// A score in plain double, good enough to choose a key by. NaN where the inputs say so.
double rough_score(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i,
                   std::int64_t j) {
  double dot = 0;
  for (std::int64_t c = 0; c < p.shape.d_k; ++c) {
    dot += p.q.value(b, h, i, c) * p.k.value(b, p.shape.kv_head(h), j, c);
  }
  double bias = bias_value(p, b, h, i, j);
  if (p.alibi_slopes) {
    bias -= p.alibi_slopes->value(h, 0, 0, 0) *
            std::fabs(static_cast<double>(i + diagonal_offset(p, b) - j));
  }
  return scale_value(p) * dot + bias;
}

/// The visible key of the largest score; -1 if the row sees none.
std::int64_t heaviest_key(const Problem& p, const Contract& contract, std::int64_t b,
                          std::int64_t h, std::int64_t i) {
  std::int64_t best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (!sees(p, contract, b, h, i, j)) continue;
    const double score = rough_score(p, b, h, i, j);
    if (best >= 0 && !(score > most)) continue;
    best = j;
    most = score;
  }
  return best;
}

bool same_head(const Special& place, const PlaceIndex& at) {
  return at.b == place.b && at.h == place.h;
}

/// True if both read the same keys and values.
bool same_group(const Shape& shape, const Special& place, const PlaceIndex& at) {
  return at.b == place.b && shape.kv_head(at.h) == shape.kv_head(place.h);
}

/// True if the bias element covers (b, h) and, where asked, row i: an axis of extent 1 broadcasts.
bool bias_covers(const Problem& p, const Special& place, const PlaceIndex& at, bool row) {
  const auto& extents = p.mask.bias->extents;
  return (extents[0] == 1 || at.b == place.b) && (extents[1] == 1 || at.h == place.h) &&
         (!row || extents[2] == 1 || at.i == place.i);
}

/// True if the row of `at` sees the key of the place, or any key if a bias covers all of them.
bool sees_place(const Problem& p, const Contract& contract, const Special& place,
                const PlaceIndex& at) {
  if (place.in == Special::In::bias && p.mask.bias->extents[3] == 1) {
    return count_seen(p, contract, at.b, at.h, at.i) > 0;
  }
  return sees(p, contract, at.b, at.h, at.i, place.j);
}

/// The promise of equal bits for an output that the place cannot reach: it names what differs.
bool promised(const Problem& p, const Contract& contract, const Special& place,
              const PlaceIndex& at) {
  const Promises& promises = contract.promises;
  switch (place.in) {
    case Special::In::q:
      return same_head(place, at) ? promises.row : promises.batch;
    case Special::In::bias:
      if (!bias_covers(p, place, at, false)) return promises.batch;
      return bias_covers(p, place, at, true) ? promises.selection : promises.row;
    case Special::In::k:
      return same_group(p.shape, place, at) ? promises.selection : promises.batch;
    case Special::In::v:
      break;
  }
  if (!same_group(p.shape, place, at)) return promises.batch;
  if (!sees_place(p, contract, place, at)) return promises.selection;
  return at.c < 0 ? promises.weights_from_scores : promises.columns;
}

}  // namespace

std::string_view word(Special::In in) {
  switch (in) {
    case Special::In::q:
      return "q";
    case Special::In::k:
      return "k";
    case Special::In::v:
      return "v";
    case Special::In::bias:
      break;
  }
  return "the bias";
}

std::vector<Special> special_places(const Problem& p, const Contract& contract, Choices& choices) {
  const Shape& s = p.shape;
  const std::int64_t rows = std::max<std::int64_t>(1, s.L - 1);
  const std::int64_t all = s.B * s.H_q * rows;
  const std::int64_t start = choices.between(0, all - 1);
  Special place;
  place.c = choices.between(0, s.d_k - 1);
  const std::int64_t column = choices.between(0, s.d_v - 1);
  std::int64_t key = -1;
  for (std::int64_t n = 0; n < all && key < 0; ++n) {
    const std::int64_t at = (start + n) % all;
    place.b = at / rows / s.H_q;
    place.h = at / rows % s.H_q;
    place.i = at % rows;
    key = heaviest_key(p, contract, place.b, place.h, place.i);
  }
  place.j = key >= 0 ? key : choices.between(0, s.S - 1);
  std::vector<Special> places;
  for (const auto in : {Special::In::q, Special::In::k, Special::In::v, Special::In::bias}) {
    // The bias of a hidden key may be its mask.
    if (in == Special::In::bias && (!p.mask.bias || key < 0)) continue;
    places.push_back(place);
    places.back().in = in;
    if (in == Special::In::v) places.back().c = column;
  }
  return places;
}

Problem with_special(const Problem& problem, const Special& at, double x) {
  Problem p = problem;
  const std::int64_t head = p.shape.kv_head(at.h);
  switch (at.in) {
    case Special::In::q:
      p.q.set(at.b, at.h, at.i, at.c, x);
      p.layouts.q = {};
      break;
    case Special::In::k:
      p.k.set(at.b, head, at.j, at.c, x);
      p.layouts.k = {};
      break;
    case Special::In::v:
      p.v.set(at.b, head, at.j, at.c, x);
      p.layouts.v = {};
      break;
    case Special::In::bias: {
      const auto& e = p.mask.bias->extents;
      const auto along = [&e](std::size_t axis, std::int64_t n) { return e[axis] == 1 ? 0 : n; };
      p.mask.bias->set(along(0, at.b), along(1, at.h), along(2, at.i), along(3, at.j), x);
      p.layouts.bias = {};
      break;
    }
  }
  return p;
}

bool reaches(const Problem& p, const Contract& contract, const Special& place,
             const PlaceIndex& at) {
  const bool reads = !contract.promises.selection || sees_place(p, contract, place, at);
  switch (place.in) {
    case Special::In::q:
      return same_head(place, at) && at.i == place.i;
    case Special::In::k:
      return same_group(p.shape, place, at) && reads;
    case Special::In::v:
      return same_group(p.shape, place, at) && at.c == place.c && reads;
    case Special::In::bias:
      break;
  }
  return bias_covers(p, place, at, true) && reads;
}

bool spares_some(const Problem& p, const Contract& contract, const Special& place) {
  bool spared = false;
  for_places(p.shape, false,
             [&](const PlaceIndex& at) { spared = spared || !reaches(p, contract, place, at); });
  return spared;
}

void relate_spared(Ledger& ledger, const Exhibit& without, const Exhibit& with,
                   const Special& place) {
  const Problem& p = without.run->problem;
  const Contract& contract = *without.contract;
  for (const bool bits : {true, false}) {
    relate(ledger, bits, without, with, [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
      if (reaches(p, contract, place, at)) return std::nullopt;
      if (promised(p, contract, place, at) != bits) return std::nullopt;
      return at;
    });
  }
}

}  // namespace qkvet
