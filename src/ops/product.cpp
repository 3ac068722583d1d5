// Two loops over the pool: first tiles of rows are normalised and packed, then blocks of the result (a chunk of rows
// times a strip of columns) are multiplied and finished.
#include "ops/product.h"

#include "ops/operand.h"
#include "ops/product_finish.h"

namespace ramet::ops {
namespace {

constexpr int64_t kMaxTileRows = 64;

int64_t aligned(int64_t bytes) { return div_up(bytes, 64) * 64; }

// How rows and scratch memory are cut.
struct Cut {
  const ProductKernel& kernel;
  int64_t rows, depth;

  int64_t tiles = div_up(rows, kernel.tile_rows);
  int64_t chunks = div_up(tiles * kernel.tile_rows, std::max(kernel.chunk_rows, kernel.tile_rows));
  int64_t chunk_tiles = div_up(tiles, chunks);
  int64_t tile_bytes = kernel.tile_bytes(depth);
  int64_t sums = kernel.strip_panels * chunk_tiles * kernel.tile_rows * kernel.panel_columns;  // floats of one strip

  int64_t multiply_bytes() const { return aligned(kernel.scratch_bytes(depth)); }
  int64_t sums_bytes() const { return aligned(sums * static_cast<int64_t>(sizeof(float))); }
  int64_t norm_bytes() const {
    return aligned(kernel.tile_rows * aligned(depth * static_cast<int64_t>(sizeof(float))));
  }
  int64_t worker_bytes() const { return std::max(norm_bytes(), multiply_bytes() + 2 * sums_bytes()); }
  int64_t tiles_bytes() const { return aligned(tiles * tile_bytes); }
};

struct Strip {
  const ProductPart* part;
  int64_t first_panel, panels;
  int64_t first_tile, tiles;
};

struct Run {
  const Product& op;
  Stream& stream;
  const ProductKernel& kernel = *op.kernel;
  Cut cut{kernel, op.x.shape().rows(), op.x.shape().cols()};
  std::byte* packed = stream.scratch.data();
  std::byte* worker_scratch = packed + cut.tiles_bytes();
  FinishProduct finish = finish_product(stream.isa);
  NormalizeRow normalize = normalize_row(stream.isa);

  void pack_tile(int64_t tile, int worker) const;
  const float* row(int64_t r, float* buffer) const;
  int64_t strips(const ProductPart& part) const {
    return div_up(div_up(part.weight.out, kernel.panel_columns), kernel.strip_panels);
  }
  int64_t items() const;
  Strip find(int64_t item) const;
  void multiply(const Strip& strip, int worker) const;
  void multiply(const Strip& strip, const PackedMatrix& w, std::byte* scratch, float* sums) const;
  void finish_panels(const Strip& strip, const float* sums, const float* gated) const;
  std::byte* scratch_of(int worker) const { return worker_scratch + worker * cut.worker_bytes(); }
};

// Row `r` as the product reads it; `buffer` holds it where that is not x.
const float* Run::row(int64_t r, float* buffer) const {
  const float* x = row_of<float>(op.x, r);
  if (!op.norm) return x;
  normalize(*op.norm, x, cut.depth, buffer);
  return buffer;
}

void Run::pack_tile(int64_t tile, int worker) const {
  std::array<const float*, kMaxTileRows> rows;
  const int64_t first = tile * kernel.tile_rows;
  const int64_t count = std::min(kernel.tile_rows, cut.rows - first);
  const int64_t stride = aligned(cut.depth * static_cast<int64_t>(sizeof(float)));
  for (int64_t r = 0; r < count; ++r)
    rows[static_cast<size_t>(r)] = row(first + r, reinterpret_cast<float*>(scratch_of(worker) + r * stride));
  kernel.pack_tile({rows.data(), static_cast<size_t>(count)}, cut.depth, packed + tile * cut.tile_bytes);
}

int64_t Run::items() const {
  int64_t count = 0;
  for (const ProductPart& part : op.parts) count += strips(part) * cut.chunks;
  return count;
}

// Chunks of one strip follow each other, its weights are then near; or strips of one chunk, where its rows are.
Strip Run::find(int64_t item) const {
  auto part = op.parts.begin();
  for (; item >= strips(*part) * cut.chunks; ++part) item -= strips(*part) * cut.chunks;
  const int64_t strip = kernel.chunks_stay ? item % strips(*part) : item / cut.chunks;
  const int64_t chunk = kernel.chunks_stay ? item / strips(*part) : item % cut.chunks;
  const int64_t panel = strip * kernel.strip_panels, tile = chunk * cut.chunk_tiles;
  const int64_t panels = div_up(part->weight.out, kernel.panel_columns);
  return {&*part, panel, std::min(kernel.strip_panels, panels - panel), tile,
          std::min(cut.chunk_tiles, cut.tiles - tile)};
}

void Run::multiply(const Strip& strip, const PackedMatrix& w, std::byte* scratch, float* sums) const {
  const ProductBlock block{.tiles = packed + strip.first_tile * cut.tile_bytes,
                           .num_tiles = strip.tiles,
                           .panels = w.panels + strip.first_panel * kernel.panel_bytes(cut.depth),
                           .num_panels = strip.panels,
                           .depth = cut.depth};
  kernel.multiply(block, scratch, sums);
}

void Run::multiply(const Strip& strip, int worker) const {
  if (strip.tiles <= 0) return;
  std::byte* scratch = scratch_of(worker);
  auto* sums = reinterpret_cast<float*>(scratch + cut.multiply_bytes());
  auto* gated = reinterpret_cast<float*>(scratch + cut.multiply_bytes() + cut.sums_bytes());
  multiply(strip, strip.part->weight, scratch, sums);
  const bool is_gated = strip.part->gated.panels != nullptr;
  if (is_gated) multiply(strip, strip.part->gated, scratch, gated);
  finish_panels(strip, sums, is_gated ? gated : nullptr);
}

void Run::finish_panels(const Strip& strip, const float* sums, const float* gated) const {
  const ProductPart& part = *strip.part;
  const int64_t first_row = strip.first_tile * kernel.tile_rows;
  const int64_t panel_floats = strip.tiles * kernel.tile_rows * kernel.panel_columns;
  for (int64_t p = 0; p < strip.panels; ++p) {
    const int64_t column = (strip.first_panel + p) * kernel.panel_columns;
    ProductFinish f{.sums = sums + p * panel_floats,
                    .sums_stride = kernel.panel_columns,
                    .rows = std::min(strip.tiles * kernel.tile_rows, cut.rows - first_row),
                    .columns = std::min(kernel.panel_columns, part.weight.out - column),
                    .f = part.f,
                    .y = row_of(part.y, first_row) + column,
                    .y_stride = part.weight.out};
    if (part.bias != nullptr) f.bias = part.bias + column;
    if (gated != nullptr) f.gated = gated + p * panel_floats;
    if (part.gated_bias != nullptr) f.gated_bias = part.gated_bias + column;
    if (part.residual.bytes() != nullptr) {
      f.residual = row_of<float>(part.residual, first_row) + column;
      f.residual_stride = part.residual.stride(0);
    }
    finish(f);
  }
}

}  // namespace

int64_t packed_bytes(const ProductKernel& kernel, int64_t in, int64_t out) {
  return div_up(out, kernel.panel_columns) * kernel.panel_bytes(in);
}

void pack_matrix(ThreadPool& pool, const ProductKernel& kernel, ConstView w, bool out_in, std::byte* packed) {
  const int64_t in = w.shape()[out_in ? 1 : 0], out = w.shape()[out_in ? 0 : 1];
  pool.run(div_up(out, kernel.panel_columns), [&](int64_t panel) {
    const int64_t first = panel * kernel.panel_columns, count = std::min(kernel.panel_columns, out - first);
    std::vector<float> wide(static_cast<size_t>(count * in));
    std::vector<const float*> columns;
    for (int64_t c = 0; c < count; ++c) columns.push_back(wide.data() + c * in);
    if (out_in) {
      for (int64_t c = 0; c < count; ++c) widen_row(w, first + c, 0, {wide.data() + c * in, static_cast<size_t>(in)});
    } else {
      std::vector<float> line(static_cast<size_t>(count));
      for (int64_t k = 0; k < in; ++k) {
        widen_row(w, k, first, line);
        for (int64_t c = 0; c < count; ++c) wide[static_cast<size_t>(c * in + k)] = line[static_cast<size_t>(c)];
      }
    }
    kernel.pack_panel(columns, in, packed + panel * kernel.panel_bytes(in));
  });
}

int64_t Product::scratch_bytes(const ProductKernel& kernel, int64_t rows, int64_t depth, int threads) {
  const Cut cut{kernel, rows, depth};
  return cut.tiles_bytes() + threads * cut.worker_bytes();
}

void Product::run(Stream& stream) const {
  RAMET_DASSERT(kernel->tile_rows <= kMaxTileRows);
  const Run run{*this, stream};
  stream.pool.run(run.cut.tiles, [&](int64_t tile, int worker) { run.pack_tile(tile, worker); });
  stream.pool.run(run.items(), [&](int64_t item, int worker) { run.multiply(run.find(item), worker); });
}

}  // namespace ramet::ops
