#include "inspection_report.h"
#include "table.h"
#include "text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ramet::cli {
namespace {

std::string bytes(int64_t count) { return human_bytes(static_cast<double>(count)); }

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "\n" + title + "\n" + body;
}

std::string lines(const std::vector<std::string>& texts) {
  std::string body;
  for (const std::string& text : texts) body += "  " + printable(text) + "\n";
  return body;
}

std::string keys(const std::vector<ModalityKey>& keys) {
  Table table({"key", "dims", "normalization", "representation", "unit"},
              {Align::left, Align::right, Align::left, Align::left, Align::left});
  for (const ModalityKey& key : keys)
    table.add(
        {key.key, key.dims == 0 ? "?" : std::to_string(key.dims), key.normalization, key.representation, key.unit});
  return table.empty() ? "" : table.text(6);
}

std::string embodiment(const EmbodimentInfo& robot) {
  std::string text = fmt::format("  {}  (slot {}){}\n", printable(robot.tag), robot.slot,
                                 robot.problem.empty() ? "" : "  unusable: " + printable(robot.problem));
  text += fmt::format("    cameras   {}; frames at {}\n", printable(fmt::format("{}", fmt::join(robot.cameras, ", "))),
                      robot.video_delta_indices);
  text += fmt::format("    language  {}\n", printable(robot.language_key()));
  text += fmt::format("    state     rows at {}\n{}", robot.state_delta_indices, keys(robot.state));
  return text + fmt::format("    action    {} steps\n{}", robot.action_horizon, keys(robot.action));
}

std::string embodiments(const Inspection& inspection) {
  std::string text;
  for (const EmbodimentInfo& robot : inspection.embodiments) text += embodiment(robot);
  return text;
}

std::string categories(const Inspection& inspection) {
  Table table({"category", "tensors", "parameters", "bytes"}, {Align::left, Align::right, Align::right, Align::right});
  for (const CategoryInfo& category : inspection.categories)
    table.add({category.category, std::to_string(category.tensors), std::to_string(category.parameters),
               bytes(category.bytes)});
  return table.empty() ? "" : table.text(2);
}

std::string tensors(const Inspection& inspection) {
  Table table({"tensor", "dtype", "shape", "bytes", "category", "file"},
              {Align::left, Align::left, Align::left, Align::right, Align::left, Align::left});
  for (const TensorInfo& tensor : inspection.tensors)
    table.add({tensor.name, tensor.dtype, fmt::format("{}", tensor.shape), std::to_string(tensor.bytes),
               tensor.category, tensor.file});
  return table.empty() ? "" : table.text(2);
}

std::string settings(std::span<const Setting> settings) {
  Table table({"name", "value", "from"}, {Align::left, Align::left, Align::left});
  for (const Setting& setting : settings) table.add({setting.name, setting.value, setting.source});
  return table.empty() ? "" : table.text(2);
}

std::string modes(const Inspection& inspection) {
  std::string text;
  for (const auto& [mode, count] : inspection.bytes_by_mode)
    text += fmt::format("  {}: {}\n", printable(mode), bytes(count));
  return text;
}

std::string plans(std::span<const ExecutionPlan> plans) {
  Table table({"layout", "what", "packed weights", "everything else"},
              {Align::left, Align::left, Align::right, Align::right});
  for (const ExecutionPlan& plan : plans)
    table.add({plan.layout, plan.meaning, bytes(plan.weights_bytes), bytes(plan.arena_bytes)});
  return table.empty() ? "" : table.text(2);
}

std::string sites(const ExecutionPlan& plan) {
  Table table({"site", "precision", "weight"}, {Align::left, Align::left, Align::left});
  for (const SiteInfo& site : plan.sites)
    table.add({site.site, site.precision, site.shape.empty() ? "" : fmt::format("{}", site.shape)});
  return table.empty() ? "" : table.text(2);
}

}  // namespace

std::string to_text(const Inspection& inspection, const InspectionView& view) {
  std::string text = fmt::format("{}, {} layout, {} of weights\n", printable(inspection.version),
                                 printable(inspection.layout), bytes(inspection.weight_bytes));
  text += section("Problems", lines(inspection.problems));
  text += section("Missing", lines(inspection.missing));
  text += section("Surplus", lines(inspection.surplus));
  text += section("Embodiments", embodiments(inspection));
  text += section("Tensors", categories(inspection));
  if (view.tensors) text += "\n" + tensors(inspection);
  text += section("Memory", modes(inspection));
  text += section("Memory of the executor", plans(view.plans));
  if (view.sites && !view.plans.empty()) text += section("Sites", sites(view.plans.front()));
  text += section("Model", settings(inspection.settings));
  text += section("Quirks of the reference", settings(inspection.quirks));
  text += section("Options", settings(view.options));
  return text + section("Files", lines(inspection.files));
}

}  // namespace ramet::cli
