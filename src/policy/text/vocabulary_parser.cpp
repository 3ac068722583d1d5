#include "policy/text/vocabulary_parser.h"

#include "policy/text/byte_alphabet.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

namespace ramet {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

constexpr int kMaxDepth = 64;
constexpr int kRuleDepth = 3;  // of the entries of model.merges, counted in open containers

// Decides for each event of the parser whether the value stays in the tree. Keys of the vocabulary and entries of the
// rules do not; a value whose key was dropped is dropped by the parser.
class Filter {
 public:
  Filter(const std::string& name, VocabularyLayout layout, VocabularyBuilder& builder)
      : name_(name), builder_(builder), vocab_depth_(layout == VocabularyLayout::vocab_json ? 1 : 3) {}

  bool keep(int depth, Event event, json& value) {
    if (problem_) return false;
    if (event == Event::key) return keep_key(depth, value.get_ref<const std::string&>());
    if (is_begin(event) || event == Event::value) check_container(depth, event);
    if (in_rules(depth)) return keep_in_rules(depth, event, value);
    if (in_vocab(depth) && (is_begin(event) || event == Event::value)) add_token(value);
    return depth < kMaxDepth;
  }
  std::optional<Error> take_problem() { return std::move(problem_); }

 private:
  static bool is_begin(Event event) { return event == Event::object_start || event == Event::array_start; }
  bool in_model(std::string_view part) const { return keys_[0] == "model" && keys_[1] == part; }
  bool in_vocab(int depth) const { return depth == vocab_depth_ && (vocab_depth_ == 1 || in_model("vocab")); }
  bool in_rules(int depth) const { return vocab_depth_ != 1 && depth >= kRuleDepth && in_model("merges"); }

  // The vocabulary must be an object and the rules a list.
  void check_container(int depth, Event event) {
    const bool root = vocab_depth_ == 1 && depth == 0;
    const bool vocab = root || (vocab_depth_ != 1 && depth == 2 && in_model("vocab"));
    const bool rules = vocab_depth_ != 1 && depth == 2 && in_model("merges");
    if (vocab && event != Event::object_start)
      note(fail(Code::invalid_file, root ? name_ : name_ + ": model.vocab", "an object of tokens", "something else"));
    if (rules && event != Event::array_start)
      note(fail(Code::invalid_file, rules_place(), "a list of rules", "something else"));
  }

  bool keep_key(int depth, const std::string& key) {
    if (in_vocab(depth)) {
      token_ = key;
      return false;
    }
    if (depth <= 2) keys_[static_cast<size_t>(depth - 1)] = key;
    if (depth == 1) keys_[1].clear();
    return true;
  }

  bool keep_in_rules(int depth, Event event, const json& value) {
    if (depth == kRuleDepth && event == Event::array_start) {
      parts_.clear();
      return true;
    }
    if (event == Event::value && value.is_string() && depth == kRuleDepth)
      note(add_rule_text(value.get_ref<const std::string&>(), rules_place(), rules_++, builder_));
    else if (event == Event::value && value.is_string() && depth == kRuleDepth + 1 && parts_.size() < 2)
      parts_.push_back(value.get_ref<const std::string&>());
    else if (event == Event::array_end && depth == kRuleDepth && parts_.size() == 2)
      note(add_rule_parts(parts_[0], parts_[1], rules_place(), rules_++, builder_));
    else
      note(fail(Code::invalid_file, fmt::format("{} {}", rules_place(), rules_),
                "\"left right\" or [\"left\", \"right\"]", "something else"));
    return false;
  }

  void add_token(const json& value) {
    const auto spelling = bytes_of_letters(token_);
    if (!spelling)
      note(fail(Code::invalid_file, place_of_token(), "a key in the alphabet of byte-level BPE", "another character"));
    else if (!value.is_number_integer())
      note(fail(Code::invalid_file, place_of_token(), "the id of a token, an integer", "something else"));
    else
      note(builder_.add_token(*spelling, value.get<int64_t>()));
  }

  std::string place_of_token() const { return fmt::format("{}: key \"{}\"", name_, token_); }
  std::string rules_place() const { return name_ + ": model.merges"; }
  void note(Status status) {
    if (!status && !problem_) problem_ = std::move(status).error();
  }

  const std::string& name_;
  VocabularyBuilder& builder_;
  int vocab_depth_;  // of the entries of the vocabulary, counted in open containers
  std::array<std::string, 2> keys_;
  std::string token_;
  std::vector<std::string> parts_;
  size_t rules_ = 0;
  std::optional<Error> problem_;
};

}  // namespace

Result<std::unique_ptr<json>> parse_vocabulary_json(std::string_view text, const std::string& name,
                                                    VocabularyLayout layout, VocabularyBuilder& builder) {
  Filter filter(name, layout, builder);
  auto rest = std::make_unique<json>();
  try {
    *rest = json::parse(text, [&](int depth, Event event, json& value) { return filter.keep(depth, event, value); });
  } catch (const json::exception& exception) {
    return fail(Code::invalid_file, name, "valid JSON in UTF-8", exception.what());
  }
  if (auto problem = filter.take_problem()) return tl::unexpected<Error>(std::move(*problem));
  return rest;
}

Status add_rule_parts(std::string_view left, std::string_view right, const std::string& place, size_t number,
                      VocabularyBuilder& builder) {
  const auto left_bytes = bytes_of_letters(left);
  const auto right_bytes = bytes_of_letters(right);
  if (!left_bytes || !right_bytes || left.empty() || right.empty())
    return fail(Code::invalid_file, fmt::format("{} {}", place, number), "two tokens in the alphabet of byte-level BPE",
                fmt::format("\"{}\" and \"{}\"", left, right));
  builder.add_rule(*left_bytes, *right_bytes, number);
  return {};
}

Status add_rule_text(std::string_view rule, const std::string& place, size_t number, VocabularyBuilder& builder) {
  const size_t blank = rule.find(' ');
  if (blank == std::string_view::npos)
    return fail(Code::invalid_file, fmt::format("{} {}", place, number), "\"left right\"", fmt::format("\"{}\"", rule));
  return add_rule_parts(rule.substr(0, blank), rule.substr(blank + 1), place, number, builder);
}

}  // namespace ramet
