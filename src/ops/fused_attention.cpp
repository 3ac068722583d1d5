// One item is a block of query rows of one head of one segment. It packs the keys as weights of a first product and the
// values as weights of a second; then a few tiles of rows at a time pass through both.
#include "ops/fused_attention.h"

#include "ops/operand.h"
#include "ops/product_finish.h"
#include "ops/product_lines.h"

#include <array>
#include <utility>

namespace ramet::ops {
namespace {

constexpr int64_t kBlockRows = 512;  // query rows of an item: packing keys and values is little beside them
constexpr int64_t kPassRows = 24;    // query rows whose scores are in flight

int64_t float_bytes(int64_t count) { return aligned(count * static_cast<int64_t>(sizeof(float))); }

// How much scratch memory a worker needs, and where its parts begin.
struct Sizes {
  const ProductKernel& kernel;
  int64_t keys, head_dim;

  int64_t pass_tiles = div_up(kPassRows, kernel.tile_rows);
  int64_t pass_rows = pass_tiles * kernel.tile_rows;
  int64_t key_panels = div_up(keys, kernel.panel_columns);
  int64_t value_panels = div_up(head_dim, kernel.panel_columns);

  int64_t key_bytes() const { return aligned(key_panels * kernel.panel_bytes(head_dim)); }
  int64_t value_bytes() const { return aligned(value_panels * kernel.panel_bytes(keys)); }
  int64_t row_bytes() const { return float_bytes(keys); }  // of one row of p, or one column of the values
  bool turns_nothing() const { return kernel.pack_panel_rows != nullptr && kernel.tiles_are_lines(); }
  int64_t turned_bytes() const { return turns_nothing() ? 0 : std::max(head_dim, kernel.tile_rows) * row_bytes(); }
  int64_t tile_bytes() const { return aligned(pass_tiles * kernel.tile_bytes(std::max(keys, head_dim))); }
  int64_t sums_bytes() const {
    return float_bytes(std::max(key_panels, value_panels) * pass_rows * kernel.panel_columns);
  }
  int64_t multiply_bytes() const { return aligned(kernel.scratch_bytes(std::max(keys, head_dim))); }
  int64_t worker_bytes() const {
    return key_bytes() + value_bytes() + turned_bytes() + 2 * tile_bytes() + 2 * sums_bytes() + multiply_bytes();
  }
};

struct Scratch {
  std::byte *keys, *values, *turned, *tiles, *weights;
  float *scores, *sums;
  std::byte* multiply;

  Scratch(const Sizes& s, std::byte* at) {
    const auto take = [&](int64_t bytes) { return std::exchange(at, at + bytes); };
    keys = take(s.key_bytes()), values = take(s.value_bytes()), turned = take(s.turned_bytes());
    tiles = take(s.tile_bytes()), weights = take(s.tile_bytes());
    scores = reinterpret_cast<float*>(take(s.sums_bytes())), sums = reinterpret_cast<float*>(take(s.sums_bytes()));
    multiply = at;
  }
};

struct Item {
  AttentionSegment segment;
  int64_t head;
  int64_t first, rows;  // query rows, counted inside the segment
};

struct Pass {
  int64_t first, rows, visible;  // visible: keys that the last of the rows may see
};

struct Heads {
  const FusedAttention& fused;
  ConstView q, k, v;
  View y;
  SoftmaxRow softmax;
  SoftmaxLines softmax_lines;
  const LineKernels& lines;

  const ProductKernel& kernel = *fused.kernel;
  const Attention& op = *fused.op;
  int64_t num_heads = q.shape()[1];
  int64_t head_dim = q.shape()[2];
  int64_t group = num_heads / k.shape()[1];

  static int64_t blocks(const AttentionSegment& s) { return div_up(s.q_end - s.q_begin, kBlockRows); }
  int64_t items() const;
  Item find(int64_t item) const;
  const float* row(const ConstView& x, int64_t token, int64_t head) const {
    return x.data<float>() + token * x.stride(0) + head * x.stride(1);
  }
  void compute(const Item& item, std::byte* scratch) const;
  void pack_keys(const Item& item, int64_t keys, std::byte* panels) const;
  void pack_values(const Item& item, int64_t keys, const Sizes& sizes, const Scratch& scratch) const;
  void pack_value_rows(const Item& item, int64_t keys, std::byte* panel) const;
  void compute_pass(const Item& item, const Pass& pass, const Sizes& sizes, const Scratch& scratch) const;
  void pack_queries(const Item& item, const Pass& pass, std::byte* tiles) const;
  void pack_weights(const Pass& pass, const Sizes& sizes, const Scratch& scratch, float* totals) const;
  void store(const Item& item, const Pass& pass, const Sizes& sizes, const float* sums, const float* totals) const;
  void store(int64_t token, int64_t column, const float* sums, float factor, int64_t count) const;
};

int64_t Heads::items() const {
  int64_t count = 0;
  for (const AttentionSegment& segment : op.segments) count += blocks(segment) * num_heads;
  return count;
}

Item Heads::find(int64_t item) const {
  auto segment = op.segments.begin();
  for (; item >= blocks(*segment) * num_heads; ++segment) item -= blocks(*segment) * num_heads;
  const int64_t first = item % blocks(*segment) * kBlockRows;
  return {*segment, item / blocks(*segment), first, std::min(kBlockRows, segment->q_end - segment->q_begin - first)};
}

void Heads::compute(const Item& item, std::byte* memory) const {
  const int64_t keys = item.segment.k_end - item.segment.k_begin;
  const Sizes sizes{kernel, keys, head_dim};
  const Scratch scratch(sizes, memory);
  pack_keys(item, keys, scratch.keys);
  pack_values(item, keys, sizes, scratch);
  for (int64_t r = 0; r < item.rows; r += sizes.pass_rows) {
    const int64_t rows = std::min(sizes.pass_rows, item.rows - r);
    const int64_t visible = op.causal ? item.first + r + rows : keys;
    compute_pass(item, {item.first + r, rows, visible}, sizes, scratch);
  }
}

void Heads::pack_keys(const Item& item, int64_t keys, std::byte* panels) const {
  std::array<const float*, 256> columns;
  for (int64_t s = 0; s < keys; s += kernel.panel_columns) {
    const int64_t count = std::min(kernel.panel_columns, keys - s);
    for (int64_t c = 0; c < count; ++c)
      columns[static_cast<size_t>(c)] = row(k, item.segment.k_begin + s + c, item.head / group);
    kernel.pack_panel({columns.data(), static_cast<size_t>(count)}, head_dim, panels);
    panels += kernel.panel_bytes(head_dim);
  }
}

void Heads::pack_values(const Item& item, int64_t keys, const Sizes& sizes, const Scratch& scratch) const {
  if (kernel.pack_panel_rows != nullptr) return pack_value_rows(item, keys, scratch.values);
  const auto column = [&](int64_t j) { return reinterpret_cast<float*>(scratch.turned + j * sizes.row_bytes()); };
  for (int64_t s = 0; s < keys; ++s) {
    const float* value = row(v, item.segment.k_begin + s, item.head / group);
    for (int64_t j = 0; j < head_dim; ++j) column(j)[s] = value[j];
  }
  std::array<const float*, 256> columns;
  std::byte* panel = scratch.values;
  for (int64_t j = 0; j < head_dim; j += kernel.panel_columns) {
    const int64_t count = std::min(kernel.panel_columns, head_dim - j);
    for (int64_t c = 0; c < count; ++c) columns[static_cast<size_t>(c)] = column(j + c);
    kernel.pack_panel({columns.data(), static_cast<size_t>(count)}, keys, panel);
    panel += kernel.panel_bytes(keys);
  }
}

void Heads::pack_value_rows(const Item& item, int64_t keys, std::byte* panel) const {
  const float* first = row(v, item.segment.k_begin, item.head / group);
  for (int64_t j = 0; j < head_dim; j += kernel.panel_columns, panel += kernel.panel_bytes(keys))
    kernel.pack_panel_rows(first + j, v.stride(0), std::min(kernel.panel_columns, head_dim - j), keys, panel);
}

void Heads::compute_pass(const Item& item, const Pass& pass, const Sizes& sizes, const Scratch& scratch) const {
  std::array<float, kMaxTileRows + kPassRows> totals;
  const int64_t tiles = div_up(pass.rows, kernel.tile_rows);
  pack_queries(item, pass, scratch.tiles);
  kernel.multiply({scratch.tiles, tiles, scratch.keys, div_up(pass.visible, kernel.panel_columns), head_dim},
                  scratch.multiply, scratch.scores);
  pack_weights(pass, sizes, scratch, totals.data());
  kernel.multiply({scratch.weights, tiles, scratch.values, sizes.value_panels, sizes.keys}, scratch.multiply,
                  scratch.sums);
  store(item, pass, sizes, scratch.sums, totals.data());
}

void Heads::pack_queries(const Item& item, const Pass& pass, std::byte* tiles) const {
  std::array<const float*, kMaxTileRows> rows;
  for (int64_t r = 0; r < pass.rows; r += kernel.tile_rows) {
    const int64_t count = std::min(kernel.tile_rows, pass.rows - r);
    for (int64_t i = 0; i < count; ++i)
      rows[static_cast<size_t>(i)] = row(q, item.segment.q_begin + pass.first + r + i, item.head);
    kernel.pack_tile({rows.data(), static_cast<size_t>(count)}, head_dim, tiles);
    tiles += kernel.tile_bytes(head_dim);
  }
}

void Heads::pack_weights(const Pass& pass, const Sizes& sizes, const Scratch& scratch, float* totals) const {
  std::array<const float*, kMaxTileRows> rows;
  const int64_t tile_rows = div_up(pass.rows, kernel.tile_rows) * kernel.tile_rows;
  std::byte* tile = scratch.weights;
  for (int64_t r = 0; r < pass.rows; r += kernel.tile_rows) {
    const int64_t count = std::min(kernel.tile_rows, pass.rows - r);
    for (int64_t i = 0; i < count; ++i) {
      const ScoreRow scores{.scores = scratch.scores + (r + i) * kernel.panel_columns,
                            .panel_stride = tile_rows * kernel.panel_columns,
                            .panel_columns = kernel.panel_columns,
                            .visible = op.causal ? pass.first + r + i + 1 : sizes.keys,
                            .keys = sizes.keys,
                            .scale = op.scale};
      if (kernel.tiles_are_lines()) {
        totals[r + i] = softmax_lines(scores, {tile + i * kLineBytes, kLineRows * kLineBytes});
        continue;
      }
      auto* p = reinterpret_cast<float*>(scratch.turned + i * sizes.row_bytes());
      totals[r + i] = softmax(scores, p);
      rows[static_cast<size_t>(i)] = p;
    }
    if (!kernel.tiles_are_lines()) kernel.pack_tile({rows.data(), static_cast<size_t>(count)}, sizes.keys, tile);
    tile += kernel.tile_bytes(sizes.keys);
  }
}

void Heads::store(const Item& item, const Pass& pass, const Sizes& sizes, const float* sums,
                  const float* totals) const {
  const int64_t panel_floats = div_up(pass.rows, kernel.tile_rows) * kernel.tile_rows * kernel.panel_columns;
  for (int64_t r = 0; r < pass.rows; ++r)
    for (int64_t p = 0; p < sizes.value_panels; ++p) {
      const int64_t first = p * kernel.panel_columns;
      store(item.segment.q_begin + pass.first + r, item.head * head_dim + first,
            sums + p * panel_floats + r * kernel.panel_columns, 1.0F / totals[r],
            std::min(kernel.panel_columns, head_dim - first));
    }
}

// Columns of one row of y, which may be lines of tiles.
void Heads::store(int64_t token, int64_t column, const float* sums, float factor, int64_t count) const {
  if (fused.reader == nullptr) return lines.times(sums, factor, count, row_of(y, token) + column);
  std::byte* tile = y.bytes() + token / kLineRows * fused.reader->lines_bytes(num_heads * head_dim);
  while (count > 0) {
    const int64_t inside = column % kLineValues, part = std::min(count, kLineValues - inside);
    lines.times_bf16(sums, factor, part,
                     tile + (column / kLineValues * kLineRows + token % kLineRows) * kLineBytes + 2 * inside);
    column += part, sums += part, count -= part;
  }
  if (column == num_heads * head_dim && column % kLineValues != 0)
    std::fill_n(tile + (column / kLineValues * kLineRows + token % kLineRows) * kLineBytes + 2 * (column % kLineValues),
                2 * (kLineValues - column % kLineValues), std::byte{0});
}

int64_t most_keys(const Attention& op) {
  int64_t keys = 0;
  for (const AttentionSegment& segment : op.segments) keys = std::max(keys, segment.k_end - segment.k_begin);
  return keys;
}

}  // namespace

int64_t FusedAttention::scratch_bytes(Operands in, int threads) const {
  return threads * Sizes{*kernel, most_keys(*op), in[0].shape()[2]}.worker_bytes();
}

void FusedAttention::run(Stream& stream, Operands in, View y) const {
  RAMET_DASSERT(kernel->tile_rows <= kMaxTileRows && kernel->panel_columns <= 256);
  const Heads heads{
      *this, in[0], in[1], in[2], y, softmax_row(stream.isa), ops::softmax_lines(stream.isa), line_kernels(stream.isa)};
  const int64_t stride = Sizes{*kernel, most_keys(*op), heads.head_dim}.worker_bytes();
  stream.pool.run(heads.items(), [&](int64_t item, int worker) {
    heads.compute(heads.find(item), stream.scratch.data() + worker * stride);
  });
}

}  // namespace ramet::ops
