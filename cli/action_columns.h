// Decoded actions as a table: one row per future step, one column per dimension of each action key.
#pragma once

#include <ramet/policy.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ramet::cli {

// One dimension of a key over all steps. The numbers stay those of the actions.
struct ActionColumn {
  std::string key;
  int64_t dim = 0;
  int64_t dims = 1;
  const FloatArray* array = nullptr;

  float at(int64_t step) const { return array->values[static_cast<size_t>(step * dims + dim)]; }
  std::string name() const;  // "gripper", "arm[3]"
};

std::vector<ActionColumn> action_columns(const Actions& actions);

// Columns that do not fit beside each other on a terminal stand below.
std::string action_table(const Actions& actions, int terminal_columns);

}  // namespace ramet::cli
