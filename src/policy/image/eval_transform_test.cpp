#include "policy/image/eval_transform.h"

#include "base/json.h"
#include "policy/image/patch_rows.h"
#include "policy/image/test_support.h"
#include "support/assertions.h"
#include "support/paths.h"

#include <gmock/gmock.h>

#include <cmath>

namespace ramet {
namespace {

using testing::HasSubstr;

// The noise of spec gr00t-n1.7, section 3.2.
Image noise(ImageSize size, int64_t seed) {
  return test::picture(size, [&](int64_t y, int64_t x, int64_t c) {
    const auto u32 = [](int64_t value) { return static_cast<uint32_t>(value); };
    uint32_t v = u32(x) * 73856093U ^ u32(y) * 19349663U ^ u32(seed * 3 + c) * 83492791U;
    v ^= v >> 13;
    v *= 0x5BD1E995U;
    v ^= v >> 15;
    return v & 255;
  });
}

Image ramp(ImageSize size) {
  return test::picture(size, [](int64_t y, int64_t x, int64_t c) {
    return c == 0 ? x + 3 * y : c == 1 ? 2 * x + y : x + 5 * y;
  });
}

EvalTransformOptions published() {
  return {.image_crop_size = ImageSize{230, 230}, .image_target_size = ImageSize{256, 256}, .use_albumentations = true};
}

std::optional<ImageSize> size_at(const Json& node, const char* key, std::optional<ImageSize> fallback) {
  if (node.at(key) && node.at(key)->is_null()) return std::nullopt;
  if (!node.has(key)) return fallback;
  const auto size = node.get<std::vector<int64_t>>(key).value();
  return ImageSize{size[0], size[1]};
}

template <class T>
std::optional<T> value_at(const Json& node, const char* key, std::optional<T> fallback) {
  if (node.at(key) && node.at(key)->is_null()) return std::nullopt;
  return node.has(key) ? node.get<T>(key).value() : fallback;
}

EvalTransformOptions with_flags(const Json& flags) {
  EvalTransformOptions options = published();
  options.image_crop_size = size_at(flags, "image_crop_size", options.image_crop_size);
  options.image_target_size = size_at(flags, "image_target_size", options.image_target_size);
  options.shortest_image_edge = value_at<int64_t>(flags, "shortest_image_edge", options.shortest_image_edge);
  options.crop_fraction = value_at<double>(flags, "crop_fraction", options.crop_fraction);
  options.letter_box_transform = flags.get_or<bool>("letter_box_transform", false).value();
  options.use_albumentations = flags.get_or<bool>("use_albumentations", true).value();
  return options;
}

Image transformed(const Image& image, const EvalTransformOptions& options) {
  return EvalTransform::make(options, "test").value().apply(image).value();
}

void expect_rows(const Json& item, const PatchRows& rows) {
  const auto values = rows.pixels.flat<float>();
  std::vector<uint16_t> bf16(values.size());
  std::vector<uint8_t> bytes(values.size());
  std::transform(values.begin(), values.end(), bf16.begin(), f32_to_bf16);
  std::transform(values.begin(), values.end(), bytes.begin(),
                 [](float v) { return static_cast<uint8_t>(std::lround(v * 127.5F + 127.5F)); });
  EXPECT_EQ(test::sha256_of(values), item.get<std::string>("sha256_rows_f32").value());
  EXPECT_EQ(test::sha256_of(std::span(bf16)), item.get<std::string>("sha256_rows_bf16").value());
  EXPECT_EQ(test::sha256_of(std::span(bytes)), item.get<std::string>("sha256_rows_u8").value());
  const auto row = item.get<std::vector<int64_t>>("row").value();
  const std::array<int64_t, 9> columns{0, 1, 17, 255, 256, 512, 800, 1024, 1535};
  for (size_t k = 0; k < columns.size(); ++k)
    EXPECT_EQ(bytes[static_cast<size_t>(row[0] * 1536 + columns[k])], row[k + 1]) << "column " << columns[k];
}

TEST(EvalTransformGolden, EveryCameraOfN17) {
  const auto folder = test::golden_dir("n17_processors");
  if (!folder) GTEST_SKIP() << "no golden n17_processors";
  const JsonFile file = JsonFile::load(*folder / "images.json").value();
  const auto cases = test::entries(file.root(), "cases");
  EXPECT_EQ(cases.size(), 88U);
  for (const Json& item : cases) {
    const auto raw = item.get<std::vector<int64_t>>("raw").value();
    const std::string flags = item.get<std::string>("flags").value();
    SCOPED_TRACE(item.where() + " " + flags + " " + str(ImageSize{raw[0], raw[1]}));
    const Image in = item.get<std::string>("source").value() == "ramp"
                         ? ramp({raw[0], raw[1]})
                         : noise({raw[0], raw[1]}, item.get<int64_t>("seed").value());
    const Image out = transformed(in, with_flags(file.root().at("flags").value().at(flags).value()));
    const auto size = item.get<std::vector<int64_t>>("size").value();
    ASSERT_EQ(out.size(), (ImageSize{size[0], size[1]}));
    EXPECT_EQ(test::sha256_of(out.bytes()), item.get<std::string>("sha256_hwc").value());
    for (const Json& node : test::entries(item, "probe")) {
      const auto probe = node.as<std::vector<int64_t>>().value();
      for (size_t c = 0; c < 3; ++c)
        EXPECT_EQ(out.row(probe[0])[3 * probe[1] + static_cast<int64_t>(c)], probe[2 + c]) << node.where();
    }
    const PatchRows rows = image_patch_rows({&out, 1}, {}).value();
    const auto grid = item.get<std::vector<int64_t>>("grid_thw").value();
    EXPECT_EQ(rows.grids.front(), (Grid{grid[0], grid[1], grid[2]}));
    expect_rows(item, rows);
  }
}

// Hashes that spec gr00t-n1.7 quotes from elsewhere.
TEST(EvalTransform, PublishedHashes) {
  EXPECT_EQ(test::sha256_of(transformed(ramp({480, 640}), published()).bytes()),
            "c17e47af68a812aa79db3bb7b64b549ddf10148ac1b204a9686095018561ae9e");
  const auto chw_hash = [](const Image& image) {
    std::vector<uint8_t> planes;
    for (int64_t c = 0; c < 3; ++c)
      for (const int value : test::channel(image, c)) planes.push_back(static_cast<uint8_t>(value));
    return test::sha256_of(std::span(planes));
  };
  EvalTransformOptions letterboxed = published();
  letterboxed.letter_box_transform = true;
  EXPECT_EQ(chw_hash(transformed(noise({256, 256}, 1), published())),
            "a427ae3b84ebcc6e87470c79c0e45cf684770d6e31158a49f8736685e0da72c6");
  EXPECT_EQ(chw_hash(transformed(noise({512, 768}, 2), published())),
            "45bc3a309f3d06c3f31051911bc8a544ff3f067b023b999dd9c2b7e6029ecc93");
  EXPECT_EQ(chw_hash(transformed(noise({512, 768}, 2), letterboxed)),
            "52a3db185e6ee4f00617b87711dd198b8f2e2ad53865713d34e56225a4ec61a2");
}

TEST(EvalTransform, SizesOfTheSpec) {
  const auto size = [](ImageSize raw) { return transformed(ramp(raw), published()).size(); };
  EXPECT_EQ(size({180, 320}), (ImageSize{256, 455}));
  EXPECT_EQ(size({480, 640}), (ImageSize{256, 340}));
  EXPECT_EQ(size({320, 240}), (ImageSize{340, 256}));
  EXPECT_EQ(size({540, 640}), (ImageSize{256, 302}));
  EXPECT_EQ(size({1, 1}), (ImageSize{256, 256}));
}

TEST(EvalTransform, HalfAnOffsetIsRoundedToEvenByTorchvisionAlone) {
  const Image image = test::picture({256, 256}, [](int64_t y, int64_t x, int64_t c) { return c == 0 ? y : x; });
  EXPECT_EQ(crop_centre(image, {243, 241}).value().row(0)[0], 6);      // 6.5
  EXPECT_EQ(crop_centre(image, {243, 241}).value().row(0)[1], 8);      // 7.5
  EXPECT_EQ(crop_centre_fraction(image, 0.945).value().row(0)[0], 7);  // 241 rows: 7.5
}

TEST(EvalTransform, WrongOptionsNameTheirKey) {
  const auto error = [](EvalTransformOptions options) {
    const auto transform = EvalTransform::make(options, "processor_config.json: processor_kwargs");
    if (transform) return std::string("no error");
    EXPECT_EQ(transform.error().code, Code::invalid_value);
    return transform.error().where;
  };
  const auto with = [](auto change) {
    EvalTransformOptions options = published();
    change(options);
    return options;
  };
  using Options = EvalTransformOptions;
  EXPECT_THAT(error(with([](Options& o) { o.crop_fraction = 0; })), HasSubstr("processor_kwargs.crop_fraction"));
  EXPECT_THAT(error(with([](Options& o) { o.crop_fraction = 1.01; })), HasSubstr(".crop_fraction"));
  EXPECT_THAT(error(with([](Options& o) { o.crop_fraction = NAN; })), HasSubstr(".crop_fraction"));
  EXPECT_THAT(error(with([](Options& o) { o.shortest_image_edge = 0; })), HasSubstr(".shortest_image_edge"));
  EXPECT_THAT(error(with([](Options& o) {
                o.shortest_image_edge = std::nullopt;
                o.image_target_size = std::nullopt;
              })),
              HasSubstr(".image_target_size"));
  EXPECT_THAT(error(with([](Options& o) {
                o.crop_fraction = std::nullopt;
                o.image_crop_size = std::nullopt;
              })),
              HasSubstr(".image_crop_size"));
  EXPECT_THAT(error(with([](Options& o) {
                o.use_albumentations = false;
                o.image_crop_size = ImageSize{300, 200};
              })),
              HasSubstr(".image_crop_size"));
  EXPECT_THAT(error({}), HasSubstr(".image_target_size"));
}

TEST(EvalTransform, ExtremeAspectRatioIsAnError) {
  const EvalTransform transform = EvalTransform::make(published(), "test").value();
  EXPECT_CODE(transform.apply(ramp({1, 2000})), Code::invalid_value);
}

}  // namespace
}  // namespace ramet
