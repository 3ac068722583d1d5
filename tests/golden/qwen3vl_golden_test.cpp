// Whole Qwen3-VL models up to the logits of the next token, against transformers. No command runs these; the towers
// alone and GR00T are compared by tests/e2e.
#include "golden/golden_case.h"
#include "models/qwen3_vl.h"
#include "policy/image/decode.h"
#include "policy/image/patch_rows.h"
#include "policy/image/video_sampling.h"
#include "policy/text/positions.h"
#include "policy/text/prompt.h"
#include "program/executor.h"
#include "weights/sha256.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "support/assertions.h"
#include "support/paths.h"

namespace ramet {
namespace {

using test::GoldenCase;
using testing::HasSubstr;
using testing::IsEmpty;

struct Prompt {
  std::vector<PromptPart> parts;
  PatchRows rows;
  std::vector<Grid> images, videos;
};

// Prefill of one prompt, and everything the golden says about it.
class Qwen3VlGolden : public testing::Test {
 protected:
  void open(const std::string& name) {
    const auto directory = test::golden_dir(name), vocabulary = test::golden_dir("tokenizer");
    if (!directory || !vocabulary) GTEST_SKIP() << "golden case " << name << ": not on this machine";
    auto opened = GoldenCase::open(*directory);
    ASSERT_OK(opened);
    golden_.emplace(std::move(*opened));
    tokenizer_.emplace(Tokenizer::load(*vocabulary).value());
    const auto file = JsonFile::load(*directory / "checkpoint/config.json");
    config_ = parse_qwen3_vl_config(file.value().root()).value();
  }
  bool is_open() const { return tokenizer_.has_value(); }

  std::vector<Image> pictures(const Json& files) const {
    std::vector<Image> images;
    const auto names = files.as<std::vector<std::string>>().value();
    for (const std::string& file : names) images.push_back(read_image(golden_->directory() / file).value());
    return images;
  }

  Layout layout(const Prompt& prompt, const std::vector<int64_t>& ids) {
    const VisionPads pads{config_.image_token_id, config_.video_token_id};
    const MropePositions positions = mrope_positions(ids, pads, prompt.images, prompt.videos).value();
    golden_->expect_equal("pre.positions", positions.values);
    golden_->expect_equal("pre.rope_delta", std::array{positions.delta});
    check_decode_positions(static_cast<int64_t>(ids.size()), positions.delta);
    Layout layout{.grids = prompt.rows.grids, .text = {}};
    if (!prompt.videos.empty()) layout.frames = Frames::distinct;
    const auto tokens = static_cast<ptrdiff_t>(ids.size());
    for (ptrdiff_t axis = 0; axis < 3; ++axis)
      layout.text.positions[static_cast<size_t>(axis)] = {positions.values.begin() + axis * tokens,
                                                          positions.values.begin() + (axis + 1) * tokens};
    for (size_t t = 0; t < ids.size(); ++t)
      if (ids[t] == pads.image || ids[t] == pads.video) layout.text.visual_rows.push_back(static_cast<int64_t>(t));
    return layout;
  }

  // Generated tokens stand at tokens + n + delta on all axes.
  void check_decode_positions(int64_t tokens, int64_t delta) {
    const int64_t generated = static_cast<int64_t>(golden_->integers("decode.positions").size()) / 3;
    std::vector<int64_t> expected;
    for (int axis = 0; axis < 3; ++axis)
      for (int64_t n = 0; n < generated; ++n) expected.push_back(tokens + n + delta);
    golden_->expect_equal("decode.positions", expected);
  }

  void check_ids(const Prompt& prompt, const std::vector<int64_t>& ids) {
    golden_->expect_equal("pre.input_ids", ids);
    golden_->expect_equal("pre.attention_mask", std::vector<int64_t>(ids.size(), 1));
    std::vector<int64_t> types;
    for (const int64_t id : ids)
      types.push_back(id == config_.image_token_id ? 1 : id == config_.video_token_id ? 2 : 0);
    golden_->expect_equal("pre.token_types", types);
    const ChatOptions transformers_4{.video_wrap = VideoWrap::replace_triple};
    const auto ids_4 = chat_prompt(*tokenizer_, prompt.parts, transformers_4).value();
    golden_->expect_equal("pre.input_ids.transformers_4_57", ids_4);
    const VisionPads pads{config_.image_token_id, config_.video_token_id};
    golden_->expect_equal("pre.positions.transformers_4_57",
                          mrope_positions(ids_4, pads, prompt.images, prompt.videos).value().values);
  }

  void check_pixels(const std::string& tap, const Prompt& prompt) {
    golden_->expect_gate(tap, prompt.rows.pixels.view());
    Sha256 hash;
    hash.update(std::as_bytes(prompt.rows.pixels.flat<float>()));
    const std::string stated =
        golden_->document().at("pre.pixels").value().get<std::string>(tap).value();  // "exact; sha256 of all rows ..."
    EXPECT_THAT(stated, HasSubstr(hash.finish()));
    std::vector<int64_t> grids;
    for (const Grid& grid : prompt.rows.grids) grids.insert(grids.end(), {grid.t, grid.h, grid.w});
    golden_->expect_equal(prompt.videos.empty() ? "pre.image_grid_thw" : "pre.video_grid_thw", grids);
  }

  void check_logits(std::span<const float> logits) {
    std::vector<float> kept;
    for (size_t id = 0; id < logits.size(); id += 16) kept.push_back(logits[id]);
    golden_->expect_gate("logits.last", vector_view(kept));
    std::vector<int64_t> order(logits.size());
    for (size_t id = 0; id < order.size(); ++id) order[id] = static_cast<int64_t>(id);
    const auto larger = [&](int64_t a, int64_t b) {
      return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
    };
    std::ranges::stable_sort(order, larger);
    order.resize(golden_->integers("logits.top.ids").size());
    golden_->expect_equal("logits.top.ids", order);
    std::vector<float> top;
    for (const int64_t id : order) top.push_back(logits[static_cast<size_t>(id)]);
    golden_->expect_gate("logits.top", vector_view(top));
    EXPECT_EQ(golden_->integers("decode.ids").front(), order.front());
    golden_->done("decode.ids");  // the other tokens need a decoder, which Ramet does not have
  }

  static ConstView vector_view(const std::vector<float>& values) {
    return {reinterpret_cast<const std::byte*>(values.data()), DType::f32, {static_cast<int64_t>(values.size())}};
  }

  void run(const Prompt& prompt) {
    const std::vector<int64_t> ids = chat_prompt(*tokenizer_, prompt.parts).value();
    check_ids(prompt, ids);
    WeightClaims claims(golden_->checkpoint());
    const Qwen3VlModel model(claims, config_.vision, *config_.text);
    ASSERT_OK(claims.finish());
    const Program program = model.record(layout(prompt, ids));
    ThreadPool pool(2);
    auto executor = Executor::compile(program, pool, {.taps = {"*"}});
    ASSERT_OK(executor);
    std::ranges::copy(prompt.rows.pixels.flat<float>(), executor->input("pixels").flat<float>().begin());
    std::ranges::copy(ids, executor->input("input_ids").flat<int64_t>().begin());
    ASSERT_OK(executor->run());
    for (const Executor::Tap& tap : executor->taps())
      if (golden_->left().contains(std::string(tap.name))) golden_->expect_gate(std::string(tap.name), tap.view);
    check_logits(executor->output("logits").flat<float>());
    EXPECT_THAT(golden_->left(), IsEmpty());
  }

  std::optional<GoldenCase> golden_;
  std::optional<Tokenizer> tokenizer_;
  Qwen3VlConfig config_;
};

TEST_F(Qwen3VlGolden, TwoPicturesAndText) {
  open("qwen3vl_full");
  if (!is_open()) return;
  const auto processor = load_qwen_image_processor(golden_->directory() / "checkpoint");
  ASSERT_OK(processor);
  Prompt prompt;
  prompt.rows = image_patch_rows(pictures(golden_->document().at("images").value()), *processor).value();
  prompt.images = prompt.rows.grids;
  prompt.parts = {ImagePart{prompt.images.at(0)}, TextPart{"Compare it with "}, ImagePart{prompt.images.at(1)},
                  TextPart{" and say what moved.\n"}};
  check_pixels("pre.pixels", prompt);
  run(prompt);
}

TEST_F(Qwen3VlGolden, Video) {
  open("qwen3vl_video");
  if (!is_open()) return;
  const auto processor = load_qwen_video_processor(golden_->directory() / "checkpoint");
  ASSERT_OK(processor);
  const Json video = golden_->document().at("video").value();
  const std::vector<Image> frames = pictures(video.at("frames").value());
  const double fps = video.get<double>("fps").value();
  const std::vector<int64_t> sampled =
      sample_frames(static_cast<int64_t>(frames.size()), fps, processor->sampling).value();
  std::vector<Image> seen;
  for (const int64_t frame : sampled) seen.push_back(frames[static_cast<size_t>(frame)].clone().value());
  Prompt prompt;
  prompt.rows = video_patch_rows(seen, *processor).value();
  prompt.videos = prompt.rows.grids;
  prompt.parts = {VideoPart{prompt.videos.at(0), group_timestamps(sampled, fps, config_.vision.temporal_patch_size)},
                  TextPart{"What does the robot do?"}};
  check_pixels("pre.pixels_video", prompt);
  run(prompt);
}

}  // namespace
}  // namespace ramet
