// Files of tensors, shard indices and tensor lists: whatever is accepted has views inside the file.
#include "weights/checkpoint_index.h"
#include "weights/safetensors.h"
#include "weights/tensor_list.h"

#include <cstdlib>

namespace {

using namespace ramet;

void require(bool condition) {
  if (!condition) std::abort();
}

void read_tensors(std::span<const std::byte> image) {
  const auto file = SafetensorsFile::parse(image, "fuzz");
  if (!file) return;
  for (const SafetensorsEntry& entry : file->entries()) {
    require(entry.offset + entry.bytes.size() <= image.size());
    require(file->find(entry.name) == &entry);
    const auto view = file->view(entry);
    require(!view || static_cast<size_t>(view->size_bytes()) == entry.bytes.size());
  }
}

void read_index(std::string_view text) {
  const auto json = JsonFile::parse(text, "fuzz");
  if (!json) return;
  const auto index = read_checkpoint_index(json->root());
  if (!index) return;
  for (const std::string& file : index->files()) require(file.find('/') == std::string::npos);
  const auto again = JsonFile::parse(to_json(*index), "again");
  require(again && read_checkpoint_index(again->root())->file_of == index->file_of);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_tensors(std::as_bytes(std::span(data, size)));
  read_index(text);
  static_cast<void>(parse_tensor_list(text, "fuzz"));
  return 0;
}
