#include "tap_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace ramet::cli {
namespace {

// A tap's numbers as doubles.
struct Numbers {
  std::vector<int64_t> shape;
  std::vector<double> values;
};

Numbers numbers_of(const Tap& tap) {
  Numbers numbers{.shape = tap.shape};
  numbers.values.assign(tap.floats.begin(), tap.floats.end());
  numbers.values.insert(numbers.values.end(), tap.integers.begin(), tap.integers.end());
  return numbers;
}

bool rows_fit(const std::vector<int64_t>& rows, int64_t count) {
  return std::ranges::all_of(rows, [count](int64_t row) { return row >= 0 && row < count; });
}

// The rows that the dump keeps, unless ours has as many already.
Numbers select_rows(Numbers numbers, const DumpedTap& theirs) {
  if (!theirs.rows || numbers.shape.empty() || theirs.tap.shape.empty()) return numbers;
  if (numbers.shape.front() == theirs.tap.shape.front() || !rows_fit(*theirs.rows, numbers.shape.front()))
    return numbers;
  const size_t stride = numbers.values.size() / static_cast<size_t>(numbers.shape.front());
  Numbers kept{.shape = numbers.shape};
  kept.shape.front() = static_cast<int64_t>(theirs.rows->size());
  for (const int64_t row : *theirs.rows) {
    const auto first = numbers.values.begin() + row * static_cast<int64_t>(stride);
    kept.values.insert(kept.values.end(), first, first + static_cast<int64_t>(stride));
  }
  return kept;
}

std::vector<int64_t> index_of(size_t element, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  auto rest = static_cast<int64_t>(element);
  for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
  return index;
}

// NaN counts as the largest difference of all.
double difference(double a, double b) {
  const double d = std::abs(a - b);
  return std::isnan(d) ? HUGE_VAL : d;
}

void find_worst(const std::vector<double>& ours, const std::vector<double>& theirs, TapVerdict& verdict) {
  size_t worst = 0;
  for (size_t i = 1; i < ours.size(); ++i)
    if (difference(ours[i], theirs[i]) > difference(ours[worst], theirs[worst])) worst = i;
  if (ours.empty() || ours[worst] == theirs[worst]) return;
  verdict.worst = index_of(worst, verdict.shape);
  verdict.ours = ours[worst];
  verdict.theirs = theirs[worst];
}

double relative_l2(const std::vector<double>& ours, const std::vector<double>& theirs) {
  double squares = 0, norm = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    squares += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
    norm += theirs[i] * theirs[i];
  }
  return norm > 0 ? std::sqrt(squares / norm) : std::sqrt(squares);
}

double count_different(const std::vector<double>& ours, const std::vector<double>& theirs) {
  double count = 0;
  for (size_t i = 0; i < ours.size(); ++i) count += ours[i] != theirs[i];
  return count;
}

}  // namespace

TapVerdict compare(const Tap* ours, const DumpedTap& theirs, double gate) {
  TapVerdict verdict{.tap = theirs.tap.name,
                     .shape = theirs.tap.shape,
                     .is_integer = !theirs.tap.integers.empty(),
                     .gate = theirs.tap.integers.empty() ? gate : 0};
  if (ours == nullptr) {
    verdict.problem = "missing";
    return verdict;
  }
  const Numbers have = select_rows(numbers_of(*ours), theirs);
  const Numbers want = numbers_of(theirs.tap);
  if (have.values.size() != want.values.size()) {
    verdict.problem = fmt::format("shape [{}]", fmt::join(have.shape, ","));
    return verdict;
  }
  verdict.distance =
      verdict.is_integer ? count_different(have.values, want.values) : relative_l2(have.values, want.values);
  verdict.holds = std::isfinite(verdict.distance) && verdict.distance <= verdict.gate;
  find_worst(have.values, want.values, verdict);
  return verdict;
}

}  // namespace ramet::cli
