// Our tap against the dumped one.
//
//   distance = |ours - theirs|2 / |theirs|2    over the whole tap; |ours - theirs|2 where theirs is zero
//
// A tap of floats holds when the distance is at most the gate and ours is finite; one of integers when all are equal.
// The worst element is the one of the largest absolute difference.
#pragma once

#include "tap_dump.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ramet::cli {

struct TapVerdict {
  std::string tap;
  std::vector<int64_t> shape;  // of the dump
  bool holds = false;
  std::string problem = {};  // "missing", "shape [2,3]": nothing could be compared
  bool is_integer = false;
  double distance = 0;  // of integers: how many differ
  double gate = 0;
  std::vector<int64_t> worst;   // index; empty where nothing differs
  double ours = 0, theirs = 0;  // the values there
};

// ours: nullptr where we have no such tap.
TapVerdict compare(const Tap* ours, const DumpedTap& theirs, double gate);

}  // namespace ramet::cli
