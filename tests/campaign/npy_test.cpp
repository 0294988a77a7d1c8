#include <gtest/gtest.h>

#include <qkvet/campaign/npy.hpp>
#include <qkvet/num/error.hpp>
#include <string>

namespace qkvet {
namespace {

using namespace std::string_literals;

/// A file of version 1.0 with this header text and these data bytes.
std::string npy(const std::string& header, const std::string& data) {
  const std::string length{static_cast<char>(header.size() & 0xff),
                           static_cast<char>(header.size() >> 8)};
  return "\x93NUMPY\x01\x00"s + length + header + data;
}

std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

const std::string one_and_two = "\x00\x00\x80\x3f\x00\x00\x00\x40"s;

TEST(ReadNpy, ReadsFloatsInOrder) {
  const NpyArray array = read_npy(npy(header("<f4", "False", "(1, 2)"), one_and_two), "a.npy");
  EXPECT_EQ(array.format, Format::binary32);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(array.bits, (std::vector<std::uint64_t>{0x3f800000, 0x40000000}));
}

TEST(ReadNpy, ReadsHeadersWhoseLengthHasTwoBytes) {
  std::string padded = header("<f4", "False", "(1, 2)");
  padded.insert(padded.size() - 1, 600 - padded.size(), ' ');
  ASSERT_EQ(padded.size(), 600U);  // 2 * 256 + 88
  EXPECT_EQ(read_npy(npy(padded, one_and_two), "a.npy").bits,
            (std::vector<std::uint64_t>{0x3f800000, 0x40000000}));
}

TEST(ReadNpy, ReadsHalfPrecision) {
  const NpyArray array = read_npy(npy(header("<f2", "False", "(4,)"), one_and_two), "a.npy");
  EXPECT_EQ(array.format, Format::binary16);
  EXPECT_EQ(array.bits, (std::vector<std::uint64_t>{0, 0x3f80, 0, 0x4000}));
}

TEST(ReadNpy, ReadsRawPairsOfBytesAsBfloat16WhereToldSo) {
  for (const char* descr : {"|V2", "<V2", "<u2", "<i2"}) {
    const std::string file = npy(header(descr, "False", "(2, 2)"), one_and_two);
    const NpyArray array = read_npy(file, "a.npy", RawPairs::bfloat16);
    EXPECT_EQ(array.format, Format::bfloat16);
    EXPECT_EQ(array.bits, (std::vector<std::uint64_t>{0, 0x3f80, 0, 0x4000}));
  }
  const std::string floats = npy(header("<f4", "False", "(1, 2)"), one_and_two);
  EXPECT_EQ(read_npy(floats, "a.npy", RawPairs::bfloat16).format, Format::binary32);
}

TEST(ReadNpy, ReadsBooleansAndScalarsAndEmptyArrays) {
  EXPECT_EQ(read_npy(npy(header("|b1", "False", "(2,)"), "\x01\x00"s), "a.npy").bits,
            (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(read_npy(npy(header("<f4", "False", "()"), one_and_two.substr(4)), "a").bits.size(),
            1U);
  EXPECT_TRUE(read_npy(npy(header("<f8", "False", "(1099511627776, 1099511627776, 0)"), ""), "a")
                  .bits.empty());
}

struct Bad {
  const char* name;
  std::string bytes;
  const char* says;
};

class ReadNpyRefuses : public testing::TestWithParam<Bad> {};

TEST_P(ReadNpyRefuses, AndNamesFileAndField) {
  try {
    (void)read_npy(GetParam().bytes, "dump/q.npy");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ExitCode::bad_data);
    EXPECT_TRUE(message.starts_with("dump/q.npy: ")) << message;
    EXPECT_NE(message.find(GetParam().says), message.npos) << message;
  }
}

const std::string good = header("<f4", "False", "(1, 2)");

INSTANTIATE_TEST_SUITE_P(
    Table, ReadNpyRefuses,
    testing::Values(
        Bad{"empty", "", "empty"}, Bad{"text", "hello world", "magic"},
        Bad{"npz", "PK\x03\x04zip archive", ".npz"}, Bad{"short", "\x93NUMPY\x01"s, "truncated"},
        Bad{"version", "\x93NUMPY\x09\x09\x00\x00"s, "version: 9.9"},
        Bad{"header_length", "\x93NUMPY\x01\x00\xff\xff{"s, "header length"},
        Bad{"header_length_v2", "\x93NUMPY\x02\x00\xff\xff\xff\xff{"s, "header length"},
        Bad{"no_literal", npy("import os", ""), "header"},
        Bad{"unknown_key", npy("{'descr': '<f4', 'x': 1}", ""), "unknown key 'x'"},
        Bad{"twice", npy("{'descr': '<f4', 'descr': '<f4'}", ""), "twice"},
        Bad{"missing_key", npy("{'descr': '<f4'}", ""), "must all be given"},
        Bad{"unterminated", npy("{'descr': '<f4", ""), "header"},
        Bad{"text_after", npy(good + "x", one_and_two), "text after"},
        Bad{"pickle", npy(header("|O", "False", "(1,)"), "x"), "pickle"},
        Bad{"structured", npy("{'descr': [('a', '<f4')], }", ""), "structured"},
        Bad{"big_endian", npy(header(">f4", "False", "(1, 2)"), one_and_two), "big-endian"},
        Bad{"fortran", npy(header("<f4", "True", "(1, 2)"), one_and_two), "fortran_order"},
        Bad{"integers", npy(header("<i4", "False", "(1, 2)"), one_and_two), "'<i4'"},
        Bad{"quad", npy(header("<f16", "False", "(1, 1)"), one_and_two), "'<f16'"},
        Bad{"raw_pairs", npy(header("|V2", "False", "(1, 4)"), one_and_two), "--dtype bf16"},
        Bad{"short_integers", npy(header("<u2", "False", "(1, 4)"), one_and_two), "--dtype bf16"},
        Bad{"half_truncated", npy(header("<f2", "False", "(1, 5)"), one_and_two),
            "truncated: 8 bytes, the shape needs 10"},
        Bad{"negative", npy(header("<f4", "False", "(-1, 2)"), one_and_two), "shape"},
        Bad{"beyond_int64", npy(header("<f4", "False", "(99999999999999999999,)"), ""), "shape"},
        Bad{"product", npy(header("<f4", "False", "(4294967296, 4294967296)"), ""), "elements"},
        Bad{"truncated", npy(good, one_and_two.substr(1)), "truncated: 7 bytes"},
        Bad{"trailing", npy(good, one_and_two + "x"), "1 bytes too many"},
        Bad{"boolean", npy(header("|b1", "False", "(1,)"), "\x02"), "neither 0 nor 1"}),
    [](const testing::TestParamInfo<Bad>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace qkvet
