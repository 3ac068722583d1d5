// Embodiments: the tag that names a robot, and the slot of the encoders and decoders that were trained for it.
//
//   embodiment_id.json = {TAG: slot}; the file wins over the table of the original code.
//
// Source: spec gr00t-n1.7, sections 1.5 and 8.2; spec gr00t-n1.6, section 7.1.
#pragma once

#include "base/json.h"

#include <ramet/error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct EmbodimentIds {
  std::string file = "embodiment_id.json";  // for errors
  std::map<std::string, int64_t> slots;
  std::optional<int64_t> fallback;  // for a tag without a slot; LeRobot's is 0, NVIDIA has none

  // Errors: not_found; invalid_value when the model has not that many slots.
  Result<int64_t> slot(const std::string& tag, int64_t max_num_embodiments) const;
};

// The tables of the original code.
EmbodimentIds builtin_embodiment_ids();  // N1.7
EmbodimentIds n16_embodiment_ids();
// The entries of the file over those of the code. Errors: invalid_value.
Result<EmbodimentIds> parse_embodiment_ids(const Json& root, EmbodimentIds builtin = builtin_embodiment_ids());

// The tag among `available` that `name` means: a tag in any case, or a name of the original enum ("LIBERO_PANDA").
// An empty name means the only tag. Errors: usage (which of several?), not_found; both list what there is.
Result<std::string> resolve_tag(std::string_view name, const std::vector<std::string>& available);

}  // namespace ramet
