// The extents of a tensor, outermost first. Up to kMaxRank dimensions, no heap.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace ramet {

class Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);  // at most kMaxRank dimensions, none negative

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis < 0 ? axis + rank_ : axis)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  int64_t elements() const;  // 1 for rank 0
  int64_t rows() const;      // product of all dimensions but the last
  int64_t cols() const { return rank_ == 0 ? 1 : (*this)[-1]; }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

std::string str(const Shape& shape);  // "[32,132,1024]"

}  // namespace ramet
