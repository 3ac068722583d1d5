#include "ops/attention.h"

#include "ops/testing.h"

#include <numeric>

namespace ramet::ops {
namespace {

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
};

struct Row {
  int64_t t, head, k_begin, k_end;  // the keys it sees
};

struct Scores {
  std::vector<double> p;  // softmax
  double spread = 0;      // largest |score - max|
  double magnitude = 0;   // largest sum of |q k scale|
};

Scores exact_scores(const Case& c, const Row& row) {
  const auto in = c.operands();
  const int64_t g = row.head / (c.num_heads / c.num_kv_heads);
  Scores scores;
  for (int64_t s = row.k_begin; s < row.k_end; ++s) {
    double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < c.head_dim; ++j) {
      const double term = static_cast<double>(test::at(in[0], {row.t, row.head, j})) * test::at(in[1], {s, g, j});
      sum += term;
      magnitude += std::abs(term);
    }
    scores.p.push_back(sum * c.op().scale);
    scores.magnitude = std::max(scores.magnitude, magnitude * c.op().scale);
  }
  const auto [low, high] = std::ranges::minmax(scores.p);
  scores.spread = high - low;
  for (double& p : scores.p) p = std::exp(p - high);
  const double sum = std::accumulate(scores.p.begin(), scores.p.end(), 0.0);
  for (double& p : scores.p) p /= sum;
  return scores;
}

void expect_near_row(const Case& c, const Row& row, std::span<const float> y) {
  const Scores exact = exact_scores(c, row);
  const ConstView v = c.operands()[2];
  const int64_t g = row.head / (c.num_heads / c.num_kv_heads);
  const double keys = static_cast<double>(row.k_end - row.k_begin);
  // A score is off by head_dim + 1 roundings, so is the maximum; their difference and exp (two units) round again.
  // This factor is on each weight and on their sum; then the products are summed in blocks and divided.
  const double exponent = (2 * static_cast<double>(c.head_dim + 2) * exact.magnitude + exact.spread + 4) * test::kEps;
  const double factor = 2 * std::expm1(exponent) + (std::min(keys, 256.0) + keys / 256 + 4) * test::kEps;
  for (int64_t j = 0; j < c.head_dim; ++j) {
    double sum = 0, magnitude = 0;
    for (int64_t s = row.k_begin; s < row.k_end; ++s) {
      const double term = exact.p[static_cast<size_t>(s - row.k_begin)] * test::at(v, {s, g, j});
      sum += term;
      magnitude += std::abs(term);
    }
    ASSERT_NEAR(y[static_cast<size_t>((row.t * c.num_heads + row.head) * c.head_dim + j)], sum, factor * magnitude)
        << "token " << row.t << " head " << row.head << " dim " << j;
  }
}

void expect_near_exact(const Case& c) {
  const std::vector<float> y = test::run(c.op(), c.operands(), 2);
  for (const AttentionSegment& s : c.segments)
    for (int64_t t = s.q_begin; t < s.q_end; ++t)
      for (int64_t head = 0; head < c.num_heads; ++head)
        expect_near_row(c, {t, head, s.k_begin, c.causal ? s.k_begin + t - s.q_begin + 1 : s.k_end}, y);
}

TEST(Attention, MatchesTheFormulaForEveryHeadSize) {
  for (const int64_t head_dim : {1, 20, 48, 64, 72, 80, 128}) {
    SCOPED_TRACE(head_dim);
    expect_near_exact({3, 3, head_dim, {{0, 25, 0, 41}}});
  }
}

TEST(Attention, KeepsSegmentsApart) { expect_near_exact({2, 2, 20, {{0, 1, 3, 4}, {1, 50, 0, 7}, {50, 54, 3, 300}}}); }

TEST(Attention, SharesKeysBetweenGroupedHeads) { expect_near_exact({6, 2, 20, {{0, 17, 0, 30}}}); }

TEST(Attention, CausalRowsSeeTheirPastOnly) {
  const Case c{2, 1, 20, {{0, 1, 0, 1}, {1, 61, 1, 61}}, true};
  expect_near_exact(c);
}

TEST(Attention, SurvivesLargeScores) {
  const Case c{2, 2, 64, {{0, 30, 0, 40}}, false, 50.0F};  // scores beyond +-1e3, differences that underflow exp
  for (const float value : test::run(c.op(), c.operands())) EXPECT_TRUE(std::isfinite(value));
  Case extreme{1, 1, 8, {{0, 9, 0, 9}}, true, 100.0F};
  Attention op = extreme.op();
  op.scale = 1.0F;  // up to 8e4
  for (const float value : test::run(op, extreme.operands())) EXPECT_TRUE(std::isfinite(value));
}

TEST(Attention, ThreadsChangeNoBit) {
  const Case c{4, 2, 72, {{0, 100, 0, 100}, {100, 130, 100, 130}}, true};
  test::expect_same_bits_for_any_threads(c.op(), c.operands());
}

TEST(Attention, PlaceOfASegmentChangesNoBit) {
  const int64_t width = 2 * 20;
  const Case pair{2, 2, 20, {{0, 30, 0, 300}, {30, 63, 0, 300}}};
  const Case whole{2, 2, 20, {{0, 63, 0, 300}}};
  EXPECT_TRUE(test::same_bits(test::run(pair.op(), pair.operands()), test::run(whole.op(), whole.operands())));

  // The second segment alone, its rows moved to the front.
  std::vector<ConstView> moved = whole.operands();
  moved[0] = ConstView(moved[0].bytes() + 30 * moved[0].stride(0) * 4, DType::f32, {33, 2, 20}, moved[0].strides());
  const Attention op{whole.op().scale, false, {{0, 33, 0, 300}}};
  const std::vector<float> all = test::run(whole.op(), whole.operands());
  EXPECT_TRUE(test::same_bits(test::run(op, moved), std::span(all).subspan(static_cast<size_t>(30 * width))));
}

TEST(Attention, LongSegmentsNeedLittleMemory) {
  const Shape shape{16384, 16, 72};
  const ConstView q(nullptr, DType::f32, shape);
  const Attention op{1.0F, false, {{0, 16384, 0, 16384}}};
  EXPECT_LT(op.scratch_bytes(std::vector<ConstView>{q, q, q}, 8), int64_t{32} << 20);
}

TEST(Attention, RefusesSegmentsThatDoNotCoverTheTokens) {
  const Case c{2, 2, 8, {{0, 4, 0, 4}}};
  const auto refused = [&](std::vector<AttentionSegment> segments, bool causal) {
    const Attention op{1.0F, causal, std::move(segments)};
    EXPECT_REFUSED(op.output_shape(c.operands()));
  };
  refused({{0, 3, 0, 4}}, false);                // a row is left over
  refused({{0, 2, 0, 4}, {3, 4, 0, 4}}, false);  // a gap
  refused({{0, 4, 0, 5}}, false);                // a key too many
  refused({{0, 4, 2, 2}}, false);                // nothing to see
  refused({{0, 4, 0, 3}}, true);
}

}  // namespace
}  // namespace ramet::ops
