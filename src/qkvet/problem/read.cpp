// Reads the case text strictly: sizes are checked before anything is allocated, and every complaint
// names source, line, field, the offending text and what would be right.
#include <algorithm>
#include <limits>
#include <qkvet/num/error.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/problem/text_fields.hpp>
#include <qkvet/problem/text_number.hpp>
#include <set>
#include <string>

namespace qkvet {
namespace {

using detail::Field;
using detail::read_integer;
using detail::shown;
using detail::split;

constexpr std::int64_t max_values = std::int64_t{1} << 26;  // of all tensors of one text together

class Reader {
 public:
  Reader(std::string_view text, std::string_view source)
      : source_(source), fields_(detail::split_fields(text, source)) {}

  Problem read() {
    read_shape();
    read_format();
    for (std::size_t n = 2; n < fields_.size(); ++n) read_field(fields_[n]);
    for (const char* name : {"q", "k", "v"}) {
      if (seen_.count(name) == 0) {
        last().fail(std::string("tensor ") + name + " is missing (" + name +
                    ":VALUES, for example " + name + ":0*" + std::to_string(size_of(name)) + ")");
      }
    }
    check([&] { validate(problem_); }, last());
    return std::move(problem_);
  }

 private:
  [[nodiscard]] Field last() const {
    Field field = fields_.back();
    field.key = {};
    return field;
  }

  /// Runs an action of `validate` and puts the place in front of its message.
  template <class Action>
  void check(const Action& action, const Field& field) {
    try {
      action();
    } catch (const InputError& error) {
      field.fail(error.what());
    }
  }

  void read_shape() {
    constexpr const char* names[] = {"b", "hq", "hk", "l", "s", "dk", "dv"};
    Shape& s = problem_.shape;
    std::int64_t* extents[] = {&s.B, &s.H_q, &s.H_kv, &s.L, &s.S, &s.d_k, &s.d_v};
    const Field& field = fields_.front();
    const auto items = split(field.value, '.');
    if (items.size() != 7) {
      field.fail("shape " + shown(field.value) + " (seven extents: b1.hq1.hk1.l1.s1.dk1.dv1)");
    }
    for (std::size_t n = 0; n < 7; ++n) {
      const std::string_view name = names[n];
      const bool named = items[n].substr(0, name.size()) == name;
      const auto extent = named ? read_integer(items[n].substr(name.size())) : std::nullopt;
      if (!extent) {
        field.fail("extent " + shown(items[n]) + " (due is " + std::string(name) +
                   " and a count, as in b1.hq1.hk1.l1.s1.dk1.dv1)");
      }
      *extents[n] = *extent;
    }
    check([&] { validate(s); }, field);
  }

  void read_format() {
    if (fields_.size() < 2) fields_[0].fail("the format is missing (f64, f32, f16, bf16)");
    const Field& field = fields_[1];
    const std::optional<Format> format = field.bare ? format_named(field.key) : std::nullopt;
    if (!format) {
      Field{source_, {}, {}, field.line, false}.fail("format " + shown(field.key) +
                                                     " is unknown (f64, f32, f16, bf16)");
    }
    problem_.format = *format;
  }

  void read_field(const Field& field) {
    if (!seen_.insert(std::string(field.key)).second) field.fail("is given twice");
    if (field.bare != (field.key == "lse")) {
      if (!known(field.key)) unknown(field);
      field.fail(field.bare ? "its value is missing (after a ':')" : "takes no value");
    }
    const Shape& s = problem_.shape;
    if (field.key == "lse") {
      problem_.want_lse = true;
    } else if (field.key == "q") {
      problem_.q = read_tensor(field, problem_.format, {s.B, s.H_q, s.L, s.d_k}, field.value);
    } else if (field.key == "k") {
      problem_.k = read_tensor(field, problem_.format, {s.B, s.H_kv, s.S, s.d_k}, field.value);
    } else if (field.key == "v") {
      problem_.v = read_tensor(field, problem_.format, {s.B, s.H_kv, s.S, s.d_v}, field.value);
    } else if (field.key == "scale") {
      problem_.scale = read_double(field);
    } else if (field.key == "cap") {
      problem_.softcap = read_double(field);
      if (!(problem_.softcap > 0))
        field.fail(shown(field.value) + " is not > 0 (no cap: no field)");
    } else if (field.key == "sinks") {
      problem_.sinks = read_per_head(field);
    } else if (field.key == "alibi") {
      problem_.alibi_slopes = read_per_head(field);
    } else if (field.key == "threads") {
      problem_.call.threads = read_count(field);
    } else if (field.key == "splits") {
      problem_.call.splits = read_count(field);
    } else if (field.key.substr(0, 4) == "lay.") {
      read_layout(field);
    } else {
      read_mask_field(field);
    }
  }

  void read_mask_field(const Field& field) {
    MaskSpec& mask = problem_.mask;
    if (field.key == "causal" || field.key == "diag") {
      if (seen_.count("causal") + seen_.count("diag") > 1)
        field.fail("causal and diag exclude each other");
      mask.causal = field.key == "causal";
      read_diagonal(field);
    } else if (field.key == "window") {
      const auto sides = split(field.value, ',');
      if (sides.size() != 2) field.fail(shown(field.value) + " (due is LEFT,RIGHT; * = no limit)");
      mask.window = Window{read_side(field, sides[0]), read_side(field, sides[1])};
    } else if (field.key == "range") {
      read_range(field);
    } else if (field.key == "mask") {
      read_mask(field);
    } else if (field.key == "bias") {
      const auto [format, rest] = read_tensor_format(field);
      const auto [extents, values] = read_extents(field, rest);
      mask.bias = read_tensor(field, format, extents, values);
    } else {
      unknown(field);
    }
  }

  static bool known(std::string_view key) {
    constexpr std::string_view keys[] = {"causal", "diag",  "window", "range", "mask",
                                         "bias",   "scale", "cap",    "sinks", "alibi",
                                         "lse",    "q",     "k",      "v",     "threads", "splits"};
    return key.substr(0, 4) == "lay." ||
           std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
  }

  [[noreturn]] static void unknown(const Field& field) {
    field.fail(
        "is unknown (known are causal, diag, window, range, mask, bias, scale, cap, sinks, alibi, "
        "lse, threads, splits, lay.q, lay.k, lay.v, lay.o, lay.lse, lay.mask, lay.bias, q, k, v)");
  }

  static std::int64_t integer(const Field& field, std::string_view text) {
    const std::optional<std::int64_t> number = read_integer(text);
    if (!number) field.fail(shown(text) + " is not an integer of 64 bits");
    return *number;
  }

  static std::int32_t read_count(const Field& field) {
    const std::int64_t count = integer(field, field.value);
    if (count < 1 || count > std::numeric_limits<std::int32_t>::max()) {
      field.fail(shown(field.value) + " (a count from 1 on; no wish: no field)");
    }
    return static_cast<std::int32_t>(count);
  }

  static std::optional<std::int64_t> read_side(const Field& field, std::string_view text) {
    if (text == "*") return std::nullopt;
    return integer(field, text);
  }

  void read_diagonal(const Field& field) {
    Diagonal& diagonal = problem_.mask.diagonal;
    if (field.value == "tl") return;
    diagonal.kind = field.value == "br" ? Diagonal::Kind::bottom_right : Diagonal::Kind::fixed;
    if (field.value == "br" || (field.value.empty() && problem_.shape.B == 0)) return;
    for (std::string_view item : split(field.value, ',')) {
      if (!read_integer(item))
        field.fail(shown(item) + " (tl, br, or offsets: N or one per batch entry)");
      diagonal.offsets.push_back(integer(field, item));
    }
  }

  void read_range(const Field& field) {
    KeyRange range;
    for (std::string_view item : split(field.value, ',')) {
      if (item.empty() && problem_.shape.B == 0) break;
      const std::size_t dash = item.find('-');
      if (dash == std::string_view::npos)
        field.fail(shown(item) + " (START-END for each batch entry)");
      range.start.push_back(integer(field, item.substr(0, dash)));
      range.end.push_back(integer(field, item.substr(dash + 1)));
    }
    problem_.mask.key_range = std::move(range);
  }

  void read_layout(const Field& field) {
    const std::pair<std::string_view, Layout*> all[] = {
        {"lay.q", &problem_.layouts.q},      {"lay.k", &problem_.layouts.k},
        {"lay.v", &problem_.layouts.v},      {"lay.o", &problem_.layouts.o},
        {"lay.lse", &problem_.layouts.lse},  {"lay.mask", &problem_.layouts.attend},
        {"lay.bias", &problem_.layouts.bias}};
    const auto* found = std::find_if(std::begin(all), std::end(all),
                                     [&](const auto& entry) { return entry.first == field.key; });
    if (found == std::end(all)) unknown(field);
    Layout& layout = *found->second;
    const std::size_t plus = field.value.find('+');
    const std::string_view strides = field.value.substr(0, plus);
    if (plus != std::string_view::npos) layout.shift = integer(field, field.value.substr(plus + 1));
    if (!strides.empty()) layout.strides = read_four(field, strides);
    if (layout == Layout{}) field.fail("says nothing (strides N.N.N.N, a shift +N, or both)");
  }

  static std::array<std::int64_t, 4> read_four(const Field& field, std::string_view text) {
    const auto items = split(text, '.');
    if (items.size() != 4) field.fail(shown(text) + " (four numbers N.N.N.N are due)");
    return {integer(field, items[0]), integer(field, items[1]), integer(field, items[2]),
            integer(field, items[3])};
  }

  std::pair<Format, std::string_view> read_tensor_format(const Field& field) {
    const std::size_t colon = field.value.find(':');
    const std::optional<Format> format = format_named(field.value.substr(0, colon));
    if (!format || colon == std::string_view::npos) {
      field.fail("format " + shown(field.value.substr(0, colon)) +
                 " is unknown (f64:, f32:, f16:, bf16:)");
    }
    return {*format, field.value.substr(colon + 1)};
  }

  /// Extents of a broadcast tensor, each 1 or full, and what follows them.
  std::pair<std::array<std::int64_t, 4>, std::string_view> read_extents(const Field& field,
                                                                        std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      field.fail(shown(text) + " (extents N.N.N.N, then ':', then values)");
    const std::array<std::int64_t, 4> extents = read_four(field, text.substr(0, colon));
    const Shape& s = problem_.shape;
    const std::array<std::int64_t, 4> full{s.B, s.H_q, s.L, s.S};
    for (std::size_t axis = 0; axis < 4; ++axis) {
      if (extents[axis] != 1 && extents[axis] != full[axis]) {
        field.fail("extents " + shown(text.substr(0, colon)) + " (each is 1 or that of b.hq.l.s)");
      }
    }
    return {extents, text.substr(colon + 1)};
  }

  double read_double(const Field& field) {
    std::string why;
    const auto bits = detail::read_number(Format::binary64, field.value, why);
    if (!bits) field.fail(shown(field.value) + " " + why);
    return decode(Format::binary64, *bits);
  }

  Tensor read_per_head(const Field& field) {
    const auto [format, values] = read_tensor_format(field);
    return read_tensor(field, format, {problem_.shape.H_q, 1, 1, 1}, values);
  }

  void read_mask(const Field& field) {
    const auto [extents, values] = read_extents(field, field.value);
    BoolMask mask{extents, {}};
    const std::int64_t size = checked_size(field, extents);
    read_runs(field, values, size, [&](std::string_view item, std::int64_t count) {
      const auto byte = read_integer(item);
      if (!byte || *byte < 0 || *byte > 255) {
        field.fail(shown(item) + " (1 = attend, 0 = hidden; a byte of 2 to 255 attends too)");
      }
      mask.attend.insert(mask.attend.end(), static_cast<std::size_t>(count),
                         static_cast<std::uint8_t>(*byte));
    });
    problem_.mask.attend = std::move(mask);
  }

  Tensor read_tensor(const Field& field, Format format, const std::array<std::int64_t, 4>& extents,
                     std::string_view values) {
    Tensor tensor{format, extents, {}};
    const std::int64_t size = checked_size(field, extents);
    read_runs(field, values, size, [&](std::string_view item, std::int64_t count) {
      std::string why;
      const auto bits = detail::read_number(format, item, why);
      if (!bits) field.fail(shown(item) + " " + why);
      tensor.bits.insert(tensor.bits.end(), static_cast<std::size_t>(count), *bits);
    });
    return tensor;
  }

  /// The number of values, which also counts against the limit of the whole text.
  std::int64_t checked_size(const Field& field, const std::array<std::int64_t, 4>& extents) {
    std::int64_t size = 1;
    for (std::int64_t extent : extents) {
      if (extent > 0 && size > max_values / extent) too_large(field);
      size *= extent;
    }
    values_ += size;
    if (values_ > max_values) too_large(field);
    return size;
  }

  [[noreturn]] static void too_large(const Field& field) {
    field.fail("too many values (a case text holds at most 2^26)");
  }

  template <class Take>
  void read_runs(const Field& field, std::string_view text, std::int64_t due, const Take& take) {
    std::int64_t count = 0;
    while (!text.empty()) {
      const std::size_t comma = text.find(',');
      const std::string_view item = text.substr(0, comma);
      const std::size_t star = item.find('*');
      const auto times = star == std::string_view::npos ? 1 : read_integer(item.substr(star + 1));
      if (!times || *times < 1)
        field.fail("run length in " + shown(item) + " (VALUE*COUNT, count >= 1)");
      if (*times > due - count) {
        field.fail("more values than the " + std::to_string(due) + " that the shape asks for, at " +
                   shown(item));
      }
      take(item.substr(0, star), *times);
      count += *times;
      if (comma == std::string_view::npos) break;
      text.remove_prefix(comma + 1);
      if (text.empty()) field.fail("ends with a comma");
    }
    if (count != due) {
      field.fail(std::to_string(count) + " values, but the shape asks for " + std::to_string(due));
    }
  }

  [[nodiscard]] std::int64_t size_of(std::string_view name) const {
    const Shape& s = problem_.shape;
    if (name == "q") return s.B * s.H_q * s.L * s.d_k;
    return s.B * s.H_kv * s.S * (name == "k" ? s.d_k : s.d_v);
  }

  std::string_view source_;
  std::vector<Field> fields_;
  std::set<std::string> seen_;
  std::int64_t values_ = 0;
  Problem problem_;
};

}  // namespace

Problem read_case(std::string_view text, std::string_view source) {
  const DefaultFloatEnvironment environment;
  return Reader(text, source).read();
}

}  // namespace qkvet
