#include "console.h"

#include "report.h"
#include "text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

namespace ramet::cli {

bool colour_on(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(fd) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

Console::Console(ConsoleOptions options) : options_(options), progress_(::isatty(STDERR_FILENO) == 1) {}

int Console::columns() const {
  winsize size{};
  const bool known = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : std::numeric_limits<int>::max();
}

void Console::print(std::string_view text) {
  progress_.clear();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Console::print_json(const nlohmann::ordered_json& document) {
  print(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void Console::error(const Error& error) {
  progress_.clear();
  const bool colour = colour_on(STDERR_FILENO);
  const std::string head = colour ? "\x1b[1;31mramet: error:\x1b[0m " : "ramet: error: ";
  std::fputs((head + error_line(error) + "\n").c_str(), stderr);
}

Progress Console::progress_callback() {
  return [this](std::string_view what, double share) { progress_.update(what, share); };
}

Log Console::log_callback() {
  if (!options_.verbose) return {};
  return [this](std::string_view line) {
    progress_.clear();
    std::fputs(("ramet: " + printable(line) + "\n").c_str(), stderr);
  };
}

}  // namespace ramet::cli
