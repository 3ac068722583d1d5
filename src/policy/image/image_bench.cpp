// Camera pictures through the resizes and the patch rows; bytes are those read.
#include "policy/image/eval_transform.h"
#include "policy/image/patch_rows.h"
#include "policy/image/resample.h"

#include <benchmark/benchmark.h>

namespace ramet {
namespace {

Image noise(ImageSize size) {
  Image image = Image::make(size).value();
  uint32_t state = 1;
  for (uint8_t& byte : image.bytes()) byte = static_cast<uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
  return image;
}

void count_bytes(benchmark::State& state, const Image& image) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(image.bytes().size()));
}

void bench_resize(benchmark::State& state, Resampler resampler, ImageSize from, ImageSize to) {
  const Image image = noise(from);
  for (auto _ : state) benchmark::DoNotOptimize(resize(image, to, resampler));
  count_bytes(state, image);
}
BENCHMARK_CAPTURE(bench_resize, cv_area_1080p, Resampler::cv_area, ImageSize{1080, 1920}, ImageSize{256, 455});
BENCHMARK_CAPTURE(bench_resize, cv_area_720p, Resampler::cv_area, ImageSize{720, 1280}, ImageSize{256, 455});
BENCHMARK_CAPTURE(bench_resize, cv_area_4x, Resampler::cv_area, ImageSize{1024, 1024}, ImageSize{256, 256});
BENCHMARK_CAPTURE(bench_resize, cv_area_grows, Resampler::cv_area, ImageSize{243, 432}, ImageSize{256, 455});
BENCHMARK_CAPTURE(bench_resize, torch_bicubic_448, Resampler::torch_bicubic, ImageSize{256, 455}, ImageSize{256, 448});
BENCHMARK_CAPTURE(bench_resize, torch_bicubic_256, Resampler::torch_bicubic, ImageSize{1080, 1920},
                  ImageSize{256, 448});
BENCHMARK_CAPTURE(bench_resize, torch_bicubic_1088, Resampler::torch_bicubic, ImageSize{1080, 1920},
                  ImageSize{1088, 1920});
BENCHMARK_CAPTURE(bench_resize, pillow_bicubic_256, Resampler::pillow_bicubic, ImageSize{1080, 1920},
                  ImageSize{256, 448});

void bench_n17_camera(benchmark::State& state, ImageSize camera) {
  const Image image = noise(camera);
  EvalTransformOptions options;
  options.use_albumentations = true;
  const EvalTransform transform = EvalTransform::make(options, "bench").value();
  for (auto _ : state) {
    const Image frame = transform.apply(image).value();
    benchmark::DoNotOptimize(image_patch_rows({&frame, 1}, {}));
  }
  count_bytes(state, image);
}
BENCHMARK_CAPTURE(bench_n17_camera, 480p, ImageSize{480, 640});
BENCHMARK_CAPTURE(bench_n17_camera, 1080p, ImageSize{1080, 1920});

}  // namespace
}  // namespace ramet
