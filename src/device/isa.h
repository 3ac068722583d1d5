// Instruction sets that kernels are written for, and what this processor has of them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ramet {

// Ascending: a machine with one has those before it. `scalar` is what every machine of the architecture has (on x86-64
// vectors of four floats without fused multiply-add).
enum class Isa { scalar, avx2, avx512, amx };

inline constexpr std::array kIsas{Isa::scalar, Isa::avx2, Isa::avx512, Isa::amx};

std::string_view name(Isa isa);
std::optional<Isa> parse_isa(std::string_view name);

struct CpuFeatures {
  bool avx2 = false;         // with FMA, F16C and BMI2
  bool avx512 = false;       // F, BW, CD, DQ and VL
  bool avx512_vnni = false;  // products of bytes
  bool avx512_bf16 = false;  // products of bf16
  bool amx = false;          // tiles of bytes and bf16, and leave from the system to use them

  bool has(Isa isa) const;
  Isa best() const;
};

// Asked once; the first call also asks Linux for the tile state where the processor has tiles.
const CpuFeatures& cpu_features();

}  // namespace ramet
