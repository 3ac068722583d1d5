// A golden case: its files, its checkpoint, and comparing taps with what the original implementation computed.
#pragma once

#include "base/json.h"
#include "weights/checkpoint.h"
#include "weights/safetensors.h"

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ramet::test {

inline constexpr double kOracleGate = 3e-5;  // rel_l2 of the oracle against fp32.safetensors.  Source: spec goldens

class GoldenCase {
 public:
  static Result<GoldenCase> open(const std::filesystem::path& directory);

  Json document() const { return case_.root(); }
  const std::filesystem::path& directory() const { return directory_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  std::vector<int64_t> integers(const std::string& tensor) const;
  std::vector<float> floats(const std::string& tensor) const;

  // Taps of the golden that nothing was compared with yet.
  std::set<std::string> left() const { return left_; }
  // A tap that Ramet has no counterpart of, or that was used otherwise.
  void done(const std::string& tap) { left_.erase(tap); }

  // Ours must have the golden's rows (all, or those that TAP.rows lists) within the gate.
  void expect_gate(const std::string& tap, ConstView ours);
  void expect_equal(const std::string& tap, std::span<const int64_t> ours);

 private:
  GoldenCase(std::filesystem::path directory, JsonFile document, SafetensorsFile golden, Checkpoint checkpoint);

  std::filesystem::path directory_;
  JsonFile case_;
  SafetensorsFile golden_;
  Checkpoint checkpoint_;
  std::set<std::string> left_;
};

}  // namespace ramet::test
