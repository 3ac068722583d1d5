#include "program/precision.h"

#include "base/glob.h"
#include "base/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace ramet {
namespace {

constexpr std::array kPrecisions{ops::Precision::fp32, ops::Precision::bf16, ops::Precision::int8};

std::optional<ops::Precision> parse_precision(std::string_view text) {
  const auto it = std::ranges::find_if(kPrecisions, [&](ops::Precision p) { return ops::name(p) == text; });
  if (it == kPrecisions.end()) return std::nullopt;
  return *it;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0-5": both ends belong to it.
std::optional<bool> in_range(std::string_view range, std::string_view part) {
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(range.substr(0, dash)), last = parse_number(range.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  const auto block = parse_number(part);
  return block && *first <= *block && *block <= *last;
}

bool matches_part(const std::string& pattern, const std::string& part) {
  if (const auto found = in_range(pattern, part)) return *found;
  return matches_any({pattern}, part);
}

bool matches_site(std::string_view pattern, std::string_view site) {
  const std::vector<std::string> wanted = split(pattern, '.'), parts = split(site, '.');
  if (wanted.front() == "*" && wanted.size() > 1) {
    const std::string_view rest = pattern.substr(2);
    for (size_t begin = 0; begin != std::string_view::npos; begin = site.find('.', begin))
      if (matches_site(rest, site.substr(begin == 0 ? 0 : ++begin))) return true;
    return false;
  }
  if (wanted.size() > parts.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!matches_part(wanted[i], parts[i])) return false;
  return true;
}

// What a preset leaves finer. The patches of a picture are rounded by nobody: whatever follows would inherit it.
struct Exception {
  ops::Precision preset;
  const char* site;
  ops::Precision precision;
};
using enum ops::Precision;
constexpr std::array kExceptions{
    Exception{bf16, "vision.embed", fp32},       Exception{int8, "vision.embed", fp32},
    Exception{int8, "vision.merger", bf16},      Exception{int8, "vision.deepstack", bf16},
    Exception{int8, "connector", bf16},          Exception{int8, "state_encoder", bf16},
    Exception{int8, "action_encoder", bf16},     Exception{int8, "action_decoder", bf16},
    Exception{int8, "dit.proj_out_2", bf16},     Exception{int8, "llm.block.*.down_proj", bf16},
    Exception{int8, "vision.block.*.fc2", bf16},
};

}  // namespace

Result<PrecisionTable> PrecisionTable::parse(std::string_view text) {
  const std::vector<std::string> entries = split(text, ',');
  PrecisionTable table;
  table.text_ = text;
  const auto preset = parse_precision(entries.front());
  if (!preset)
    return fail(Code::usage, "precision", "a preset (fp32, bf16, int8), then SITE=PRECISION by commas",
                std::string(text), "for example int8,vision.block.0-5=bf16");
  table.base_ = *preset;
  for (const Exception& exception : kExceptions)
    if (exception.preset == *preset) table.overrides_.push_back({exception.site, exception.precision, true});
  for (size_t i = 1; i < entries.size(); ++i) {
    const size_t equal = entries[i].find('=');
    const auto precision =
        equal == std::string::npos ? std::nullopt : parse_precision(std::string_view(entries[i]).substr(equal + 1));
    if (!precision || equal == 0)
      return fail(Code::usage, "precision", "SITE=fp32, SITE=bf16 or SITE=int8", entries[i],
                  "`ramet inspect DIR --sites` lists the sites");
    table.overrides_.push_back({entries[i].substr(0, equal), *precision, false});
  }
  return table;
}

ops::Precision PrecisionTable::at(std::string_view site) const {
  const auto it = std::find_if(overrides_.rbegin(), overrides_.rend(),
                               [&](const Override& entry) { return matches_site(entry.pattern, site); });
  return it == overrides_.rend() ? base_ : it->precision;
}

std::string PrecisionTable::meaning() const {
  std::string meaning(ops::name(base_));
  for (const Override& entry : overrides_)
    meaning.append(",").append(entry.pattern).append("=").append(ops::name(entry.precision));
  return meaning;
}

Status PrecisionTable::check(const std::vector<std::string>& sites) const {
  for (const Override& entry : overrides_) {
    if (entry.is_preset) continue;
    const auto named = [&](const std::string& site) { return matches_site(entry.pattern, site); };
    if (std::ranges::none_of(sites, named))
      return fail(Code::usage, "precision", "a site of this model, or a pattern of some", entry.pattern,
                  nearest_hint(entry.pattern, sites) + "; `ramet inspect DIR --sites` lists all");
  }
  return {};
}

}  // namespace ramet
