#include "weights/finite.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace ramet {
namespace {

// Exponent bits all set: infinity or NaN.
template <class Bits>
std::optional<size_t> first_not_finite(ConstView view, Bits exponent_mask) {
  const auto values = view.flat<Bits>();
  for (size_t i = 0; i < values.size(); ++i)
    if ((values[i] & exponent_mask) == exponent_mask) return i;
  return std::nullopt;
}

std::optional<size_t> first_not_finite(ConstView view) {
  switch (view.dtype()) {
    case DType::bf16: return first_not_finite<uint16_t>(view, 0x7F80);
    case DType::f16: return first_not_finite<uint16_t>(view, 0x7C00);
    case DType::f32: return first_not_finite<uint32_t>(view, 0x7F800000);
    default: return std::nullopt;
  }
}

}  // namespace

std::string find_not_finite(const Checkpoint& checkpoint) {
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const auto view = tensor.view();
    if (!view) continue;
    if (const auto element = first_not_finite(*view))
      return fmt::format("{}: NaN or infinity at element {}", tensor.where(), *element);
  }
  return {};
}

}  // namespace ramet
