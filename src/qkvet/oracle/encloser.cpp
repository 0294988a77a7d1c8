// Which rung answers: the one place that knows them all.
#include <qkvet/num/float_environment.hpp>
#include <qkvet/oracle/arb.hpp>
#include <qkvet/oracle/definition.hpp>
#include <qkvet/oracle/first.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <variant>

namespace qkvet {

struct RowEncloser::State {
  std::variant<FirstRung, ArbRung, DefinitionRung> rung;
};

RowEncloser::RowEncloser(const Problem& problem, const Semantics& semantics, Rung rung) {
  const DefaultFloatEnvironment environment;
  switch (rung) {
    case Rung::first:
      state_ = std::make_unique<State>(State{FirstRung(problem, semantics)});
      break;
    case Rung::arb:
      state_ = std::make_unique<State>(State{ArbRung(problem, semantics)});
      break;
    case Rung::definition:
      state_ = std::make_unique<State>(State{DefinitionRung(problem, semantics)});
      break;
  }
}

RowEncloser::~RowEncloser() = default;
RowEncloser::RowEncloser(RowEncloser&&) noexcept = default;
RowEncloser& RowEncloser::operator=(RowEncloser&&) noexcept = default;

RowEnclosure RowEncloser::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  const DefaultFloatEnvironment environment;
  return std::visit([&](auto& rung) { return rung.row(b, h, i); }, state_->rung);
}

RowEnclosure enclose_row(const Problem& problem, const Semantics& semantics, Rung rung,
                         std::int64_t b, std::int64_t h, std::int64_t i) {
  return RowEncloser(problem, semantics, rung).row(b, h, i);
}

}  // namespace qkvet
