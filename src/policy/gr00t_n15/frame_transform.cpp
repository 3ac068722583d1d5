#include "policy/gr00t_n15/frame_transform.h"

#include "policy/image/eval_transform.h"
#include "policy/image/resample.h"
#include "policy/image/resample_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ramet {
namespace {

constexpr double kCrop = 0.95;
constexpr int64_t kChannels = Image::kChannels;

struct FloatImage {
  int64_t height, width;
  std::vector<float> values;  // [height, width, 3]
};

float triangle(float x) { return std::max(0.0F, 1 - std::abs(x)); }

AxisTaps<float> antialias_taps(int64_t n, int64_t outputs) {
  const float scale = static_cast<float>(n) / static_cast<float>(outputs);
  const float support = std::max(scale, 1.0F);
  const float inverse = scale >= 1 ? 1 / scale : 1.0F;
  AxisTaps<float> taps(outputs, static_cast<int64_t>(std::ceil(support)) * 2 + 1);
  for (int64_t i = 0; i < outputs; ++i) {
    const auto c = static_cast<float>(static_cast<double>(scale) * (static_cast<double>(i) + 0.5));
    const auto rounded = [](float x) { return static_cast<int64_t>(static_cast<double>(x) + 0.5); };
    const int64_t low = std::max<int64_t>(0, rounded(c - support));
    const int64_t count = std::min(n, rounded(c + support)) - low;
    float* w = taps.weight(i);
    float total = 0;
    for (int64_t j = 0; j < count; ++j) {
      const double distance = static_cast<double>(static_cast<float>(low + j) - c) + 0.5;
      w[j] = triangle(static_cast<float>(distance * static_cast<double>(inverse)));
      total += w[j];
    }
    for (int64_t j = 0; j < count; ++j) w[j] /= total;
    taps.first[static_cast<size_t>(i)] = low;
    taps.count[static_cast<size_t>(i)] = count;
  }
  return taps;
}

// sum_j w_j from[j stride], in torch's order.
float weighted_sum(const float* from, int64_t stride, const float* w, int64_t count) {
  float sum = from[0] * w[0];
  int64_t j = 1;
  for (; j + 4 <= count; j += 4)
    for (int64_t k = j; k < j + 4; ++k) sum += from[k * stride] * w[k];
  for (; j < count; ++j) sum = std::fma(from[j * stride], w[j], sum);
  return sum;
}

FloatImage resize_width(const FloatImage& in, int64_t width) {
  const AxisTaps<float> taps = antialias_taps(in.width, width);
  FloatImage out{in.height, width, std::vector<float>(static_cast<size_t>(in.height * width * kChannels))};
  float* to = out.values.data();
  for (int64_t y = 0; y < in.height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < kChannels; ++c) {
        const int64_t first = taps.first[static_cast<size_t>(x)];
        const float* from = in.values.data() + (y * in.width + first) * kChannels + c;
        *to++ = weighted_sum(from, kChannels, taps.weight(x), taps.count[static_cast<size_t>(x)]);
      }
  return out;
}

FloatImage resize_height(const FloatImage& in, int64_t height) {
  const AxisTaps<float> taps = antialias_taps(in.height, height);
  const int64_t stride = in.width * kChannels;
  FloatImage out{height, in.width, std::vector<float>(static_cast<size_t>(height * stride))};
  for (int64_t y = 0; y < height; ++y)
    for (int64_t i = 0; i < stride; ++i) {
      const float* from = in.values.data() + taps.first[static_cast<size_t>(y)] * stride + i;
      out.values[static_cast<size_t>(y * stride + i)] =
          weighted_sum(from, stride, taps.weight(y), taps.count[static_cast<size_t>(y)]);
    }
  return out;
}

FloatImage to_unit_range(const Image& image) {
  FloatImage out{image.height(), image.width(), {}};
  out.values.reserve(image.bytes().size());
  for (const uint8_t level : image.bytes()) out.values.push_back(static_cast<float>(level) / 255);
  return out;
}

ImageSize cropped(ImageSize size) {
  const auto side = [](int64_t n) {
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(n) * kCrop));
  };
  return {side(size.height), side(size.width)};
}

}  // namespace

Result<Image> siglip_frame(const Image& frame) {
  RAMET_TRY(const Image middle, crop_centre(frame, cropped(frame.size())));
  FloatImage pixels = to_unit_range(middle);
  if (pixels.width != kSiglipSide) pixels = resize_width(pixels, kSiglipSide);
  if (pixels.height != kSiglipSide) pixels = resize_height(pixels, kSiglipSide);
  RAMET_TRY(Image out, Image::make({kSiglipSide, kSiglipSide}));
  std::transform(pixels.values.begin(), pixels.values.end(), out.bytes().begin(),
                 [](float value) { return static_cast<uint8_t>(value * 255); });
  return out;
}

Result<Image> lerobot_frame(const Image& frame) {
  return resize(frame, {kSiglipSide, kSiglipSide}, Resampler::torch_bicubic);
}

Result<Buffer> siglip_pixels(const std::vector<Image>& frames) {
  const auto count = static_cast<int64_t>(frames.size());
  RAMET_TRY(Buffer pixels, Buffer::make(DType::f32, {count, kChannels, kSiglipSide, kSiglipSide}));
  float* to = pixels.flat<float>().data();
  for (const Image& frame : frames)
    for (int64_t c = 0; c < kChannels; ++c)
      for (int64_t i = c; i < static_cast<int64_t>(frame.bytes().size()); i += kChannels)
        *to++ = (static_cast<float>(frame.bytes()[static_cast<size_t>(i)]) - 127.5F) / 127.5F;
  return pixels;
}

}  // namespace ramet
