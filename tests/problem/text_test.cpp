// The case text: exact round trips, the printed form, and a table of texts that are refused.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/problem/text_number.hpp>

namespace qkvet {
namespace {

TEST(CaseText, RoundTripsEveryDrawnProblem) {
  Domain all;
  all.formats = {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16};
  all.work_budget = 20'000;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    Choices choices = Choices::from_seed(seed);
    const Problem p = draw(choices, all).problem;
    const std::string text = write_case(p);
    const Problem back = read_case(text, "test");
    ASSERT_TRUE(back == p) << seed << "\n" << text.substr(0, 500);
    ASSERT_EQ(digest(back), digest(p)) << seed;
    ASSERT_EQ(write_case(back), text) << seed;
    ASSERT_TRUE(read_case(write_case_lines(p) + "# found by: test\n\n", "test") == p) << seed;
  }
}

TEST(CaseText, IsShortForSmallCases) {
  const char* text = "qk1:b1.hq1.hk1.l1.s65.dk1.dv1/f32/q:1/k:0*64,0x1.19p0/v:0*64,1";
  const Problem p = read_case(text, "test");
  EXPECT_EQ(write_case(p), text);
  EXPECT_DOUBLE_EQ(p.k.value(0, 0, 64, 0), 0x1.19p0);
}

TEST(CaseText, CarriesEveryField) {
  const char* text =
      "qk1:b2.hq2.hk1.l1.s3.dk1.dv1/f32/causal:-1,2/window:*,16/range:0-3,1-2/mask:2.1.1.3:1*5,0/"
      "bias:f64:1.2.1.1:-inf,0x1.8p-3/scale:-0x1p-1/cap:50/sinks:f32:0,-inf/alibi:f32:1,0/lse/"
      "lay.q:2.1.1.1+3/lay.o:+1/lay.lse:4.2.2.2/lay.mask:3.3.3.1/lay.bias:+2/q:-0*2,nan*2/"
      "k:bits:0x7fa00001,inf,bits:0xffc00000*4/v:1*3,0x1p-149,999999,0x1.e848p19";
  const Problem p = read_case(text, "test");
  EXPECT_EQ(write_case(p), text);
  EXPECT_EQ(p.mask.diagonal.offsets, (std::vector<std::int64_t>{-1, 2}));
  EXPECT_FALSE(p.mask.window->left.has_value());
  EXPECT_EQ(p.k.bits[0], 0x7fa00001u);
  EXPECT_EQ(p.q.bits[0], 0x80000000u);
  EXPECT_EQ(p.layouts.q.shift, 3);
  const char* empty = "qk1:b0.hq1.hk1.l1.s3.dk0.dv1/f64/diag:/range:/scale:1/q:/k:/v:";
  EXPECT_EQ(write_case(read_case(empty, "test")), empty);
}

TEST(CaseText, TakesFieldsInAnyOrderAndLines) {
  const Problem a = read_case("qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32/q:1/k:2/v:3/lse/causal:br", "test");
  const Problem b = read_case(
      "qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32\r\n  /lse/v:3\n# a comment / with: slashes\n\n/causal:br\n"
      "/k:2/q:1\n# end\n",
      "test");
  EXPECT_TRUE(a == b);
}

TEST(CaseText, ReadsTheExamplesOfItsPage) {
  std::ifstream file(QKVET_DOCS "/cases.md");
  std::string block;
  int read = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("```", 0) != 0) {
      block += line + "\n";
      continue;
    }
    if (block.rfind("qk1:", 0) == 0) {
      EXPECT_NO_THROW((void)read_case(block, "cases.md")) << block;
      ++read;
    }
    block.clear();
  }
  EXPECT_EQ(read, 3);
}

TEST(CaseNumber, RoundTripsEveryEncodingOfTheSmallFormats) {
  std::string why;
  for (Format format : {Format::binary16, Format::bfloat16}) {
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const std::string text = detail::write_number(format, bits);
      const auto back = detail::read_number(format, text, why);
      ASSERT_TRUE(back.has_value()) << text << " " << why;
      ASSERT_EQ(*back, bits) << text;
    }
  }
}

TEST(CaseText, RoundTripsEveryEncodingOfTheSmallFormatsInEveryTensor) {
  // All 65,536 encodings (NaN payloads, subnormal numbers, -0) as keys, values and bias, the bias in
  // the other format than q.
  const Shape shape{1, 1, 1, 1, 65536, 1, 1};
  for (const Format format : {Format::binary16, Format::bfloat16}) {
    const Format other = format == Format::binary16 ? Format::bfloat16 : Format::binary16;
    Problem p;
    p.shape = shape;
    p.format = format;
    p.q = make_tensor(format, {1, 1, 1, 1});
    p.k = make_tensor(format, {1, 1, shape.S, 1});
    p.v = make_tensor(format, {1, 1, shape.S, 1});
    p.mask.bias = make_tensor(other, {1, 1, 1, shape.S});
    p.sinks = make_tensor(other, {1, 1, 1, 1});
    p.alibi_slopes = make_tensor(Format::binary32, {1, 1, 1, 1});
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      p.k.bits[bits] = p.mask.bias->bits[bits] = bits;
      p.v.bits[bits] = 65535 - bits;
    }
    p.q.bits[0] = 0x8000;
    p.sinks->bits[0] = 0x8001;
    const std::string text = write_case(p);
    const Problem back = read_case(text, "test");
    ASSERT_TRUE(back == p) << info(format).name;
    EXPECT_EQ(digest(back), digest(p));
    EXPECT_EQ(write_case(back), text);
    EXPECT_TRUE(read_case(write_case_lines(p), "test") == p);
  }
}

TEST(CaseNumber, RoundTripsRandomEncodingsOfTheWideFormats) {
  std::string why;
  Choices c = Choices::from_seed(3);
  for (int n = 0; n < 20000; ++n) {
    for (Format format : {Format::binary32, Format::binary64}) {
      std::uint64_t bits = c.bits();
      if (format == Format::binary32) bits >>= 32;
      if (c.chance(1, 4))
        bits &= ~std::uint64_t{0} << c.below(static_cast<std::uint64_t>(info(format).precision));
      const auto back = detail::read_number(format, detail::write_number(format, bits), why);
      ASSERT_TRUE(back && *back == bits) << detail::write_number(format, bits) << " " << why;
    }
  }
}

struct Refused {
  const char *text, *named;
};

void expect_refused(const Refused& row) {
  try {
    (void)read_case(row.text, "case.txt");
    ADD_FAILURE() << "accepted: " << row.text;
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ExitCode::bad_data);
    EXPECT_EQ(message.substr(0, 9), "case.txt:") << message;
    EXPECT_NE(message.find(row.named), std::string::npos) << row.text << "\n-> " << message;
  }
}

#define HEAD "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/"
#define HEAD16 "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f16/"
#define HEADB16 "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/bf16/"

TEST(CaseText, RefusesBadText) {
  const Refused rows[] = {
      {"", "1: empty text is no case"},
      {"qk2:b1", "'qk2:b1' is no case"},
      {"# comment\n" HEAD "q:1/k:1,2/v:1,2", "is no case"},
      {"qk1:b1.hq1.hk1.l1.s1.dk1/f32", "seven extents"},
      {"qk1:b1.hq1.hk1.l1.dk1.s1.dv1/f32", "extent 'dk1' (due is s"},
      {"qk1:b1.hq1.hk1.l1.sx.dk1.dv1/f32", "extent 'sx'"},
      {"qk1:b1.hq1.hk1.l1.s99999999999999999999.dk1.dv1/f32", "extent 's9999"},
      {"qk1:b1.hq1.hk1.l1.s-1.dk1.dv1/f32", "S is -1"},
      {"qk1:b1.hq3.hk2.l1.s1.dk1.dv1/f32", "H_q is 3"},
      {"qk1:b1000000.hq1000000.hk1.l1.s1.dk1.dv1/f32/q:0*5", "size of q"},
      {"qk1:b8192.hq1.hk1.l8192.s1.dk4.dv1/f32/q:0*268435456/k:0*8192/v:0*8192",
       "field 'q': too many values"},
      {"qk1:b1.hq1.hk1.l1.s1.dk1.dv1", "format is missing"},
      {"qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f31/q:1", "format 'f31' is unknown"},
      {HEAD "q:1/k:1,2", "tensor v is missing"},
      {HEAD "q:1/k:1,2/v:1,2/w:3", "field 'w': is unknown"},
      {HEAD "q:1/q:1/k:1,2/v:1,2", "field 'q': is given twice"},
      {HEAD "q:1/k:1,2/v:1,2/", "an empty field"},
      {HEAD "q:1/k:1,2/v:1,2 more", "'2 more'"},
      {HEAD "q:1/k:1,2/v:1,2\nmore", "2: 'more' follows the case"},
      {HEAD "q:1\n/k:1\n/v:1,2", "2: field 'k': 1 values, but the shape asks for 2"},
      {HEAD "q:1/k:1,2,3/v:1,2", "more values than the 2"},
      {HEAD "q:1/k:1*3/v:1,2", "more values than the 2"},
      {HEAD "q:1/k:1*99999999999999999999/v:1,2", "run length"},
      {HEAD "q:1/k:1*0,1*2/v:1,2", "run length in '1*0'"},
      {HEAD "q:1/k:1,/v:1,2", "ends with a comma"},
      {HEAD "q:1/k:,1/v:1,2", "'' is not a number"},
      {HEAD "q/k:1,2/v:1,2", "its value is missing"},
      {HEAD "lse:1/q:1/k:1,2/v:1,2", "takes no value"},
      {HEAD "q:0.5/k:1,2/v:1,2", "write 0x1p-1"},
      {HEAD "q:0x1.0000001p0/k:1,2/v:1,2", "is not a number of f32"},
      {HEAD "q:0x1p128/k:1,2/v:1,2", "is not a number of f32"},
      {HEAD "q:0x1p-150/k:1,2/v:1,2", "is not a number of f32"},
      {HEAD "q:16777217/k:1,2/v:1,2", "is not a number of f32"},
      {HEAD16 "q:65520/k:1,2/v:1,2", "is not a number of f16"},
      {HEAD16 "q:2049/k:1,2/v:1,2", "is not a number of f16"},
      {HEAD16 "q:0x1p-25/k:1,2/v:1,2", "is not a number of f16"},
      {HEAD16 "q:bits:0x7fc00000/k:1,2/v:1,2", "4 hex digits"},
      {HEADB16 "q:257/k:1,2/v:1,2", "is not a number of bf16"},
      {HEADB16 "q:0x1p-134/k:1,2/v:1,2", "is not a number of bf16"},
      {HEADB16 "q:0x1.ffp127/k:1,2/v:1,2", "is not a number of bf16"},
      {HEAD "q:0x1/k:1,2/v:1,2", "is not a hex float"},
      {HEAD "q:0x1.8.8p0/k:1,2/v:1,2", "is not a hex float"},
      {HEAD "q:0x1p/k:1,2/v:1,2", "is not a hex float"},
      {HEAD "q:0x1p999999999999/k:1,2/v:1,2", "is not a hex float"},
      {HEAD "q:0x11111111111111111p0/k:1,2/v:1,2", "more than 16 hex digits"},
      {HEAD "q:bits:0x7f/k:1,2/v:1,2", "8 hex digits"},
      {HEAD "q:--1/k:1,2/v:1,2", "'--1' is not a number"},
      {HEAD "q:+1/k:1,2/v:1,2", "'+1' is not a number"},
      {HEAD "q:NaN/k:1,2/v:1,2", "'NaN' is not a number"},
      {HEAD "causal:tl/diag:br/q:1/k:1,2/v:1,2", "exclude each other"},
      {HEAD "causal:middle/q:1/k:1,2/v:1,2", "'middle'"},
      {HEAD "causal:1,2/q:1/k:1,2/v:1,2", "offsets of the diagonal"},
      {HEAD "causal:9999999999999/q:1/k:1,2/v:1,2", "offset of the diagonal"},
      {HEAD "window:1/q:1/k:1,2/v:1,2", "LEFT,RIGHT"},
      {HEAD "window:-1,*/q:1/k:1,2/v:1,2", "window is -1"},
      {HEAD "range:0/q:1/k:1,2/v:1,2", "START-END"},
      {HEAD "range:0-3/q:1/k:1,2/v:1,2", "key range of batch entry 0"},
      {HEAD "mask:1.1.1.3:1*3/q:1/k:1,2/v:1,2", "extents '1.1.1.3'"},
      {HEAD "mask:1.1.1.2:1,256/q:1/k:1,2/v:1,2", "'256' (1 = attend"},
      {HEAD "mask:1.1.1.2:1,-1/q:1/k:1,2/v:1,2", "'-1' (1 = attend"},
      {HEAD "threads:0/q:1/k:1,2/v:1,2", "a count from 1 on"},
      {HEAD "threads:1025/q:1/k:1,2/v:1,2", "threads is 1025"},
      {HEAD "splits:9999999999/q:1/k:1,2/v:1,2", "a count from 1 on"},
      {HEAD "mask:1.1.1:1/q:1/k:1,2/v:1,2", "four numbers"},
      {HEAD "mask:1*2/q:1/k:1,2/v:1,2", "extents N.N.N.N"},
      {HEAD "bias:f33:1.1.1.1:0/q:1/k:1,2/v:1,2", "format 'f33' is unknown"},
      {HEAD "scale:inf/q:1/k:1,2/v:1,2", "scale is inf"},
      {HEAD "scale:/q:1/k:1,2/v:1,2", "'' is not a number"},
      {HEAD "cap:0/q:1/k:1,2/v:1,2", "'0' is not > 0"},
      {HEAD "sinks:f32:nan/q:1/k:1,2/v:1,2", "a sink is nan"},
      {HEAD "sinks:1/q:1/k:1,2/v:1,2", "format '1' is unknown"},
      {HEAD "alibi:f32:inf/q:1/k:1,2/v:1,2", "slope is inf"},
      {HEAD "lay.x:+1/q:1/k:1,2/v:1,2", "field 'lay.x': is unknown"},
      {HEAD "lay.q:/q:1/k:1,2/v:1,2", "says nothing"},
      {HEAD "lay.q:1.1/q:1/k:1,2/v:1,2", "four numbers"},
      {HEAD "lay.q:+9999/q:1/k:1,2/v:1,2", "shift of q is 9999"},
      {HEAD "lay.v:0.0.0.0/q:1/k:1,2/v:1,2", "places that share memory"},
      {HEAD "lay.lse:+1/q:1/k:1,2/v:1,2", "layout of lse"},
      {"qk1:b1.hq1.hk1.l1.s1.dk0.dv1/f32/q:/k:/v:1", "scale is absent"},
      {HEAD "q:1/k:\x01,2/v:1,2", "'\\x01' is not a number"},
  };
  for (const Refused& row : rows) expect_refused(row);
}

TEST(CaseText, SurvivesRandomEdits) {
  // Every edited text is read or refused; nothing else may happen. (Sanitizers see the rest.)
  Domain small;
  small.work_budget = 500;
  Choices c = Choices::from_seed(11);
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Choices choices = Choices::from_seed(seed);
    std::string text = write_case(draw(choices, small).problem);
    const std::size_t at = c.below(text.size());
    const char letters[] = "0123456789/:,.*-qkvxp\n";
    if (c.chance(1, 2))
      text[at] = letters[c.below(sizeof letters - 1)];
    else
      text.erase(at, c.below(6));
    try {
      const Problem p = read_case(text, "edited");
      EXPECT_TRUE(read_case(write_case(p), "again") == p) << text;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace qkvet
