// What `ramet inspect` found, for people and for scripts.
#pragma once

#include <ramet/inspect.h>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace ramet::cli {

struct InspectionView {
  bool tensors = false;                       // list every tensor
  bool sites = false;                         // list the matrix products and their precision
  std::span<const Setting> options;           // settings of the program, with their sources
  std::span<const ExecutionPlan> plans = {};  // by layout; may be empty
};

nlohmann::ordered_json to_json(const Inspection& inspection, const InspectionView& view);
std::string to_text(const Inspection& inspection, const InspectionView& view);

}  // namespace ramet::cli
