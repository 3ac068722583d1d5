// The tile instructions of amx_tiles.h as the manual tells them, for eight tiles of 16 rows of 64 bytes. A tile that is
// read before it was written is a mistake of the kernel.
#pragma once

#include "device/isa.h"
#include "tensor/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace ramet::test {

class EmulatedTiles {
 public:
  static constexpr Isa kIsa = Isa::scalar;

  void order() {}
  template <int kTile>
  void zero() {
    tile<kTile>() = {};
  }
  template <int kTile>
  void load(const void* from, int64_t stride = 64) {
    Tile& t = tile<kTile>();
    for (int64_t r = 0; r < 16; ++r) std::memcpy(&t[static_cast<size_t>(16 * r)], at(from, r * stride), 64);
  }
  template <int kTile>
  void load_once(const void* from) {
    load<kTile>(from);
  }
  template <int kTile>
  void store(void* to, int64_t stride) {
    const Tile& t = written<kTile>();
    for (int64_t r = 0; r < 16; ++r)
      std::memcpy(const_cast<void*>(at(to, r * stride)), &t[static_cast<size_t>(16 * r)], 64);
  }
  template <int kSum, int kA, int kB>
  void multiply_bf16() {
    const Tile &a = written<kA>(), &b = written<kB>();
    std::array<float, 256> low, high;  // of b
    for (size_t i = 0; i < 256; ++i) low[i] = normal(b[i] << 16), high[i] = normal(b[i] & 0xFFFF0000U);
    std::array<float, 256> sums = std::bit_cast<std::array<float, 256>>(written<kSum>());
    for (size_t m = 0; m < 16; ++m)
      for (size_t k = 0; k < 16; ++k) {
        const float a_low = normal(a[16 * m + k] << 16), a_high = normal(a[16 * m + k] & 0xFFFF0000U);
        for (size_t n = 0; n < 16; ++n) sums[16 * m + n] += a_low * low[16 * k + n] + a_high * high[16 * k + n];
      }
    tile<kSum>() = std::bit_cast<Tile>(sums);
  }
  template <int kSum, int kA, int kB>
  void multiply_int8() {
    const Tile &a = written<kA>(), &b = written<kB>();
    Tile sums = written<kSum>();
    for (size_t m = 0; m < 16; ++m)
      for (size_t k = 0; k < 16; ++k)
        for (size_t n = 0; n < 16; ++n)
          for (int i = 0; i < 4; ++i)
            sums[16 * m + n] += static_cast<uint32_t>(byte(a[16 * m + k], i) * byte(b[16 * k + n], i));
    tile<kSum>() = sums;
  }
  void prefetch_for_write(const void*) {}

 private:
  using Tile = std::array<uint32_t, 256>;

  static const void* at(const void* from, int64_t bytes) { return static_cast<const std::byte*>(from) + bytes; }
  static float normal(uint32_t bits) {  // denormal numbers are zero
    return (bits & 0x7F800000U) == 0 ? 0.0F : std::bit_cast<float>(bits);
  }
  static int32_t byte(uint32_t group, int i) { return static_cast<int8_t>(group >> (8 * i) & 0xFFU); }

  template <int kTile>
  Tile& tile() {
    static_assert(0 <= kTile && kTile < 8);
    is_written_[kTile] = true;
    return tiles_[kTile];
  }
  template <int kTile>
  const Tile& written() const {
    if (!is_written_[kTile]) throw std::logic_error("a tile is read that was never written");
    return tiles_[kTile];
  }

  std::array<Tile, 8> tiles_;
  std::array<bool, 8> is_written_{};
};

}  // namespace ramet::test
