// Writes the case text: fields in one fixed order, values as short as their bits allow.
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/problem/text_number.hpp>
#include <string>

namespace qkvet {
namespace {

using detail::write_number;

std::string join(const std::array<std::int64_t, 4>& numbers) {
  std::string out;
  for (std::size_t n = 0; n < 4; ++n) out += (n == 0 ? "" : ".") + std::to_string(numbers[n]);
  return out;
}

/// Values with runs as value*count.
template <class Value, class Write>
std::string runs(const std::vector<Value>& values, const Write& write) {
  std::string out;
  for (std::size_t at = 0; at < values.size();) {
    std::size_t end = at + 1;
    while (end < values.size() && values[end] == values[at]) ++end;
    if (at != 0) out += ',';
    out += write(values[at]);
    if (end - at > 1) out += '*' + std::to_string(end - at);
    at = end;
  }
  return out;
}

std::string values(const Tensor& tensor) {
  return runs(tensor.bits, [&](std::uint64_t bits) { return write_number(tensor.format, bits); });
}

std::string shape_text(const Shape& s) {
  return "b" + std::to_string(s.B) + ".hq" + std::to_string(s.H_q) + ".hk" +
         std::to_string(s.H_kv) + ".l" + std::to_string(s.L) + ".s" + std::to_string(s.S) + ".dk" +
         std::to_string(s.d_k) + ".dv" + std::to_string(s.d_v);
}

std::string diagonal_text(const Diagonal& diagonal) {
  if (diagonal.kind == Diagonal::Kind::top_left) return "tl";
  if (diagonal.kind == Diagonal::Kind::bottom_right) return "br";
  std::string out;
  for (std::int64_t offset : diagonal.offsets) {
    out += (out.empty() ? "" : ",") + std::to_string(offset);
  }
  return out;
}

std::string window_text(const Window& window) {
  const auto side = [](const std::optional<std::int64_t>& limit) {
    return limit ? std::to_string(*limit) : std::string("*");
  };
  return side(window.left) + "," + side(window.right);
}

std::string range_text(const KeyRange& range) {
  std::string out;
  for (std::size_t b = 0; b < range.start.size(); ++b) {
    out +=
        (b == 0 ? "" : ",") + std::to_string(range.start[b]) + "-" + std::to_string(range.end[b]);
  }
  return out;
}

std::string layout_text(const Layout& layout) {
  return (layout.strides ? join(*layout.strides) : "") +
         (layout.shift != 0 ? "+" + std::to_string(layout.shift) : "");
}

void add_mask(const MaskSpec& mask, std::vector<std::string>& fields) {
  if (mask.causal) {
    fields.push_back("causal:" + diagonal_text(mask.diagonal));
  } else if (mask.diagonal != Diagonal{}) {
    fields.push_back("diag:" + diagonal_text(mask.diagonal));
  }
  if (mask.window) fields.push_back("window:" + window_text(*mask.window));
  if (mask.key_range) fields.push_back("range:" + range_text(*mask.key_range));
  if (mask.attend) {
    const auto byte = [](std::uint8_t attend) { return std::to_string(attend); };
    fields.push_back("mask:" + join(mask.attend->extents) + ":" + runs(mask.attend->attend, byte));
  }
  if (mask.bias) {
    fields.push_back("bias:" + std::string(info(mask.bias->format).name) + ":" +
                     join(mask.bias->extents) + ":" + values(*mask.bias));
  }
}

void add_layouts(const Layouts& layouts, std::vector<std::string>& fields) {
  const std::pair<const char*, const Layout*> all[] = {
      {"q", &layouts.q},     {"k", &layouts.k},         {"v", &layouts.v},      {"o", &layouts.o},
      {"lse", &layouts.lse}, {"mask", &layouts.attend}, {"bias", &layouts.bias}};
  for (const auto& [name, layout] : all) {
    if (*layout == Layout{}) continue;
    fields.push_back(std::string("lay.") + name + ":" + layout_text(*layout));
  }
}

std::vector<std::string> fields_of(const Problem& p) {
  std::vector<std::string> fields{"qk1:" + shape_text(p.shape), std::string(info(p.format).name)};
  const auto number = [](double x) {
    return write_number(Format::binary64, encode(Format::binary64, x));
  };
  const auto per_head = [](const Tensor& t) {
    return std::string(info(t.format).name) + ":" + values(t);
  };
  add_mask(p.mask, fields);
  if (p.scale) fields.push_back("scale:" + number(*p.scale));
  if (p.softcap > 0) fields.push_back("cap:" + number(p.softcap));
  if (p.sinks) fields.push_back("sinks:" + per_head(*p.sinks));
  if (p.alibi_slopes) fields.push_back("alibi:" + per_head(*p.alibi_slopes));
  if (p.want_lse) fields.emplace_back("lse");
  if (p.call.threads != 0) fields.push_back("threads:" + std::to_string(p.call.threads));
  if (p.call.splits != 0) fields.push_back("splits:" + std::to_string(p.call.splits));
  add_layouts(p.layouts, fields);
  fields.push_back("q:" + values(p.q));
  fields.push_back("k:" + values(p.k));
  fields.push_back("v:" + values(p.v));
  return fields;
}

std::string joined(const Problem& problem, const char* separator) {
  const DefaultFloatEnvironment environment;
  std::string out;
  for (const std::string& field : fields_of(problem)) {
    if (!out.empty()) out += separator;
    out += field;
  }
  return out;
}

}  // namespace

std::string write_case(const Problem& problem) { return joined(problem, "/"); }

std::string write_case_lines(const Problem& problem) { return joined(problem, "\n/") + "\n"; }

}  // namespace qkvet
