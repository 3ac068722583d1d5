#include "ops/product.h"

#include "ops/emulated_kernels.h"
#include "ops/operand.h"
#include "ops/testing.h"

namespace ramet::ops {
namespace {

using Kind = Activation::Kind;

const ProductKernel& emulated(std::string_view name) {
  return **std::ranges::find(test::emulated_product_kernels(), name, &ProductKernel::name);
}

// Tiles of 6 and 16 rows, panels of 16 to 64 columns, rows and strips that stay near.
std::vector<const ProductKernel*> kernels() {
  const Isa best = cpu_features().best();
  return {&choose_product_kernel(Precision::fp32, DType::f32, best),
          &choose_product_kernel(Precision::bf16, DType::bf16, best), &emulated("emulated.amx.bf16"),
          &emulated("emulated.amx.fp32"), &emulated("emulated.avx512.bf16")};
}

// What rounding of rows and weights may change in a product, relative.
double rounding(const ProductKernel& kernel) {
  if (kernel.precision == Precision::fp32) return kernel.exact_rows ? 0 : 1.02 * 0x1p-15;
  return kernel.exact_rows ? 0x1p-8 : 0x1p-7 + 0x1p-16;
}

// A value, and how far a kernel may be from it.
struct Approximate {
  double value = 0, error = 0;
};

Approximate rounded(double value, double error) { return {value, error + test::kEps * std::abs(value)}; }
Approximate operator+(Approximate a, Approximate b) { return rounded(a.value + b.value, a.error + b.error); }
Approximate operator*(Approximate a, Approximate b) {
  return rounded(a.value * b.value, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
}

double formula(Kind f, double x) {
  switch (f) {
    case Kind::gelu_tanh: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Kind::gelu_erf: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Kind::silu: return x / (1 + std::exp(-x));
    case Kind::relu: return std::max(x, 0.0);
  }
  return 0;
}

// No slope is beyond 1.13; simd-inl.h computes within 1e-6 of x, and within 2e-4 where rows are rounded anyway.
Approximate activate(const ProductKernel& kernel, std::optional<Kind> f, Approximate x) {
  if (!f) return x;
  const double relative = kernel.precision == Precision::fp32 || kernel.exact_rows ? 1e-6 : 2e-4;
  return {formula(*f, x.value), 1.13 * x.error + relative * std::abs(x.value)};
}

struct Part {
  int64_t out;
  std::optional<Kind> f;
  bool with_bias = true, gated = false, with_residual = false;
};

struct Matrix {
  Buffer w, packed;
  PackedMatrix view;
};

struct Case {
  const ProductKernel& kernel;
  int64_t rows, in;
  std::vector<Part> parts;
  std::optional<RowNorm::Kind> norm;

  Buffer x = test::random({rows, in + 5}, 1, 2.0F);
  Buffer gain = test::random({in}, 2), shift = test::random({in}, 3);
  std::vector<Matrix> weights, gates;
  std::vector<Buffer> biases, residuals;

  Case(const ProductKernel& k, int64_t num_rows, int64_t depth, std::vector<Part> all,
       std::optional<RowNorm::Kind> n = {})
      : kernel(k), rows(num_rows), in(depth), parts(std::move(all)), norm(n) {
    uint64_t seed = 10;
    for (const Part& part : parts) {
      weights.push_back(matrix(part.out, seed++));
      gates.push_back(matrix(part.out, seed++));
      biases.push_back(test::random({2, part.out}, seed++));
      residuals.push_back(test::random({rows, part.out + 3}, seed++));
    }
  }

  Matrix matrix(int64_t out, uint64_t seed) const {
    Matrix m{test::random({out, in}, seed, 0.5F), Buffer::make(DType::u8, {packed_bytes(kernel, in, out)}).value(), {}};
    ThreadPool pool(2);
    pack_matrix(pool, kernel, {.weight = std::as_const(m.w).view()}, m.packed.view().bytes());
    m.view = {m.packed.view().bytes(), in, out};
    return m;
  }

  ConstView rows_from(int64_t first, int64_t count) const {
    const ConstView view = test::columns(x, 3, in);
    return {view.bytes() + first * view.stride(0) * 4, DType::f32, {count, in}, view.strides()};
  }

  Product op(int64_t first, int64_t count, std::vector<Buffer>& y) const {
    Product product{&kernel, {}, rows_from(first, count), {}};
    if (norm)
      product.norm = RowNorm{.kind = *norm,
                             .eps = 1e-5F,
                             .scale = gain.flat<float>().data(),
                             .shift = *norm == RowNorm::Kind::layer ? shift.flat<float>().data() : nullptr,
                             .one_plus_scale = true};
    for (size_t p = 0; p < parts.size(); ++p) {
      const float* bias = biases[p].flat<float>().data();
      ProductPart part{.weight = weights[p].view, .f = parts[p].f, .y = y[p].view()};
      if (parts[p].with_bias) part.bias = bias;
      if (parts[p].gated) part.gated = gates[p].view, part.gated_bias = bias + parts[p].out;
      if (parts[p].with_residual) {
        const ConstView residual = test::columns(residuals[p], 1, parts[p].out);
        part.residual = {
            residual.bytes() + first * residual.stride(0) * 4, DType::f32, {count, parts[p].out}, residual.strides()};
      }
      product.parts.push_back(part);
    }
    return product;
  }

  // The results of all parts for rows first..first+count.
  std::vector<Buffer> run(int64_t first, int64_t count, int threads = 1) const {
    std::vector<Buffer> y;
    for (const Part& part : parts) y.push_back(Buffer::make(DType::f32, {count, part.out}).value());
    const Product product = op(first, count, y);
    test::Guarded scratch(Product::scratch_bytes(kernel, count, in, threads), 0);
    ThreadPool pool(threads);
    Stream stream{pool, scratch.bytes(), cpu_features().best()};
    const int64_t before = test::allocations();
    product.run(stream);
    EXPECT_EQ(test::allocations(), before);
    EXPECT_TRUE(scratch.intact());
    return y;
  }

  std::vector<Approximate> normal_row(int64_t r) const {
    const float* row = x.flat<float>().data() + r * (in + 5) + 3;
    std::vector<Approximate> n;
    if (!norm) {
      for (int64_t k = 0; k < in; ++k) n.push_back({row[k], 0});
      return n;
    }
    const auto width = static_cast<double>(in);
    double mean = 0, variance = 0, size = 0;
    if (*norm == RowNorm::Kind::layer)
      for (int64_t k = 0; k < in; ++k) mean += row[k] / width;
    for (int64_t k = 0; k < in; ++k) variance += std::pow(row[k] - mean, 2) / width, size += std::abs(row[k]) / width;
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    for (int64_t k = 0; k < in; ++k) {
      const auto at = static_cast<size_t>(k);
      const double normal = (row[k] - mean) * inverse;
      const Approximate scaled = Approximate{normal, (width + 8) * test::kEps * (std::abs(normal) + size * inverse)} *
                                 rounded(1.0 + gain.flat<float>()[at], 0);
      n.push_back(*norm == RowNorm::Kind::layer ? scaled + Approximate{shift.flat<float>()[at], 0} : scaled);
    }
    return n;
  }

  Approximate product(std::span<const Approximate> n, const Matrix& m, int64_t c) const {
    const float* w = m.w.flat<float>().data() + c * in;
    Approximate sum;
    double magnitude = 0;
    for (int64_t k = 0; k < in; ++k) {
      const Approximate& factor = n[static_cast<size_t>(k)];
      sum.value += factor.value * w[k];
      sum.error += factor.error * 1.01 * std::abs(w[k]);
      magnitude += std::abs(factor.value * w[k]);
    }
    sum.error += (rounding(kernel) + static_cast<double>(3 * (in + 64) + 8) * test::kEps) * magnitude;
    return sum;
  }

  Approximate expected(std::span<const Approximate> n, size_t p, int64_t r, int64_t c) const {
    const Part& part = parts[p];
    const auto bias = biases[p].flat<float>();
    const auto column = static_cast<size_t>(c);
    Approximate y = product(n, weights[p], c);
    if (part.with_bias) y = y + Approximate{bias[column], 0};
    y = activate(kernel, part.f, y);
    if (part.gated) y = y * (product(n, gates[p], c) + Approximate{bias[static_cast<size_t>(part.out) + column], 0});
    if (part.with_residual) y = y + Approximate{test::at(residuals[p].view(), {r, c + 1}), 0};
    return y;
  }

  void expect_formula() const {
    const std::vector<Buffer> y = run(0, rows, 2);
    for (int64_t r = 0; r < rows; ++r) {
      const auto n = normal_row(r);
      for (size_t p = 0; p < parts.size(); ++p)
        for (int64_t c = 0; c < parts[p].out; ++c) {
          const Approximate exact = expected(n, p, r, c);
          ASSERT_NEAR(test::at(y[p].view(), {r, c}), exact.value, exact.error)
              << kernel.name << " part " << p << " row " << r << " column " << c;
        }
    }
  }
};

TEST(Product, MatchesTheFormulaOfEveryEpilogue) {
  for (const ProductKernel* kernel : kernels())
    for (const std::optional<Kind> f :
         {std::optional<Kind>(), std::optional(Kind::gelu_tanh), std::optional(Kind::gelu_erf),
          std::optional(Kind::silu), std::optional(Kind::relu)})
      for (const bool gated : {false, true})
        for (const bool with_residual : {false, true})
          Case(*kernel, 17, 48, {{70, f, !gated, gated, with_residual}}).expect_formula();
}

TEST(Product, NormalisesItsRows) {
  for (const ProductKernel* kernel : kernels())
    for (const auto norm : {RowNorm::Kind::layer, RowNorm::Kind::rms})
      for (const int64_t in : {33, 128}) Case(*kernel, 20, in, {{70, {}}}, norm).expect_formula();
}

TEST(Product, SeveralPartsShareTheRows) {
  for (const ProductKernel* kernel : kernels())
    Case(*kernel, 41, 48, {{64, {}}, {130, Kind::silu, false, true, true}, {1, {}}, {200, Kind::gelu_tanh}},
         RowNorm::Kind::layer)
        .expect_formula();
}

TEST(Product, OneRowAndManyRows) {
  for (const ProductKernel* kernel : kernels())
    for (const int64_t rows : {1, 48, 200, 530}) Case(*kernel, rows, 20, {{33, {}}}).expect_formula();
}

bool same(const Buffer& a, const Buffer& b) { return test::same_bits(a.flat<float>(), b.flat<float>()); }

TEST(Product, ThreadsChangeNoBit) {
  for (const ProductKernel* kernel : kernels()) {
    const Case c(*kernel, 600, 40, {{200, {}}, {70, Kind::silu, true, true}}, RowNorm::Kind::rms);
    const std::vector<Buffer> one = c.run(0, 600);
    for (const int threads : {2, 3}) {
      const std::vector<Buffer> y = c.run(0, 600, threads);
      for (size_t p = 0; p < y.size(); ++p) EXPECT_TRUE(same(y[p], one[p])) << kernel->name << " " << threads;
    }
  }
}

TEST(Product, RowsInCompanyChangeNoBit) {
  for (const ProductKernel* kernel : kernels()) {
    const Case c(*kernel, 600, 300, {{100, Kind::gelu_tanh, true, false, true}}, RowNorm::Kind::layer);
    const std::vector<Buffer> all = c.run(0, 600);
    for (const int64_t count : {1, 7, 41})
      for (const int64_t first : {0, 191, 559}) {
        const std::vector<Buffer> some = c.run(first, count);
        EXPECT_TRUE(test::same_bits(
            some[0].flat<float>(),
            all[0].flat<float>().subspan(static_cast<size_t>(first * 100), some[0].flat<float>().size())))
            << kernel->name << " rows from " << first;
      }
  }
}

TEST(Product, ResultMayBeTheResidual) {
  for (const ProductKernel* kernel : kernels()) {
    const Case c(*kernel, 50, 30, {{64, Kind::gelu_erf, true, false, false}});
    std::vector<Buffer> apart = c.run(0, 50), in_place = c.run(0, 50);
    const Buffer residual = test::random({50, 64}, 77);
    std::ranges::copy(residual.flat<float>(), in_place[0].flat<float>().begin());
    Product product = c.op(0, 50, in_place);
    product.parts[0].residual = in_place[0].view();
    Buffer scratch = Buffer::make(DType::u8, {Product::scratch_bytes(*kernel, 50, 30, 2)}).value();
    ThreadPool pool(2);
    Stream stream{pool, {scratch.view().bytes(), static_cast<size_t>(scratch.size_bytes())}, cpu_features().best()};
    product.run(stream);
    for (size_t i = 0; i < apart[0].flat<float>().size(); ++i)
      ASSERT_EQ(in_place[0].flat<float>()[i], apart[0].flat<float>()[i] + residual.flat<float>()[i]) << kernel->name;
  }
}

// y written as lines for its reader has the bits of y packed by it later.
TEST(Product, LinesForAReaderAreWhatItWouldPack) {
  constexpr int64_t kRows = 77;
  std::vector<const ProductKernel*> all = kernels();
  all.push_back(&emulated("emulated.amx.int8"));
  all.push_back(&choose_product_kernel(Precision::int8, DType::f32, cpu_features().best()));
  for (const ProductKernel* kernel : all) {
    if (kernel->lines_bytes == nullptr) continue;
    for (const int64_t width : {64, 80, 144}) {
      ASSERT_TRUE(may_write_lines(*kernel, kRows, width));
      const Case first(*kernel, kRows, 40, {{width, Kind::gelu_tanh, true, true}});
      std::vector<Buffer> floats = first.run(0, kRows), tiles = first.run(0, kRows);
      std::ranges::fill(tiles[0].flat<float>(), std::numeric_limits<float>::quiet_NaN());
      Product product = first.op(0, kRows, tiles);
      product.parts[0].reader = kernel;
      const auto run = [&](const Product& op, bool is_packed) {
        test::Guarded scratch(Product::scratch_bytes(*kernel, kRows, op.x.shape().cols(), 2, is_packed), 0);
        ThreadPool pool(2);
        Stream stream{pool, scratch.bytes(), cpu_features().best()};
        op.run(stream);
        EXPECT_TRUE(scratch.intact());
      };
      run(product, false);
      const Case second(*kernel, kRows, width, {{50, {}}});
      std::vector<Buffer> y = second.run(0, kRows), expected = second.run(0, kRows);
      Product reader = second.op(0, kRows, y);
      reader.x = std::as_const(tiles[0]).view(), reader.x_is_lines = true;
      run(reader, true);
      Product plain = second.op(0, kRows, expected);
      plain.x = std::as_const(floats[0]).view();
      run(plain, false);
      EXPECT_TRUE(same(y[0], expected[0])) << kernel->name << " " << width;
    }
  }
}

std::vector<std::byte> pack(const ProductKernel& kernel, const StoredMatrix& w) {
  ThreadPool pool(2);
  test::Guarded memory(packed_bytes(kernel, w.in(), w.out()), 0);
  pack_matrix(pool, kernel, w, memory.bytes().data());
  EXPECT_TRUE(memory.intact());
  return {memory.bytes().begin(), memory.bytes().end()};
}

Buffer transposed(const Buffer& matrix) {
  const int64_t rows = matrix.view().shape()[0], columns = matrix.view().shape()[1];
  Buffer turned = Buffer::make(DType::f32, {columns, rows}).value();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) turned.view().row<float>(c)[r] = matrix.view().row<float>(r)[c];
  return turned;
}

// However weights are stored, the packed bytes are those of their values.
TEST(PackMatrix, LayoutAndTypeChangeNoByte) {
  constexpr int64_t kIn = 50, kOut = 150;
  for (const ProductKernel* kernel : kernels())
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      const Buffer stored = test::random_as(dtype, {kOut, kIn}, 4);
      const Buffer wide = to_f32(stored.view()).value();
      const Buffer turned = transposed(wide);
      const auto packed = pack(*kernel, {.weight = stored.view()});
      EXPECT_EQ(packed, pack(*kernel, {.weight = wide.view()})) << kernel->name << " " << name(dtype);
      EXPECT_EQ(packed, pack(*kernel, {.weight = turned.view(), .layout = Linear::Layout::in_out}))
          << kernel->name << " " << name(dtype);
    }
}

// Columns that meet copies of one column are packed as their sum, whatever the kernel and the layout.
TEST(PackMatrix, AddsWhatMeetsCopies) {
  constexpr int64_t kGroups = 2, kOut = 150;
  constexpr ColumnCopies kCopies{.count = 3, .width = 5};
  const Buffer stored = test::random({kOut, kGroups * kCopies.count * kCopies.width}, 4);
  Buffer sums = Buffer::make(DType::f32, {kOut, kGroups * kCopies.width}).value();
  for (int64_t n = 0; n < kOut; ++n)
    for (int64_t k = 0; k < sums.view().shape().cols(); ++k) {
      const float* first =
          stored.view().row<float>(n) + k / kCopies.width * kCopies.count * kCopies.width + k % kCopies.width;
      sums.view().row<float>(n)[k] = first[0] + first[kCopies.width] + first[2 * kCopies.width];
    }
  const Buffer turned = transposed(stored);
  for (const ProductKernel* kernel : kernels()) {
    const auto packed = pack(*kernel, {.weight = std::as_const(sums).view()});
    EXPECT_EQ(packed, pack(*kernel, {.weight = stored.view(), .copies = kCopies})) << kernel->name;
    EXPECT_EQ(packed, pack(*kernel, {.weight = turned.view(), .layout = Linear::Layout::in_out, .copies = kCopies}))
        << kernel->name;
  }
}

}  // namespace
}  // namespace ramet::ops
