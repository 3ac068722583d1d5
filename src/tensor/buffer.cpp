#include "tensor/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ramet {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;

// Memory worth it asks for huge pages: rows that stand far apart would cost a page walk each. Only a wish.
std::byte* allocate(size_t bytes) {
  const size_t alignment = bytes >= 2 * kHugePage ? kHugePage : kAlignment;
  const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (memory == nullptr) return nullptr;
  if (alignment == kHugePage) ::madvise(memory, rounded, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  return memory;
}

}  // namespace

void Buffer::Free::operator()(std::byte* memory) const { std::free(memory); }

Result<Buffer> Buffer::make(DType dtype, const Shape& shape) {
  const size_t bytes = static_cast<size_t>(shape.elements() * ramet::size_bytes(dtype));
  Buffer buffer;
  buffer.data_.reset(allocate(bytes));
  if (!buffer.data_) return fail(Code::no_memory, "memory", fmt::format("{} free bytes", bytes), "less");
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
