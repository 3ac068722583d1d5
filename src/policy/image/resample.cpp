#include "policy/image/resample.h"

#include "policy/image/resample_kernels.h"

namespace ramet {
namespace {

// Pillow 13 starts with the axis that loses far more pixels.
PassOrder pillow13_order(ImageSize from, ImageSize to) {
  const int64_t lost_rows = from.height - to.height;
  const int64_t lost_columns = from.width - to.width;
  return lost_rows > 0 && lost_rows > 2 * lost_columns ? PassOrder::height_first : PassOrder::width_first;
}

}  // namespace

Result<Image> resize(const Image& image, ImageSize size, Resampler resampler) {
  if (size == image.size()) return image.clone();
  RAMET_TRY(Image out, Image::make(size));
  const auto separable = [&](FilterKernel kernel, WeightBits bits, PassOrder order) -> Result<Image> {
    RAMET_TRY_STATUS(resize_separable(image, kernel, bits, order, out));
    return std::move(out);
  };
  const auto opencv = [&](CvMode mode) -> Result<Image> {
    resize_opencv(image, mode, out);
    return std::move(out);
  };
  const PassOrder pillow13 = pillow13_order(image.size(), size);
  using enum FilterKernel;
  switch (resampler) {
    case Resampler::torch_bicubic: return separable(bicubic, WeightBits::torch, PassOrder::width_first);
    case Resampler::torch_bilinear: return separable(bilinear, WeightBits::torch, PassOrder::width_first);
    case Resampler::pillow_bicubic: return separable(bicubic, WeightBits::pillow, pillow13);
    case Resampler::pillow_bilinear: return separable(bilinear, WeightBits::pillow, pillow13);
    case Resampler::pillow12_bicubic: return separable(bicubic, WeightBits::pillow, PassOrder::width_first);
    case Resampler::pillow12_bilinear: return separable(bilinear, WeightBits::pillow, PassOrder::width_first);
    case Resampler::cv_area: return opencv(CvMode::area);
    case Resampler::cv_linear: return opencv(CvMode::linear);
  }
  return fail(Code::internal, "resize", "a known resampler", "another value");
}

}  // namespace ramet
