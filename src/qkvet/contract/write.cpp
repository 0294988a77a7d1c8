// Canonical contract text, and its digest.
#include <fmt/format.h>

#include <qkvet/contract/value_text.hpp>

namespace qkvet {
namespace {

struct Writer {
  std::string& text;

  template <class T>
  void operator()(std::string_view field, const T& value, std::string_view /*meaning*/) {
    text += fmt::format("{} = {}\n", field, detail::print_value(value));
  }
  void operator()(std::string_view field, const int& value, int any, std::string_view /*meaning*/) {
    text += fmt::format("{} = {}\n", field, detail::print_count(value, any));
  }
};

/// A promise that came after the others is written only where it is given: texts and digests of
/// contracts that do not speak of it stay as they were.
struct PromiseWriter {
  std::string& text;

  void operator()(std::string_view field, const bool& value, std::string_view meaning) {
    if (field == "minus_inf" && !value) return;
    Writer{text}(field, value, meaning);
  }
};

}  // namespace

bool Arithmetic::operator==(const Arithmetic& other) const {
  std::string mine, theirs;
  detail::visit_arithmetic(*this, Writer{mine});
  detail::visit_arithmetic(other, Writer{theirs});
  return mine == theirs;
}

std::string write_contract(const Contract& contract) {
  std::string text = fmt::format("contract = {}/{}\nformat = {}\n[semantics]\n", contract.name,
                                 contract.version, info(contract.format).name);
  detail::visit_semantics(contract.semantics, Writer{text});
  text += "[arithmetic]\n";
  detail::visit_arithmetic(contract.arithmetic, Writer{text});
  const std::string limits = write_domain(contract.limits);
  if (!limits.empty()) text += "[limits]\n" + limits;
  if (!text.ends_with('\n')) text += '\n';
  text += "[promises]\n";
  detail::visit_promises(contract.promises, PromiseWriter{text});
  return text;
}

std::string digest(const Contract& contract) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: only equality matters here
  for (const char c : write_contract(contract)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace qkvet
