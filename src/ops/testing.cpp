#include "ops/testing.h"

#include <random>

namespace ramet::test {
namespace {

constexpr std::byte kPattern{0xFF};  // NaN, should anyone read it

uint16_t to_f16(float value) {  // by search among the 2^16 values' upper half; tests only
  uint16_t low = 0;
  uint16_t high = 0x7BFF;
  while (low < high) {
    const uint16_t middle = static_cast<uint16_t>((low + high + 1) / 2);
    if (f16_to_f32(middle) <= std::abs(value))
      low = middle;
    else
      high = static_cast<uint16_t>(middle - 1);
  }
  return static_cast<uint16_t>(low | (std::signbit(value) ? 0x8000 : 0));
}

}  // namespace

Buffer random(const Shape& shape, uint64_t seed, float scale) {
  std::mt19937_64 bits(seed);
  Buffer buffer = Buffer::make(DType::f32, shape).value();
  for (float& value : buffer.flat<float>()) value = (static_cast<float>(bits() >> 40) * 0x1p-23F - 1.0F) * scale;
  return buffer;
}

Buffer random_as(DType dtype, const Shape& shape, uint64_t seed, float scale) {
  Buffer wide = random(shape, seed, scale);
  if (dtype == DType::f32) return wide;
  Buffer buffer = Buffer::make(dtype, shape).value();
  std::ranges::transform(wide.flat<float>(), buffer.flat<uint16_t>().begin(),
                         dtype == DType::bf16 ? f32_to_bf16 : to_f16);
  return buffer;
}

Buffer indices(const Shape& shape, const std::vector<int64_t>& values) {
  return Buffer::copy_of<int64_t>(DType::i64, shape, values).value();
}

ConstView columns(const Buffer& buffer, int64_t begin, int64_t count) {
  const ConstView view = buffer.view();
  std::vector<int64_t> dims(view.shape().dims().begin(), view.shape().dims().end());
  dims.back() = count;
  return {view.bytes() + begin * size_bytes(view.dtype()), view.dtype(), Shape(dims), view.strides()};
}

float at(ConstView view, std::initializer_list<int64_t> position) {
  int64_t offset = 0;
  int axis = 0;
  for (const int64_t i : position) offset += i * view.stride(axis++);
  float value = 0;
  widen(view.dtype(), view.bytes() + offset * size_bytes(view.dtype()), {&value, 1});
  return value;
}

Guarded::Guarded(int64_t bytes, int64_t offset)
    : bytes_(bytes), offset_(offset), memory_(Buffer::make(DType::u8, {bytes + offset + 2 * kGuard}).value()) {
  std::memset(memory_.view().bytes(), static_cast<int>(kPattern), static_cast<size_t>(memory_.size_bytes()));
}

bool Guarded::intact() const {
  const std::byte* all = memory_.view().bytes();
  const auto untouched = [](std::byte b) { return b == kPattern; };
  return std::all_of(all, all + kGuard + offset_, untouched) &&
         std::all_of(all + kGuard + offset_ + bytes_, all + memory_.size_bytes(), untouched);
}

testing::AssertionResult same_bits(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " and " << b.size() << " values";
  for (size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i]))
      return testing::AssertionFailure() << "at " << i << ": " << a[i] << " and " << b[i];
  return testing::AssertionSuccess();
}

}  // namespace ramet::test
