#include "prediction.h"

#include "action_columns.h"
#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ramet::cli {
namespace {

using nlohmann::ordered_json;

// Rows of any rank as nested lists.
ordered_json nested(std::span<const int64_t> shape, std::span<const float> values) {
  if (shape.empty()) return values.front();
  ordered_json list = ordered_json::array();
  const size_t stride = shape.front() == 0 ? 0 : values.size() / static_cast<size_t>(shape.front());
  for (int64_t i = 0; i < shape.front(); ++i)
    list.push_back(nested(shape.subspan(1), values.subspan(static_cast<size_t>(i) * stride, stride)));
  return list;
}

std::vector<NamedArray> arrays_of(const Actions& actions) {
  std::vector<NamedArray> arrays;
  for (const std::string& key : actions.keys) arrays.push_back(named_array(key, actions.actions.at(key)));
  return arrays;
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::string heading(const Prediction& prediction) {
  const std::string noise =
      prediction.noise.empty() ? fmt::format("seed {}", prediction.seed) : "noise from " + prediction.noise.string();
  return printable(fmt::format("{}: {} steps, {}", prediction.actions.embodiment, prediction.actions.horizon, noise)) +
         "\n\n";
}

std::string timing_lines(const Prediction& prediction) {
  if (prediction.runs.size() == 1) return timing_line(prediction.runs.front()) + "\n";
  return fmt::format("median of {} runs: {}\nfastest:          {}\n", prediction.runs.size(),
                     timing_line(median(prediction.runs)), timing_line(minimum(prediction.runs)));
}

struct Suffix {
  const char* suffix;
  OutputFormat format;
};
constexpr std::array kSuffixes{Suffix{".json", OutputFormat::json}, Suffix{".npz", OutputFormat::npz},
                               Suffix{".safetensors", OutputFormat::safetensors}, Suffix{".csv", OutputFormat::csv}};

}  // namespace

ordered_json to_json(const Prediction& prediction) {
  const Actions& actions = prediction.actions;
  ordered_json by_key = ordered_json::object();
  for (const std::string& key : actions.keys) {
    const FloatArray& array = actions.actions.at(key);
    by_key[key] = nested(array.shape, array.values);
  }
  ordered_json document{
      {"embodiment_tag", actions.embodiment}, {"horizon", actions.horizon}, {"actions", by_key}, {"seed", nullptr}};
  if (prediction.noise.empty())
    document["seed"] = prediction.seed;
  else
    document["noise"] = prediction.noise.string();
  document["timing_ms"] = timing_document(median(prediction.runs));
  if (prediction.runs.size() > 1) {
    document["timing_min_ms"] = timing_document(minimum(prediction.runs));
    document["runs"] = prediction.runs.size();
  }
  append(document, prediction.facts);
  return document;
}

std::string to_csv(const Actions& actions) {
  const std::vector<ActionColumn> columns = action_columns(actions);
  std::string text = "step";
  for (const ActionColumn& column : columns) text += "," + quoted(column.name());
  text += "\n";
  for (int64_t step = 0; step < actions.horizon; ++step) {
    text += std::to_string(step);
    for (const ActionColumn& column : columns) text += fmt::format(",{}", column.at(step));
    text += "\n";
  }
  return text;
}

std::string to_table(const Prediction& prediction, int columns) {
  return heading(prediction) + action_table(prediction.actions, columns) + "\n" + timing_lines(prediction) +
         facts_line(prediction.facts);
}

Result<OutputFormat> output_format(const std::filesystem::path& path) {
  const auto known = std::ranges::find(kSuffixes, path.extension().string(), &Suffix::suffix);
  if (known != kSuffixes.end()) return known->format;
  return fail(Code::usage, "--output", "a file that ends in .json, .npz, .safetensors or .csv", path.string());
}

Status stage(const Prediction& prediction, const std::filesystem::path& path, StagedFiles& files) {
  RAMET_TRY(const OutputFormat format, output_format(path));
  switch (format) {
    case OutputFormat::json:
      return files.add_text(path,
                            to_json(prediction).dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
    case OutputFormat::npz: return files.add_npz(path, arrays_of(prediction.actions));
    case OutputFormat::safetensors: return files.add_safetensors(path, arrays_of(prediction.actions));
    case OutputFormat::csv: return files.add_text(path, to_csv(prediction.actions));
  }
  return {};
}

}  // namespace ramet::cli
