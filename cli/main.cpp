// ramet: opens published vision-language-action checkpoints and runs them.
#include "build_info.h"
#include "command.h"
#include "environment.h"
#include "report.h"

#include "base/assert.h"
#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

struct Entry {
  const char* name;
  const char* summary;
  std::unique_ptr<Command> (*make)();
};

constexpr std::array kCommands{
    Entry{"predict", "one observation to decoded robot actions", make_predict},
    Entry{"encode", "pictures to the embeddings of a vision tower", make_encode},
    Entry{"inspect", "what a checkpoint directory holds, from its headers alone", make_inspect},
    Entry{"verify", "compares every intermediate result with a dump, tap by tap", make_verify},
    Entry{"bench", "times each stage, beside what the machine can do", make_bench},
    Entry{"serve", "the policy for Isaac-GR00T's Python clients, over ZeroMQ and HTTP", make_serve},
    Entry{"synth", "writes a synthetic checkpoint in a published layout", make_synth},
};

using Words = std::vector<std::string>;

bool contains(const Words& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

Words command_names() {
  Words names;
  for (const Entry& entry : kCommands) names.emplace_back(entry.name);
  return names;
}

std::string overview() {
  std::string text = "Usage: ramet COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Entry& entry : kCommands) text += fmt::format("  {:10}{}\n", entry.name, entry.summary);
  return text + "\n`ramet COMMAND --help` explains a command, `ramet --version` the program.\n";
}

Result<int> run_command(const Entry& entry, std::span<const std::string> words) {
  ConsoleOptions console_options;
  Options options(entry.name, entry.summary);
  const std::unique_ptr<Command> command = entry.make();
  command->declare(options);
  options.flag({.name = "--json", .meaning = "print the result as one JSON document"}, console_options.json);
  options.flag({.name = "--verbose", .meaning = "print what the library does, one line each, to stderr"},
               console_options.verbose);
  RAMET_TRY(const bool wanted, options.parse(words));
  Console console(console_options);
  if (!wanted) {
    console.print(options.help());
    return kDone;
  }
  RAMET_TRY_STATUS(check_environment());
  return command->run(console);
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return kDone;
}

Result<int> run(const Words& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--help" || first == "-h") return print(overview());
  if (first == "--version") return print(contains(words, "--json") ? version_document().dump() + "\n" : version_text());
  const auto entry = std::ranges::find(kCommands, first, &Entry::name);
  if (entry != kCommands.end()) return run_command(*entry, std::span(words).subspan(1));
  return fail(Code::usage, "ramet", "one of " + list_names(command_names()), first.empty() ? "none" : first,
              first.empty() ? "`ramet --help` explains them" : did_you_mean(first, command_names()));
}

// Libraries throw, our code does not: what still arrives here is turned into an error.
Result<int> run_guarded(const Words& words) {
  try {
    return run(words);
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory, "ramet", "enough memory", "none left");
  } catch (const std::exception& exception) {
    return fail(Code::internal, "ramet", "no mistake of its own", exception.what(), "please report this");
  }
}

Status flush_results() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return fail(Code::no_resource, "stdout", "to write the whole result", "a write error");
}

int report(const Error& error, bool json) {
  Console console({.json = json});
  console.error(error);
  if (json) console.print_json(error_document(error));
  std::fflush(stdout);
  return exit_status(error.code);
}

int main_of(const Words& words) {
  const bool json = contains(words, "--json");
  const Result<int> status = run_guarded(words);
  if (!status) return report(status.error(), json);
  if (const Status flushed = flush_results(); !flushed) return report(flushed.error(), false);
  return *status;
}

}  // namespace
}  // namespace ramet::cli

int main(int argc, char** argv) { return ramet::cli::main_of({argv + 1, argv + argc}); }
