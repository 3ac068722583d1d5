#include "policy/text/lines.h"
#include "policy/text/utf8.h"
#include "policy/text/vocabulary_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ramet {
namespace {

constexpr size_t kMaxShown = 40;

constexpr std::array<int8_t, 256> kBase64Values = [] {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return values;
}();

// Standard alphabet, padded to a multiple of four with '='; unused bits must be zero.
std::optional<std::string> decode_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int8_t value = kBase64Values[static_cast<uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  if ((bits & ((1u << count) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::optional<int64_t> parse_rank(std::string_view text) {
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

}  // namespace

Result<Vocabulary> parse_tiktoken(std::string_view text, const std::string& name) {
  VocabularyBuilder builder(name + ": rank", name + ": rank");
  RAMET_TRY_STATUS(for_each_line(text, [&](std::string_view line, size_t number) -> Status {
    const auto blank = std::ranges::find(line, ' ');
    const auto bytes = decode_base64({line.begin(), blank});
    const auto rank = blank == line.end() ? std::nullopt : parse_rank({blank + 1, line.end()});
    if (!bytes || !rank)
      return fail(Code::invalid_file, fmt::format("{}: line {}", name, number), "\"BASE64 RANK\"",
                  fmt::format("\"{}\"", replace_ill_formed(line.substr(0, kMaxShown))));
    return builder.add_token(*bytes, *rank);
  }));
  return std::move(builder).build_from_ranks();
}

}  // namespace ramet
