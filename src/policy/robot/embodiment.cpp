#include "policy/robot/embodiment.h"

#include "base/names.h"
#include "policy/robot/checked_json.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace ramet {
namespace {

struct KnownEmbodiment {
  std::string_view enum_name, tag;
  int64_t slot;
};

constexpr std::array kKnown{
    KnownEmbodiment{"OXE_DROID_RELATIVE_EEF_RELATIVE_JOINT", "oxe_droid_relative_eef_relative_joint", 24},
    KnownEmbodiment{"XDOF", "xdof_relative_eef_relative_joint", 27},
    KnownEmbodiment{"XDOF_SUBTASK", "xdof_relative_eef_relative_joint_subtask", 27},
    KnownEmbodiment{"REAL_G1", "real_g1_relative_eef_relative_joints", 25},
    KnownEmbodiment{"REAL_R1_PRO_SHARPA", "real_r1_pro_sharpa_relative_eef", 26},
    KnownEmbodiment{"REAL_R1_PRO_SHARPA_HUMAN", "real_r1_pro_sharpa_relative_eef_human", 26},
    KnownEmbodiment{"REAL_R1_PRO_SHARPA_MAXINSIGHTS", "real_r1_pro_sharpa_relative_eef_maxinsights", 26},
    KnownEmbodiment{"REAL_R1_PRO_SHARPA_MECKA", "real_r1_pro_sharpa_relative_eef_mecka", 26},
    KnownEmbodiment{"UNITREE_G1", "unitree_g1_full_body_with_waist_height_nav_cmd", 25},
    KnownEmbodiment{"UNITREE_G1_SONIC", "unitree_g1_sonic", 11},
    KnownEmbodiment{"SIMPLER_ENV_GOOGLE", "simpler_env_google", 0},
    KnownEmbodiment{"SIMPLER_ENV_WIDOWX", "simpler_env_widowx", 1},
    KnownEmbodiment{"LIBERO_PANDA", "libero_sim", 2},
    KnownEmbodiment{"NEW_EMBODIMENT", "new_embodiment", 10},
    KnownEmbodiment{"ROBOCASA_PANDA_OMRON", "robocasa_panda_omron", 10},
    KnownEmbodiment{"ROBOCASA_GR1_TABLETOP", "robocasa_gr1_tabletop", 10},
};

// What `name` stands for: an enum name gives its tag, everything else itself; compared without case.
std::string meant_tag(std::string_view name) {
  const std::string upper = enum_name(name);
  for (const KnownEmbodiment& known : kKnown)
    if (upper == known.enum_name) return enum_name(known.tag);
  return upper;
}

}  // namespace

Result<int64_t> EmbodimentIds::slot(const std::string& tag, int64_t max_num_embodiments) const {
  const auto it = slots.find(tag);
  if (it == slots.end() && !fallback)
    return fail(Code::not_found, file + ": " + tag, "a slot number", "none",
                "the file must name the slot that this robot was trained in");
  const int64_t slot = it == slots.end() ? *fallback : it->second;
  if (slot < 0 || slot >= max_num_embodiments)
    return fail(Code::invalid_value, file + ": " + tag,
                fmt::format("a slot below {}, the number in config.json: max_num_embodiments", max_num_embodiments),
                fmt::format("{}", slot));
  return slot;
}

EmbodimentIds builtin_embodiment_ids() {
  EmbodimentIds ids;
  for (const KnownEmbodiment& known : kKnown) ids.slots.emplace(known.tag, known.slot);
  return ids;
}

EmbodimentIds n16_embodiment_ids() {
  EmbodimentIds ids;
  ids.slots = {{"robocasa_panda_omron", 13},
               {"gr1", 20},
               {"behavior_r1_pro", 24},
               {"unitree_g1", 8},
               {"oxe_google", 0},
               {"oxe_widowx", 1},
               {"libero_panda", 2},
               {"oxe_droid", 16},
               {"new_embodiment", 10}};
  return ids;
}

Result<EmbodimentIds> parse_embodiment_ids(const Json& root, EmbodimentIds builtin) {
  EmbodimentIds ids = std::move(builtin);
  ids.file = root.where();
  RAMET_TRY(const auto items, root.items());
  for (const auto& [tag, node] : items) {
    RAMET_TRY(ids.slots[tag], int_in_range(node, {.min = 0}));
  }
  return ids;
}

Result<std::string> resolve_tag(std::string_view name, const std::vector<std::string>& available) {
  if (name.empty() && available.size() == 1) return available.front();
  if (name.empty())
    return fail(Code::usage, "embodiment", "the robot to control", "none",
                "pass one of " + list_names(available, available.size()));
  for (const std::string& tag : available)
    if (tag == name) return tag;
  for (const std::string& meant : {enum_name(name), meant_tag(name)})
    for (const std::string& tag : available)
      if (enum_name(tag) == meant) return tag;
  return fail(Code::not_found, "embodiment", "one of " + list_names(available, available.size()), std::string(name),
              nearest_hint(name, available));
}

}  // namespace ramet
