#include "settings.h"

#include "environment.h"
#include "places.h"

#include "base/json.h"
#include "base/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

namespace ramet::cli {
namespace {

constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxSteps = 1000;
constexpr const char* kPolicyFile = "ramet.json";

Status store_embodiment(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "a tag");
  values.embodiment = given.text;
  return {};
}

Status store_data_config(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "a name or a file");
  values.data_config = given.text;
  return {};
}

Status store_executor(const Given& given, SettingValues& values) {
  if (given.text != "oracle" && given.text != "tuned") return misfit(given, "tuned or oracle");
  values.executor = given.text == "tuned" ? ExecutorKind::tuned : ExecutorKind::oracle;
  return {};
}

Status store_precision(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "fp32, bf16, int8, or one of them with SITE=PRECISION");
  values.precision = given.text;
  return {};
}

Status store_isa(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "scalar, avx2, avx512 or amx");
  values.isa = given.text;
  return {};
}

Status store_threads(const Given& given, SettingValues& values) {
  RAMET_TRY(const int64_t threads, parse_integer(given, 1, kMaxThreads));
  values.threads = static_cast<int>(threads);
  return {};
}

Status store_backbone(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "a directory");
  values.backbone = given.text;
  return {};
}

Status store_tokenizer(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "a file or directory");
  values.tokenizer = given.text;
  return {};
}

Status store_cache(const Given& given, SettingValues& values) {
  if (given.text.empty()) return misfit(given, "a folder");
  values.cache = given.text;
  return {};
}

Status store_steps(const Given& given, SettingValues& values) {
  RAMET_TRY(const int64_t steps, parse_integer(given, 1, kMaxSteps));
  values.steps = static_cast<int>(steps);
  return {};
}

Status store_reuse_backbone(const Given& given, SettingValues& values) {
  if (given.text != "on" && given.text != "off") return misfit(given, "on or off");
  values.reuse_backbone = given.text == "on";
  return {};
}

Status store_seed(const Given& given, SettingValues& values) {
  RAMET_TRY(values.seed, parse_unsigned(given));
  return {};
}

Status store_quirks(const Given& given, SettingValues& values) {
  for (const std::string& part : split(given.text, ',')) {
    RAMET_TRY(auto quirk, parse_pair({part, given.where, given.code}));
    values.quirks.insert_or_assign(std::move(quirk.first), std::move(quirk.second));
  }
  return {};
}

struct Definition {
  const char* name;
  const char* value;
  const char* meaning;
  const char* fallback;
  const char* example;
  Status (*store)(const Given& given, SettingValues& values);
  bool is_path = false;
  const char* alias = nullptr;  // the option's name in Isaac-GR00T's server, where it is another
};

constexpr std::array kDefinitions{
    Definition{"embodiment", "TAG", "robot, as `ramet inspect` lists them", "the only one", "libero_sim",
               store_embodiment, false, "embodiment-tag"},
    Definition{"data-config", "NAME", "keys and transforms of an N1.5 robot: a preset or a JSON file",
               "what the directory says, or the only preset that fits", "oxe_droid", store_data_config},
    Definition{"executor", "NAME", "what computes: tuned is fast, oracle is plain float32 to compare with", "tuned",
               "oracle", store_executor},
    Definition{"precision", "NAME[,SITE=NAME]",
               "what the tuned executor may round: fp32, bf16 or int8, then exceptions; `ramet inspect --sites` lists "
               "the sites",
               "bf16", "int8,vision.block.0-5=bf16", store_precision},
    Definition{"isa", "NAME", "best instruction set to use: scalar, avx2, avx512 or amx", "the machine's best", "avx2",
               store_isa},
    Definition{"threads", "N", "threads to compute with", "physical cores", "2", store_threads},
    Definition{"backbone", "DIR", "config and tokenizer of the backbone that the checkpoint names",
               "DIR/backbone, the Hugging Face cache, the published configs", "Cosmos-Reason2-2B", store_backbone,
               true},
    Definition{"tokenizer", "PATH", "tokenizer.json, vocab.json beside merges.txt, a .tiktoken file, or their folder",
               "DIR, the backbone directory, the installed data", "qwen.tiktoken", store_tokenizer, true},
    Definition{"cache", "DIR", "folder that keeps weights as the kernels want them, so that the next start is short",
               "ramet in the user's cache directory", "/var/cache/ramet", store_cache, true},
    Definition{"steps", "N", "denoising steps", "from the checkpoint", "4", store_steps, false, "denoising-steps"},
    Definition{"reuse-backbone", "on|off",
               "skip everything before the denoiser when pictures and text are those of the last call", "off", "on",
               store_reuse_backbone},
    Definition{"seed", "N", "seed of the initial noise", "0", "7", store_seed},
    Definition{"quirks", "NAME=VALUE,...",
               "switches between behaviours of the reference, as `ramet inspect` lists them", "as published",
               "rope_bf16=on", store_quirks},
};

OptionText option_text(const Definition& definition) {
  const std::string alias = definition.alias == nullptr ? "" : fmt::format("--{},", definition.alias);
  return {.name = fmt::format("{}--{}", alias, definition.name),
          .value = definition.value,
          .meaning = definition.meaning,
          .fallback = definition.fallback,
          .example = definition.example};
}

// A text stays, a number becomes its digits, an object of texts becomes "a=b,c=d".
Result<std::string> json_text(const Json& value) {
  if (value.is_string()) return value.as<std::string>();
  if (value.is_object()) {
    std::vector<std::string> pairs;
    RAMET_TRY(const auto items, value.items());
    for (const auto& [key, item] : items) {
      RAMET_TRY(const std::string text, item.as<std::string>());
      pairs.push_back(key + "=" + text);
    }
    return fmt::format("{}", fmt::join(pairs, ","));
  }
  RAMET_TRY(const int64_t number, value.as<int64_t>());
  return std::to_string(number);
}

using GivenByName = std::map<std::string, Given, std::less<>>;

Result<GivenByName> read_policy_file(const std::filesystem::path& checkpoint) {
  GivenByName given;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(checkpoint, error);
  const std::filesystem::path directory = is_file ? checkpoint.parent_path() : checkpoint;
  const std::filesystem::path path = directory / kPolicyFile;
  if (checkpoint.empty() || !std::filesystem::exists(path, error)) return given;
  RAMET_TRY(const JsonFile file, JsonFile::load(path));
  RAMET_TRY(const auto items, file.root().items());
  for (const auto& [key, value] : items) {
    const auto definition = std::ranges::find(kDefinitions, std::string_view(key), &Definition::name);
    if (definition == kDefinitions.end())
      return fail(Code::surplus, value.where(), "one of " + list_names(setting_names()), "an unknown one",
                  did_you_mean(key, setting_names()));
    RAMET_TRY(std::string text, json_text(value));
    if (definition->is_path && !text.empty()) text = (directory / text).string();
    given.emplace(key, Given{.text = std::move(text), .where = value.where(), .code = Code::invalid_value});
  }
  return given;
}

std::optional<Given> find(const GivenByName& given, std::string_view name) {
  const auto it = given.find(name);
  if (it == given.end()) return std::nullopt;
  return it->second;
}

}  // namespace

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Definition& definition : kDefinitions) names.emplace_back(definition.name);
  return names;
}

Settings::Settings(std::initializer_list<std::string_view> names) : names_(names.begin(), names.end()) {}

void Settings::declare(Options& options) {
  for (const Definition& definition : kDefinitions) {
    if (std::ranges::find(names_, std::string_view(definition.name)) == names_.end()) continue;
    options.option(option_text(definition),
                   [this, name = definition.name](const Given& given) { return give(name, given); });
  }
  if (std::ranges::find(names_, "cache") != names_.end())
    options.flag({.name = "--no-cache", .meaning = "do not keep packed weights, and do not use kept ones"}, no_cache_);
}

Status Settings::give(std::string_view name, Given given) {
  if (std::ranges::find(names_, name) == names_.end())
    return fail(Code::usage, given.where, "one of " + list_names(names_), "another setting",
                did_you_mean(name, names_));
  options_.insert_or_assign(std::string(name), std::move(given));
  return {};
}

Status Settings::resolve(const std::filesystem::path& checkpoint) {
  RAMET_TRY(const GivenByName policy_file, read_policy_file(checkpoint));
  for (const Definition& definition : kDefinitions) {
    std::optional<Given> given = find(options_, definition.name);
    if (!given) given = from_environment(definition.name);
    if (!given) given = find(policy_file, definition.name);
    if (given) RAMET_TRY_STATUS(definition.store(*given, values_));
    sources_.push_back(given ? Setting{definition.name, given->text, given->where}
                             : Setting{definition.name, definition.fallback, "default"});
  }
  return {};
}

void Settings::take(std::string_view name, const std::string& text, std::string& value,
                    const std::filesystem::path& file) {
  const bool stronger = options_.contains(name) || from_environment(name);
  if (text.empty() || stronger) return;
  value = text;
  const auto source = std::ranges::find(sources_, name, &Setting::name);
  *source = {std::string(name), text, file.string()};
}

void Settings::take_robot(const ObservationFiles& files, const std::filesystem::path& file) {
  take("embodiment", files.embodiment_tag, values_.embodiment, file);
  take("data-config", files.data_config.value_or(""), values_.data_config, file);
}

EngineOptions Settings::engine(Console& console) const {
  EngineOptions options = engine();
  options.progress = console.progress_callback();
  options.log = console.log_callback();
  return options;
}

EngineOptions Settings::engine() const {
  return {.threads = values_.threads,
          .executor = values_.executor,
          .precision = values_.precision,
          .isa = values_.isa,
          .cache = no_cache_ ? std::filesystem::path() : values_.cache.value_or(weight_cache()),
          .backbone = values_.backbone,
          .tokenizer = values_.tokenizer,
          .hub_cache = hub_cache(),
          .data_dirs = data_dirs(),
          .quirks = values_.quirks};
}

}  // namespace ramet::cli
