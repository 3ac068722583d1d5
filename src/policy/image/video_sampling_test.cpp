#include "policy/image/video_sampling.h"

#include "support/assertions.h"

#include <gmock/gmock.h>

#include <limits>

namespace ramet {
namespace {

using testing::ElementsAre;
using Indexes = std::vector<int64_t>;

std::vector<std::string> stamps(const Indexes& indexes, double fps, int64_t group = 2) {
  std::vector<std::string> texts;
  for (const double seconds : group_timestamps(indexes, fps, group)) texts.push_back(timestamp_text(seconds));
  return texts;
}

// Spec qwen3-vl, section 4.5.
TEST(VideoSampling, TableOfTheSpec) {
  EXPECT_EQ(sample_frames(100, 30).value(), (Indexes{0, 20, 40, 59, 79, 99}));
  EXPECT_EQ(sample_frames(75, 30).value(), (Indexes{0, 18, 37, 56, 74}));
  EXPECT_EQ(sample_frames(11, 4).value(), (Indexes{0, 2, 5, 8, 10}));
  EXPECT_THAT(stamps({0, 20, 40, 59, 79, 99}, 30), ElementsAre("<0.3 seconds>", "<1.6 seconds>", "<3.0 seconds>"));
  EXPECT_THAT(stamps({0, 18, 37, 56, 74}, 30), ElementsAre("<0.3 seconds>", "<1.6 seconds>", "<2.5 seconds>"));
  EXPECT_THAT(stamps({0, 2, 5, 8, 10}, 4), ElementsAre("<0.2 seconds>", "<1.6 seconds>", "<2.5 seconds>"));
}

TEST(VideoSampling, CountIsBounded) {
  EXPECT_EQ(sample_frames(3, 30).value(), (Indexes{0, 1, 2}));
  EXPECT_EQ(sample_frames(1, 30).value(), (Indexes{0}));
  EXPECT_EQ(sample_frames(30, 30).value().size(), 4U);
  EXPECT_EQ(sample_frames(100000, 1e-300).value().size(), 768U);
  EXPECT_EQ(sample_frames(100000, 30, {.fps = 1, .min_frames = 2, .max_frames = 10}).value().back(), 99999);
}

TEST(VideoSampling, StampsFollowTheTemporalPatch) {
  EXPECT_THAT(stamps({0, 1, 2, 3, 4, 5}, 1, 3), ElementsAre("<1.0 seconds>", "<4.0 seconds>"));
}

TEST(VideoSampling, Refusals) {
  EXPECT_CODE(sample_frames(0, 30), Code::invalid_value);
  for (const double fps :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_CODE(sample_frames(10, fps), Code::invalid_value);
}

}  // namespace
}  // namespace ramet
