// One item is one panel of query rows of one head. Scores are kept transposed, [key, row], so that the two products
// are panel_product and the softmax walks down the keys for all rows at once.
#include "ops/attention.h"
#include "ops/operand.h"
#include "ops/panel_product.h"

#include <cmath>
#include <limits>

namespace ramet::ops {
namespace {

struct Item {
  AttentionSegment segment;
  int64_t head;
  int64_t first, rows;  // query rows, counted inside the segment
};

// What one worker needs: three panels.
struct Panels {
  float* query;   // [head_dim, panel rows]
  float* scores;  // [keys, panel rows]
  float* output;  // [head_dim, panel rows]
};

int64_t most_keys(const std::vector<AttentionSegment>& segments) {
  int64_t keys = 0;
  for (const AttentionSegment& segment : segments) keys = std::max(keys, segment.k_end - segment.k_begin);
  return keys;
}

int64_t worker_floats(const Attention& op, int64_t head_dim) {
  return (2 * head_dim + most_keys(op.segments)) * kMaxPanelRows;
}

struct Heads {
  const Attention& op;
  ConstView q, k, v;
  View y;

  int64_t panel = panel_rows();
  int64_t num_heads = q.shape()[1];
  int64_t head_dim = q.shape()[2];
  int64_t group = num_heads / k.shape()[1];

  int64_t panels(const AttentionSegment& s) const { return div_up(s.q_end - s.q_begin, panel); }
  int64_t items() const;
  Item find(int64_t item) const;
  void compute(const Item& item, Panels panels) const;
  void pack_query(const Item& item, float* out) const;
  void softmax(const Item& item, int64_t keys, float* scores, double* sums) const;
  void store(const Item& item, const float* output, const double* sums) const;
};

int64_t Heads::items() const {
  int64_t count = 0;
  for (const AttentionSegment& segment : op.segments) count += panels(segment) * num_heads;
  return count;
}

Item Heads::find(int64_t item) const {
  auto segment = op.segments.begin();
  for (; item >= panels(*segment) * num_heads; ++segment) item -= panels(*segment) * num_heads;
  const int64_t first = item % panels(*segment) * panel;
  return {*segment, item / panels(*segment), first, std::min(panel, segment->q_end - segment->q_begin - first)};
}

void Heads::compute(const Item& item, Panels panels) const {
  const int64_t kv_head = item.head / group;
  const int64_t keys = op.causal ? item.first + item.rows : item.segment.k_end - item.segment.k_begin;
  const float* key = k.data<float>() + item.segment.k_begin * k.stride(0) + kv_head * k.stride(1);
  const float* value = v.data<float>() + item.segment.k_begin * v.stride(0) + kv_head * v.stride(1);
  std::array<double, kMaxPanelRows> sums{};

  pack_query(item, panels.query);
  std::fill_n(panels.scores, keys * panel, 0.0F);
  panel_product(panels.query, item.rows, head_dim, {key, keys, k.stride(0), 1}, panels.scores);
  softmax(item, keys, panels.scores, sums.data());
  std::fill_n(panels.output, head_dim * panel, 0.0F);
  panel_product(panels.scores, item.rows, keys, {value, head_dim, 1, v.stride(0)}, panels.output);
  store(item, panels.output, sums.data());
}

void Heads::pack_query(const Item& item, float* out) const {
  std::fill_n(out, head_dim * panel, 0.0F);
  for (int64_t r = 0; r < item.rows; ++r) {
    const float* row =
        q.data<float>() + (item.segment.q_begin + item.first + r) * q.stride(0) + item.head * q.stride(1);
    for (int64_t j = 0; j < head_dim; ++j) out[j * panel + r] = row[j];
  }
}

// scores[s][r] becomes exp(score - max), zero where row r must not see key s; sums[r] their sum over s.
void Heads::softmax(const Item& item, int64_t keys, float* scores, double* sums) const {
  const auto first_row = [&](int64_t s) { return op.causal ? std::max<int64_t>(0, s - item.first) : 0; };
  std::array<float, kMaxPanelRows> max;
  max.fill(-std::numeric_limits<float>::infinity());
  for (int64_t s = 0; s < keys; ++s)
    for (int64_t r = first_row(s); r < item.rows; ++r) {
      float& score = scores[s * panel + r];
      score *= op.scale;
      max[static_cast<size_t>(r)] = std::max(max[static_cast<size_t>(r)], score);
    }
  for (int64_t s = 0; s < keys; ++s) {
    float* p = scores + s * panel;
    std::fill_n(p, first_row(s), 0.0F);
    for (int64_t r = first_row(s); r < item.rows; ++r) {
      p[r] = std::exp(p[r] - max[static_cast<size_t>(r)]);
      sums[r] += static_cast<double>(p[r]);
    }
  }
}

void Heads::store(const Item& item, const float* output, const double* sums) const {
  for (int64_t r = 0; r < item.rows; ++r) {
    float* out = row_of(y, item.segment.q_begin + item.first + r) + item.head * head_dim;
    for (int64_t j = 0; j < head_dim; ++j)
      out[j] = static_cast<float>(static_cast<double>(output[j * panel + r]) / sums[r]);
  }
}

}  // namespace

int64_t Attention::scratch_bytes(Operands in, int threads) const {
  return threads * worker_floats(*this, in[0].shape()[2]) * static_cast<int64_t>(sizeof(float));
}

void Attention::reference(Stream& stream, Operands in, View y) const {
  RAMET_DASSERT(static_cast<int64_t>(stream.scratch.size()) >= scratch_bytes(in, stream.pool.threads()));
  const Heads heads{*this, in[0], in[1], in[2], y};
  const int64_t head_floats = heads.head_dim * kMaxPanelRows;
  const int64_t stride = worker_floats(*this, heads.head_dim);
  stream.pool.run(heads.items(), [&](int64_t item, int worker) {
    float* scratch = reinterpret_cast<float*>(stream.scratch.data()) + worker * stride;
    heads.compute(heads.find(item), {scratch, scratch + 2 * head_floats, scratch + head_floats});
  });
}

}  // namespace ramet::ops
