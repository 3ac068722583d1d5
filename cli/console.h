// Where a command's words go: results to stdout, everything else to stderr.
#pragma once

#include "progress.h"

#include <ramet/types.h>

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace ramet::cli {

struct ConsoleOptions {
  bool json = false;     // results as JSON
  bool verbose = false;  // the library's log lines
};

class Console {
 public:
  explicit Console(ConsoleOptions options);

  bool json() const { return options_.json; }
  int columns() const;  // of the terminal that shows stdout; a very wide one where stdout is no terminal

  void print(std::string_view text);                        // as it is
  void print_json(const nlohmann::ordered_json& document);  // in one line
  void error(const Error& error);                           // one line on stderr
  ProgressLine& progress() { return progress_; }

  // What the engine calls while it works; the console must outlive it.
  Progress progress_callback();
  Log log_callback();

 private:
  ConsoleOptions options_;
  ProgressLine progress_;
};

bool colour_on(int fd);  // a terminal, and NO_COLOR is not set

}  // namespace ramet::cli
