// One line on the terminal that says how far long work is:
//
//   writing weights: 42 %, 1.3 GB/s, 4 s left
//
// Nothing appears in the first half second, and never where stderr is no terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace ramet::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool on_terminal) : on_terminal_(on_terminal) {}
  ~ProgressLine() { clear(); }

  // share: 0..1 of this `what`; bytes: of the whole work, 0 where the rate is not one of bytes.
  void update(std::string_view what, double share, double bytes = 0);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void start(std::string_view what, double share);

  bool on_terminal_;
  bool visible_ = false;
  std::string what_;
  double first_share_ = 0;
  Clock::time_point started_, drawn_;
};

std::string progress_text(std::string_view what, double share, double share_per_second, double bytes);

}  // namespace ramet::cli
