#include "tap_dump.h"

#include "base/glob.h"
#include "tensor/buffer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ramet::cli {
namespace {

constexpr std::array<std::string_view, 6> kStages{"pre", "vision", "llm", "adapter", "denoise", "actions"};
constexpr std::string_view kRows = ".rows";

bool starts_with_stage(std::string_view tap) {
  return std::ranges::find(kStages, tap.substr(0, tap.find('.'))) != kStages.end();
}

std::map<std::string, std::string> taps_under(const SafetensorsFile& file, const std::vector<std::string>& prefixes) {
  std::map<std::string, std::string> entries;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (prefixes.empty()) entries.emplace(entry.name, entry.name);
    for (const std::string& prefix : prefixes)
      if (entry.name.starts_with(prefix) && starts_with_stage(std::string_view(entry.name).substr(prefix.size())))
        entries.emplace(entry.name.substr(prefix.size()), entry.name);
  }
  return entries;
}

bool selected(const std::string& tap, const TapSelection& selection) {
  return !tap.ends_with(kRows) && matches_any({selection.only}, tap) && !matches_any(selection.skip, tap);
}

bool is_integer(DType dtype) {
  switch (dtype) {
    case DType::i64:
    case DType::i32:
    case DType::i16:
    case DType::i8:
    case DType::u8:
    case DType::boolean: return true;
    case DType::f32:
    case DType::f64:
    case DType::f16:
    case DType::bf16: return false;
  }
  return false;
}

template <class T>
std::vector<int64_t> widened(ConstView view) {
  const std::span<const T> values = view.flat<T>();
  return {values.begin(), values.end()};
}

std::vector<int64_t> integers(ConstView view) {
  switch (view.dtype()) {
    case DType::i64: return widened<int64_t>(view);
    case DType::i32: return widened<int32_t>(view);
    case DType::i16: return widened<int16_t>(view);
    case DType::i8: return widened<int8_t>(view);
    default: return widened<uint8_t>(view);
  }
}

}  // namespace

Result<TapDump> TapDump::open(const std::filesystem::path& path, const TapSelection& selection) {
  RAMET_TRY(SafetensorsFile file, SafetensorsFile::open(path));
  TapDump dump(std::move(file));
  dump.entries_ = taps_under(dump.file_, selection.prefixes);
  for (const auto& [tap, entry] : dump.entries_)
    if (selected(tap, selection)) dump.names_.push_back(tap);
  if (dump.names_.empty())
    return fail(Code::not_found, path.string(), "taps to compare", "none", "look at --prefix, --only and --skip");
  return dump;
}

TapDump TapDump::of(std::vector<Tap> taps, const TapSelection& selection) {
  TapDump dump;
  for (Tap& tap : taps) {
    if (!selected(tap.name, selection)) continue;
    dump.names_.push_back(tap.name);
    dump.taps_.push_back(std::move(tap));
  }
  return dump;
}

std::vector<std::string> TapDump::names() const { return names_; }

bool TapDump::has(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

Result<Tap> TapDump::read_entry(const std::string& name, const SafetensorsEntry& entry) const {
  RAMET_TRY(const ConstView view, file_.view(entry));
  const std::span<const int64_t> dims = view.shape().dims();
  Tap tap{.name = name, .shape = {dims.begin(), dims.end()}};
  if (is_integer(view.dtype())) {
    tap.integers = integers(view);
    return tap;
  }
  RAMET_TRY(const Buffer floats, to_f32(view));
  const std::span<const float> values = floats.flat<float>();
  tap.floats.assign(values.begin(), values.end());
  return tap;
}

Result<DumpedTap> TapDump::read(const std::string& name) const {
  if (const auto tap = std::ranges::find(taps_, name, &Tap::name); tap != taps_.end())
    return DumpedTap{*tap, std::nullopt};
  RAMET_TRY(Tap tap, read_entry(name, *file_.find(entries_.at(name))));
  const auto rows = entries_.find(name + std::string(kRows));
  if (rows == entries_.end()) return DumpedTap{std::move(tap), std::nullopt};
  RAMET_TRY(Tap list, read_entry(rows->first, *file_.find(rows->second)));
  return DumpedTap{std::move(tap), std::move(list.integers)};
}

}  // namespace ramet::cli
