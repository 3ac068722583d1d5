// Switches between behaviours of the reference implementation, in one list.
//
// A quirk that is part of the meaning follows the published pipeline by default; one that is mere rounding is off.
#pragma once

#include "weights/checkpoint_kind.h"

#include <ramet/error.h>
#include <ramet/inspect.h>

#include <map>
#include <string>
#include <vector>

namespace ramet {

struct Quirks {
  // "exact", or "bf16": rotary frequencies (and the vision tower's angles) rounded to bf16, as in a live Gr00tPolicy.
  // Source: spec gr00t-n1.7, section 9.2.
  bool rope_bf16 = false;
  // "file": as processor_config.json says; "always": pictures are padded to squares whatever it says, as releases of
  // Isaac-GR00T up to 65cc4a1 did. Source: spec gr00t-n1.7, section 3.2.
  bool letterbox_always = false;
  // "list": N1.5's instruction stands in the prompt as ['text'], as usual requests of its clients make it; "plain": as
  // text, as in training. Source: spec gr00t-n1.5, section 5.4.
  bool plain_prompt = false;
};

// Errors: usage; an unknown name or value lists the known ones. A switch that `kind` does not have is unknown.
Result<Quirks> parse_quirks(const std::map<std::string, std::string>& given, CheckpointKind kind);

// Every switch that `kind` has, with its value; the source is "default" or "option".
std::vector<Setting> list_quirks(const std::map<std::string, std::string>& given, CheckpointKind kind);

}  // namespace ramet
