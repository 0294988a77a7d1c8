// The judge `own`: each output in its own allowed set.
#pragma once

#include <functional>
#include <qkvet/check/ledger.hpp>

namespace qkvet {

using Where = std::function<bool(const PlaceIndex&)>;

/// Judges every output and LSE of the exhibit (where `where` says so, if given) by its own allowed
/// set, counts each place once, and judges differing repeats of the call the same way.
void judge_own(Ledger& ledger, const Exhibit& exhibit, const Where& where = {});

}  // namespace qkvet
