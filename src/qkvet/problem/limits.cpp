// The text of a Domain: `--where`, the [limits] section of a contract, their help, and
// intersection. One table names every field, so that reader, writer and help cannot disagree.
#include <algorithm>
#include <charconv>
#include <limits>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/draw.hpp>
#include <string>

namespace qkvet {
namespace {

struct RangeField {
  std::string_view name;
  Range Domain::*member;
  std::string_view meaning;
};

struct AllowField {
  std::string_view name;
  Allow Domain::*member;
  std::string_view meaning;
};

constexpr RangeField range_fields[] = {
    {"B", &Domain::B, "batch entries"},
    {"H_q", &Domain::H_q, "query heads"},
    {"H_kv", &Domain::H_kv, "key/value heads"},
    {"L", &Domain::L, "queries"},
    {"S", &Domain::S, "keys"},
    {"d_k", &Domain::d_k, "channels of q and k"},
    {"d_v", &Domain::d_v, "channels of v"},
};

constexpr AllowField allow_fields[] = {
    {"unequal_heads", &Domain::unequal_heads, "d_k != d_v"},
    {"unequal_lengths", &Domain::unequal_lengths, "L != S"},
    {"grouped", &Domain::grouped, "H_q != H_kv"},
    {"causal", &Domain::causal, "causal mask"},
    {"window", &Domain::window, "sliding window"},
    {"key_range", &Domain::key_range, "visible key range per batch entry"},
    {"bool_mask", &Domain::bool_mask, "boolean mask tensor"},
    {"bias", &Domain::bias, "additive bias tensor"},
    {"bias_infinite", &Domain::bias_infinite, "-inf in the bias"},
    {"softcap", &Domain::softcap, "cap * tanh(score / cap)"},
    {"sinks", &Domain::sinks, "sink logits"},
    {"alibi", &Domain::alibi, "ALiBi slopes"},
    {"explicit_scale", &Domain::explicit_scale, "a scale other than the default 1/sqrt(d_k)"},
    {"negative_scale", &Domain::negative_scale, "a scale <= 0"},
    {"lse", &Domain::lse, "the log-sum-exp output is asked for"},
    {"threads", &Domain::threads, "a number of threads is wanted"},
    {"splits", &Domain::splits, "a number of splits of the keys is wanted"},
    {"strided", &Domain::strided, "any layout but contiguous and aligned"},
    {"nonfinite", &Domain::nonfinite,
     "NaN or infinity in q, k, v or bias (a bias of -inf is none)"},
    {"empty_rows", &Domain::empty_rows, "rows without a visible key"},
};

constexpr std::pair<std::string_view, Diagonal::Kind> diagonal_names[] = {
    {"tl", Diagonal::Kind::top_left},
    {"br", Diagonal::Kind::bottom_right},
    {"fixed", Diagonal::Kind::fixed},
};

std::string_view allow_name(Allow allow) {
  return allow == Allow::may ? "may" : allow == Allow::must ? "must" : "never";
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Where a message speaks of, and the exit code that it carries.
struct Context {
  std::string_view place;
  ExitCode code;

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(code, std::string(place) + ": " + message);
  }
};

std::string known_names() {
  std::string names = "formats, diagonals, work_budget, H";
  for (const RangeField& field : range_fields) names += ", " + std::string(field.name);
  for (const AllowField& field : allow_fields) names += ", " + std::string(field.name);
  return names;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::int64_t read_count(std::string_view key, std::string_view text, const Context& context) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
    context.fail(std::string(key) + " = " + quoted(text) + " is not a count (0, 1, 2, ...)");
  }
  return value;
}

void set_range(Range& range, std::string_view key, std::string_view op, std::string_view value,
               const Context& context) {
  const auto dots = value.find("..");
  if (op == "=" && dots != std::string_view::npos) {
    range.min = read_count(key, trimmed(value.substr(0, dots)), context);
    range.max = read_count(key, trimmed(value.substr(dots + 2)), context);
  } else {
    const std::int64_t number = read_count(key, value, context);
    if (op != "<=") range.min = number;
    if (op != ">=") range.max = number;
  }
  if (range.min > range.max) {
    context.fail(std::string(key) + " " + std::string(op) + " " + std::string(value) +
                 " leaves nothing: at least " + std::to_string(range.min) + " and at most " +
                 std::to_string(range.max));
  }
}

Allow read_allow(std::string_view key, std::string_view value, const Context& context) {
  if (value == "may") return Allow::may;
  if (value == "must" || value == "yes") return Allow::must;
  if (value == "never" || value == "no") return Allow::never;
  context.fail(std::string(key) + " = " + quoted(value) +
               " is unknown: may, must (or yes), never (or no)");
}

/// Items separated by any of ", |+" (a comma only where the caller has not split at commas
/// already).
std::vector<std::string_view> items(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const auto first = text.find_first_not_of(" \t,|+");
    if (first == std::string_view::npos) return out;
    text.remove_prefix(first);
    const auto end = std::min(text.find_first_of(" \t,|+"), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::vector<Format> read_formats(std::string_view value, const Context& context) {
  std::vector<Format> out;
  for (std::string_view item : items(value)) {
    const std::optional<Format> format = format_named(item);
    if (!format) context.fail("format " + quoted(item) + " is unknown: f64, f32, f16, bf16");
    if (std::find(out.begin(), out.end(), *format) == out.end()) out.push_back(*format);
  }
  if (out.empty()) context.fail("formats is empty: f64, f32, f16, bf16");
  return out;
}

std::vector<Diagonal::Kind> read_diagonals(std::string_view value, const Context& context) {
  std::vector<Diagonal::Kind> out;
  for (std::string_view item : items(value)) {
    const auto* found = std::find_if(std::begin(diagonal_names), std::end(diagonal_names),
                                     [&](const auto& entry) { return entry.first == item; });
    if (found == std::end(diagonal_names)) {
      context.fail("diagonal " + quoted(item) +
                   " is unknown: tl (top left), br (bottom right), fixed");
    }
    if (std::find(out.begin(), out.end(), found->second) == out.end()) out.push_back(found->second);
  }
  if (out.empty()) context.fail("diagonals is empty: tl, br, fixed");
  return out;
}

/// Fields that take only "=": formats, diagonals and the features. False if `key` is none of them.
bool set_choice(Domain& domain, std::string_view key, std::string_view value,
                const Context& context) {
  if (key == "format" || key == "formats") {
    domain.formats = read_formats(value, context);
    return true;
  }
  if (key == "diagonal" || key == "diagonals") {
    domain.diagonals = read_diagonals(value, context);
    return true;
  }
  for (const AllowField& field : allow_fields) {
    if (field.name != key) continue;
    domain.*field.member = read_allow(key, value, context);
    return true;
  }
  return false;
}

template <class T>
std::vector<T> common(std::string_view name, const std::vector<T>& a, const std::vector<T>& b,
                      const Context& context) {
  std::vector<T> out;
  for (T item : a) {
    if (std::find(b.begin(), b.end(), item) != b.end()) out.push_back(item);
  }
  if (out.empty()) context.fail(std::string(name) + " have nothing in common");
  return out;
}

Domain intersect_in(const Domain& a, const Domain& b, const Context& context) {
  Domain out = a;
  out.formats = common("formats", a.formats, b.formats, context);
  out.diagonals = common("diagonals", a.diagonals, b.diagonals, context);
  for (const RangeField& field : range_fields) {
    Range& range = out.*field.member;
    range.min = std::max(range.min, (b.*field.member).min);
    range.max = std::min(range.max, (b.*field.member).max);
    if (range.min > range.max) {
      context.fail(std::string(field.name) + " is limited to at least " +
                   std::to_string(range.min) + " and at most " + std::to_string(range.max) +
                   ": nothing is left");
    }
  }
  for (const AllowField& field : allow_fields) {
    Allow& allow = out.*field.member;
    const Allow other = b.*field.member;
    if (allow != Allow::may && other != Allow::may && allow != other) {
      context.fail(std::string(field.name) + " is required and forbidden: nothing is left");
    }
    if (allow == Allow::may) allow = other;
  }
  out.work_budget = std::min(a.work_budget, b.work_budget);
  return out;
}

/// No limit at all: what a wish starts from.
Domain everything() {
  Domain out;
  out.formats = {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16};
  for (const RangeField& field : range_fields) {
    (out.*field.member).max = std::numeric_limits<std::int64_t>::max();
  }
  out.work_budget = std::numeric_limits<std::int64_t>::max();
  return out;
}

std::string range_text(const Range& range) {
  if (range.min == range.max) return std::to_string(range.min);
  return std::to_string(range.min) + ".." + std::to_string(range.max);
}

}  // namespace

void set_domain_field(Domain& domain, std::string_view key, std::string_view op,
                      std::string_view value, std::string_view place, ExitCode code) {
  const Context context{place, code};
  key = trimmed(key);
  value = trimmed(value);
  if (op != "=" && op != "<=" && op != ">=") {
    context.fail("operator " + quoted(op) + " is unknown: =, <=, >=");
  }
  if (key == "work_budget") {
    if (op == ">=") context.fail("work_budget takes = or <=");
    domain.work_budget = read_count(key, value, context);
    return;
  }
  bool known = false;
  for (const RangeField& field : range_fields) {
    if (field.name == key || (key == "H" && field.name.front() == 'H')) {
      set_range(domain.*field.member, key, op, value, context);
      known = true;
    }
  }
  if (known) return;
  if (!set_choice(domain, key, value, context)) {
    context.fail("unknown limit " + quoted(key) + "; known are " + known_names());
  }
  if (op != "=") context.fail(std::string(key) + " takes = only, not " + std::string(op));
}

void set_domain_line(Domain& domain, std::string_view line, std::string_view place, ExitCode code) {
  const auto at = line.find_first_of("<>=");
  if (at == std::string_view::npos) {
    Context{place, code}.fail(quoted(line) +
                              " is not 'key = value', 'key <= value', 'key >= value'");
  }
  const std::size_t length = line[at] != '=' && line.substr(at + 1, 1) == "=" ? 2 : 1;
  set_domain_field(domain, line.substr(0, at), line.substr(at, length), line.substr(at + length),
                   place, code);
}

Domain intersect(const Domain& a, const Domain& b) {
  return intersect_in(a, b, {"limits", ExitCode::usage});
}

Domain narrow(const Domain& domain, std::string_view where) {
  const std::string place = "--where " + quoted(where);
  Domain wish = everything();
  for (std::string_view rest = where; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view item = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    Domain one = everything();
    set_domain_line(one, item, place, ExitCode::usage);
    wish = intersect_in(wish, one, {place, ExitCode::usage});
  }
  Domain narrowed = intersect_in(domain, wish, {place, ExitCode::usage});
  if (!smallest(narrowed)) {
    throw InputError(
        ExitCode::usage,
        place + ": no problem satisfies all of it together with the candidate's limits");
  }
  return narrowed;
}

std::string domain_help() {
  std::string out =
      "formats        f64, f32, f16, bf16: one, or several separated by | (also: format)\n"
      "diagonals      tl, br, fixed: where causal, window and ALiBi measure from (also: diagonal)\n"
      "work_budget    most multiply-adds of one problem\n"
      "H              H_q and H_kv at once\n";
  const auto line = [&](std::string_view name, std::string_view meaning) {
    out += std::string(name) + std::string(15 - std::min<std::size_t>(14, name.size()), ' ') +
           std::string(meaning) + "\n";
  };
  for (const RangeField& field : range_fields) {
    line(field.name, std::string(field.meaning) + ": = N, = N..M, <= N, >= N");
  }
  for (const AllowField& field : allow_fields) {
    line(field.name, std::string(field.meaning) + ": may, must (yes), never (no)");
  }
  return out;
}

std::string write_domain(const Domain& domain) {
  const Domain unlimited;
  std::string out;
  const auto join = [](const auto& list, const auto& name) {
    std::string text;
    for (const auto& item : list) text += (text.empty() ? "" : " ") + std::string(name(item));
    return text;
  };
  if (domain.formats != unlimited.formats) {
    out += "formats = " + join(domain.formats, [](Format f) { return info(f).name; }) + "\n";
  }
  for (const RangeField& field : range_fields) {
    if (domain.*field.member == unlimited.*field.member) continue;
    out += std::string(field.name) + " = " + range_text(domain.*field.member) + "\n";
  }
  for (const AllowField& field : allow_fields) {
    if (domain.*field.member == unlimited.*field.member) continue;
    out += std::string(field.name) + " = " + std::string(allow_name(domain.*field.member)) + "\n";
  }
  if (domain.diagonals != unlimited.diagonals) {
    const auto name = [](Diagonal::Kind kind) {
      return diagonal_names[static_cast<std::size_t>(kind)].first;
    };
    out += "diagonals = " + join(domain.diagonals, name) + "\n";
  }
  if (domain.work_budget != unlimited.work_budget) {
    out += "work_budget = " + std::to_string(domain.work_budget) + "\n";
  }
  return out;
}

}  // namespace qkvet
