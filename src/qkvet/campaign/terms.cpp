// What a campaign may draw and under which contract it judges; and problems in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <qkvet/campaign/campaign.hpp>

namespace qkvet {
namespace {

bool has_nonfinite(const Tensor& tensor) {
  return std::any_of(tensor.bits.begin(), tensor.bits.end(),
                     [&](std::uint64_t bits) { return !is_finite(tensor.format, bits); });
}

bool is_among(const std::vector<Format>& formats, Format format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

bool is_strided(const Problem& problem) {
  const Layouts& all = problem.layouts;
  const auto plain = [](const Layout& layout) { return !layout.strides && layout.shift == 0; };
  return !(plain(all.q) && plain(all.k) && plain(all.v) && plain(all.o) && plain(all.lse) &&
           plain(all.attend) && plain(all.bias));
}

std::string_view diagonal_word(Diagonal::Kind kind) {
  switch (kind) {
    case Diagonal::Kind::top_left:
      return "tl";
    case Diagonal::Kind::bottom_right:
      return "br";
    case Diagonal::Kind::fixed:
      return "fixed";
  }
  return "?";
}

/// Features that the user rules out are none that a plan may add: a kernel without masks is not
/// asked for them by a property that would write one.
void rule_out(Domain& limits, const Domain& wanted) {
  constexpr Allow Domain::*features[] = {
      &Domain::causal,  &Domain::window, &Domain::key_range, &Domain::bool_mask, &Domain::bias,
      &Domain::softcap, &Domain::sinks,  &Domain::alibi,     &Domain::lse,
  };
  for (Allow Domain::*const feature : features) {
    if (wanted.*feature == Allow::never) limits.*feature = Allow::never;
  }
}

}  // namespace

Terms terms_for(Format format, const Candidate& candidate, const std::optional<ContractSet>& user,
                const Domain& wanted) {
  Terms terms{candidate.contracts().at(format), {}};
  if (user && is_among(terms.contract.limits.formats, format)) {
    for (const Contract& contract : user->contracts) {
      if (contract.format != format) continue;
      const Domain limits = intersect(terms.contract.limits, contract.limits);
      terms.contract = contract;
      terms.contract.limits = limits;
    }
  }
  const bool taken = is_among(terms.contract.limits.formats, format);
  terms.domain = wanted;
  if (taken) terms.domain = intersect(terms.contract.limits, wanted);
  rule_out(terms.contract.limits, wanted);
  terms.domain.formats = taken && is_among(terms.domain.formats, format)
                             ? std::vector{format}
                             : std::vector<Format>{};
  return terms;
}

std::vector<Format> taken_formats(const Candidate& candidate,
                                  const std::optional<ContractSet>& user, const Domain& wanted) {
  std::vector<Format> taken;
  for (const Format format : wanted.formats) {
    if (!terms_for(format, candidate, user, wanted).domain.formats.empty()) taken.push_back(format);
  }
  return taken;
}

std::vector<Format> usual_formats(const Candidate& candidate,
                                  const std::optional<ContractSet>& user, const Domain& wanted) {
  const auto speaks_of = [](const ContractSet& set, Format format) {
    return std::any_of(set.contracts.begin(), set.contracts.end(),
                       [&](const Contract& contract) { return contract.format == format; });
  };
  const std::vector<Contract>& own = candidate.contracts().contracts;
  const bool declares = !own.empty() && !own.front().source.starts_with("preset ");
  std::vector<Format> formats = taken_formats(candidate, user, wanted);
  std::erase_if(formats, [&](Format format) {
    if (user) return !speaks_of(*user, format);
    if (!declares) return !is_among(drawn_formats(), format);
    return !speaks_of(candidate.contracts(), format) &&
           !is_among(own.front().limits.formats, format);
  });
  return formats;
}

std::vector<std::string_view> features_of(const Problem& problem) {
  const MaskSpec& mask = problem.mask;
  const Shape& shape = problem.shape;
  std::vector<std::string_view> features{info(problem.format).name};
  const auto add = [&](bool present, std::string_view name) {
    if (present) features.push_back(name);
  };
  add(mask.causal, "causal");
  add(mask.window.has_value(), "window");
  add(mask.key_range.has_value(), "key-range");
  add(mask.attend.has_value(), "bool-mask");
  add(mask.bias.has_value(), "bias");
  add(shape.H_q != shape.H_kv, "grouped-heads");
  add(shape.L != shape.S, "L!=S");
  add(shape.d_k != shape.d_v, "d_k!=d_v");
  add(shape.outputs() == 0 || shape.S == 0 || shape.d_k == 0, "zero-extent");
  add(problem.scale.has_value(), "explicit-scale");
  add(problem.softcap > 0, "softcap");
  add(problem.sinks.has_value(), "sinks");
  add(problem.alibi_slopes.has_value(), "alibi");
  add(problem.want_lse, "lse");
  add(problem.call.threads != 0, "threads");
  add(problem.call.splits != 0, "splits");
  add(is_strided(problem), "strided");
  add(has_nonfinite(problem.q) || has_nonfinite(problem.k) || has_nonfinite(problem.v),
      "nonfinite");
  return features;
}

std::string describe_shape(const Problem& problem) {
  const Shape& shape = problem.shape;
  std::string text = fmt::format("B {}  H {}/{}  L {}  S {}  d_k {}  d_v {} ", shape.B, shape.H_q,
                                 shape.H_kv, shape.L, shape.S, shape.d_k, shape.d_v);
  for (const std::string_view feature : features_of(problem)) {
    text += fmt::format(" {}", feature);
    if (feature == "causal") text += fmt::format(":{}", diagonal_word(problem.mask.diagonal.kind));
  }
  return text;
}

std::string shell_quoted(std::string_view text) {
  const std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(safe) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string repro_line(const std::string& case_text, const std::string& saved,
                       std::string_view property, const std::string& candidate,
                       const std::string& flags) {
  // A line of a terminal or of a bug report; longer cases are in the file.
  const bool inline_bits = case_text.size() < 300 || saved.empty();
  std::string line = "qkvet repro ";
  line += inline_bits ? fmt::format("'{}'", case_text) : shell_quoted(saved);
  line += ' ';
  line += shell_quoted(candidate);
  return line + fmt::format(" --prop {}", property) + flags;
}

}  // namespace qkvet
