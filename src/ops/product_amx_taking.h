// Sums that are taken while tiles multiply on.
#pragma once

#include "ops/product_amx_format.h"
#include "ops/product_kernel.h"

#include <algorithm>

namespace ramet::ops::amx {

// Finished sums of a few tiles of rows, taken a few rows at a time between the multiplications of the next block: tiles
// and vectors work side by side. The sums are in the first-level cache; as many more wait for the next block.
template <class Format>
class Taking {
 public:
  static constexpr int64_t kMaxRows = 3 * kTileRows;

  Taking(const TakeSums* take, const LineKernels& lines) : take_(take), lines_(lines) {}
  ~Taking() { take_all(); }

  bool is_wanted() const { return take_ != nullptr; }
  float* next_sums() { return sums_[1 - current_]; }  // free for the next block
  // `row_scales` and `column_scales`: int8 only.
  void start(int64_t panel, int64_t first_row, int64_t rows, const float* row_scales, const float* column_scales) {
    take_all();
    current_ = 1 - current_;
    panel_ = panel, first_row_ = first_row, rows_ = rows, row_ = 0;
    row_scales_ = row_scales, column_scales_ = column_scales;
  }
  void take_rows(int64_t count) {
    if (row_ < rows_) take(std::min(count, rows_ - row_));
  }
  void take_all() {
    if (row_ < rows_) take(rows_ - row_);
  }
  int64_t rows_per_step(int64_t steps) const { return div_up(rows_, steps); }

 private:
  void take(int64_t count) {
    float* sums = sums_[current_] + row_ * kColumns;
    if constexpr (Format::kTileHeader > 0)
      lines_.scale({.sums = sums,
                    .rows = count,
                    .columns = kColumns,
                    .row_scales = row_scales_ + row_,
                    .column_scales = column_scales_,
                    .offsets = nullptr});
    take_->call(take_->context, panel_, first_row_ + row_, count, sums);
    row_ += count;
  }

  const TakeSums* take_;
  const LineKernels& lines_;
  alignas(64) float sums_[2][kMaxRows * kColumns];
  int current_ = 0;
  int64_t panel_ = 0, first_row_ = 0, rows_ = 0, row_ = 0;
  const float *row_scales_ = nullptr, *column_scales_ = nullptr;
};

}  // namespace ramet::ops::amx
