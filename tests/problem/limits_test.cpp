// The text of a Domain: what --where and a contract's [limits] section accept, refuse and write.
#include <gtest/gtest.h>

#include <qkvet/num/error.hpp>
#include <qkvet/problem/domain.hpp>

namespace qkvet {
namespace {

std::string message_of(const std::function<void()>& action, ExitCode code) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "nothing thrown";
}

TEST(Narrow, TakesTheConjunctionOfAllItems) {
  const Domain d =
      narrow({}, "d_k=64, L<=32,L>=2,causal=yes,window=no,format=f32,diagonal=br,H=4,S=1..8");
  EXPECT_EQ(d.d_k, (Range{64, 64}));
  EXPECT_EQ(d.L, (Range{2, 32}));
  EXPECT_EQ(d.S, (Range{1, 8}));
  EXPECT_EQ(d.H_q, (Range{4, 4}));
  EXPECT_EQ(d.H_kv, (Range{4, 4}));
  EXPECT_EQ(d.causal, Allow::must);
  EXPECT_EQ(d.window, Allow::never);
  EXPECT_EQ(d.formats, std::vector{Format::binary32});
  EXPECT_EQ(d.diagonals, std::vector{Diagonal::Kind::bottom_right});
  EXPECT_EQ(d.work_budget, Domain{}.work_budget);
}

TEST(Narrow, OfNothingChangesNothing) { EXPECT_EQ(narrow({}, ""), Domain{}); }

TEST(Narrow, TakesSeveralFormatsAndABudget) {
  const Domain d = narrow({}, "format=f32|f64,work_budget<=500,H<=4");
  EXPECT_EQ(d.formats, (std::vector{Format::binary32, Format::binary64}));
  EXPECT_EQ(d.work_budget, 500);
  EXPECT_EQ(d.H_q.max, 4);
}

TEST(Narrow, NamesWhatItCannotRead) {
  const struct {
    const char *where, *named;
  } rows[] = {
      {"dk=64", "unknown limit 'dk'"},
      {"d_k=many", "'many'"},
      {"d_k", "'d_k' is not"},
      {"L=-1", "'-1'"},
      {"causal=perhaps", "'perhaps'"},
      {"format=f33", "'f33'"},
      {"diagonal=middle", "'middle'"},
      {"causal<=yes", "causal takes = only"},
      {"L<=2,L>=3", "L is limited"},
      {"causal=yes,causal=no", "causal is required"},
      {"L=5..2", "leaves nothing"},
      {"L==5", "'=5'"},
      {"L=99999999999999999999", "is not a count"},
      {"format=", "formats is empty"},
      {"causal=yes,diagonal=br,unequal_lengths=no,L=0,empty_rows=yes", "no problem satisfies"},
      {"negative_scale=yes,explicit_scale=no", "no problem satisfies"},
      {"d_k=64,d_v=32,unequal_heads=no", "no problem satisfies"},
      {"format=f16", "formats have nothing in common"},
  };
  for (const auto& row : rows) {
    const std::string message = message_of([&] { (void)narrow({}, row.where); }, ExitCode::usage);
    EXPECT_NE(message.find(row.named), std::string::npos) << row.where << " -> " << message;
    EXPECT_NE(message.find("--where"), std::string::npos) << message;
  }
}

TEST(Narrow, CannotLeaveTheCandidatesLimits) {
  Domain limits;
  limits.d_k = {64, 64};
  const std::string message = message_of([&] { (void)narrow(limits, "d_k=32"); }, ExitCode::usage);
  EXPECT_NE(message.find("d_k is limited to at least 64 and at most 32"), std::string::npos)
      << message;
}

TEST(DomainLines, ReadBackWhatIsWritten) {
  Domain d;
  d.formats = {Format::bfloat16, Format::binary32};
  d.L = {0, 7};
  d.d_k = {64, 64};
  d.grouped = Allow::never;
  d.causal = Allow::must;
  d.diagonals = {Diagonal::Kind::fixed, Diagonal::Kind::top_left};
  d.work_budget = 12345;
  const std::string text = write_domain(d);
  Domain back;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    set_domain_line(back, text.substr(at, end - at), "t:1");
    at = end + 1;
  }
  EXPECT_EQ(back, d) << text;
  EXPECT_EQ(write_domain({}), "");
}

TEST(DomainLines, AreReadAsContractsWriteThem) {
  Domain d;
  for (const char* line : {"formats = f32", "grouped = never", "diagonals = tl", "d_k <= 128"}) {
    set_domain_line(d, line, "c.txt:3");
  }
  EXPECT_EQ(d.formats, std::vector{Format::binary32});
  EXPECT_EQ(d.d_k, (Range{0, 128}));
  const std::string message =
      message_of([&] { set_domain_line(d, "lse = 3", "c.txt:9"); }, ExitCode::bad_data);
  EXPECT_EQ(message, "c.txt:9: lse = '3' is unknown: may, must (or yes), never (or no)");
}

TEST(DomainHelp, NamesEveryFieldThatIsWritten) {
  const std::string help = domain_help();
  for (const char* name : {"formats", "B ", "d_v", "empty_rows", "work_budget", "diagonals"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace qkvet
