// Which rung answers: the one place that knows them all.
#include <qkvet/oracle/oracle.hpp>

#include <qkvet/num/error.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/oracle/first.hpp>

namespace qkvet {

struct RowEncloser::State {
  FirstRung first;
};

RowEncloser::RowEncloser(const Problem& problem, const Semantics& semantics, Rung rung) {
  QKVET_ASSERT(rung == Rung::first);  // The other rungs are being built.
  const DefaultFloatEnvironment environment;
  state_ = std::make_unique<State>(State{FirstRung(problem, semantics)});
}

RowEncloser::~RowEncloser() = default;
RowEncloser::RowEncloser(RowEncloser&&) noexcept = default;
RowEncloser& RowEncloser::operator=(RowEncloser&&) noexcept = default;

RowEnclosure RowEncloser::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  const DefaultFloatEnvironment environment;
  return state_->first.row(b, h, i);
}

RowEnclosure enclose_row(const Problem& problem, const Semantics& semantics, Rung rung,
                         std::int64_t b, std::int64_t h, std::int64_t i) {
  return RowEncloser(problem, semantics, rung).row(b, h, i);
}

}  // namespace qkvet
