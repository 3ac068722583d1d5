#include "server/call_options.h"

#include "server/wire/array_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet::server {
namespace {

Result<uint64_t> read_seed(const Value& value) {
  const std::optional<int64_t> seed = read_integer(value);
  if (seed && *seed >= 0) return static_cast<uint64_t>(*seed);
  if (const auto* large = value.as<uint64_t>()) return *large;
  return fail(Code::invalid_value, "options: seed", "an integer of at least 0",
              seed ? fmt::format("{}", *seed) : type_name(value));
}

Result<int> read_steps(const Value& value, int64_t max_steps) {
  const std::optional<int64_t> steps = read_integer(value);
  if (steps && *steps >= 1 && *steps <= max_steps) return static_cast<int>(*steps);
  return fail(Code::invalid_value, "options: denoising_steps", fmt::format("an integer from 1 to {}", max_steps),
              steps ? fmt::format("{}", *steps) : type_name(value));
}

Result<std::vector<FloatArray>> read_noise(const Value& value, const CallLimits& limits) {
  const std::string where = "options: noise";
  std::vector<int64_t> wanted = limits.noise_shape;
  wanted.insert(wanted.begin(), limits.batch);
  const auto* array = value.as<Array>();
  const bool fits = array && (array->shape == wanted || (limits.batch == 1 && array->shape == limits.noise_shape));
  if (!fits) return fail(Code::shape_mismatch, where, "an array " + str(wanted), type_name(value));
  RAMET_TRY(const std::vector<float> values, read_floats(*array, where));
  if (!std::ranges::all_of(values, [](float x) { return std::isfinite(x); }))
    return fail(Code::not_finite, where, "finite numbers", "NaN or infinity");
  std::vector<FloatArray> noise;
  const auto size = static_cast<int64_t>(values.size()) / limits.batch;
  for (int64_t item = 0; item < limits.batch; ++item)
    noise.push_back({limits.noise_shape, {values.begin() + item * size, values.begin() + (item + 1) * size}});
  return noise;
}

Status read_option(const Entry& entry, const CallLimits& limits, CallOptions& options) {
  if (entry.value.is_nil()) return {};
  if (entry.key == "seed") {
    RAMET_TRY(options.seed, read_seed(entry.value));
  } else if (entry.key == "denoising_steps") {
    RAMET_TRY(options.steps, read_steps(entry.value, limits.max_steps));
  } else if (entry.key == "noise") {
    RAMET_TRY(options.noise, read_noise(entry.value, limits));
  } else if (options.ignored.size() < 16) {
    options.ignored.push_back(quoted(entry.key));
  }
  return {};
}

}  // namespace

Result<CallOptions> read_call_options(const Value* options, const CallLimits& limits) {
  CallOptions result;
  if (options == nullptr || options->is_nil()) return result;
  const auto* map = options->as<Map>();
  if (map == nullptr) return fail(Code::invalid_value, "options", "a map or nil", type_name(*options));
  for (const Entry& entry : map->entries) RAMET_TRY_STATUS(read_option(entry, limits, result));
  return result;
}

}  // namespace ramet::server
