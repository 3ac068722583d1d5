// The tile instructions of Intel AMX: eight tiles of 16 rows of 64 bytes.
//
// They are written as asm, so that they need no compiler flag. A load does not tell the compiler that it reads memory
// (that would cost it its registers): order() does so once, at the head of a kernel. The process must have leave to
// use tiles (cpu_features asks for it); a thread configures its tiles by making this object.
#pragma once

#include "device/isa.h"

#include <cstdint>

namespace ramet::ops {

class HardwareTiles {
 public:
  static constexpr Isa kIsa = Isa::amx;

  HardwareTiles() {
    Config config;
    for (int i = 0; i < 8; ++i) config.row_bytes[i] = 64, config.rows[i] = 16;
    asm volatile("ldtilecfg %0" ::"m"(config));
  }
  ~HardwareTiles() { asm volatile("tilerelease"); }
  HardwareTiles(const HardwareTiles&) = delete;
  HardwareTiles& operator=(const HardwareTiles&) = delete;

  void order() { asm volatile("" ::: "memory"); }
  template <int kTile>
  void zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kTile));
  }
  template <int kTile>
  void load(const void* from, int64_t stride = 64) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(kTile));
  }
  template <int kTile>
  void load_once(const void* from) {  // does not settle in the first-level cache
    asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(int64_t{64}), "i"(kTile));
  }
  template <int kTile>
  void store(void* to, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(kTile) : "memory");
  }
  // sum += a b, a [16][16 groups of k], b [16 groups of k][16]: float32 sums of pairs of bf16
  template <int kSum, int kA, int kB>
  void multiply_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
  // The same with int32 sums of four signed bytes.
  template <int kSum, int kA, int kB>
  void multiply_int8() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
  void prefetch_for_write(const void* line) { asm volatile("prefetchw (%0)" ::"r"(line)); }

 private:
  struct alignas(64) Config {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
  };
};

}  // namespace ramet::ops
