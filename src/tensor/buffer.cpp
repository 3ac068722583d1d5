#include "tensor/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ramet {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

void Buffer::Free::operator()(std::byte* memory) const { std::free(memory); }

Result<Buffer> Buffer::make(DType dtype, const Shape& shape) {
  const size_t bytes = static_cast<size_t>(shape.elements() * ramet::size_bytes(dtype));
  const size_t rounded = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  Buffer buffer;
  buffer.data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  if (!buffer.data_) return fail(Code::no_memory, "memory", fmt::format("{} free bytes", bytes), "less");
  std::memset(buffer.data_.get(), 0, rounded);
  buffer.dtype_ = dtype;
  buffer.shape_ = shape;
  return buffer;
}

Result<Buffer> to_f32(ConstView view) {
  RAMET_DASSERT(view.is_dense());
  RAMET_TRY(Buffer buffer, Buffer::make(DType::f32, view.shape()));
  widen(view.dtype(), view.bytes(), buffer.flat<float>());
  return buffer;
}

}  // namespace ramet
