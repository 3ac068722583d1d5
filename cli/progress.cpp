#include "progress.h"

#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ramet::cli {
namespace {

using std::chrono::duration;
constexpr auto kQuiet = std::chrono::milliseconds(500);
constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);

}  // namespace

std::string progress_text(std::string_view what, double share, double share_per_second, double bytes) {
  std::string text = fmt::format("{}: {:.0f} %", what, 100 * share);
  if (share_per_second <= 0) return text;
  text += bytes > 0 ? fmt::format(", {}/s", human_bytes(bytes * share_per_second))
                    : fmt::format(", {:.1f} %/s", 100 * share_per_second);
  return text + fmt::format(", {} left", human_seconds((1 - share) / share_per_second));
}

void ProgressLine::start(std::string_view what, double share) {
  what_ = what;
  first_share_ = share;
  started_ = Clock::now();
}

void ProgressLine::update(std::string_view what, double share, double bytes) {
  if (!on_terminal_) return;
  share = std::clamp(share, 0.0, 1.0);
  if (what != what_ || share < first_share_) start(what, share);
  const Clock::time_point now = Clock::now();
  if (now - started_ < kQuiet || now - drawn_ < kBetweenDrawings) return;
  const double rate = (share - first_share_) / duration<double>(now - started_).count();
  std::fputs(fmt::format("\r\x1b[K{}", progress_text(printable(what), share, rate, bytes)).c_str(), stderr);
  drawn_ = now;
  visible_ = true;
}

void ProgressLine::clear() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
  visible_ = false;
  what_.clear();
}

}  // namespace ramet::cli
