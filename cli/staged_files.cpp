#include "staged_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <minizip/zip.h>
#include <unistd.h>

#include <memory>

namespace ramet::cli {
namespace {

constexpr size_t kNpyAlignment = 64;
constexpr size_t kNpyPreamble = 10;  // magic, version, u16 length

std::span<const std::byte> bytes_of(const NamedArray& array) {
  return array.is_integer ? std::as_bytes(array.integers) : std::as_bytes(array.floats);
}

// Version 1.0 of the format: magic, version, u16 length, a Python dict that ends in a newline at a multiple of 64.
std::string npy_header(const NamedArray& array) {
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", array.is_integer ? "<i8" : "<f4",
                  fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  while ((kNpyPreamble + dict.size() + 1) % kNpyAlignment != 0) dict += ' ';
  dict += '\n';
  const auto length = static_cast<uint16_t>(dict.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xFF);
  header += static_cast<char>(length >> 8);
  return header + dict;
}

struct ZipCloser {
  void operator()(void* zip) const { zipClose(zip, nullptr); }
};
using Zip = std::unique_ptr<void, ZipCloser>;

bool add_to_zip(void* zip, const NamedArray& array) {
  const std::string header = npy_header(array);
  const std::span<const std::byte> data = bytes_of(array);
  return zipOpenNewFileInZip(zip, (array.name + ".npy").c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, 0, 0) ==
             ZIP_OK &&
         zipWriteInFileInZip(zip, header.data(), static_cast<unsigned>(header.size())) == ZIP_OK &&
         zipWriteInFileInZip(zip, data.data(), static_cast<unsigned>(data.size())) == ZIP_OK &&
         zipCloseFileInZip(zip) == ZIP_OK;
}

TensorSpec spec_of(const NamedArray& array) {
  return {.name = array.name, .dtype = array.is_integer ? DType::i64 : DType::f32, .shape = Shape(array.shape)};
}

}  // namespace

NamedArray named_array(std::string name, const FloatArray& array) {
  return {.name = std::move(name), .shape = array.shape, .floats = array.values};
}

NamedArray named_array(const Tap& tap) {
  return {.name = tap.name,
          .shape = tap.shape,
          .floats = tap.floats,
          .integers = tap.integers,
          .is_integer = !tap.integers.empty()};
}

Status StagedFiles::add_text(const std::filesystem::path& path, std::string_view bytes) {
  RAMET_TRY(AtomicFile file, AtomicFile::create(path));
  RAMET_TRY_STATUS(file.write(bytes));
  files_.push_back(std::move(file));
  return {};
}

Status StagedFiles::add_safetensors(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  std::vector<TensorSpec> specs;
  for (const NamedArray& array : arrays) specs.push_back(spec_of(array));
  RAMET_TRY(SafetensorsWriter writer, SafetensorsWriter::create(path, specs));
  for (const NamedArray& array : arrays) RAMET_TRY_STATUS(writer.write(bytes_of(array)));
  safetensors_.push_back(std::move(writer));
  return {};
}

Status StagedFiles::add_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  RAMET_TRY(AtomicFile file, AtomicFile::create(path));
  Zip zip(zipOpen(file.temporary_path().c_str(), APPEND_STATUS_CREATE));
  bool written = zip != nullptr;
  for (const NamedArray& array : arrays) written = written && add_to_zip(zip.get(), array);
  if (!written || zipClose(zip.release(), nullptr) != ZIP_OK)
    return fail(Code::no_resource, path.string(), "to write the whole archive", "a write error",
                "check the free space");
  files_.push_back(std::move(file));
  return {};
}

Status StagedFiles::commit() {
  for (SafetensorsWriter& writer : safetensors_) RAMET_TRY_STATUS(writer.finish());
  for (AtomicFile& file : files_) RAMET_TRY_STATUS(file.commit());
  return {};
}

Status check_writable(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail(Code::no_resource, path.string(), "a place for a file", "a directory", "name a file in it");
  if (!std::filesystem::is_directory(folder, error))
    return fail(Code::no_resource, path.string(), "an existing folder", folder.string() + " is none",
                "create it first");
  if (::access(folder.c_str(), W_OK) != 0)
    return fail(Code::no_resource, path.string(), "a folder that takes files", folder.string() + " does not",
                "check its permissions");
  return {};
}

}  // namespace ramet::cli
