#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <qkvet/campaign/npy.hpp>
#include <qkvet/num/error.hpp>
#include <string>

namespace qkvet {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 28;  // As for every tensor of a Problem.
constexpr std::size_t most_dimensions = 32;

/// What the header of a file says.
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::int64_t> shape;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view source, RawPairs raw)
      : bytes_(bytes), source_(source), raw_(raw) {}

  NpyArray read() {
    text_ = header_text();
    const Header header = parse();
    return array(header);
  }

 private:
  [[noreturn]] void fail(std::string_view field, std::string_view what) const {
    throw InputError(ExitCode::bad_data, fmt::format("{}: {}: {}", source_, field, what));
  }

  std::string_view header_text();
  Header parse();
  void field(Header& header);
  std::string quoted();
  std::vector<std::int64_t> tuple();
  NpyArray array(const Header& header) const;
  [[nodiscard]] std::optional<Format> element_format(const Header& header) const;

  void spaces() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool take(char c) {
    spaces();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) {
      fail("header", fmt::format("expected '{}' before '{}'", c, text_.substr(0, 20)));
    }
  }

  std::string_view bytes_, source_;
  RawPairs raw_;
  std::string_view text_;  // What is left of the header.
  std::string_view data_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

std::string_view Reader::header_text() {
  if (bytes_.empty()) fail("file", "empty; expected an .npy file as numpy.save writes it");
  constexpr std::string_view magic = "\x93NUMPY";
  if (!bytes_.starts_with(magic)) {
    const bool zip = bytes_.starts_with("PK");
    fail("magic", zip ? "this is an .npz archive; save each array with numpy.save"
                      : "not an .npy file (numpy.save writes one)");
  }
  if (bytes_.size() < 10) fail("header", "truncated");
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(bytes_[n]); };
  const unsigned major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    fail("version", fmt::format("{}.{} is unknown; 1.0, 2.0 and 3.0 are read", major, minor));
  }
  const std::size_t wide = major == 1 ? 2 : 4;
  if (bytes_.size() < 8 + wide) fail("header length", "truncated");
  std::size_t length = 0;
  for (std::size_t n = 0; n < wide; ++n) length |= std::size_t{byte(8 + n)} << (8 * n);
  const std::size_t begin = 8 + wide;
  if (length > bytes_.size() - begin) {
    fail("header length",
         fmt::format("{} bytes, but the file has {} left", length, bytes_.size() - begin));
  }
  data_ = bytes_.substr(begin + length);
  return bytes_.substr(begin, length);
}

std::string Reader::quoted() {
  spaces();
  const char mark = text_.empty() ? '\0' : text_[0];
  const std::size_t end = mark == '\'' || mark == '"' ? text_.find(mark, 1) : text_.npos;
  if (end == text_.npos) {
    fail("header", fmt::format("expected a quoted word before '{}'", text_.substr(0, 20)));
  }
  std::string word(text_.substr(1, end - 1));
  text_.remove_prefix(end + 1);
  return word;
}

std::vector<std::int64_t> Reader::tuple() {
  std::vector<std::int64_t> shape;
  need('(');
  while (!take(')')) {
    spaces();
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
    if (error != std::errc() || extent < 0) {
      fail("shape", fmt::format("'{}' is no extent", text_.substr(0, 20)));
    }
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    shape.push_back(extent);
    if (shape.size() > most_dimensions) fail("shape", "more than 32 dimensions");
    if (!take(',')) {
      need(')');
      break;
    }
  }
  return shape;
}

void Reader::field(Header& header) {
  const std::string key = quoted();
  need(':');
  const auto once = [&](bool& seen) {
    if (seen) fail(key, "given twice in the header");
    seen = true;
  };
  if (key == "descr") {
    once(has_descr_);
    spaces();
    if (text_.starts_with("[")) fail(key, "a structured dtype; save a plain float array");
    header.descr = quoted();
  } else if (key == "fortran_order") {
    once(has_order_);
    spaces();
    header.fortran = text_.starts_with("True");
    if (!header.fortran && !text_.starts_with("False")) fail(key, "expected True or False");
    text_.remove_prefix(header.fortran ? 4 : 5);
  } else if (key == "shape") {
    once(has_shape_);
    header.shape = tuple();
  } else {
    fail("header", fmt::format("unknown key '{}'", key));
  }
}

Header Reader::parse() {
  Header header;
  need('{');
  while (!take('}')) {
    field(header);
    if (!take(',')) {
      need('}');
      break;
    }
  }
  spaces();
  if (!text_.empty()) fail("header", fmt::format("text after it: '{}'", text_.substr(0, 20)));
  if (!has_descr_ || !has_order_ || !has_shape_) {
    fail("header", "descr, fortran_order and shape must all be given");
  }
  return header;
}

/// Absent for booleans.
std::optional<Format> Reader::element_format(const Header& header) const {
  const std::string& descr = header.descr;
  if (descr.find('O') != descr.npos) {
    fail("descr",
         fmt::format("'{}' holds Python objects (a pickle), which are never loaded", descr));
  }
  if (descr.starts_with('>')) {
    fail("descr",
         fmt::format("'{}' is big-endian; save array.astype('<{}')", descr, descr.substr(1)));
  }
  if (descr == "<f2") return Format::binary16;
  if (descr == "<f4") return Format::binary32;
  if (descr == "<f8") return Format::binary64;
  if (descr == "|b1") return std::nullopt;
  if (descr == "|V2" || descr == "<V2" || descr == "<u2" || descr == "<i2") {
    if (raw_ == RawPairs::bfloat16) return Format::bfloat16;
    fail("descr", fmt::format("'{}' does not say what its two bytes are; --dtype bf16 says it",
                              descr));
  }
  fail("descr", fmt::format("'{}' is not read; <f2, <f4, <f8, |b1 and (with --dtype bf16) |V2 are",
                            descr));
}

NpyArray Reader::array(const Header& header) const {
  const std::optional<Format> format = element_format(header);
  const std::size_t bytes = format ? static_cast<std::size_t>(info(*format).bytes) : 1;
  if (header.fortran) {
    fail("fortran_order", "True; save numpy.ascontiguousarray(array) instead");
  }
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : header.shape) empty = empty || extent == 0;
  for (const std::int64_t extent : header.shape) {
    if (empty || extent > most_elements / count) {
      count = empty ? 0 : count;
      if (!empty) fail("shape", fmt::format("more than {} elements", most_elements));
      break;
    }
    count *= extent;
  }
  const std::size_t size = static_cast<std::size_t>(count) * bytes;
  if (data_.size() < size) {
    fail("data", fmt::format("truncated: {} bytes, the shape needs {}", data_.size(), size));
  }
  if (data_.size() > size) {
    fail("data", fmt::format("{} bytes too many after the array", data_.size() - size));
  }
  NpyArray result;
  result.format = format;
  result.shape = header.shape;
  result.bits.resize(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < result.bits.size(); ++n) {
    for (std::size_t b = 0; b < bytes; ++b) {
      const auto byte = static_cast<unsigned char>(data_[n * bytes + b]);
      result.bits[n] |= std::uint64_t{byte} << (8 * b);
    }
    if (bytes == 1 && result.bits[n] > 1) fail("data", "a boolean is neither 0 nor 1");
  }
  return result;
}

}  // namespace

NpyArray read_npy(std::string_view bytes, std::string_view source, RawPairs raw) {
  return Reader(bytes, source, raw).read();
}

}  // namespace qkvet
