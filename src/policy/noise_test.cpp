// The noise of a seed is part of the interface: the values are pinned. They were computed by a Python program written
// from the formula.
#include "policy/noise.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace ramet {
namespace {

using testing::ElementsAre;

std::vector<float> noise(uint64_t seed, size_t count) {
  std::vector<float> values(count);
  fill_noise(seed, values);
  return values;
}

TEST(Noise, PinnedValues) {
  EXPECT_THAT(noise(0, 6), ElementsAre(-0.45275774598121643F, 0.20776604115962982F, 2.6506059169769287F,
                                       -0.4904228150844574F, -0.9886041283607483F, 1.8721014261245728F));
  EXPECT_THAT(noise(1, 4),
              ElementsAre(-0.5278118848800659F, 0.5453899502754211F, 1.2314283847808838F, -0.3651861250400543F));
  EXPECT_THAT(noise(UINT64_MAX, 2), ElementsAre(-0.2597635090351105F, -0.8974063396453857F));
}

TEST(Noise, ShorterNoiseIsAPrefix) {
  const std::vector<float> all = noise(7, 1001);
  for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{1000}})
    EXPECT_EQ(noise(7, count), std::vector(all.begin(), all.begin() + static_cast<ptrdiff_t>(count)));
}

TEST(Noise, NeighbouringSeedsAreNoKin) {
  constexpr size_t kCount = 1 << 16;
  for (size_t shift = 0; shift < 4; ++shift) {
    const std::vector<float> a = noise(5, kCount), b = noise(6, kCount);
    double product = 0;
    for (size_t i = 0; i + shift < kCount; ++i) product += static_cast<double>(a[i + shift]) * b[i];
    EXPECT_NEAR(product / kCount, 0, 5 * std::sqrt(1.0 / kCount)) << shift;
  }
}

TEST(Noise, IsNormal) {
  constexpr size_t kCount = 1 << 20;
  double sum = 0, squares = 0, fourths = 0, neighbours = 0;
  const std::vector<float> values = noise(42, kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const double x = values[i];
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    if (i > 0) neighbours += x * values[i - 1];
  }
  // Five standard deviations of each estimate.
  EXPECT_NEAR(sum / kCount, 0, 5 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourths / kCount, 3, 5 * std::sqrt(96.0 / kCount));
  EXPECT_NEAR(neighbours / kCount, 0, 5 * std::sqrt(1.0 / kCount));
}

}  // namespace
}  // namespace ramet
