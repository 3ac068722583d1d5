#include "policy/groot_inputs.h"

#include "policy/text/formalize.h"

#include <fmt/format.h>

namespace ramet {
namespace {

Result<Image> copy_image(const ImageView& view, const std::string& where) {
  auto image = Image::copy_of({view.height, view.width}, view.rgb);
  if (!image) image.error().where = where;
  return image;
}

Status check_same_size(const std::vector<Image>& images, const std::string& where) {
  for (const Image& image : images)
    if (image.size() != images.front().size())
      return fail(Code::shape_mismatch, where + ": video", "pictures of one size after the transform",
                  fmt::format("{} and {}", str(images.front().size()), str(image.size())),
                  "give all cameras the same aspect ratio");
  return {};
}

std::vector<int64_t> position_values(const TextLayout& text) {
  std::vector<int64_t> values;
  for (const auto& axis : text.positions) values.insert(values.end(), axis.begin(), axis.end());
  return values;
}

}  // namespace

Result<std::vector<Image>> camera_images(const Observation& observation, const Modality& video,
                                         const EvalTransform& transform) {
  std::vector<Image> images;
  for (size_t time = 0; time < static_cast<size_t>(video.horizon()); ++time)
    for (const std::string& camera : video.modality_keys) {
      const std::string where = fmt::format("{}: video.{}[{}]", observation.name, camera, time);
      RAMET_TRY(const Image raw, copy_image(observation.video.at(camera)[time], where));
      RAMET_TRY(Image image, transform.apply(raw));
      images.push_back(std::move(image));
    }
  RAMET_TRY_STATUS(check_same_size(images, observation.name));
  return images;
}

Result<std::string> instruction_text(const Observation& observation, const Modality& language,
                                     const ProcessorConfig& processor) {
  RAMET_TRY(std::string text, instruction(observation, language));
  if (text.empty()) text = processor.default_instruction;
  if (!processor.formalize_language) return text;
  return formalize_language(text);
}

TextLayout text_layout(std::span<const int64_t> ids, std::span<const int64_t> positions, int64_t image_token) {
  TextLayout layout;
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto values = positions.subspan(axis * ids.size(), ids.size());
    layout.positions[axis].assign(values.begin(), values.end());
  }
  for (size_t token = 0; token < ids.size(); ++token)
    if (ids[token] == image_token) layout.visual_rows.push_back(static_cast<int64_t>(token));
  return layout;
}

void tap_prompt(TapList& taps, const ModelInputs& inputs) {
  const auto tokens = static_cast<int64_t>(inputs.input_ids.size());
  taps.add("pre.input_ids", {tokens}, inputs.input_ids);
  taps.add("pre.attention_mask", {tokens}, std::vector<int64_t>(inputs.input_ids.size(), 1));
  taps.add("pre.positions", {3, tokens}, position_values(inputs.layout.text));
}

}  // namespace ramet
