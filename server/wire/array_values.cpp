#include "server/wire/array_values.h"

#include "policy/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ramet::server {
namespace {

static_assert(std::endian::native == std::endian::little);

// Calls visit(i, offset) for the elements in C order; `offset` counts elements as they lie in the message.
template <class Visit>
void for_each_element(const Array& array, const Visit& visit) {
  const auto count = array.elements();
  const size_t rank = array.shape.size();
  if (!array.fortran_order || rank < 2) {
    for (int64_t i = 0; i < count; ++i) visit(i, i);
    return;
  }
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  for (size_t axis = 1; axis < rank; ++axis) stride[axis] = stride[axis - 1] * array.shape[axis - 1];
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (size_t axis = rank; axis-- > 0;) {
      offset += stride[axis];
      if (++index[axis] < array.shape[axis]) break;
      offset -= stride[axis] * array.shape[axis];
      index[axis] = 0;
    }
  }
}

// The bits of one element, least significant byte first.
uint64_t element_bits(const Array& array, int64_t offset) {
  const auto size = static_cast<size_t>(array.type.item_bytes);
  char bytes[sizeof(uint64_t)] = {};
  std::memcpy(bytes, array.bytes.data() + offset * array.type.item_bytes, size);
  if (array.type.big_endian) std::reverse(bytes, bytes + size);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double value = std::ldexp(fraction, -24);
  if (exponent > 0) value = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction ? NAN : INFINITY;
  return bits >> 15 ? -value : value;
}

double to_double(const ElementType& type, uint64_t bits) {
  if (type.kind == 'f') {
    if (type.item_bytes == 2) return half_to_double(static_cast<uint16_t>(bits));
    if (type.item_bytes == 4) return std::bit_cast<float>(static_cast<uint32_t>(bits));
    return std::bit_cast<double>(bits);
  }
  if (type.kind != 'i') return static_cast<double>(bits);
  const int unused = 64 - 8 * static_cast<int>(type.item_bytes);
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

Result<std::string> ucs4_text(const Array& array, int64_t offset, const std::string& where) {
  std::string text;
  Array units{.type = {'u', 4, array.type.big_endian}, .bytes = array.bytes};
  const int64_t length = array.type.item_bytes / 4;
  for (int64_t i = 0; i < length; ++i) {
    const auto unit = static_cast<char32_t>(element_bits(units, offset * length + i));
    if (unit == 0) break;
    if (unit > 0x10FFFF || (unit >= 0xD800 && unit < 0xE000))
      return fail(Code::invalid_value, where, "Unicode text",
                  fmt::format("the unit {:#x}", static_cast<uint32_t>(unit)));
    append_utf8(unit, text);
  }
  return text;
}

Result<std::string> byte_text(const Array& array, int64_t offset, const std::string& where) {
  const auto size = static_cast<size_t>(array.type.item_bytes);
  std::string_view bytes = array.bytes.substr(static_cast<size_t>(offset) * size, size);
  bytes = bytes.substr(0, bytes.find('\0'));
  RAMET_TRY_STATUS(check_utf8(bytes, where));
  return std::string(bytes);
}

}  // namespace

bool is_number_type(const ElementType& type) { return type.kind != 'U' && type.kind != 'S'; }

Result<std::vector<float>> read_floats(const Array& array, const std::string& where) {
  if (!is_number_type(array.type)) return fail(Code::unsupported_dtype, where, "numbers", quoted(array.descr));
  std::vector<float> values(static_cast<size_t>(array.elements()));
  for_each_element(array, [&](int64_t i, int64_t offset) {
    values[static_cast<size_t>(i)] = static_cast<float>(to_double(array.type, element_bits(array, offset)));
  });
  return values;
}

Result<std::vector<std::string>> read_texts(const Array& array, const std::string& where) {
  if (is_number_type(array.type)) return fail(Code::unsupported_dtype, where, "texts", quoted(array.descr));
  std::vector<std::string> texts(static_cast<size_t>(array.elements()));
  Status status;
  for_each_element(array, [&](int64_t i, int64_t offset) {
    auto text = array.type.kind == 'U' ? ucs4_text(array, offset, where) : byte_text(array, offset, where);
    if (text)
      texts[static_cast<size_t>(i)] = std::move(*text);
    else if (status)
      status = tl::unexpected<Error>(std::move(text.error()));
  });
  RAMET_TRY_STATUS(std::move(status));
  return texts;
}

std::vector<uint8_t> reordered_bytes(const Array& array) {
  std::vector<uint8_t> bytes(static_cast<size_t>(array.elements()));
  for_each_element(array, [&](int64_t i, int64_t offset) {
    bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(array.bytes[static_cast<size_t>(offset)]);
  });
  return bytes;
}

std::optional<int64_t> read_integer(const Value& value) {
  if (const auto* integer = value.as<int64_t>()) return *integer;
  const auto* array = value.as<Array>();
  if (array == nullptr || array->elements() != 1 || (array->type.kind != 'i' && array->type.kind != 'u')) return {};
  const uint64_t bits = element_bits(*array, 0);
  if (array->type.kind == 'u') return bits > uint64_t{INT64_MAX} ? std::nullopt : std::optional<int64_t>(bits);
  const int unused = 64 - 8 * static_cast<int>(array->type.item_bytes);
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace ramet::server
