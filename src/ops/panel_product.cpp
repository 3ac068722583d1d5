#include "ops/panel_product.h"

#include <algorithm>
#include <cmath>

#include "ops/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/panel_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ramet::ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> kTag;
using Vector = hn::Vec<decltype(kTag)>;
constexpr int64_t kLanes = hn::MaxLanes(kTag);
constexpr int kPanelVectors = 3;
constexpr int64_t kPanelRows = kPanelVectors * kLanes;
static_assert(kMaxPanelRows % kPanelRows == 0);

// Columns of a tile: eight accumulators at least hide the latency of the multiply-add, twelve fit 16 registers.
constexpr int tile_columns(int vectors) { return vectors == 1 ? 8 : 4; }

HWY_INLINE Vector multiply_add(Vector a, Vector b, Vector sum) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, sum);
#else  // slow, but the same bits as everywhere
  HWY_ALIGN float av[kLanes], bv[kLanes], sv[kLanes];
  hn::Store(a, kTag, av), hn::Store(b, kTag, bv), hn::Store(sum, kTag, sv);
  for (int64_t i = 0; i < kLanes; ++i) sv[i] = std::fma(av[i], bv[i], sv[i]);
  return hn::Load(kTag, sv);
#endif
}

template <int kVectors, int kColumns>
HWY_INLINE void tile(const float* HWY_RESTRICT panel, int64_t depth, const PanelColumns& columns, int64_t c0,
                     float* HWY_RESTRICT out) {
  const float* HWY_RESTRICT w = columns.w + c0 * columns.column_stride;
  Vector sum[kColumns][kVectors];
  for (auto& column : sum)
    for (Vector& v : column) v = hn::Zero(kTag);
  for (int64_t k = 0; k < depth; ++k, panel += kPanelRows, w += columns.k_stride) {
    Vector x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = hn::LoadU(kTag, panel + v * kLanes);
    for (int c = 0; c < kColumns; ++c) {
      const Vector weight = hn::Set(kTag, w[c * columns.column_stride]);
      for (int v = 0; v < kVectors; ++v) sum[c][v] = multiply_add(x[v], weight, sum[c][v]);
    }
  }
  for (int c = 0; c < kColumns; ++c)
    for (int v = 0; v < kVectors; ++v) {
      float* target = out + (c0 + c) * kPanelRows + v * kLanes;
      hn::StoreU(hn::Add(hn::LoadU(kTag, target), sum[c][v]), kTag, target);
    }
}

template <int kVectors>
void block(const float* panel, int64_t depth, const PanelColumns& columns, float* out) {
  constexpr int kColumns = tile_columns(kVectors);
  int64_t c = 0;
  for (; c + kColumns <= columns.count; c += kColumns) tile<kVectors, kColumns>(panel, depth, columns, c, out);
  for (; c < columns.count; ++c) tile<kVectors, 1>(panel, depth, columns, c, out);
}

void panel_product(const float* panel, int64_t rows, int64_t depth, PanelColumns columns, float* out) {
  const auto product = rows > 2 * kLanes ? block<3> : rows > kLanes ? block<2> : block<1>;
  for (int64_t k = 0; k < depth; k += kSumBlock) {
    product(panel, std::min(kSumBlock, depth - k), columns, out);
    panel += kSumBlock * kPanelRows;
    columns.w += kSumBlock * columns.k_stride;
  }
}

int64_t panel_rows() { return kPanelRows; }

}  // namespace ramet::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ramet::ops {

HWY_EXPORT(panel_rows);
HWY_EXPORT(panel_product);

int64_t panel_rows() { return HWY_DYNAMIC_DISPATCH(panel_rows)(); }

void panel_product(const float* panel, int64_t rows, int64_t depth, PanelColumns columns, float* out) {
  HWY_DYNAMIC_DISPATCH(panel_product)(panel, rows, depth, columns, out);
}

}  // namespace ramet::ops
#endif
