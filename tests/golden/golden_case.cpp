#include "golden/golden_case.h"

#include "weights/synth_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/assertions.h"
#include "support/made_once.h"

namespace ramet::test {

namespace fs = std::filesystem;

Result<GoldenCase> GoldenCase::open(const fs::path& directory) {
  const fs::path written = made_once(directory.filename().string(), [&](const fs::path& out) {
    ThreadPool pool(2);
    EXPECT_OK(synth_from_case(directory, out, {}, pool));
  });
  RAMET_TRY(JsonFile document, JsonFile::load(directory / "case.json"));
  RAMET_TRY(SafetensorsFile golden, SafetensorsFile::open(directory / "fp32.safetensors"));
  RAMET_TRY(Checkpoint checkpoint, Checkpoint::open(written));
  return GoldenCase(directory, std::move(document), std::move(golden), std::move(checkpoint));
}

GoldenCase::GoldenCase(fs::path directory, JsonFile document, SafetensorsFile golden, Checkpoint checkpoint)
    : directory_(std::move(directory)),
      case_(std::move(document)),
      golden_(std::move(golden)),
      checkpoint_(std::move(checkpoint)) {
  for (const SafetensorsEntry& entry : golden_.entries())
    if (!entry.name.ends_with(".rows")) left_.insert(entry.name);
}

std::vector<int64_t> GoldenCase::integers(const std::string& tensor) const {
  const auto values = golden_.view(tensor).value().flat<int64_t>();
  return {values.begin(), values.end()};
}

std::vector<float> GoldenCase::floats(const std::string& tensor) const {
  const auto values = golden_.view(tensor).value().flat<float>();
  return {values.begin(), values.end()};
}

void GoldenCase::expect_gate(const std::string& tap, ConstView ours) {
  SCOPED_TRACE(tap);
  done(tap);
  const auto golden = golden_.view(tap);
  ASSERT_OK(golden);
  std::vector<int64_t> kept(static_cast<size_t>(ours.shape().rows()));
  std::iota(kept.begin(), kept.end(), 0);
  if (golden_.find(tap + ".rows") != nullptr) kept = integers(tap + ".rows");
  const int64_t cols = golden->shape().cols();
  ASSERT_EQ(static_cast<int64_t>(kept.size()), golden->shape().rows());
  ASSERT_EQ(ours.shape().cols(), cols);
  const int64_t stride = ours.shape().rank() < 2 ? cols : ours.stride(-2);
  double difference = 0, norm = 0;
  for (size_t i = 0; i < kept.size(); ++i)
    for (int64_t c = 0; c < cols; ++c) {
      const double expected = golden->data<float>()[static_cast<int64_t>(i) * cols + c];
      const double found = ours.data<float>()[kept[i] * stride + c];
      difference += (found - expected) * (found - expected);
      norm += expected * expected;
    }
  EXPECT_LE(std::sqrt(difference / norm), kOracleGate);
}

void GoldenCase::expect_equal(const std::string& tap, std::span<const int64_t> ours) {
  done(tap);
  EXPECT_TRUE(std::ranges::equal(integers(tap), ours)) << tap;
}

}  // namespace ramet::test
