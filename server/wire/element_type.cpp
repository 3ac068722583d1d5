#include "server/wire/element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ramet::server {
namespace {

constexpr size_t kMaxDescr = 15;
constexpr int64_t kMaxItemBytes = 1 << 20;
constexpr int64_t kMaxArrayBytes = int64_t{1} << 40;

tl::unexpected<Error> unsupported_type(std::string_view descr) {
  const bool has_objects = descr.find('O') != std::string_view::npos;
  return fail(Code::unsupported_dtype, "array dtype", "a bool, integer, float or text type", quoted(descr),
              has_objects ? "object and record arrays are refused" : "");
}

bool is_number(char kind, int64_t bytes) {
  constexpr std::array<std::string_view, 10> kNumbers{"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2"};
  const std::string code = fmt::format("{}{}", kind, bytes);
  return std::ranges::find(kNumbers, code) != kNumbers.end() || code == "f4" || code == "f8";
}

}  // namespace

Result<ElementType> parse_element_type(std::string_view descr) {
  if (descr.size() > kMaxDescr || descr.empty()) return unsupported_type(descr);
  std::string_view rest = descr;
  const char order = std::string_view("<>|=").find(rest.front()) == std::string_view::npos ? '=' : rest.front();
  if (order == rest.front()) rest.remove_prefix(1);
  if (rest.size() < 2) return unsupported_type(descr);
  int64_t size = 0;
  const auto [end, problem] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), size);
  if (problem != std::errc() || end != rest.data() + rest.size() || size <= 0 || size > kMaxItemBytes / 4)
    return unsupported_type(descr);
  const char kind = rest.front();
  if (kind == 'U') return ElementType{'U', 4 * size, order == '>'};
  if (kind == 'S') return ElementType{'S', size, false};
  if (!is_number(kind, size) || (order == '|' && size > 1)) return unsupported_type(descr);
  return ElementType{kind, size, order == '>' && size > 1};
}

Status check_size(const Array& array) {
  if (array.shape.size() > kMaxRank)
    return fail(Code::shape_mismatch, "array", fmt::format("at most {} axes", kMaxRank),
                fmt::format("{}", array.shape.size()));
  int64_t bytes = array.type.item_bytes;
  bool is_empty = false;
  for (const int64_t dim : array.shape) {
    if (dim < 0) return fail(Code::shape_mismatch, "array shape", "lengths of at least 0", fmt::format("{}", dim));
    is_empty |= dim == 0;
    if (dim > 0 && bytes > kMaxArrayBytes / dim)
      return fail(Code::shape_mismatch, "array", fmt::format("at most {} bytes", kMaxArrayBytes), "a shape of more");
    bytes *= std::max<int64_t>(dim, 1);
  }
  const uint64_t needed = is_empty ? 0 : static_cast<uint64_t>(bytes);
  if (array.bytes.size() == needed) return {};
  return fail(Code::shape_mismatch, "array",
              fmt::format("{} bytes for dtype {} and shape {}", needed, quoted(array.descr), str(array.shape)),
              fmt::format("{}", array.bytes.size()));
}

}  // namespace ramet::server
