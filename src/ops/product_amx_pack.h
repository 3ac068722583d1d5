// Rows and weights into the formats of product_amx_format.h.
#pragma once

#include "ops/int8_scale.h"
#include "ops/product_amx_format.h"

#include <algorithm>
#include <span>

namespace ramet::ops::amx {

constexpr int64_t kPackSteps = 8;

template <class Format, class Tiles>
void pack_tile(std::span<const float* const> rows, int64_t depth, std::byte* tile) {
  const LineKernels& lines = line_kernels(Tiles::kIsa);
  if (rows.size() < kTileRows) std::fill_n(tile, Layout<Format>::tile_bytes(depth), std::byte{0});
  for (size_t r = 0; r < rows.size(); ++r) {
    const Lines out{tile + Format::kTileHeader + static_cast<int64_t>(r) * kLineBytes, Layout<Format>::kTileStep};
    if constexpr (Format::kTileHeader > 0) {
      std::byte line[kLineBytes];  // the largest value, rounded as it will be
      const float largest = lines.largest(rows[r], depth);
      lines.bf16(&largest, 1, {line, kLineBytes});
      const float top = lines.largest_of_lines({line, kLineBytes}, 1);
      const float scale = reinterpret_cast<float*>(tile)[r] = scale_for(top, row_top(depth, kInt8Top));
      Format::round_row(lines, rows[r], depth, 1.0F / scale, out);
    } else {
      Format::round(lines, rows[r], depth, 1.0F, out);
    }
  }
}

template <class Tiles>
void pack_lines(const std::byte* block, int64_t rows, int64_t depth, std::byte* tile) {
  const LineKernels& lines = line_kernels(Tiles::kIsa);
  if (rows < kTileRows) std::fill_n(tile, Layout<Int8>::tile_bytes(depth), std::byte{0});
  for (int64_t r = 0; r < rows; ++r) {
    const ConstLines x{block + r * kLineBytes, kTile};
    const float scale = scale_for(lines.largest_of_lines(x, depth), row_top(depth, kInt8Top));
    reinterpret_cast<float*>(tile)[r] = scale;
    lines.int8_of_lines(x, depth, 1.0F / scale, {tile + Int8::kTileHeader + r * kLineBytes, Layout<Int8>::kTileStep});
  }
}

// Up to 16 columns, as tiles of rows would hold them, a few steps at a time; then every tile is transposed.
template <class Format>
void pack_half_panel(const LineKernels& lines, std::span<const float* const> columns, const float* scales,
                     int64_t depth, std::byte* weights) {
  using L = Layout<Format>;
  alignas(64) std::byte tiles[kPackSteps * L::kTileStep] = {};
  for (int64_t begin = 0; begin < depth; begin += kPackSteps * Format::kValues) {
    const int64_t count = std::min(depth - begin, kPackSteps * Format::kValues);
    for (size_t c = 0; c < columns.size(); ++c)
      Format::round(lines, columns[c] + begin, count, scales == nullptr ? 1.0F : 1.0F / scales[c],
                    {tiles + static_cast<int64_t>(c) * kLineBytes, L::kTileStep});
    for (int64_t t = 0; t < L::steps(count) * Format::kPlanes; ++t, weights += 2 * kTile)
      lines.transpose(tiles + t * kTile, {weights, kLineBytes});
  }
}

template <class Format, class Tiles>
void pack_panel(std::span<const float* const> columns, int64_t depth, std::byte* panel) {
  const LineKernels& lines = line_kernels(Tiles::kIsa);
  float* scales = nullptr;
  if constexpr (Format::kPanelHeader > 0) {
    scales = reinterpret_cast<float*>(panel);
    std::fill_n(scales, kColumns, 0.0F);
    for (size_t c = 0; c < columns.size(); ++c) scales[c] = scale_for(lines.largest(columns[c], depth), kInt8Top);
  }
  for (size_t half = 0; half < 2; ++half) {
    const size_t first = std::min<size_t>(16 * half, columns.size());
    pack_half_panel<Format>(lines, columns.subspan(first, std::min<size_t>(16, columns.size() - first)),
                            scales == nullptr ? nullptr : scales + first, depth,
                            panel + Format::kPanelHeader + static_cast<int64_t>(half) * kTile);
  }
}

// Pairs of rows of k are what a tile of weights holds.
template <class Tiles>
void pack_panel_rows(const float* rows, int64_t stride, int64_t columns, int64_t depth, std::byte* panel) {
  const LineKernels& lines = line_kernels(Tiles::kIsa);
  for (int64_t step = 0; step < depth; step += Bf16::kValues)
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t k = step; k < step + Bf16::kValues; k += 2, panel += kLineBytes) {
        const float* even = rows + k * stride + half * 16;
        const int64_t count = k < depth ? std::clamp<int64_t>(columns - half * 16, 0, 16) : 0;
        lines.pair(even, k + 1 < depth ? even + stride : nullptr, count, panel);
      }
}

}  // namespace ramet::ops::amx
