#include "weights/safetensors.h"

#include "base/json.h"
#include "base/names.h"
#include "weights/checked_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace ramet {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";

struct ForeignType {
  std::string_view name;
  uint64_t bytes;
};

// Types of the format that Ramet lists but does not compute with.
constexpr std::array kForeignTypes{ForeignType{"U16", 2},     ForeignType{"U32", 4},     ForeignType{"U64", 8},
                                   ForeignType{"F8_E4M3", 1}, ForeignType{"F8_E5M2", 1}, ForeignType{"F8_E8M0", 1},
                                   ForeignType{"C64", 8}};

std::optional<uint64_t> width_bytes(std::string_view dtype_name) {
  if (const auto dtype = parse_dtype(dtype_name)) return static_cast<uint64_t>(size_bytes(*dtype));
  const auto it = std::ranges::find(kForeignTypes, dtype_name, &ForeignType::name);
  if (it == kForeignTypes.end()) return std::nullopt;
  return it->bytes;
}

tl::unexpected<Error> broken(std::string where, std::string expected, std::string found) {
  return fail(Code::invalid_file, std::move(where), std::move(expected), std::move(found),
              "the file is damaged or not a safetensors file; fetch it again");
}

// The text of the header, and what follows it.
struct Parts {
  std::string_view header;
  std::span<const std::byte> data;
};

// What a repository holds in place of a large file that was not fetched.
bool is_git_lfs_pointer(std::span<const std::byte> image) {
  constexpr std::string_view kStart = "version https://git-lfs";
  return image.size() >= kStart.size() && std::memcmp(image.data(), kStart.data(), kStart.size()) == 0;
}

Result<Parts> split(std::span<const std::byte> image, const std::string& name) {
  if (image.size() < kLengthBytes)
    return broken(name, "8 bytes that give the length of the header", fmt::format("a file of {} bytes", image.size()));
  if (is_git_lfs_pointer(image))
    return fail(Code::invalid_file, name, "a safetensors file", "a Git LFS pointer",
                "fetch the file with git lfs pull");
  uint64_t length = 0;
  std::memcpy(&length, image.data(), kLengthBytes);
  const uint64_t limit = std::min<uint64_t>(kMaxSafetensorsHeader, image.size() - kLengthBytes);
  if (length > limit) return broken(name, fmt::format("a header of at most {} bytes", limit), std::to_string(length));
  const auto* text = reinterpret_cast<const char*>(image.data()) + kLengthBytes;
  return Parts{{text, length}, image.subspan(kLengthBytes + length)};
}

Result<Shape> read_shape(const Json& json) {
  RAMET_TRY(const auto dims, json.get<std::vector<int64_t>>("shape"));
  if (dims.size() > Shape::kMaxRank)
    return fail(Code::unsupported, json.where(), fmt::format("at most {} dimensions", Shape::kMaxRank),
                std::to_string(dims.size()));
  for (const int64_t dim : dims)
    if (dim < 0) return broken(json.where(), "dimensions of 0 or more", std::to_string(dim));
  return Shape(dims);
}

std::optional<uint64_t> checked_bytes(const Shape& shape, uint64_t width) {
  const auto elements = checked_elements(shape.dims());
  uint64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(static_cast<uint64_t>(*elements), width, &bytes)) return std::nullopt;
  return bytes;
}

struct Range {
  uint64_t begin, end;
};

Result<Range> read_range(const Json& json, uint64_t data_bytes) {
  RAMET_TRY(const auto offsets, json.get<std::vector<int64_t>>("data_offsets"));
  const auto found = fmt::format("[{}]", fmt::join(offsets, ","));
  if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0])
    return broken(json.where(), "data_offsets [begin,end] with 0 <= begin <= end", found);
  const Range range{static_cast<uint64_t>(offsets[0]), static_cast<uint64_t>(offsets[1])};
  if (range.end > data_bytes)
    return broken(json.where(), fmt::format("data_offsets within the {} bytes of data", data_bytes), found);
  return range;
}

Status check_size(const Json& json, const SafetensorsEntry& entry) {
  const auto width = width_bytes(entry.dtype_name);
  if (!width) return broken(json.where(), "an element type of the format", entry.dtype_name);
  const auto bytes = checked_bytes(entry.shape, *width);
  if (!bytes || *bytes != entry.bytes.size())
    return broken(json.where(), fmt::format("{} {} to fill its data_offsets", entry.dtype_name, str(entry.shape)),
                  fmt::format("{} bytes", entry.bytes.size()));
  return {};
}

Result<SafetensorsEntry> read_entry(const std::string& name, const Json& json, const Parts& parts) {
  SafetensorsEntry entry;
  entry.name = name;
  RAMET_TRY(entry.dtype_name, json.get<std::string>("dtype"));
  RAMET_TRY(entry.shape, read_shape(json));
  RAMET_TRY(const Range range, read_range(json, parts.data.size()));
  entry.dtype = parse_dtype(entry.dtype_name);
  entry.offset = kLengthBytes + parts.header.size() + range.begin;
  entry.bytes = parts.data.subspan(range.begin, range.end - range.begin);
  RAMET_TRY_STATUS(check_size(json, entry));
  return entry;
}

// Tensors lie end to end: no hole, no overlap, nothing after the last one.
Status check_layout(const std::vector<SafetensorsEntry>& entries, const Parts& parts, const std::string& name) {
  std::vector<const SafetensorsEntry*> order;
  for (const SafetensorsEntry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, [](const SafetensorsEntry* e) { return std::pair(e->offset, e->bytes.size()); });
  uint64_t expected = kLengthBytes + parts.header.size();
  for (const SafetensorsEntry* entry : order) {
    if (entry->offset != expected)
      return broken(name + ": " + entry->name, fmt::format("data at byte {}, where the previous tensor ends", expected),
                    fmt::format("byte {}", entry->offset));
    expected += entry->bytes.size();
  }
  const uint64_t file_bytes = kLengthBytes + parts.header.size() + parts.data.size();
  if (expected != file_bytes)
    return broken(name, fmt::format("{} bytes, as the header says", expected), fmt::format("{} bytes", file_bytes));
  return {};
}

Result<std::vector<SafetensorsEntry>> read_header(const Parts& parts, const std::string& name) {
  RAMET_TRY(const JsonFile file, JsonFile::parse(parts.header, name));
  RAMET_TRY(const auto items, file.root().items());
  std::vector<SafetensorsEntry> entries;
  entries.reserve(items.size());
  for (const auto& [tensor, json] : items) {
    if (tensor == kMetadata) continue;
    RAMET_TRY(SafetensorsEntry entry, read_entry(tensor, json, parts));
    entries.push_back(std::move(entry));
  }
  RAMET_TRY_STATUS(check_layout(entries, parts, name));
  return entries;
}

// What is wrong inside a header is a damaged file, whatever the JSON reader calls it.
Error as_invalid_file(Error error) {
  if (error.code == Code::invalid_value || error.code == Code::not_found) error.code = Code::invalid_file;
  return error;
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::parse(std::span<const std::byte> image, std::string name) try {
  RAMET_TRY(const Parts parts, split(image, name));
  SafetensorsFile file;
  RAMET_TRY(file.entries_, read_header(parts, name).map_error(as_invalid_file));
  file.name_ = std::move(name);
  return file;
} catch (const std::bad_alloc&) {
  return fail(Code::no_memory, std::move(name), "memory for the header", "none left");
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  RAMET_TRY(MappedFile mapped, MappedFile::open(path));
  RAMET_TRY(SafetensorsFile file, parse(mapped.bytes(), path.string()));
  file.file_ = std::move(mapped);
  return file;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view tensor) const {
  const auto it = std::ranges::lower_bound(entries_, tensor, {}, &SafetensorsEntry::name);
  return it == entries_.end() || it->name != tensor ? nullptr : &*it;
}

Result<ConstView> SafetensorsFile::view(std::string_view tensor) const {
  if (const SafetensorsEntry* entry = find(tensor)) return view(*entry);
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : entries_) names.push_back(entry.name);
  return fail(Code::not_found, fmt::format("{}: {}", name_, tensor), "this tensor", "none",
              nearest_hint(tensor, names));
}

Result<ConstView> SafetensorsFile::view(const SafetensorsEntry& entry) const {
  const std::string where = fmt::format("{}: {}", name_, entry.name);
  if (!entry.dtype)
    return fail(Code::unsupported_dtype, where, "an element type Ramet computes with", entry.dtype_name);
  if (const auto width = static_cast<uint64_t>(size_bytes(*entry.dtype));
      reinterpret_cast<uintptr_t>(entry.bytes.data()) % width != 0)
    return fail(Code::unsupported, where, fmt::format("data at a multiple of {} bytes", width),
                fmt::format("byte {}", entry.offset), "save the file again with safetensors 0.3 or newer");
  return ConstView(entry.bytes.data(), *entry.dtype, entry.shape);
}

}  // namespace ramet
