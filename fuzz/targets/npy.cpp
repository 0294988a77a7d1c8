// npy: the reader of numpy's files. What it accepts, written anew by the format's own rules, reads
// back as the same array.
#include <qkvet/campaign/npy.hpp>
#include <string>

#include "fuzz/parser_target.hpp"

namespace qkvet::fuzz {
namespace {

std::string tuple_of(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + ",";
  return text + ")";
}

std::string descr_of(const NpyArray& array) {
  if (!array.format) return "|b1";
  return info(*array.format).bytes == 8 ? "<f8" : info(*array.format).bytes == 4 ? "<f4" : "<f2";
}

/// Version 1.0: magic, a header of 64 * n bytes with the dictionary, the data.
std::string write_npy(const NpyArray& array) {
  std::string header = "{'descr': '" + descr_of(array) +
                       "', 'fortran_order': False, 'shape': " + tuple_of(array.shape) + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  const int bytes = array.format ? info(*array.format).bytes : 1;
  for (const std::uint64_t bits : array.bits) {
    for (int n = 0; n < bytes; ++n) text += static_cast<char>(bits >> (8 * n));
  }
  return text;
}

}  // namespace

void parse_and_compare(std::string_view input) {
  const NpyArray array = read_npy(input, "input");
  if (array.format == Format::bfloat16) return;  // no descr of numpy's own
  const NpyArray again = read_npy(write_npy(array), "written array");
  must(again.format == array.format && again.shape == array.shape && again.bits == array.bits,
       "npy: reading the written array gives another array");
}

}  // namespace qkvet::fuzz
