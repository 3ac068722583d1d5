#include "policy/image/eval_transform.h"

#include "policy/image/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

int64_t round_half_even(double value) { return static_cast<int64_t>(std::nearbyint(value)); }

int64_t scaled(int64_t side, double fraction) {
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(side) * fraction));
}

bool is_side(int64_t side) { return side >= 1 && side <= Image::kMaxSide; }

tl::unexpected<Error> wrong(const std::string& where, const char* key, std::string expected, std::string found) {
  return fail(Code::invalid_value, where + "." + key, std::move(expected), std::move(found));
}

Result<ImageSize> required_size(const std::optional<ImageSize>& size, const std::string& where, const char* key) {
  if (!size) return wrong(where, key, "a size: the other options refer to it", "null");
  if (!is_side(size->height) || !is_side(size->width))
    return wrong(where, key, fmt::format("sides of 1 to {}", Image::kMaxSide), str(*size));
  return *size;
}

Result<int64_t> shortest_edge(const EvalTransformOptions& options, const std::string& where) {
  if (!options.shortest_image_edge) {
    RAMET_TRY(const ImageSize target, required_size(options.image_target_size, where, "image_target_size"));
    return target.height;
  }
  if (!is_side(*options.shortest_image_edge))
    return wrong(where, "shortest_image_edge", fmt::format("1 to {}", Image::kMaxSide),
                 std::to_string(*options.shortest_image_edge));
  return *options.shortest_image_edge;
}

Result<double> crop_fraction(const EvalTransformOptions& options, const std::string& where) {
  const char* key = "crop_fraction";
  double fraction = options.crop_fraction.value_or(0);
  if (!options.crop_fraction) {
    key = "image_crop_size";
    RAMET_TRY(const ImageSize crop, required_size(options.image_crop_size, where, "image_crop_size"));
    RAMET_TRY(const ImageSize target, required_size(options.image_target_size, where, "image_target_size"));
    fraction = static_cast<double>(crop.height) / static_cast<double>(target.height);
  }
  if (!(fraction > 0 && fraction <= 1))
    return wrong(where, key, "a crop of more than 0 and at most the whole side", fmt::format("{} of it", fraction));
  return fraction;
}

}  // namespace

Result<EvalTransform> EvalTransform::make(const EvalTransformOptions& options, const std::string& where) {
  EvalTransform transform;
  transform.letterbox_ = options.letter_box_transform;
  transform.albumentations_ = options.use_albumentations;
  if (options.use_albumentations) {
    RAMET_TRY(transform.shortest_edge_, shortest_edge(options, where));
    RAMET_TRY(transform.crop_fraction_, crop_fraction(options, where));
    return transform;
  }
  RAMET_TRY(transform.target_size_, required_size(options.image_target_size, where, "image_target_size"));
  RAMET_TRY(transform.crop_size_, required_size(options.image_crop_size, where, "image_crop_size"));
  if (transform.crop_size_.height > transform.target_size_.height ||
      transform.crop_size_.width > transform.target_size_.width)
    return wrong(where, "image_crop_size", "at most image_target_size, " + str(transform.target_size_),
                 str(transform.crop_size_));
  return transform;
}

Result<Image> EvalTransform::apply(const Image& image) const {
  if (!letterbox_) return scale_and_crop(image);
  RAMET_TRY(const Image square, letterbox(image));
  return scale_and_crop(square);
}

Result<Image> EvalTransform::scale_and_crop(const Image& image) const {
  if (albumentations_) {
    RAMET_TRY(const Image small, resize_shortest_edge(image, shortest_edge_));
    RAMET_TRY(const Image middle, crop_centre_fraction(small, crop_fraction_));
    return resize_shortest_edge(middle, shortest_edge_);
  }
  RAMET_TRY(const Image small, resize(image, target_size_, Resampler::torch_bilinear));
  RAMET_TRY(const Image middle, crop_centre(small, crop_size_));
  return resize(middle, target_size_, Resampler::torch_bilinear);
}

Result<Image> resize_shortest_edge(const Image& image, int64_t edge) {
  const double scale = static_cast<double>(edge) / static_cast<double>(std::min(image.height(), image.width()));
  const auto side = [&](int64_t n) { return round_half_even(static_cast<double>(n) * scale); };
  return resize(image, {side(image.height()), side(image.width())}, Resampler::cv_area);
}

Result<Image> crop_centre_fraction(const Image& image, double fraction) {
  const ImageSize size{scaled(image.height(), fraction), scaled(image.width(), fraction)};
  return crop(image, size, {(image.height() - size.height) / 2, (image.width() - size.width) / 2});
}

Result<Image> crop_centre(const Image& image, ImageSize size) {
  const auto offset = [](int64_t whole, int64_t part) {
    return round_half_even(static_cast<double>(whole - part) / 2);
  };
  return crop(image, size, {offset(image.height(), size.height), offset(image.width(), size.width)});
}

}  // namespace ramet
