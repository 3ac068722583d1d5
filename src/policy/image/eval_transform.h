// The evaluation image transform of the GR00T N1.6 and N1.7 processors, camera picture to what the Qwen or Eagle image
// processor gets.
//
//   use_albumentations: [letterbox] -> shortest side to E -> centre crop by f -> shortest side to E       cv_area
//   else:               [letterbox] -> image_target_size -> centre crop image_crop_size -> image_target_size
//                                                                                            torch_bilinear
//   E = shortest_image_edge, or image_target_size[0];  f = crop_fraction, or image_crop_size[0] / image_target_size[0]
//
// Source: spec gr00t-n1.7, section 3.2; spec gr00t-n1.6, section 5.1.
#pragma once

#include "policy/image/image.h"

#include <optional>

namespace ramet {

// Fields of processor_config.json. A key that is absent keeps the value here; an explicit null is std::nullopt.
struct EvalTransformOptions {
  std::optional<ImageSize> image_crop_size;
  std::optional<ImageSize> image_target_size;
  std::optional<int64_t> shortest_image_edge = 256;
  std::optional<double> crop_fraction = 0.95;
  bool letter_box_transform = false;
  bool use_albumentations = false;
};

class EvalTransform {
 public:
  // `where` names the file and object that hold the options: "processor_config.json: processor_kwargs".
  // Errors: invalid_value, naming the key.
  static Result<EvalTransform> make(const EvalTransformOptions& options, const std::string& where);

  // Errors: invalid_value (a result no Image may have: extreme aspect ratios), no_memory.
  Result<Image> apply(const Image& image) const;

 private:
  Result<Image> scale_and_crop(const Image& image) const;

  bool letterbox_ = false;
  bool albumentations_ = false;
  int64_t shortest_edge_ = 0;  // albumentations
  double crop_fraction_ = 1;   // albumentations
  ImageSize target_size_;      // torchvision
  ImageSize crop_size_;        // torchvision
};

// Scaled so that the shorter side has `edge` pixels (cv_area); the other side is rounded half to even.
Result<Image> resize_shortest_edge(const Image& image, int64_t edge);

// The middle of the picture, sides trunc(side * fraction) but at least 1; offsets are rounded down (albumentations).
Result<Image> crop_centre_fraction(const Image& image, double fraction);

// The middle of the picture; offsets are rounded half to even (torchvision).
Result<Image> crop_centre(const Image& image, ImageSize size);

}  // namespace ramet
