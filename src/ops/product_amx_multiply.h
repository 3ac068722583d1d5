// Blocks of rows times panels of weights on tiles of Intel AMX. Templates on the tile instructions, so that tests run
// everything but those on any machine.
#pragma once

#include "ops/product_amx_taking.h"
#include "ops/product_kernel.h"

#include <algorithm>

namespace ramet::ops::amx {

constexpr int64_t kResidentBytes = 1024 << 10;  // of rows, which stay in the second-level cache
constexpr int64_t kMaxChunkTiles = 32;
constexpr int64_t kFetchAhead = 32 << 10;  // bytes of weights, where few rows pass by

// What to bring near while a block is multiplied: `lines` of weights at every step, and the sums of the next block.
struct Fetch {
  const std::byte* weights;
  int64_t lines;
  const float* sums;
};

// kRowTiles (1 or 2) tiles of rows times 32 columns over some steps: sums [kRowTiles * 16, 32] are those `before` (or
// zero) and what is added. `taking` goes on meanwhile.
template <class Format, int kRowTiles, class Tiles>
void multiply_block(Tiles& tiles, int64_t steps, const std::byte* a, int64_t tile_stride, const std::byte* b,
                    const float* before, float* sums, Fetch fetch, Taking<Format>& taking) {
  using L = Layout<Format>;
  constexpr bool kTwo = kRowTiles == 2;
  constexpr int64_t kSumBytes = kColumns * 4, kSecond = kTileRows * kColumns;
  const std::byte* a2 = a + tile_stride;
  const auto multiply = [&]() __attribute__((always_inline)) {
    Format::template multiply<0, 4, 6>(tiles), Format::template multiply<1, 4, 7>(tiles);
    if constexpr (kTwo) Format::template multiply<2, 5, 6>(tiles), Format::template multiply<3, 5, 7>(tiles);
  };
  const auto load_rows = [&](int64_t plane) __attribute__((always_inline)) {
    tiles.template load_once<4>(a + plane * kTile);
    if constexpr (kTwo) tiles.template load_once<5>(a2 + plane * kTile);
  };
  const auto load_weights = [&](int64_t plane) __attribute__((always_inline)) {
    tiles.template load<6>(b + plane * 2 * kTile), tiles.template load<7>(b + plane * 2 * kTile + kTile);
  };

  tiles.order();
  if (before == nullptr) {
    tiles.template zero<0>(), tiles.template zero<1>();
    if constexpr (kTwo) tiles.template zero<2>(), tiles.template zero<3>();
  } else {
    tiles.template load<0>(before, kSumBytes), tiles.template load<1>(before + 16, kSumBytes);
    if constexpr (kTwo)
      tiles.template load<2>(before + kSecond, kSumBytes), tiles.template load<3>(before + kSecond + 16, kSumBytes);
  }
  const int64_t sum_lines = fetch.sums == nullptr ? 0 : div_up(kRowTiles * kSecond / 16, steps);
  const int64_t rows_per_step = taking.rows_per_step(steps);
  for (int64_t step = 0; step < steps; ++step, a += L::kTileStep, a2 += L::kTileStep, b += L::kPanelStep) {
    if constexpr (Format::kPlanes == 2) {  // low x high, high x high, high x low
      load_rows(1), load_weights(0), multiply();
      load_rows(0), multiply();
      load_weights(1), multiply();
    } else {
      load_rows(0), load_weights(0), multiply();
    }
    for (int64_t i = 0; i < fetch.lines; ++i, fetch.weights += 64) __builtin_prefetch(fetch.weights, 0, 2);
    for (int64_t i = 0; i < sum_lines; ++i, fetch.sums += 16) tiles.prefetch_for_write(fetch.sums);
    taking.take_rows(rows_per_step);
  }
  tiles.template store<0>(sums, kSumBytes), tiles.template store<1>(sums + 16, kSumBytes);
  if constexpr (kTwo)
    tiles.template store<2>(sums + kSecond, kSumBytes), tiles.template store<3>(sums + kSecond + 16, kSumBytes);
}

// Three tiles of rows over the whole depth, for a handful of rows (the 41 of the action head): weights are read once,
// straight from memory. The fetches stand between the multiplications: in one bunch they would hold up the loads.
template <class Format, class Tiles>
void multiply_three(Tiles& tiles, int64_t steps, const std::byte* a, int64_t tile_stride, const std::byte* b,
                    float* sums, Taking<Format>& taking) {
  constexpr int64_t kSumBytes = kColumns * 4, kSecond = kTileRows * kColumns;
  const int64_t rows_per_step = taking.rows_per_step(steps);
  const std::byte *a2 = a + tile_stride, *a3 = a2 + tile_stride;
  const std::byte* ahead = b + kFetchAhead;
  const auto fetch = [&](int lines) __attribute__((always_inline)) {
    for (int i = 0; i < lines; ++i, ahead += 64) __builtin_prefetch(ahead, 0, 2);
  };
  tiles.order();
  tiles.template zero<0>(), tiles.template zero<1>(), tiles.template zero<2>();
  tiles.template zero<3>(), tiles.template zero<4>(), tiles.template zero<5>();
  for (int64_t step = 0; step < steps; ++step, a += kTile, a2 += kTile, a3 += kTile, b += 2 * kTile) {
    tiles.template load_once<7>(b);
    tiles.template load<6>(a), Format::template multiply<0, 6, 7>(tiles), fetch(6);
    tiles.template load<6>(a2), Format::template multiply<2, 6, 7>(tiles), fetch(6);
    tiles.template load<6>(a3), Format::template multiply<4, 6, 7>(tiles), fetch(6);
    tiles.template load_once<7>(b + kTile);
    Format::template multiply<5, 6, 7>(tiles), fetch(6);
    tiles.template load<6>(a2), Format::template multiply<3, 6, 7>(tiles), fetch(6);
    tiles.template load<6>(a), Format::template multiply<1, 6, 7>(tiles), fetch(2);
    taking.take_rows(rows_per_step);
  }
  tiles.template store<0>(sums, kSumBytes), tiles.template store<1>(sums + 16, kSumBytes);
  tiles.template store<2>(sums + kSecond, kSumBytes), tiles.template store<3>(sums + kSecond + 16, kSumBytes);
  tiles.template store<4>(sums + 2 * kSecond, kSumBytes), tiles.template store<5>(sums + 2 * kSecond + 16, kSumBytes);
}

// All tiles of a block pass by one piece of weights after the other. Where the rows do not stay in the second-level
// cache, a slice of their depth does, while all panels pass by. Sums between pieces are exact: neither changes a bit.
template <class Format, class Tiles>
class Multiplication {
 public:
  // `take` null: all sums stay in `sums`.
  Multiplication(const ProductBlock& block, float* sums, const TakeSums* take)
      : block_(block), sums_(sums), taking_(take, line_kernels(Tiles::kIsa)) {}

  void run() {
    if constexpr (Format::kPlanes == 1)
      if (block_.num_tiles == 3) return multiply_few();
    for (int64_t begin = 0; begin < steps_; begin += slice_)
      for (int64_t p = 0; p < block_.num_panels; ++p) multiply_slice(p, begin, std::min(steps_, begin + slice_));
  }

 private:
  using L = Layout<Format>;

  static int64_t slice_steps(int64_t num_tiles, int64_t steps) {
    return kResidentBytes / (num_tiles * L::kTileStep) >= steps ? steps : L::kPieceSteps;
  }
  const std::byte* tile(int64_t t) const { return block_.tiles + t * tile_stride_; }
  const std::byte* panel(int64_t p) const { return block_.panels + p * panel_stride_; }
  const std::byte* weights(int64_t p, int64_t step) const {
    return panel(p) + Format::kPanelHeader + step * L::kPanelStep;
  }
  // Where one panel after the other is finished, they share their sums.
  float* sums_of(int64_t p, int64_t t) const {
    const int64_t first = taking_.is_wanted() && slice_ == steps_ ? 0 : p * block_.num_tiles;
    return sums_ + (first + t) * kTileRows * kColumns;
  }

  void multiply_few() {
    for (int64_t p = 0; p < block_.num_panels; ++p) {
      float* sums = taking_.is_wanted() ? taking_.next_sums() : sums_of(p, 0);
      multiply_three<Format>(tiles_, steps_, tile(0) + Format::kTileHeader, tile_stride_, weights(p, 0), sums, taking_);
      finish(p, 0, 3);
    }
  }

  void multiply_slice(int64_t p, int64_t begin, int64_t end) {
    const bool is_last = p + 1 == block_.num_panels;
    const std::byte* next = !is_last ? weights(p + 1, begin) : end < steps_ ? weights(0, end) : weights(p + 1, 0);
    for (int64_t step = begin; step < end; step += L::kPieceSteps) {
      const int64_t after = std::min(end, step + L::kPieceSteps);
      multiply_piece(p, step, after - step, after < end ? weights(p, after) : next);
    }
  }

  // One pass over the rows fetches the piece of weights that comes `next`.
  void multiply_piece(int64_t p, int64_t step, int64_t count, const std::byte* next) {
    const int64_t pairs = div_up(block_.num_tiles, 2);
    const int64_t lines = div_up(L::kPanelStep / 64, pairs);
    const bool is_last = step + count == steps_;
    const bool stays = !is_last || !taking_.is_wanted();
    for (int64_t t = 0; t < block_.num_tiles; t += 2) {
      const float* before = step == 0 ? nullptr : sums_of(p, t);
      float* sums = stays ? sums_of(p, t) : taking_.next_sums();
      const float* next_sums = t + 2 < block_.num_tiles ? sums_of(p, t + 2) : sums_of(p, 0);
      const std::byte* a = tile(t) + Format::kTileHeader + step * L::kTileStep;
      const bool is_pair = t + 1 < block_.num_tiles;
      const Fetch fetch{next + t / 2 * lines * count * 64, lines, stays || step > 0 ? next_sums : nullptr};
      (is_pair ? multiply_block<Format, 2, Tiles> : multiply_block<Format, 1, Tiles>)(tiles_, count, a, tile_stride_,
                                                                                      weights(p, step), before, sums,
                                                                                      fetch, taking_);
      if (is_last) finish(p, t, is_pair ? 2 : 1);
    }
  }

  void finish(int64_t p, int64_t first_tile, int64_t tiles) {
    const auto* column_scales = reinterpret_cast<const float*>(panel(p));
    if (taking_.is_wanted()) {
      copy_scales(first_tile, tiles);
      return taking_.start(p, first_tile * kTileRows, tiles * kTileRows, row_scales_, column_scales);
    }
    if constexpr (Format::kTileHeader > 0)
      for (int64_t t = first_tile; t < first_tile + tiles; ++t)
        lines_.scale({.sums = sums_of(p, t),
                      .rows = kTileRows,
                      .columns = kColumns,
                      .row_scales = reinterpret_cast<const float*>(tile(t)),
                      .column_scales = column_scales,
                      .offsets = nullptr});
  }

  // Those of neighbouring tiles, side by side.
  void copy_scales(int64_t first_tile, int64_t tiles) {
    if constexpr (Format::kTileHeader > 0) {
      taking_.take_all();
      for (int64_t t = 0; t < tiles; ++t)
        std::copy_n(reinterpret_cast<const float*>(tile(first_tile + t)), kTileRows, row_scales_ + t * kTileRows);
    }
  }

  const ProductBlock& block_;
  float* sums_;
  Tiles tiles_;
  const LineKernels& lines_ = line_kernels(Tiles::kIsa);
  int64_t steps_ = L::steps(block_.depth);
  int64_t slice_ = slice_steps(block_.num_tiles, steps_);
  int64_t tile_stride_ = L::tile_bytes(block_.depth), panel_stride_ = L::panel_bytes(block_.depth);
  float row_scales_[Taking<Format>::kMaxRows];
  Taking<Format> taking_;
};

template <class Format, class Tiles>
void multiply(const ProductBlock& block, std::byte*, float* sums) {
  Multiplication<Format, Tiles>(block, sums, nullptr).run();
}

template <class Format, class Tiles>
void multiply_for(const ProductBlock& block, float* sums, const TakeSums& take) {
  Multiplication<Format, Tiles>(block, sums, &take).run();
}

// Chunks of rows that stay in the second-level cache, if a chunk is not too small to be worth reading all weights for;
// else as many rows as have room for their sums, in slices of depth, for which wider strips pay.
template <class Format>
Blocking blocking(int64_t tiles, int64_t depth) {
  constexpr int64_t kWorthwhile = 14;
  const int64_t fitting = std::min(kMaxChunkTiles, kResidentBytes / Layout<Format>::tile_bytes(depth));
  const bool whole = fitting >= std::min(tiles, kWorthwhile);
  const int64_t most = std::max<int64_t>(whole ? fitting / 2 * 2 : kMaxChunkTiles, 3);
  return {.chunk_tiles = tiles <= most ? tiles : div_up(div_up(tiles, div_up(tiles, most)), 2) * 2,
          .strip_panels = whole ? 4 : 12,
          .chunks_stay = true};
}

}  // namespace ramet::ops::amx
