#include "weights/synth.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

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

uint64_t synth_key(uint64_t seed, std::string_view tensor) { return mix64(fnv1a64(tensor) + seed * kSynthStep); }

SynthTensor::SynthTensor(const TensorSpec& spec, const SynthSeed& seed) : dtype_(spec.dtype) {
  RAMET_ASSERT(dtype_ == DType::f32 || dtype_ == DType::bf16, name(dtype_));
  const Rule rule = rule_of(spec);
  formula_ = {.key = synth_key(seed.seed, spec.name),
              .centre = rule.centre,
              .amplitude = static_cast<float>(rule.amplitude),
              .spiky = rule.is_gain && seed.profile == SynthProfile::spiky};
}

void SynthTensor::fill(int64_t first, std::span<std::byte> out) const {
  if (dtype_ == DType::f32)
    synth_fill_f32(formula_, static_cast<uint64_t>(first), as<float>(out));
  else
    synth_fill_bf16(formula_, static_cast<uint64_t>(first), as<uint16_t>(out));
}

}  // namespace ramet
