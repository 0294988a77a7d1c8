#include <gtest/gtest.h>

#include <qkvet/report/writers.hpp>

namespace qkvet {
namespace {

TEST(Printable, KeepsAsciiLinesAndWellFormedUtf8) {
  const std::string text = "a\tb\n\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesControlCharacters) {
  EXPECT_EQ(printable("\x1b[31m\r\x7f"), "?[31m??");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "?x");
}

TEST(Printable, ReplacesMalformedUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff"), "?");
  EXPECT_EQ(printable("\xC3"), "?");                 // Truncated.
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // Overlong.
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // A surrogate.
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // Beyond U+10FFFF.
}

}  // namespace
}  // namespace qkvet
