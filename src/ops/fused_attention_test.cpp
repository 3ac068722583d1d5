#include "ops/fused_attention.h"

#include "ops/emulated_kernels.h"
#include "ops/operand.h"
#include "ops/testing.h"

#include <cstring>
#include <numeric>

namespace ramet::ops {
namespace {

const ProductKernel& emulated(std::string_view name) {
  return **std::ranges::find(test::emulated_product_kernels(), name, &ProductKernel::name);
}

std::vector<const ProductKernel*> kernels() {
  const Isa best = cpu_features().best();
  return {&choose_product_kernel(Precision::fp32, DType::f32, best),
          &choose_product_kernel(Precision::bf16, DType::f32, best), &emulated("emulated.amx.bf16"),
          &emulated("emulated.amx.fp32"), &emulated("emulated.avx512.bf16")};
}

// What rounding of both factors may change in a product, relative.
double rounding(const ProductKernel& kernel) {
  if (kernel.precision == Precision::fp32) return kernel.exact_rows ? 0 : 1.02 * 0x1p-15;
  return kernel.exact_rows ? 0x1p-8 : 0x1p-7 + 0x1p-16;
}

// q, k and v side by side in one buffer, as a fused projection leaves them.
struct Case {
  int64_t num_heads, num_kv_heads, head_dim;
  std::vector<AttentionSegment> segments;
  bool causal = false;
  float size = 1.0F;

  int64_t q_tokens = segments.back().q_end;
  int64_t k_tokens = std::ranges::max(segments, {}, &AttentionSegment::k_end).k_end;
  Buffer q_rows = test::random({q_tokens, (num_heads + 1) * head_dim}, 1, size);
  Buffer kv_rows = test::random({k_tokens, 2 * num_kv_heads* head_dim + 3}, 2, size);

  Attention op() const { return {1.0F / std::sqrt(static_cast<float>(head_dim)), causal, segments}; }
  ConstView heads(const Buffer& rows, int64_t column, int64_t count) const {
    const ConstView view = rows.view();
    return {view.bytes() + column * 4, DType::f32, {view.shape()[0], count, head_dim}, {view.stride(0), head_dim, 1}};
  }
  std::vector<ConstView> operands() const {
    return {heads(q_rows, head_dim, num_heads), heads(kv_rows, 0, num_kv_heads),
            heads(kv_rows, num_kv_heads * head_dim + 3, num_kv_heads)};
  }
  const float* vector(size_t operand, int64_t token, int64_t head) const {
    const ConstView view = operands()[operand];
    return view.data<float>() + token * view.stride(0) + head * view.stride(1);
  }
};

std::vector<float> run(const ProductKernel& kernel, const Case& c, int threads = 2) {
  const Attention op = c.op();
  const std::vector<ConstView> in = c.operands();
  const FusedAttention fused{&kernel, &op};
  const Shape shape = op.output_shape(in);
  test::Guarded y(shape.elements() * 4, 4), scratch(fused.scratch_bytes(in, threads), 0);
  ThreadPool pool(threads);
  Stream stream{pool, scratch.bytes(), cpu_features().best()};
  const int64_t before = test::allocations();
  fused.run(stream, in, View(y.bytes().data(), DType::f32, shape));
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(y.intact());
  EXPECT_TRUE(scratch.intact());
  const auto* values = reinterpret_cast<const float*>(y.bytes().data());
  return {values, values + shape.elements()};
}

// One row of one head: its softmax, and how far scores may be off for each unit of relative rounding.
struct Row {
  std::vector<double> p;
  double spread = 0, magnitude = 0;

  Row(const Case& c, int64_t t, int64_t head, int64_t k_begin, int64_t k_end) {
    const double scale = c.op().scale;
    const float* q = c.vector(0, t, head);
    for (int64_t s = k_begin; s < k_end; ++s) {
      const float* k = c.vector(1, s, head / (c.num_heads / c.num_kv_heads));
      double sum = 0, terms = 0;
      for (int64_t j = 0; j < c.head_dim; ++j) {
        const double term = static_cast<double>(q[j]) * k[j];
        sum += term, terms += std::abs(term);
      }
      p.push_back(sum * scale);
      magnitude = std::max(magnitude, terms * scale);
    }
    const auto [low, high] = std::ranges::minmax(p);
    spread = high - low;
    for (double& value : p) value = std::exp(value - high);
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= sum;
  }

  // Relative to the sum of p |v|. Two scores differ by twice the error of one; exp is within 2e-7; that factor is on
  // every p and on their sum. Then p and v are rounded, the sum is, and the quotient.
  double bound(const Case& c, double relative) const {
    const auto sum_of = [&](int64_t depth) { return static_cast<double>(3 * (depth + 64) + 8) * test::kEps; };
    const auto keys = static_cast<int64_t>(p.size());
    const double exponent = 2 * (relative + sum_of(c.head_dim)) * magnitude + 4 * spread * test::kEps + 2e-7;
    return 2 * std::expm1(exponent) + relative + 2 * sum_of(keys);
  }
};

void expect_reference(const ProductKernel& kernel, const Case& c) {
  const std::vector<float> y = run(kernel, c), reference = test::run(c.op(), c.operands(), 2);
  for (const AttentionSegment& s : c.segments)
    for (int64_t t = s.q_begin; t < s.q_end; ++t)
      for (int64_t head = 0; head < c.num_heads; ++head) {
        const int64_t k_end = c.causal ? s.k_begin + t - s.q_begin + 1 : s.k_end;
        const Row row(c, t, head, s.k_begin, k_end);
        const double relative = row.bound(c, rounding(kernel)) + row.bound(c, 0);
        for (int64_t j = 0; j < c.head_dim; ++j) {
          double magnitude = 0;
          for (int64_t k = s.k_begin; k < k_end; ++k)
            magnitude += row.p[static_cast<size_t>(k - s.k_begin)] *
                         std::abs(c.vector(2, k, head / (c.num_heads / c.num_kv_heads))[j]);
          const auto at = static_cast<size_t>((t * c.num_heads + head) * c.head_dim + j);
          ASSERT_NEAR(y[at], reference[at], relative * magnitude)
              << kernel.name << " token " << t << " head " << head << " dim " << j;
        }
      }
}

void expect_reference_from_all(const Case& c) {
  for (const ProductKernel* kernel : kernels()) expect_reference(*kernel, c);
}

TEST(FusedAttention, MatchesTheReferenceForEveryHeadSize) {
  for (const int64_t head_dim : {20, 48, 64, 72, 128}) expect_reference_from_all({2, 2, head_dim, {{0, 45, 0, 41}}});
}

TEST(FusedAttention, KeepsSegmentsApart) {
  expect_reference_from_all({2, 2, 48, {{0, 1, 3, 4}, {1, 50, 0, 7}, {50, 54, 3, 300}, {54, 130, 0, 64}}});
}

TEST(FusedAttention, SharesKeysBetweenGroupedHeads) { expect_reference_from_all({6, 2, 64, {{0, 17, 0, 30}}}); }

TEST(FusedAttention, CausalRowsSeeTheirPastOnly) {
  expect_reference_from_all({4, 2, 72, {{0, 1, 0, 1}, {1, 91, 1, 91}, {91, 124, 91, 124}}, true});
}

TEST(FusedAttention, ManyRowsMakeSeveralBlocks) { expect_reference_from_all({1, 1, 20, {{0, 600, 0, 50}}}); }

TEST(FusedAttention, SurvivesLargeScores) {
  for (const ProductKernel* kernel : kernels()) {
    const Case c{2, 2, 64, {{0, 30, 0, 30}}, true, 50.0F};  // scores beyond +-1e3
    for (const float value : run(*kernel, c)) ASSERT_TRUE(std::isfinite(value)) << kernel->name;
  }
}

TEST(FusedAttention, ThreadsChangeNoBit) {
  const Case c{4, 2, 72, {{0, 100, 0, 100}, {100, 130, 100, 130}}, true};
  for (const ProductKernel* kernel : kernels()) {
    const std::vector<float> one = run(*kernel, c, 1);
    for (const int threads : {2, 3}) EXPECT_TRUE(test::same_bits(run(*kernel, c, threads), one)) << kernel->name;
  }
}

// y written as tiles of lines holds what y rounded to bf16 does.
TEST(FusedAttention, WritesTilesForAReader) {
  const ProductKernel& reader = emulated("emulated.amx.bf16");
  for (const int64_t head_dim : {20, 48, 64, 72}) {
    const Case c{3, 3, head_dim, {{0, 45, 0, 41}, {45, 50, 0, 7}}};
    const Attention op = c.op();
    const std::vector<ConstView> in = c.operands();
    const int64_t width = 3 * head_dim;
    const std::vector<float> expected = run(reader, c);
    const FusedAttention fused{&reader, &op, &reader};
    test::Guarded y(div_up(50, reader.tile_rows) * reader.tile_bytes(width), 0), scratch(fused.scratch_bytes(in, 2), 0);
    ThreadPool pool(2);
    Stream stream{pool, scratch.bytes(), cpu_features().best()};
    fused.run(stream, in, View(y.bytes().data(), DType::f32, op.output_shape(in)));
    EXPECT_TRUE(y.intact());
    for (int64_t t = 0; t < 50; ++t)
      for (int64_t c2 = 0; c2 < div_up(width, 32) * 32; ++c2) {
        uint16_t bits = 0;
        std::memcpy(&bits,
                    y.bytes().data() + t / 16 * reader.tile_bytes(width) + c2 / 32 * 1024 + t % 16 * 64 + c2 % 32 * 2,
                    2);
        const float value = c2 < width ? expected[static_cast<size_t>(t * width + c2)] : 0.0F;
        ASSERT_EQ(bits, f32_to_bf16(value)) << head_dim << " token " << t << " column " << c2;
      }
  }
}

TEST(FusedAttention, PlaceOfARowChangesNoBit) {
  const Case whole{2, 2, 48, {{0, 63, 0, 300}}}, cut{2, 2, 48, {{0, 30, 0, 300}, {30, 31, 0, 300}, {31, 63, 0, 300}}};
  for (const ProductKernel* kernel : kernels())
    EXPECT_TRUE(test::same_bits(run(*kernel, whole), run(*kernel, cut))) << kernel->name;
}

}  // namespace
}  // namespace ramet::ops
