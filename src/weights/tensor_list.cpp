#include "weights/tensor_list.h"

#include "base/mapped_file.h"
#include "weights/checked_shape.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_set>
#include <utility>

namespace ramet {
namespace {

constexpr size_t kHashDigits = 16;
constexpr int64_t kMaxElements = int64_t{1} << 40;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int64_t> parse_dim(std::string_view text) {
  int64_t dim = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(dim) : std::nullopt;
}

Result<Shape> parse_shape(std::string_view text, const std::string& where) {
  std::vector<int64_t> dims;
  if (!text.empty())
    for (const std::string_view part : split(text, ',')) dims.push_back(parse_dim(part).value_or(-1));
  if (dims.size() > Shape::kMaxRank)
    return fail(Code::unsupported, where, fmt::format("at most {} dimensions", Shape::kMaxRank), std::string(text));
  if (checked_elements(dims).value_or(kMaxElements + 1) > kMaxElements)
    return fail(Code::invalid_file, where, fmt::format("dimensions d0,d1,... of at most {} elements", kMaxElements),
                std::string(text));
  return Shape(dims);
}

Result<DType> parse_weight_type(std::string_view text, const std::string& where) {
  const auto dtype = parse_dtype(text);
  if (dtype == DType::f32 || dtype == DType::bf16) return *dtype;
  return fail(Code::invalid_file, where, "F32 or BF16", std::string(text));
}

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<ListedTensor> parse_line(std::string_view line, const std::string& where) {
  const auto columns = split(line, '\t');
  if (columns.size() < 3 || columns.size() > 4 || columns[0].empty())
    return fail(Code::invalid_file, where, "name, dtype, dimensions and perhaps a hash, parted by tabs",
                std::string(line.substr(0, 80)));
  ListedTensor tensor;
  tensor.spec.name = columns[0];
  RAMET_TRY(tensor.spec.dtype, parse_weight_type(columns[1], where));
  RAMET_TRY(tensor.spec.shape, parse_shape(columns[2], where));
  if (columns.size() == 4) tensor.hash = columns[3];
  if (!tensor.hash.empty() && !is_hash(tensor.hash))
    return fail(Code::invalid_file, where, fmt::format("a hash of {} hexadecimal digits", kHashDigits), tensor.hash);
  return tensor;
}

}  // namespace

Result<std::vector<ListedTensor>> parse_tensor_list(std::string_view text, const std::string& name) {
  std::vector<ListedTensor> tensors;
  std::unordered_set<std::string_view> seen;
  int64_t elements = 0;
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    const std::string where = fmt::format("{}: line {}", name, ++number);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    RAMET_TRY(ListedTensor tensor, parse_line(line, where));
    if (!seen.insert(line.substr(0, tensor.spec.name.size())).second)
      return fail(Code::invalid_file, where, "each tensor once", tensor.spec.name + " twice");
    elements += tensor.spec.shape.elements();
    if (elements > kMaxElements)
      return fail(Code::invalid_file, where, fmt::format("at most {} elements in all", kMaxElements), "more");
    tensors.push_back(std::move(tensor));
  }
  if (tensors.empty()) return fail(Code::invalid_file, name, "at least one tensor", "none");
  return tensors;
}

Result<std::vector<ListedTensor>> load_tensor_list(const std::filesystem::path& path) {
  RAMET_TRY(const MappedFile file, MappedFile::open(path));
  const auto bytes = file.bytes();
  return parse_tensor_list({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

}  // namespace ramet
