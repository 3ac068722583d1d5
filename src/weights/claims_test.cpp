#include "weights/claims.h"

#include "weights/testing.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using testing::HasSubstr;

class Claims : public testing::Test {
 protected:
  void SetUp() override {
    test::write_tensors(folder_ / "model.safetensors",
                        {{"backbone.model.model.visual.blocks.0.norm.weight", DType::bf16, {8}},
                         {"backbone.model.model.visual.blocks.0.norm.bias", DType::f32, {8}},
                         {"backbone.model.model.visual.blocks.1.norm.weight", DType::f16, {8}},
                         {"backbone.model.model.visual.blocks.1.norm.bias", DType::i32, {8}},
                         {"lm_head.weight", DType::bf16, {16, 8}}});
    auto checkpoint = Checkpoint::open(folder_.path());
    ASSERT_OK(checkpoint);
    checkpoint_ = std::move(*checkpoint);
  }

  test::ScratchFolder folder_;
  Checkpoint checkpoint_;
};

constexpr std::string_view kVisual = "backbone.model.model.visual";

TEST_F(Claims, EverythingOnceIsFine) {
  WeightClaims claims(checkpoint_);
  const WeightScope visual(claims, std::string(kVisual), Category::vision);
  EXPECT_EQ(visual.count("blocks"), 2);
  const Weight weight = visual.scope("blocks.0").weight("norm.weight", {8});
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight.name, "backbone.model.model.visual.blocks.0.norm.weight");
  EXPECT_EQ(weight.view.dtype(), DType::bf16);
  EXPECT_TRUE(visual.optional("blocks.0.norm.bias", {8}));
  EXPECT_FALSE(visual.optional("blocks.0.norm.scale", {8}));
  EXPECT_TRUE(visual.scope("blocks.1", Category::vision_merger).weight("norm.weight", {8}));
  claims.ignore("backbone.model.model.visual.blocks.1.norm.bias", "a test");
  claims.ignore_all("lm_", "tied to the token table");
  claims.ignore("absent", "never there");
  EXPECT_OK(claims.finish());
  EXPECT_EQ(claims.totals()[static_cast<size_t>(Category::vision)].bytes, 8U * 2 + 8 * 4);
  EXPECT_EQ(claims.totals()[static_cast<size_t>(Category::vision_merger)].tensors, 1);
  EXPECT_EQ(claims.totals()[static_cast<size_t>(Category::skipped)].tensors, 2);
  ASSERT_EQ(claims.ignored().size(), 2U);
  EXPECT_EQ(claims.ignored()[1].reason, "tied to the token table");
}

TEST_F(Claims, ScopesTellWhatIsThere) {
  WeightClaims claims(checkpoint_);
  const WeightScope root(claims, "", Category::llm);
  EXPECT_TRUE(root.has("lm_head.weight"));
  EXPECT_FALSE(root.has("lm_head"));
  EXPECT_TRUE(root.has_part("lm_head"));
  EXPECT_FALSE(root.has_part("lm"));
  EXPECT_EQ(root.shape_of("lm_head.weight"), (Shape{16, 8}));
  EXPECT_EQ(root.shape_of("lm_head.bias"), std::nullopt);
  EXPECT_EQ(root.count("blocks"), 0);
}

// One kind of problem each; the rest of the checkpoint is ignored.
struct Problem {
  const char* what;
  void (*claim)(WeightClaims&);
  Code code;
  const char* message;
};

TEST_F(Claims, EachProblemHasItsCode) {
  static constexpr auto kNorm = "backbone.model.model.visual.blocks.0.norm.weight";
  const std::vector<Problem> problems{
      {"missing",
       [](WeightClaims& c) {
         c.claim("absent.weight", {2, 3}, Category::llm);
       },
       Code::not_found, "absent.weight: expected a tensor [2,3], found none"},
      {"shape", [](WeightClaims& c) { c.claim(kNorm, {9}, Category::vision); }, Code::shape_mismatch,
       "norm.weight: expected [9], found [8]"},
      {"dtype",
       [](WeightClaims& c) { c.claim("backbone.model.model.visual.blocks.1.norm.bias", {8}, Category::vision); },
       Code::unsupported_dtype, "expected BF16, F16 or F32, found I32"},
      {"twice",
       [](WeightClaims& c) {
         c.claim(kNorm, {8}, Category::vision);
         c.claim(kNorm, {8}, Category::vision);
       },
       Code::internal, "norm.weight: expected one use"},
  };
  for (const Problem& problem : problems) {
    SCOPED_TRACE(problem.what);
    WeightClaims claims(checkpoint_);
    problem.claim(claims);
    claims.ignore_all("", "not part of this test");
    const Status status = claims.finish();
    EXPECT_CODE(status, problem.code);
    EXPECT_THAT(status.error().message(), HasSubstr(problem.message));
    EXPECT_THAT(status.error().hint, HasSubstr("a GR00T N1.7 checkpoint"));
  }
}

TEST_F(Claims, OneSurplusTensor) {
  WeightClaims claims(checkpoint_);
  claims.ignore_all("backbone.", "not part of this test");
  const Status status = claims.finish();
  EXPECT_CODE(status, Code::surplus);
  EXPECT_THAT(status.error().where, HasSubstr("model.safetensors: lm_head.weight"));
}

TEST_F(Claims, SeveralProblemsAreListedTogether) {
  WeightClaims claims(checkpoint_);
  const WeightScope visual(claims, std::string(kVisual), Category::vision);
  visual.weight("blocks.0.norm.weight", {4});
  visual.weight("blocks.2.norm.weight", {8});
  visual.weight("blocks.2.norm.bias", {8});
  claims.ignore_all("backbone.", "not part of this test");
  const Status status = claims.finish();
  EXPECT_CODE(status, Code::not_found);
  EXPECT_EQ(
      status.error().found,
      "2 missing (backbone.model.model.visual.blocks.2.norm.weight, backbone.model.model.visual.blocks.2.norm.bias); "
      "1 of another shape (backbone.model.model.visual.blocks.0.norm.weight [8] instead of [4]); "
      "1 surplus (lm_head.weight)");
}

}  // namespace
}  // namespace ramet
