#include "ops/machine_peak.h"

#include "ops/amx_tiles.h"
#include "ops/operand.h"
#include "ops/product_lines.h"

#include <array>
#include <atomic>
#include <chrono>

namespace ramet::ops {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int64_t kRounds = 10'000;
constexpr int64_t kInFlight = 12;  // sums that do not wait for each other

// One call does kRounds rounds of kInFlight instructions; `operations` is what one of them does.
struct PeakLoop {
  std::string_view kernel;  // the beginning of the names of the kernels it stands for
  void (*run)();
  double operations;
};

#if defined(__x86_64__)

#define RAMET_PEAK_LOOP(NAME, BEFORE, A)                                                                            \
  void NAME() {                                                                                                     \
    asm volatile(BEFORE "mov %0, %%ecx\n1:\n" A("0") A("1") A("2") A("3") A("4") A("5") A("6") A("7") A("8") A("9") \
                     A("10") A("11") "dec %%ecx\njnz 1b\n"                                                          \
                 :                                                                                                  \
                 : "i"(kRounds)                                                                                     \
                 : "ecx", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
                   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                                           \
  }

#define RAMET_MULPS(I) "mulps %%xmm15, %%xmm" I "\naddps %%xmm14, %%xmm" I "\n"
#define RAMET_FMA256(I) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" I "\n"
#define RAMET_FMA512(I) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" I "\n"
#define RAMET_MADD256(I) "vpmaddwd %%ymm14, %%ymm15, %%ymm12\nvpaddd %%ymm12, %%ymm" I ", %%ymm" I "\n"
#define RAMET_MADD512(I) "vpmaddwd %%zmm14, %%zmm15, %%zmm12\nvpaddd %%zmm12, %%zmm" I ", %%zmm" I "\n"
#define RAMET_DPBF16(I) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" I "\n"
#define RAMET_DPBUSD(I) "vpdpbusd %%zmm14, %%zmm15, %%zmm" I "\n"

// Zeros: a denormal or infinite sum might take longer.
#define RAMET_ZERO128 "xorps %%xmm14, %%xmm14\nxorps %%xmm15, %%xmm15\n"
#define RAMET_ZERO256 "vpxor %%xmm14, %%xmm14, %%xmm14\nvpxor %%xmm15, %%xmm15, %%xmm15\n"

RAMET_PEAK_LOOP(mulps, RAMET_ZERO128, RAMET_MULPS)
RAMET_PEAK_LOOP(fma256, RAMET_ZERO256, RAMET_FMA256)
RAMET_PEAK_LOOP(fma512, RAMET_ZERO256, RAMET_FMA512)
RAMET_PEAK_LOOP(madd256, RAMET_ZERO256, RAMET_MADD256)
RAMET_PEAK_LOOP(madd512, RAMET_ZERO256, RAMET_MADD512)
RAMET_PEAK_LOOP(dpbf16, RAMET_ZERO256, RAMET_DPBF16)
RAMET_PEAK_LOOP(dpbusd, RAMET_ZERO256, RAMET_DPBUSD)

// Four sums of tiles, three times: twelve products a round like everywhere.
void tiles_bf16() {
  HardwareTiles tiles;
  for (int64_t i = 0; i < 3 * kRounds; ++i) {
    tiles.multiply_bf16<0, 4, 6>(), tiles.multiply_bf16<1, 4, 7>();
    tiles.multiply_bf16<2, 5, 6>(), tiles.multiply_bf16<3, 5, 7>();
  }
}
void tiles_int8() {
  HardwareTiles tiles;
  for (int64_t i = 0; i < 3 * kRounds; ++i) {
    tiles.multiply_int8<0, 4, 6>(), tiles.multiply_int8<1, 4, 7>();
    tiles.multiply_int8<2, 5, 6>(), tiles.multiply_int8<3, 5, 7>();
  }
}

constexpr double kTile = 2.0 * 16 * 16;  // by values of k that share a product: 32 bf16, 64 bytes

constexpr std::array kLoops{PeakLoop{"amx.int8", tiles_int8, kTile * 64},
                            PeakLoop{"amx", tiles_bf16, kTile * 32},
                            PeakLoop{"avx512.int8", dpbusd, 128},
                            PeakLoop{"avx512.madd", madd512, 64},
                            PeakLoop{"avx512.bf16", dpbf16, 64},
                            PeakLoop{"avx512", fma512, 32},
                            PeakLoop{"avx2.int8", madd256, 32},
                            PeakLoop{"avx2", fma256, 16},
                            PeakLoop{"", mulps, 8}};

#else

void multiply_add() {
  std::array<float, kInFlight> sums{};
  for (int64_t i = 0; i < kRounds; ++i)
    for (float& sum : sums) {
      sum = sum * 0.5F + 1.0F;
      asm volatile("" : "+m"(sum));
    }
}
constexpr std::array kLoops{PeakLoop{"", multiply_add, 2}};

#endif

const PeakLoop& loop_of(std::string_view kernel) {
  return *std::ranges::find_if(kLoops, [&](const PeakLoop& loop) { return kernel.starts_with(loop.kernel); });
}

}  // namespace

double compute_peak(ThreadPool& pool, const ProductKernel& kernel, double seconds) {
  const PeakLoop& loop = loop_of(kernel.name);
  std::atomic<int64_t> calls{0};
  const auto start = Clock::now();
  pool.run(pool.threads(), [&](int64_t) {
    while (seconds_since(start) < seconds) {
      loop.run();
      calls.fetch_add(1);
    }
  });
  return static_cast<double>(calls * kRounds * kInFlight) * loop.operations / seconds_since(start);
}

double read_peak(ThreadPool& pool, std::span<const std::byte> memory) {
  constexpr int64_t kPiece = 1 << 20;
  std::atomic<uint64_t> sum{0};  // keeps the reading
  const auto start = Clock::now();
  const auto size = static_cast<int64_t>(memory.size());
  pool.run(div_up(size, kPiece), [&](int64_t piece) {
    const std::byte* line = memory.data() + piece * kPiece;
    const std::byte* end = line + std::min(kPiece, size - piece * kPiece);
    uint64_t part = 0;  // one byte of a line: the rest comes with it
    for (; line < end; line += kLineBytes) part += static_cast<uint64_t>(*line);
    sum.fetch_add(part);
  });
  return static_cast<double>(size) / seconds_since(start);
}

}  // namespace ramet::ops
