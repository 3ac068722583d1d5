#include "weights/site.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace ramet {
namespace {

using Names = std::vector<std::string_view>;

Names split(std::string_view text) {
  Names parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

std::string_view part_name(Category category) {
  switch (category) {
    case Category::vision:
    case Category::vision_merger:
    case Category::vision_host: return "vision";
    case Category::projector: return "connector";
    case Category::llm:
    case Category::llm_embed:
    case Category::lm_head: return "llm";
    case Category::vlln:
    case Category::vl_self_attention: return "adapter";
    case Category::dit:
    case Category::dit_precompute: return "dit";
    case Category::encoders:
    case Category::encoders_slotted:
    case Category::skipped: return "";
  }
  return "";
}

using Renaming = std::pair<std::string_view, std::string_view>;

std::string_view renamed(std::string_view name, std::span<const Renaming> list) {
  const auto it = std::ranges::find(list, name, &Renaming::first);
  return it == list.end() ? name : it->second;
}

constexpr std::array kLists{Renaming{"blocks", "block"}, Renaming{"layers", "block"},
                            Renaming{"transformer_blocks", "block"}, Renaming{"deepstack_merger_list", "deepstack"}};
constexpr std::array kLeaves{Renaming{"linear_fc1", "fc1"}, Renaming{"linear_fc2", "fc2"}};

// What is left of the path inside a block, or of the whole path outside one.
std::string leaf_of(const Names& path) {
  const std::string_view last = path.back();
  const std::string_view before = path.size() > 1 ? path[path.size() - 2] : std::string_view{};
  if (last == "proj" && before == "0") return "ff1";  // ff.net.0.proj
  if (last == "2" && before == "net") return "ff2";
  if (last == "proj" && before == "patch_embed") return "embed";
  if (last == "patch_embedding") return "embed";
  if (is_number(last)) return before == "to_out" ? "to_out" : std::string(before) + "." + std::string(last);
  return std::string(renamed(last, kLeaves));
}

size_t list_end(const Names& path) {
  for (size_t i = path.size(); i-- > 1;)
    if (is_number(path[i]) && renamed(path[i - 1], kLists) != path[i - 1]) return i;
  return 0;
}

void append(std::string& site, std::string_view part) {
  if (!site.empty() && !part.empty()) site += '.';
  site += part;
}

}  // namespace

std::string site_of(std::string_view tensor, Category category) {
  Names path = split(tensor);
  if (path.size() > 1) path.pop_back();  // weight, W
  std::string site(part_name(category));
  if (const size_t end = list_end(path); end > 0) {
    append(site, renamed(path[end - 1], kLists));
    append(site, path[end]);
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(end + 1));
  } else if (path.size() > 1 && (category == Category::vision_merger || site.empty())) {
    append(site, path[path.size() - 2]);  // merger, state_encoder
  }
  if (!path.empty()) append(site, leaf_of(path));
  return site;
}

}  // namespace ramet
