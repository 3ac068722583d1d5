// What a command takes on its command line: each option is declared once, with where its value goes and its help.
//
//   options.argument({.name = "DIR", .meaning = "checkpoint directory"}, directory);
//   options.option({.name = "--repeat", .value = "N", .meaning = "runs to time", .fallback = "1", .example = "10"},
//                  [&](const Given& given) -> Status { … });
//   options.flag({.name = "--json", .meaning = "print the result as one JSON document"}, json);
//
// An option is given at most once unless it is `repeatable`. CLI11 splits and recognises the words.
// Errors: usage.
#pragma once

#include "parse.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet::cli {

struct OptionText {
  std::string name;           // "--threads", "-o,--output", "DIR"
  std::string value = {};     // what stands for the value in help: "N", "FILE"
  std::string meaning = {};   // with the unit, if the value has one
  std::string fallback = {};  // what holds without the option; empty: nothing, it is off or required
  std::string example = {};   // a value
  bool repeatable = false;
};

class Options {
 public:
  using Store = std::function<Status(const Given&)>;

  Options(const std::string& command, const std::string& summary);
  ~Options();

  void argument(const OptionText& text, std::filesystem::path& path);                 // exactly one
  void arguments(const OptionText& text, std::vector<std::filesystem::path>& paths);  // one or more
  void flag(const OptionText& text, bool& on);
  void option(const OptionText& text, Store store);
  void option(const OptionText& text, std::string& value);
  void option(const OptionText& text, std::filesystem::path& value);
  void option(const OptionText& text, std::vector<std::string>& values);
  void option(const OptionText& text, std::vector<std::filesystem::path>& values);

  // false: help is wanted instead of a run.
  Result<bool> parse(std::span<const std::string> words);
  std::string help() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet::cli
