#include "fuzz/screen_letters.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace qkvet::fuzz {
namespace {

CaseLetters letters(const Arithmetic& words, const Shape& shape) {
  const bound::Letters l = bound::letters_of(words, shape, 1);
  CaseLetters out;
  out.known = true;
  out.divide = l.eps_div.value();
  out.store = l.u_out.value();
  // The smaller of the two forms of docs/bounds.md 3.1, the second with its least partial sum, A / 2.
  out.dot = std::min(l.dot_error.value(), l.dot_leaf.value() + 0.5 * l.dot_adds.value());
  out.exp = l.eps_exp.value();
  out.unit = l.u_S.value();
  out.argument = words.argument_rounds * out.unit;
  out.round = words.score_rounds * out.unit;
  out.log = l.eps_log.value() + out.unit;
  out.store_lse = l.u_lse.value();
  out.omega = l.omega.value();
  out.eta = l.eta_acc.value();
  return out;
}

/// The element, after making room for it.
template <class T>
T& grown(std::vector<T>& list, std::int64_t at) {
  const auto index = static_cast<std::size_t>(at);
  if (list.size() <= index) list.resize(index + 1);
  return list[index];
}

}  // namespace

const CaseLetters& LetterTable::of_case(const Arithmetic& words, const Shape& shape) {
  static_assert(std::is_trivially_copyable_v<Arithmetic>);
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return std::memcmp(e.words.data(), &words, sizeof words) == 0;
  });
  if (entry == entries_.end()) {
    constexpr std::size_t most = 64;  // contracts; nobody meets as many
    if (entries_.size() == most) entries_.clear();
    entries_.emplace_back();
    entry = entries_.end() - 1;
    std::memcpy(entry->words.data(), &words, sizeof words);
  }
  rows_ = &grown(entry->by_S_and_n, shape.S);
  CaseLetters& known = grown(entry->by_d_k, shape.d_k);
  if (!known.known) known = letters(words, shape);
  return known;
}

SumLetters LetterTable::of_row(const Arithmetic& words, const Shape& shape, std::int64_t n) {
  SumLetters& known = grown(*rows_, n);
  if (known.nu < 0) {
    const bound::Letters l = bound::letters_of(words, shape, n);
    // docs/bounds.md 4.3 or 4.8, the latter with its least partial sum, sum p |V| / 2, and no rescale.
    const double partial = 0.5 * std::max(0.0, l.n - 1) + l.other_roundings();
    const double apart = l.words.adder_terms > 1
                             ? l.nu(0).value()
                             : l.per_rounding(l.chain + l.other_roundings()).value() * partial +
                                   l.u_op.value();
    known = {std::min(l.nu(0).value(), apart), l.mu(0).value()};
  }
  return known;
}

}  // namespace qkvet::fuzz
