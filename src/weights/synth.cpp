#include "weights/synth.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace ramet {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio

// The output function of SplitMix64 (Steele, Lea, Flood 2014).
constexpr uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

constexpr uint64_t fnv1a64(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

struct Rule {
  float centre;
  double amplitude;
  bool is_gain = false;
};

Rule rule_of(const TensorSpec& spec) {
  const std::string_view name = spec.name;
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const std::string_view last = name.substr(name.rfind('.') + 1);
  if (name.ends_with("embed_tokens.weight") || contains("pos_embed") || contains("position_embedding") ||
      contains("future_tokens"))
    return {0, 0.1};
  if (last == "bias" || last == "b") return {0, 0.05};
  if (spec.shape.rank() <= 1) return {1, 0.25, true};
  const bool is_slotted = last == "W" && spec.shape.rank() == 3;
  const int64_t fan_in = is_slotted ? spec.shape[1] : spec.shape.elements() / std::max<int64_t>(spec.shape[0], 1);
  return {0, std::sqrt(3.0 / static_cast<double>(std::max<int64_t>(fan_in, 1)))};
}

struct Formula {
  uint64_t key;
  float centre, amplitude;
};

template <class T>
T encode(float value) {
  if constexpr (std::is_same_v<T, float>)
    return value;
  else
    return static_cast<T>(f32_to_bf16(value));
}

template <class T, bool kSpiky>
void fill_values(const Formula& f, uint64_t first, std::span<T> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const uint64_t z = mix64(f.key + (first + i + 1) * kGolden);
    const float x = static_cast<float>(static_cast<int32_t>(z >> 40)) * 0x1p-23F - 1.0F;
    float v = f.centre + f.amplitude * x;
    if (kSpiky && (z & 0xFFU) == 0) v *= 8.0F;
    out[i] = encode<T>(v);
  }
}

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

Result<SynthProfile> parse_synth_profile(std::string_view name) {
  if (name == "plain") return SynthProfile::plain;
  if (name == "spiky") return SynthProfile::spiky;
  return fail(Code::invalid_value, "profile", "plain or spiky", std::string(name));
}

std::string_view name(SynthProfile profile) { return profile == SynthProfile::plain ? "plain" : "spiky"; }

uint64_t synth_key(uint64_t seed, std::string_view tensor) { return mix64(fnv1a64(tensor) + seed * kGolden); }

SynthTensor::SynthTensor(const TensorSpec& spec, const SynthSeed& seed)
    : dtype_(spec.dtype), key_(synth_key(seed.seed, spec.name)) {
  RAMET_ASSERT(dtype_ == DType::f32 || dtype_ == DType::bf16, name(dtype_));
  const Rule rule = rule_of(spec);
  centre_ = rule.centre;
  amplitude_ = static_cast<float>(rule.amplitude);
  spiky_ = rule.is_gain && seed.profile == SynthProfile::spiky;
}

void SynthTensor::fill(int64_t first, std::span<std::byte> out) const {
  const Formula f{key_, centre_, amplitude_};
  const auto start = static_cast<uint64_t>(first);
  if (dtype_ == DType::f32)
    spiky_ ? fill_values<float, true>(f, start, as<float>(out)) : fill_values<float, false>(f, start, as<float>(out));
  else
    spiky_ ? fill_values<uint16_t, true>(f, start, as<uint16_t>(out))
           : fill_values<uint16_t, false>(f, start, as<uint16_t>(out));
}

}  // namespace ramet
