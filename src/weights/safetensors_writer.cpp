#include "weights/safetensors_writer.h"

#include "base/assert.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

namespace ramet {
namespace {

constexpr size_t kDataAlignment = 64;
constexpr size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";

static_assert(std::endian::native == std::endian::little, "the format is little endian");

uint64_t total_bytes(std::span<const TensorSpec> specs) {
  uint64_t total = 0;
  for (const TensorSpec& spec : specs) total += spec.bytes();
  return total;
}

Status check_names(std::span<const TensorSpec> specs, const std::string& file) {
  std::unordered_set<std::string_view> seen;
  for (const TensorSpec& spec : specs)
    if (spec.name == kMetadata || !seen.insert(spec.name).second)
      return fail(Code::invalid_value, file, "tensors of different names, none of them __metadata__", spec.name);
  return {};
}

// Written by hand, since the order of the tensors is that of their data.
std::string header_text(std::span<const TensorSpec> specs) {
  std::string text = fmt::format(R"({{"{}":{{"format":"pt"}})", kMetadata);
  uint64_t begin = 0;
  for (const TensorSpec& spec : specs) {
    const uint64_t end = begin + spec.bytes();
    text += fmt::format(R"(,{}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", nlohmann::json(spec.name).dump(),
                        name(spec.dtype), str(spec.shape), begin, end);
    begin = end;
  }
  text += "}";
  text.append((kDataAlignment - (kLengthBytes + text.size()) % kDataAlignment) % kDataAlignment, ' ');
  return text;
}

Result<std::string> make_header(std::span<const TensorSpec> specs, const std::string& file) {
  RAMET_TRY_STATUS(check_names(specs, file));
  try {
    return header_text(specs);
  } catch (const nlohmann::json::exception& exception) {
    return fail(Code::invalid_value, file, "tensor names in UTF-8", exception.what());
  }
}

}  // namespace

Result<SafetensorsWriter> SafetensorsWriter::create(const std::filesystem::path& path,
                                                    std::span<const TensorSpec> specs) {
  RAMET_TRY(const std::string header, make_header(specs, path.string()));
  RAMET_TRY(AtomicFile file, AtomicFile::create(path));
  const auto length = std::bit_cast<std::array<std::byte, kLengthBytes>>(static_cast<uint64_t>(header.size()));
  RAMET_TRY_STATUS(file.write(length));
  RAMET_TRY_STATUS(file.write(header));
  return SafetensorsWriter(std::move(file), total_bytes(specs));
}

Status SafetensorsWriter::write(std::span<const std::byte> bytes) {
  RAMET_ASSERT(bytes.size() <= remaining_, bytes.size(), remaining_);
  remaining_ -= bytes.size();
  return file_.write(bytes);
}

Status SafetensorsWriter::finish() {
  RAMET_ASSERT(remaining_ == 0, remaining_);
  return file_.commit();
}

Status write_safetensors(const std::filesystem::path& path, std::span<const NamedView> tensors) {
  std::vector<TensorSpec> specs;
  for (const auto& [name, view] : tensors) specs.push_back({std::string(name), view.dtype(), view.shape()});
  RAMET_TRY(SafetensorsWriter writer, SafetensorsWriter::create(path, specs));
  for (const NamedView& tensor : tensors) {
    RAMET_ASSERT(tensor.view.is_dense(), tensor.name);
    RAMET_TRY_STATUS(writer.write({tensor.view.bytes(), static_cast<size_t>(tensor.view.size_bytes())}));
  }
  return writer.finish();
}

}  // namespace ramet
