#include "weights/category.h"

namespace ramet {
namespace {

constexpr std::array<std::string_view, kNumCategories> kNames{
    "vision", "vision_merger",     "vision_host", "projector",      "llm",      "llm_embed",        "lm_head",
    "vlln",   "vl_self_attention", "dit",         "dit_precompute", "encoders", "encoders_slotted", "skipped"};

}  // namespace

std::string_view name(Category category) { return kNames[static_cast<size_t>(category)]; }

}  // namespace ramet
