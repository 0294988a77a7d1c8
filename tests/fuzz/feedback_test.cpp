// What an engine is told of a case: other rows, sizes of scores and errors are other counters.
#include "fuzz/feedback.hpp"

#include <gtest/gtest.h>

#include <qkvet/problem/text.hpp>

#include "fuzz/settings.hpp"

namespace qkvet::fuzz {
namespace {

Problem problem(const std::string& parts, const std::string& values = "q:1*2/k:1*3/v:1*3") {
  return read_case("qk1:b1.hq1.hk1.l2.s3.dk1.dv1/f32" + parts + "/" + values, "text");
}

/// Counters that the second note sets beside those of the first.
template <class Note>
std::int64_t added(const Problem& first, const Problem& second, const Note& note) {
  (void)counted_and_cleared();
  note(first);
  const std::int64_t alone = counted_and_cleared();
  note(first);
  note(second);
  return counted_and_cleared() - alone;
}

TEST(Feedback, TellsRowsApartByWhatHidesTheirKeys) {
  const Problem plain = problem("");
  EXPECT_EQ(added(plain, plain, note_problem), 0);
  for (const char* parts : {"/causal:tl", "/range:0-2", "/range:0-0", "/window:0,*",
                            "/mask:1.1.1.3:1,0,1", "/bias:f32:1.1.1.3:0,-inf,0"}) {
    EXPECT_GT(added(plain, problem(parts), note_problem), 0) << parts;
  }
  EXPECT_GT(added(problem("/range:0-1"), problem("/range:0-0"), note_problem), 0) << "an empty row";
  EXPECT_GT(added(problem("/range:0-2/mask:1.1.1.3:0,1,1"),
                  problem("/range:0-1/mask:1.1.1.3:0,1,1"), note_problem),
            0)
      << "emptied by two together";
}

TEST(Feedback, TellsSizesOfScoresAndErrorsApart) {
  const Problem plain = problem("");
  const auto scores = [&](double largest) {
    return [=](const Problem& p) { note_scores(p, largest); };
  };
  (void)counted_and_cleared();
  for (const double largest : {1.0, 2.0, -2.0, -3e4, 0.0, 1e38}) scores(largest)(plain);
  EXPECT_EQ(counted_and_cleared(), 6);
  for (const double ratio : {0.5, 0.51, 0.25, 1e-3, 1e-300}) note_error(plain, ratio);
  EXPECT_EQ(counted_and_cleared(), 4);
  note_error(plain, 0);
  note_error(plain, std::numeric_limits<double>::quiet_NaN());
  note_scores(plain, std::numeric_limits<double>::infinity());
  EXPECT_EQ(counted_and_cleared(), 0);
}

TEST(Feedback, CanBeSwitchedOff) {
  Settings settings;
  EXPECT_TRUE(settings.feedback);
  EXPECT_TRUE(take_flag("--feedback=no", settings));
  EXPECT_FALSE(settings.feedback);
  set_feedback(settings.feedback);
  note_problem(problem("/causal:tl"));
  note_scores(problem(""), 1);
  note_error(problem(""), 0.5);
  set_feedback(true);
  EXPECT_EQ(counted_and_cleared(), 0);
  EXPECT_THROW((void)take_flag("--feedback=maybe", settings), InputError);
}

}  // namespace
}  // namespace qkvet::fuzz
