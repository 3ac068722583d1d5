#include "ops/pack_matrix.h"

#include "ops/operand.h"

#include <vector>

namespace ramet::ops {
namespace {

// Columns of the result from `first` on, as rows of `wide`.
void widen_columns(const StoredMatrix& w, int64_t first, int64_t count, std::vector<float>& wide) {
  const auto in = static_cast<size_t>(w.stored_in());
  const auto column = [&](int64_t c) { return wide.data() + static_cast<size_t>(c) * in; };
  if (w.layout == Linear::Layout::out_in) {
    for (int64_t c = 0; c < count; ++c) widen_row(w.weight, first + c, 0, {column(c), in});
    return;
  }
  std::vector<float> line(static_cast<size_t>(count));
  for (int64_t k = 0; k < w.stored_in(); ++k) {
    widen_row(w.weight, k, first, line);
    for (int64_t c = 0; c < count; ++c) column(c)[k] = line[static_cast<size_t>(c)];
  }
}

// In place: each group becomes the sum of its copies and moves up to the one before.
void add_copies(std::span<float> row, ColumnCopies copies) {
  if (copies.count == 1) return;
  float* sum = row.data();
  for (auto group = row.begin(); group != row.end(); group += copies.count * copies.width)
    for (int64_t k = 0; k < copies.width; ++k, ++sum) {
      float total = group[k];
      for (int64_t c = 1; c < copies.count; ++c) total += group[c * copies.width + k];
      *sum = total;
    }
}

}  // namespace

int64_t packed_bytes(const ProductKernel& kernel, int64_t in, int64_t out) {
  return div_up(out, kernel.panel_columns) * kernel.panel_bytes(in);
}

void pack_matrix(ThreadPool& pool, const ProductKernel& kernel, const StoredMatrix& w, std::byte* packed) {
  const int64_t stored = w.stored_in(), in = w.in(), out = w.out();
  pool.run(div_up(out, kernel.panel_columns), [&](int64_t panel) {
    const int64_t first = panel * kernel.panel_columns, count = std::min(kernel.panel_columns, out - first);
    std::vector<float> wide(static_cast<size_t>(count * stored));
    widen_columns(w, first, count, wide);
    std::vector<const float*> columns;
    for (int64_t c = 0; c < count; ++c) {
      float* column = wide.data() + c * stored;
      add_copies({column, static_cast<size_t>(stored)}, w.copies);
      columns.push_back(column);
    }
    kernel.pack_panel(columns, in, packed + panel * kernel.panel_bytes(in));
  });
}

}  // namespace ramet::ops
