// Reads contract text strictly: whatever is unknown, given twice, missing or contradictory is an
// error that names source, line and field. Separate from the field list so that adding a field
// never touches it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <qkvet/contract/builtin.hpp>
#include <qkvet/contract/value_text.hpp>
#include <qkvet/num/error.hpp>
#include <set>
#include <string>

namespace qkvet {
namespace {

using detail::accepted_counts;
using detail::accepted_values;
using detail::parse_count;
using detail::parse_value;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

struct Line {
  std::string_view source;
  int number = 0;

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(ExitCode::bad_data, fmt::format("{}:{}: {}", source, number, what));
  }
};

/// Sets the member called `name` in one visited struct; false if there is none.
struct Setter {
  const Line& line;
  std::string_view name, value;
  bool found = false;

  template <class T>
  void operator()(std::string_view field, T& member, std::string_view /*meaning*/) {
    if (field != name) return;
    found = true;
    if (!parse_value(value, member)) reject(accepted_values(member));
  }
  void operator()(std::string_view field, int& member, int any, std::string_view /*meaning*/) {
    if (field != name) return;
    found = true;
    if (!parse_count(value, member, any)) reject(accepted_counts(any));
  }
  void reject(const std::string& accepted) const {
    line.fail(fmt::format("field {}: '{}' is not accepted; write {}", name, value, accepted));
  }
};

struct Names {
  std::string list;
  template <class... T>
  void operator()(std::string_view field, T&&... /*unused*/) {
    if (!list.empty()) list += ", ";
    list += field;
  }
};

/// The contract that is being read, with what was said about it so far.
class Reader {
 public:
  Reader(std::string_view source, std::span<const Contract> known)
      : source_(source), known_(known) {}

  void line(const Line& line, std::string_view text) {
    text = trim(text.substr(0, text.find('#')));
    if (text.empty()) return;
    if (text.front() == '[') return open_section(line, text);
    if (section_ == "limits" && !is_field(text, "contract")) return set_limit(line, text);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      line.fail(fmt::format("'{}' is neither a [section] nor a 'field = value'", text));
    }
    const std::string_view name = trim(text.substr(0, equals));
    const std::string_view value = trim(text.substr(equals + 1));
    if (name == "contract") return begin(line, value);
    if (!open_) line.fail(fmt::format("'{}' before the first 'contract = NAME'", name));
    if (!seen_.insert(section_ + "." + std::string(name)).second) {
      line.fail(fmt::format("field {} is given twice", name));
    }
    lines_[std::string(name)] = line.number;
    set(line, name, value);
  }

  void finish(const Line& line) {
    if (!open_) return;
    if (base_.empty()) require_all(line);
    if (stands_on_loosest_) detail::list_assumed(current_, seen_);
    current_.formats_limited = current_.formats_limited || seen_.contains("limits.formats=");
    detail::take_own_format(current_);
    if (const auto found = detail::contradiction_in(current_)) contradicts(line, *found);
    set_.contracts.push_back(current_);
    open_ = false;
  }

  [[nodiscard]] ContractSet take() { return std::move(set_); }

 private:
  void begin(const Line& line, std::string_view value) {
    finish(line);
    open_ = true;
    section_.clear();
    seen_.clear();
    lines_.clear();
    base_.clear();
    stands_on_loosest_ = false;
    current_ = Contract{};
    current_.source = source_;
    read_name(line, value, current_.name, current_.version);
    for (const Contract& other : set_.contracts) {
      if (other.name == current_.name)
        line.fail(fmt::format("contract {} is given twice", other.name));
    }
  }

  /// At the last of its fields that this text gives; the others come from the base.
  [[noreturn]] void contradicts(const Line& end, const detail::Contradiction& found) {
    int last = 0;
    for (const std::string& field : found.fields) {
      const auto at = lines_.find(field);
      if (at != lines_.end()) last = std::max(last, at->second);
    }
    const Line line{source_, last > 0 ? last : end.number};
    line.fail(fmt::format("contract {}: {} contradict each other: {}", current_.name, found.values,
                          found.why));
  }

  static void read_name(const Line& line, std::string_view value, std::string& name, int& version) {
    const std::size_t slash = value.find('/');
    name = value.substr(0, slash);
    const std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (name.empty() || name.find_first_not_of(allowed) != std::string::npos) {
      line.fail(
          fmt::format("'{}' is not a contract name; write NAME or NAME/VERSION, of letters, "
                      "digits, '-', '_' and '.'",
                      value));
    }
    if (slash != std::string_view::npos &&
        (!parse_count(value.substr(slash + 1), version, detail::no_any) || version < 1)) {
      line.fail(fmt::format("'{}': the version after '/' must be a positive integer", value));
    }
  }

  void open_section(const Line& line, std::string_view text) {
    if (!open_) line.fail(fmt::format("section {} before the first 'contract = NAME'", text));
    for (const std::string_view known : {"semantics", "arithmetic", "limits", "promises"}) {
      if (text == fmt::format("[{}]", known)) {
        section_ = known;
        if (!seen_.insert(std::string(text)).second)
          line.fail(fmt::format("{} is given twice", text));
        return;
      }
    }
    line.fail(fmt::format(
        "unknown section '{}'; write [semantics], [arithmetic], [limits] or [promises]", text));
  }

  void set(const Line& line, std::string_view name, std::string_view value) {
    if (section_.empty()) return set_head(line, name, value);
    Setter setter{line, name, value};
    Names names;
    if (section_ == "semantics") {
      detail::visit_semantics(current_.semantics, setter);
      detail::visit_semantics(current_.semantics, names);
    } else if (section_ == "arithmetic") {
      detail::visit_arithmetic(current_.arithmetic, setter);
      detail::visit_arithmetic(current_.arithmetic, names);
    } else {
      detail::visit_promises(current_.promises, setter);
      detail::visit_promises(current_.promises, names);
    }
    if (!setter.found) {
      line.fail(
          fmt::format("unknown field '{}' in [{}]; the fields are {}", name, section_, names.list));
    }
  }

  void set_head(const Line& line, std::string_view name, std::string_view value) {
    if (name == "base") return set_base(line, value);
    if (name != "format") {
      line.fail(fmt::format(
          "unknown field '{}'; before the first [section] come contract, base, format", name));
    }
    Format format = current_.format;
    if (!parse_value(value, format)) {
      line.fail(fmt::format("field format: '{}' is not accepted; write {}", value,
                            accepted_values(format)));
    }
    if (!base_.empty() && format != current_.format) {
      line.fail(fmt::format("field format: {} contradicts the base {}, which is for {}", value,
                            base_, info(current_.format).name));
    }
    current_.format = format;
  }

  void set_base(const Line& line, std::string_view value) {
    if (seen_.contains(".format")) line.fail("field base: write it before format");
    int version = 0;
    read_name(line, value, base_, version);
    std::string names;
    for (const std::span<const Contract> list :
         {known_, std::span<const Contract>(set_.contracts)}) {
      for (const Contract& contract : list) {
        names += fmt::format("{}{}/{}", names.empty() ? "" : ", ", contract.name, contract.version);
        if (contract.name == base_ && (version == 0 || version == contract.version)) {
          inherit(contract);
          return;
        }
      }
    }
    line.fail(fmt::format("field base: there is no contract '{}'; known are {}", value, names));
  }

  void inherit(const Contract& base) {
    Contract derived = base;
    derived.name = current_.name;
    derived.version = current_.version;
    derived.source = source_;
    derived.assumed_fields.clear();
    current_ = derived;
    stands_on_loosest_ = detail::is_loosest(base);
  }

  static bool is_field(std::string_view text, std::string_view name) {
    return trim(text.substr(0, text.find('='))) == name;
  }

  /// "L >= 2" and "L <= 8" are two limits of one extent; either twice is an error.
  void set_limit(const Line& line, std::string_view text) {
    const std::size_t op = text.find_first_of("<>=");
    const std::size_t end = text.find_first_not_of("<>=", op);
    const std::string key =
        fmt::format("limits.{}{}", trim(text.substr(0, op)),
                    op == std::string_view::npos ? "" : text.substr(op, end - op));
    if (!seen_.insert(key).second) line.fail(fmt::format("limit '{}' is given twice", text));
    set_domain_line(current_.limits, text, fmt::format("{}:{}", line.source, line.number));
  }

  /// A contract without a base must say everything.
  void require_all(const Line& line) {
    std::string missing;
    if (!seen_.contains(".format")) missing = "format";
    const auto look = [&](std::string_view section) {
      return [&, section](std::string_view field, auto&&... /*unused*/) {
        if (seen_.contains(fmt::format("{}.{}", section, field))) return;
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", field);
      };
    };
    detail::visit_semantics(current_.semantics, look("semantics"));
    detail::visit_arithmetic(current_.arithmetic, look("arithmetic"));
    if (!missing.empty()) {
      line.fail(
          fmt::format("contract {}: missing {}; name a base, for example 'base = f32-any/1', "
                      "or give every field",
                      current_.name, missing));
    }
  }

  std::string source_;
  std::span<const Contract> known_;
  ContractSet set_;
  Contract current_;
  std::string section_, base_;
  std::set<std::string> seen_;
  std::map<std::string, int> lines_;  ///< of the fields of this contract
  bool open_ = false, stands_on_loosest_ = false;
};

}  // namespace

namespace detail {

ContractSet read_contracts_with(std::string_view text, std::string_view source,
                                std::span<const Contract> known) {
  Reader reader(source, known);
  Line line{source, 0};
  while (!text.empty()) {
    ++line.number;
    const std::size_t end = text.find('\n');
    reader.line(line, text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  reader.finish(line);
  ContractSet set = reader.take();
  if (set.contracts.empty()) line.fail("there is no contract; the first line is 'contract = NAME'");
  return set;
}

}  // namespace detail

ContractSet read_contracts(std::string_view text, std::string_view source) {
  return detail::read_contracts_with(text, source, builtin_contracts());
}

}  // namespace qkvet
