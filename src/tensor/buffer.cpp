#include "tensor/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ramet {
namespace {

constexpr size_t kAlignment = 64;

template <class T, class Convert>
void convert(ConstView view, std::span<float> out, Convert to_float) {
  const auto in = view.flat<T>();
  for (size_t i = 0; i < in.size(); ++i) out[i] = to_float(in[i]);
}

template <class T>
void widen(ConstView view, std::span<float> out) {
  convert<T>(view, out, [](T value) { return static_cast<float>(value); });
}

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
  RAMET_TRY(Buffer buffer, Buffer::make(DType::f32, view.shape()));
  const std::span<float> out = buffer.flat<float>();
  switch (view.dtype()) {
    case DType::f32: widen<float>(view, out); break;
    case DType::f64: widen<double>(view, out); break;
    case DType::bf16: convert<uint16_t>(view, out, bf16_to_f32); break;
    case DType::f16: convert<uint16_t>(view, out, f16_to_f32); break;
    case DType::i64: widen<int64_t>(view, out); break;
    case DType::i32: widen<int32_t>(view, out); break;
    case DType::i16: widen<int16_t>(view, out); break;
    case DType::i8: widen<int8_t>(view, out); break;
    case DType::u8:
    case DType::boolean: widen<uint8_t>(view, out); break;
  }
  return buffer;
}

}  // namespace ramet
