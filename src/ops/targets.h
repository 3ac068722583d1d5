// Targets of Google Highway that the kernels of *_cpu.cpp are compiled for, one for each Isa that Highway serves.
// The others would add nothing, or their vectors cannot be array elements.
//
// Included before <hwy/foreach_target.h>. At the end of the file RAMET_FOR_ISA(isa, f()) calls f of the namespace that
// belongs to `isa`; amx has the vectors of avx512.
#ifndef RAMET_OPS_TARGETS_H_
#define RAMET_OPS_TARGETS_H_

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#if defined(__x86_64__)
#define RAMET_FOR_ISA(isa, call)                \
  ((isa) >= ::ramet::Isa::avx512 ? N_AVX3::call \
   : (isa) == ::ramet::Isa::avx2 ? N_AVX2::call \
                                 : HWY_STATIC_DISPATCH(call))
#else
#define RAMET_FOR_ISA(isa, call) HWY_STATIC_DISPATCH(call)
#endif

#endif  // RAMET_OPS_TARGETS_H_
