// A command of the program: says what it takes, runs once, answers with its exit status.
#pragma once

#include "console.h"
#include "options.h"

#include <memory>
#include <string_view>

namespace ramet::cli {

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Options& options) = 0;  // options store into the command
  virtual Result<int> run(Console& console) = 0;
};

std::unique_ptr<Command> make_predict();
std::unique_ptr<Command> make_encode();
std::unique_ptr<Command> make_inspect();
std::unique_ptr<Command> make_serve();
std::unique_ptr<Command> make_synth();
std::unique_ptr<Command> make_verify();
std::unique_ptr<Command> make_bench();

}  // namespace ramet::cli
