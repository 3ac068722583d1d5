#include "options.h"

#include "base/names.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <deque>

namespace ramet::cli {
namespace {

constexpr size_t kHelpColumn = 30;
constexpr const char* kMany = "...";
constexpr size_t kHelpWidth = 84;  // of the text beside the names

std::string wrapped(const std::string& text) {
  std::string lines;
  size_t column = 0;
  for (const std::string& word : split(text, ' ')) {
    const bool starts_line = column == 0 || column + 1 + word.size() > kHelpWidth;
    if (!lines.empty()) lines += starts_line ? '\n' : ' ';
    column = starts_line ? word.size() : column + 1 + word.size();
    lines += word;
  }
  return lines;
}

std::string last_name(const std::string& names) { return split(names, ',').back(); }

std::string description(const OptionText& text) {
  std::string lines = wrapped(text.meaning + (text.repeatable ? "; may be repeated" : ""));
  const std::string prefix = text.name.starts_with('-') ? last_name(text.name) + " " : "";
  if (!text.fallback.empty()) lines += "\n" + wrapped("default: " + text.fallback);
  if (!text.example.empty()) lines += "\n" + wrapped("example: " + prefix + text.example);
  return lines;
}

class Layout : public CLI::Formatter {
 public:
  Layout() { column_width(kHelpColumn); }
  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string arguments;
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional())
        arguments += " " + option->get_name(true) + (option->get_option_text() == kMany ? kMany : "");
    return fmt::format("Usage: ramet {}{} [OPTIONS]\n", app->get_name(), arguments);
  }
};

}  // namespace

struct Options::Impl {
  struct Entry {
    OptionText text;
    Store store;
    CLI::Option* option = nullptr;
    std::vector<std::string> words = {};
    bool required = false;
  };

  explicit Impl(const std::string& command, const std::string& summary) : app(summary, command) {
    app.formatter(std::make_shared<Layout>());
    app.allow_extras();
    app.set_help_flag("-h,--help", "this text");
  }

  Entry& add(const OptionText& text, Store store) {
    Entry& entry = entries.emplace_back(Entry{.text = text, .store = std::move(store)});
    entry.option = app.add_option(text.name, entry.words, description(text));
    entry.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    entry.option->option_text(text.value);
    return entry;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> known{"--help"};
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    return known;
  }

  std::string command() const { return "ramet " + app.get_name(); }

  Status refuse_surplus() const {
    const std::vector<std::string> surplus = app.remaining();
    if (surplus.empty()) return {};
    const std::string& word = surplus.front();
    const bool is_option = word.starts_with('-');
    return fail(Code::usage, command(), is_option ? "an option it has" : "no further argument", word,
                is_option ? nearest_hint(word.substr(0, word.find('=')), names())
                          : fmt::format("`{} --help` explains what it takes", command()));
  }

  Status store(const Entry& entry) const {
    const std::string name = last_name(entry.text.name);
    if (entry.required && entry.words.empty())
      return fail(Code::usage, command(), name, "nothing",
                  fmt::format("`{} --help` explains what it takes", command()));
    if (!entry.text.repeatable && entry.words.size() > 1)
      return fail(Code::usage, name, "this option once", fmt::format("{} times", entry.words.size()));
    for (const std::string& word : entry.words) RAMET_TRY_STATUS(entry.store({.text = word, .where = name}));
    return {};
  }

  CLI::App app;
  std::deque<Entry> entries;  // CLI11 keeps addresses of their words
};

Options::Options(const std::string& command, const std::string& summary)
    : impl_(std::make_unique<Impl>(command, summary)) {}
Options::~Options() = default;

void Options::argument(const OptionText& text, std::filesystem::path& path) {
  Impl::Entry& entry = impl_->add(text, [&path](const Given& given) -> Status {
    path = given.text;
    return {};
  });
  entry.option->expected(1)->allow_extra_args(false)->option_text(" ");
  entry.required = true;
}

void Options::arguments(const OptionText& text, std::vector<std::filesystem::path>& paths) {
  Impl::Entry& entry = impl_->add(text, [&paths](const Given& given) -> Status {
    paths.emplace_back(given.text);
    return {};
  });
  entry.option->option_text(kMany);
  entry.text.repeatable = true;
  entry.required = true;
}

void Options::flag(const OptionText& text, bool& on) {
  impl_->app.add_flag(text.name, on, description(text))->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void Options::option(const OptionText& text, Store store) {
  impl_->add(text, std::move(store)).option->expected(1)->allow_extra_args(false);
}

void Options::option(const OptionText& text, std::string& value) {
  option(text, [&value](const Given& given) -> Status {
    value = given.text;
    return {};
  });
}

void Options::option(const OptionText& text, std::filesystem::path& value) {
  option(text, [&value](const Given& given) -> Status {
    if (given.text.empty()) return misfit(given, "a path");
    value = given.text;
    return {};
  });
}

void Options::option(const OptionText& text, std::vector<std::string>& values) {
  option(text, [&values](const Given& given) -> Status {
    values.push_back(given.text);
    return {};
  });
}

void Options::option(const OptionText& text, std::vector<std::filesystem::path>& values) {
  option(text, [&values](const Given& given) -> Status {
    if (given.text.empty()) return misfit(given, "a path");
    values.emplace_back(given.text);
    return {};
  });
}

Result<bool> Options::parse(std::span<const std::string> words) {
  try {
    impl_->app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them last first
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    return fail(Code::usage, impl_->command(), "options as its --help explains them", error.what());
  }
  RAMET_TRY_STATUS(impl_->refuse_surplus());
  for (const Impl::Entry& entry : impl_->entries) RAMET_TRY_STATUS(impl_->store(entry));
  return true;
}

std::string Options::help() const { return impl_->app.help(); }

}  // namespace ramet::cli
