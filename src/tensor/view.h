// Typed, non-owning access to memory. The owner is whoever made the view; a view never outlives it.
//
// The last dimension is contiguous. The others are spaced by strides, so that a column range of a matrix, or the heads
// of a fused projection, are views too.
#pragma once

#include "base/assert.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#include <array>
#include <cstddef>
#include <span>

namespace ramet {

using Strides = std::array<int64_t, Shape::kMaxRank>;  // in elements

Strides dense_strides(const Shape& shape);
bool is_dense(const Shape& shape,
              const Strides& strides);  // elements follow each other; strides of extents 1 do not matter

template <class Byte>  // std::byte or const std::byte
class BasicView {
 public:
  template <class T>
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  BasicView() = default;
  BasicView(Byte* data, DType dtype, const Shape& shape) : BasicView(data, dtype, shape, dense_strides(shape)) {}
  BasicView(Byte* data, DType dtype, const Shape& shape, const Strides& strides)
      : data_(data), dtype_(dtype), shape_(shape), strides_(strides) {}
  template <class Other>
  requires(std::is_const_v<Byte> && !std::is_const_v<Other>) BasicView(const BasicView<Other>& other)
      : data_(other.bytes()), dtype_(other.dtype()), shape_(other.shape()), strides_(other.strides()) {}

  Byte* bytes() const { return data_; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  int64_t stride(int axis) const { return strides_[static_cast<size_t>(axis < 0 ? axis + shape_.rank() : axis)]; }
  bool is_dense() const { return ramet::is_dense(shape_, strides_); }
  int64_t size_bytes() const { return shape_.elements() * ramet::size_bytes(dtype_); }

  // The first element; the caller has checked the dtype (asserted in debug builds).
  template <class T>
  Element<T>* data() const {
    RAMET_DASSERT(sizeof(T) == static_cast<size_t>(ramet::size_bytes(dtype_)));
    return reinterpret_cast<Element<T>*>(data_);
  }
  template <class T>
  std::span<Element<T>> flat() const {
    RAMET_DASSERT(is_dense());
    return {data<T>(), static_cast<size_t>(shape_.elements())};
  }
  // Row `r` of a matrix [rows, cols].
  template <class T>
  Element<T>* row(int64_t r) const {
    RAMET_DASSERT(shape_.rank() == 2);
    return data<T>() + r * strides_[0];
  }

 private:
  Byte* data_ = nullptr;
  DType dtype_ = DType::f32;
  Shape shape_;
  Strides strides_{};
};

using View = BasicView<std::byte>;
using ConstView = BasicView<const std::byte>;

}  // namespace ramet
