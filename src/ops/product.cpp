// Two loops over the pool: first tiles of rows are normalised and packed, then blocks of the result (a chunk of rows
// times a strip of columns) are multiplied and finished.
#include "ops/product.h"

#include "ops/operand.h"
#include "ops/product_finish.h"

namespace ramet::ops {
namespace {

// Rows in lines that are no tiles yet are packed all the same.
bool packs_rows(const ProductKernel& kernel, bool x_is_lines) { return !x_is_lines || !kernel.tiles_are_lines(); }

// How rows and scratch memory are cut.
struct Cut {
  const ProductKernel& kernel;
  int64_t rows, depth;
  bool packs_rows;

  int64_t tiles = div_up(rows, kernel.tile_rows);
  Blocking blocking = kernel.blocking(tiles, depth);
  int64_t chunks = div_up(tiles, blocking.chunk_tiles);
  int64_t tile_bytes = kernel.tile_bytes(depth);
  int64_t panel_sums = blocking.chunk_tiles * kernel.tile_rows * kernel.panel_columns;  // floats

  int64_t multiply_bytes() const { return aligned(kernel.scratch_bytes(depth)); }
  int64_t sums_bytes() const {
    return aligned(blocking.strip_panels * panel_sums * static_cast<int64_t>(sizeof(float)));
  }
  int64_t norm_bytes() const {
    return aligned(kernel.tile_rows * aligned(depth * static_cast<int64_t>(sizeof(float))));
  }
  int64_t worker_bytes() const { return std::max(norm_bytes(), multiply_bytes() + 2 * sums_bytes()); }
  int64_t tiles_bytes() const { return packs_rows ? aligned(tiles * tile_bytes) : 0; }
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
  Cut cut{kernel, op.x.shape().rows(), op.x.shape().cols() / op.copies.count, packs_rows(kernel, op.x_is_lines)};
  const std::byte* packed = cut.packs_rows ? stream.scratch.data() : op.x.bytes();
  std::byte* worker_scratch = stream.scratch.data() + cut.tiles_bytes();
  FinishProduct finish = finish_product(stream.isa);
  NormalizeRow normalize = normalize_row(stream.isa);

  void pack_tile(int64_t tile, int worker) const;
  void pack_lines(int64_t tile) const;
  const float* row(int64_t r, float* buffer) const;
  int64_t panels(const ProductPart& part) const { return div_up(part.weight.out, kernel.panel_columns); }
  int64_t strips(const ProductPart& part) const { return div_up(panels(part), cut.blocking.strip_panels); }
  int64_t items() const;
  Strip find(int64_t item) const;
  ProductBlock block(const Strip& strip, const PackedMatrix& w, int64_t panel, int64_t panels) const;
  void multiply(const Strip& strip, int worker) const;
  void multiply_gated(const Strip& strip, std::byte* scratch, float* sums, float* gated) const;
  std::byte* scratch_of(int worker) const { return worker_scratch + worker * cut.worker_bytes(); }
};

void take_first_copies(const float* x, int64_t columns, ColumnCopies copies, float* y) {
  for (int64_t k = 0; k < columns; k += copies.width, x += copies.count * copies.width)
    std::copy_n(x, copies.width, y + k);
}

// Row `r` as the product reads it; `buffer` holds it where that is not x.
const float* Run::row(int64_t r, float* buffer) const {
  const float* x = row_of<float>(op.x, r);
  if (op.norm)
    normalize(*op.norm, x, cut.depth, buffer);
  else if (op.copies.count > 1)
    take_first_copies(x, cut.depth, op.copies, buffer);
  else
    return x;
  return buffer;
}

void Run::pack_tile(int64_t tile, int worker) const {
  std::array<const float*, kMaxTileRows> rows;
  const int64_t first = tile * kernel.tile_rows;
  const int64_t count = std::min(kernel.tile_rows, cut.rows - first);
  const int64_t stride = aligned(cut.depth * static_cast<int64_t>(sizeof(float)));
  for (int64_t r = 0; r < count; ++r)
    rows[static_cast<size_t>(r)] = row(first + r, reinterpret_cast<float*>(scratch_of(worker) + r * stride));
  kernel.pack_tile({rows.data(), static_cast<size_t>(count)}, cut.depth, stream.scratch.data() + tile * cut.tile_bytes);
}

void Run::pack_lines(int64_t tile) const {
  const int64_t rows = std::min(kernel.tile_rows, cut.rows - tile * kernel.tile_rows);
  kernel.pack_lines(op.x.bytes() + tile * kernel.lines_bytes(cut.depth), rows, cut.depth,
                    stream.scratch.data() + tile * cut.tile_bytes);
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
  const Blocking& blocking = cut.blocking;
  const int64_t strip = blocking.chunks_stay ? item % strips(*part) : item / cut.chunks;
  const int64_t chunk = blocking.chunks_stay ? item / strips(*part) : item % cut.chunks;
  const int64_t panel = panels(*part) * strip / strips(*part), tile = chunk * blocking.chunk_tiles;
  return {&*part, panel, panels(*part) * (strip + 1) / strips(*part) - panel, tile,
          std::min(blocking.chunk_tiles, cut.tiles - tile)};
}

ProductBlock Run::block(const Strip& strip, const PackedMatrix& w, int64_t panel, int64_t panels) const {
  return {.tiles = packed + strip.first_tile * cut.tile_bytes,
          .num_tiles = strip.tiles,
          .panels = w.panels + (strip.first_panel + panel) * kernel.panel_bytes(cut.depth),
          .num_panels = panels,
          .depth = cut.depth};
}

// Finishes rows of one panel after the other, as the kernel hands them over.
class Finisher {
 public:
  Finisher(const Run& run, const Strip& strip)
      : run_(run),
        strip_(strip),
        first_row_(strip.first_tile * run.kernel.tile_rows),
        rows_(std::min(strip.tiles * run.kernel.tile_rows, run.cut.rows - first_row_)) {}

  // `gate` [tiles * tile_rows, panel_columns]: what the activation is of, where the sums to come are what it gates.
  TakeSums begin_gated(int64_t panel, const float* gate) {
    gate_ = gate, gated_panel_ = panel;
    return {[](const void* self, int64_t, int64_t first, int64_t count, const float* sums) {
              const auto& f = *static_cast<const Finisher*>(self);
              f.take(f.gated_panel_, first, count, f.gate_ + first * f.run_.kernel.panel_columns, sums);
            },
            this};
  }
  TakeSums begin() const {
    return {[](const void* self, int64_t panel, int64_t first, int64_t count, const float* sums) {
              static_cast<const Finisher*>(self)->take(panel, first, count, sums, nullptr);
            },
            this};
  }

 private:
  void take(int64_t panel, int64_t first, int64_t count, const float* sums, const float* gated) const {
    if (first >= rows_) return;
    const ProductPart& part = *strip_.part;
    const int64_t columns = run_.kernel.panel_columns, column = (strip_.first_panel + panel) * columns;
    ProductFinish f{.columns = std::min(columns, part.weight.out - column),
                    .f = part.f,
                    .coarse = run_.kernel.precision != Precision::fp32 && !run_.kernel.exact_rows};
    if (part.bias != nullptr) f.bias = part.bias + column;
    if (part.gated_bias != nullptr) f.gated_bias = part.gated_bias + column;
    if (part.residual.bytes() != nullptr) {
      f.residual = row_of<float>(part.residual, first_row_) + column;
      f.residual_stride = part.residual.stride(0);
    }
    if (part.reader != nullptr) {
      f.tile_stride = part.reader->lines_bytes(part.weight.out);
      f.tiles = part.y.bytes() + first_row_ / kLineRows * f.tile_stride + column / kLineValues * kLineRows * kLineBytes;
    } else {
      f.y = row_of(part.y, first_row_) + column, f.y_stride = part.weight.out;
    }
    run_.finish(
        f, {.first = first, .count = std::min(count, rows_ - first), .sums = sums, .gated = gated, .stride = columns});
  }

  const Run& run_;
  const Strip& strip_;
  int64_t first_row_, rows_;
  const float* gate_ = nullptr;
  int64_t gated_panel_ = 0;
};

void Run::multiply(const Strip& strip, int worker) const {
  if (strip.tiles <= 0) return;
  std::byte* scratch = scratch_of(worker);
  auto* sums = reinterpret_cast<float*>(scratch + cut.multiply_bytes());
  auto* gated = reinterpret_cast<float*>(scratch + cut.multiply_bytes() + cut.sums_bytes());
  if (strip.part->gated.panels != nullptr) return multiply_gated(strip, scratch, sums, gated);
  const Finisher finisher(*this, strip);
  multiply_for(kernel, block(strip, strip.part->weight, 0, strip.panels), scratch, sums, finisher.begin());
}

// One panel of both matrices at a time, so that the sums of the first are still near.
void Run::multiply_gated(const Strip& strip, std::byte* scratch, float* sums, float* gated) const {
  Finisher finisher(*this, strip);
  for (int64_t p = 0; p < strip.panels; ++p) {
    kernel.multiply(block(strip, strip.part->weight, p, 1), scratch, sums);
    multiply_for(kernel, block(strip, strip.part->gated, p, 1), scratch, gated, finisher.begin_gated(p, sums));
  }
}

}  // namespace

bool writes_lines(const ProductKernel& writer) {
  return writer.tile_rows % kLineRows == 0 && kLineValues % writer.panel_columns == 0;
}

bool may_write_lines(const ProductKernel& reader, int64_t rows, int64_t columns) {
  if (reader.lines_bytes == nullptr) return false;
  const int64_t bytes = div_up(rows, kLineRows) * reader.lines_bytes(columns);
  return bytes <= rows * columns * static_cast<int64_t>(sizeof(float));
}

int64_t Product::scratch_bytes(const ProductKernel& kernel, int64_t rows, int64_t depth, int threads, bool x_is_lines) {
  const Cut cut{kernel, rows, depth, packs_rows(kernel, x_is_lines)};
  return cut.tiles_bytes() + threads * cut.worker_bytes();
}

void Product::run(Stream& stream) const {
  RAMET_DASSERT(kernel->tile_rows <= kMaxTileRows);
  RAMET_DASSERT(copies.count == 1 || (!norm && !x_is_lines));
  for ([[maybe_unused]] const ProductPart& part : parts) RAMET_DASSERT(part.reader == nullptr || writes_lines(*kernel));
  const Run run{*this, stream};
  if (!x_is_lines)
    stream.pool.run(run.cut.tiles, [&](int64_t tile, int worker) { run.pack_tile(tile, worker); });
  else if (run.cut.packs_rows)
    stream.pool.run(run.cut.tiles, [&](int64_t tile) { run.pack_lines(tile); });
  stream.pool.run(run.items(), [&](int64_t item, int worker) { run.multiply(run.find(item), worker); });
}

}  // namespace ramet::ops
