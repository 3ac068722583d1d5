#include "device/isa.h"

#include <hwy/targets.h>

#include <algorithm>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ramet {
namespace {

struct IsaName {
  Isa isa;
  std::string_view name;
};
constexpr std::array kNames{IsaName{Isa::scalar, "scalar"}, IsaName{Isa::avx2, "avx2"}, IsaName{Isa::avx512, "avx512"},
                            IsaName{Isa::amx, "amx"}};

#if defined(__x86_64__) && defined(__linux__)

struct Cpuid {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Cpuid cpuid(unsigned leaf, unsigned subleaf) {
  Cpuid r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

bool bit(unsigned word, int index) { return (word >> index & 1U) != 0; }

// Linux hands out the 8 KiB of tile state only on request, once per process.
bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

CpuFeatures detect() {
  const int64_t targets = hwy::SupportedTargets();
  CpuFeatures features;
  features.avx2 = (targets & HWY_AVX2) != 0;
  features.avx512 = (targets & HWY_AVX3) != 0;
  if (!features.avx512) return features;
  const Cpuid seven = cpuid(7, 0), seven_one = cpuid(7, 1);
  features.avx512_vnni = bit(seven.ecx, 11);
  features.avx512_bf16 = bit(seven_one.eax, 5);
  const bool has_tiles = bit(seven.edx, 22) && bit(seven.edx, 24) && bit(seven.edx, 25);
  features.amx = has_tiles && features.avx512_vnni && features.avx512_bf16 && may_use_tiles();
  return features;
}

#else

CpuFeatures detect() { return {}; }

#endif

}  // namespace

std::string_view name(Isa isa) { return kNames[static_cast<size_t>(isa)].name; }

std::optional<Isa> parse_isa(std::string_view text) {
  const auto it = std::ranges::find(kNames, text, &IsaName::name);
  if (it == kNames.end()) return std::nullopt;
  return it->isa;
}

bool CpuFeatures::has(Isa isa) const {
  switch (isa) {
    case Isa::scalar: return true;
    case Isa::avx2: return avx2;
    case Isa::avx512: return avx512;
    case Isa::amx: return amx;
  }
  return false;
}

Isa CpuFeatures::best() const {
  return *std::ranges::find_if(kIsas.rbegin(), kIsas.rend(), [&](Isa isa) { return has(isa); });
}

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

}  // namespace ramet
