// What a weight is for. Byte counts, memory plans and `ramet inspect` group by it.
// Source: spec weight-plan, section 3.1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ramet {

enum class Category : uint8_t {
  vision,             // tower: patch embedding, blocks, final norm
  vision_merger,      // merger and deepstack mergers
  vision_host,        // position table, interpolated per image grid
  projector,          // connector from the tower to the language model
  llm,                // text blocks and final norm
  llm_embed,          // token table
  lm_head,            // token logits
  vlln,               // layer norm between backbone and action head
  vl_self_attention,  // adapter blocks over the backbone's features
  dit,                // denoiser blocks
  dit_precompute,     // timestep encoder and modulation, constant once the steps are known
  encoders,           // action position table, future tokens
  encoders_slotted,   // one slice per embodiment
  skipped,            // known, and not needed
};

inline constexpr int kNumCategories = static_cast<int>(Category::skipped) + 1;

std::string_view name(Category category);

struct CategoryTotal {
  int64_t tensors = 0;
  uint64_t bytes = 0;
};
using CategoryTotals = std::array<CategoryTotal, kNumCategories>;  // by Category

}  // namespace ramet
