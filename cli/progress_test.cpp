#include "progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace ramet::cli {
namespace {

TEST(Progress, SaysShareRateAndTimeLeft) {
  EXPECT_EQ(progress_text("writing", 0.25, 0.125, 4e9), "writing: 25 %, 500 MB/s, 6 s left");
  EXPECT_EQ(progress_text("reading", 0.5, 0.25, 0), "reading: 50 %, 25.0 %/s, 2 s left");
  EXPECT_EQ(progress_text("reading", 0, 0, 0), "reading: 0 %");
}

std::string drawn(bool on_terminal, std::chrono::milliseconds pause) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line(on_terminal);
    line.update("reading", 0.1);
    std::this_thread::sleep_for(pause);
    line.update("reading", 0.5);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, AppearsAfterHalfASecondAndGoesAway) {
  const std::string text = drawn(true, std::chrono::milliseconds(550));
  EXPECT_TRUE(text.starts_with("\r\x1b[Kreading: 50 %, ")) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
}

TEST(Progress, IsSilentWhenShortOrWithoutATerminal) {
  EXPECT_EQ(drawn(true, std::chrono::milliseconds(1)), "");
  EXPECT_EQ(drawn(false, std::chrono::milliseconds(550)), "");
}

}  // namespace
}  // namespace ramet::cli
