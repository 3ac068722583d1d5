// Owned, 64-byte aligned memory with a type and a shape.
#pragma once

#include "tensor/view.h"

#include <ramet/error.h>

#include <memory>
#include <span>

namespace ramet {

class Buffer {
 public:
  Buffer() = default;
  // Zero-filled. no_memory when the machine has not that much.
  static Result<Buffer> make(DType dtype, const Shape& shape);
  template <class T>
  static Result<Buffer> copy_of(DType dtype, const Shape& shape, std::span<const T> values);

  View view() { return {data_.get(), dtype_, shape_}; }
  ConstView view() const { return {data_.get(), dtype_, shape_}; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size_bytes() const { return shape_.elements() * ramet::size_bytes(dtype_); }
  template <class T>
  std::span<T> flat() {
    return view().flat<T>();
  }
  template <class T>
  std::span<const T> flat() const {
    return view().flat<T>();
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  DType dtype_ = DType::f32;
  Shape shape_{0};
};

template <class T>
Result<Buffer> Buffer::copy_of(DType dtype, const Shape& shape, std::span<const T> values) {
  RAMET_ASSERT(static_cast<int64_t>(values.size()) == shape.elements(), values.size(), shape.elements());
  RAMET_TRY(Buffer buffer, make(dtype, shape));
  std::copy(values.begin(), values.end(), buffer.flat<T>().begin());
  return buffer;
}

// Any numeric dtype to float32 (bf16, f16, f32, f64 and integers), dense.
Result<Buffer> to_f32(ConstView view);

}  // namespace ramet
