// The products and attentions of the GR00T models on every product kernel that this machine has, with their epilogues.
//
// Arguments: rows, in, out, threads; or query rows, keys, query heads, key heads, head_dim, causal, threads. Weights
// rotate through copies of 192 MiB in all, so that they come from memory as in a model. A gated product counts both of
// its halves, and so `out` is that of one. of_peak_% compares with the kernel's own instruction, run in registers on
// the same threads before and after.
#include "ops/bench_peak.h"
#include "ops/fused_attention.h"
#include "ops/machine_peak.h"
#include "ops/operand.h"
#include "ops/product.h"
#include "tensor/buffer.h"

#include <string>

namespace ramet::ops {
namespace {

constexpr int64_t kWeightBytes = 192 << 20;

enum class Epilogue { none, gelu, gated_silu, residual };

struct Shape3 {
  const char* name;
  int64_t rows, in, out;
  Epilogue epilogue;
};

constexpr std::array kProducts{Shape3{"vis.qkv", 1792, 1024, 3072, Epilogue::none},
                               Shape3{"vis.o", 1792, 1024, 1024, Epilogue::residual},
                               Shape3{"vis.fc1", 1792, 1024, 4096, Epilogue::gelu},
                               Shape3{"vis.fc2", 1792, 4096, 1024, Epilogue::residual},
                               Shape3{"merge.fc1", 448, 4096, 4096, Epilogue::gelu},
                               Shape3{"llm.qkv", 480, 2048, 4096, Epilogue::none},
                               Shape3{"llm.gateup", 480, 2048, 6144, Epilogue::gated_silu},
                               Shape3{"llm.down", 480, 6144, 2048, Epilogue::residual},
                               Shape3{"vlsa.fc1", 480, 2048, 8192, Epilogue::gelu},
                               Shape3{"dit.fc1", 41, 1536, 6144, Epilogue::gelu},
                               Shape3{"dit.fc2", 41, 6144, 1536, Epilogue::residual}};

struct AttentionShape {
  const char* name;
  int64_t rows, keys, heads, kv_heads, head_dim, segments;
  bool causal;
};

constexpr std::array kAttentions{
    AttentionShape{"vision", 448, 448, 16, 16, 64, 4, false}, AttentionShape{"llm", 480, 480, 16, 8, 128, 1, true},
    AttentionShape{"vlsa", 480, 480, 32, 32, 64, 1, false}, AttentionShape{"dit.cross", 41, 448, 32, 32, 48, 1, false},
    AttentionShape{"dit.self", 41, 41, 32, 32, 48, 1, false}};

Buffer filled(const Shape& shape) {
  Buffer buffer = Buffer::make(DType::f32, shape).value();
  float value = 0;
  for (float& x : buffer.flat<float>()) x = std::exchange(value, value > 0.9F ? value - 1.9F : value + 0.37F);
  return buffer;
}

// Wall time of the fastest call, and operations as a share of what the kernel's instruction reaches.
template <class Body>
void report(benchmark::State& state, ThreadPool& pool, const ProductKernel& kernel, double flops, const Body& body) {
  constexpr double kPeakSeconds = 0.05;
  double peak = compute_peak(pool, kernel, kPeakSeconds), best = 1e30;
  for ([[maybe_unused]] auto iteration : state) {
    const double start = bench::wall_seconds();
    body();
    best = std::min(best, bench::wall_seconds() - start);
  }
  peak = std::max(peak, compute_peak(pool, kernel, kPeakSeconds));
  state.counters["best_ms"] = best * 1e3;
  state.counters["GFLOP/s"] = flops / best * 1e-9;
  state.counters["of_peak_%"] = 100 * flops / best / peak;
}

// Copies of one packed matrix.
class Copies {
 public:
  Copies(ThreadPool& pool, const ProductKernel& kernel, int64_t in, int64_t out)
      : in_(in),
        out_(out),
        bytes_(packed_bytes(kernel, in, out)),
        count_(std::max<int64_t>(2, kWeightBytes / bytes_)),
        memory_(Buffer::make(DType::u8, {count_ * bytes_}).value()) {
    const Buffer w = filled({out, in});
    pack_matrix(pool, kernel, {.weight = w.view()}, memory_.view().bytes());
    for (int64_t i = 1; i < count_; ++i)
      std::copy_n(memory_.view().bytes(), bytes_, memory_.view().bytes() + i * bytes_);
  }
  PackedMatrix next() { return {memory_.view().bytes() + next_++ % count_ * bytes_, in_, out_}; }

 private:
  int64_t in_, out_, bytes_, count_, next_ = 0;
  Buffer memory_;
};

void product(benchmark::State& state, const ProductKernel& kernel, const Shape3& shape) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const bool gated = shape.epilogue == Epilogue::gated_silu;
  Copies weights(pool, kernel, shape.in, shape.out);
  const Buffer x = filled({shape.rows, shape.in}), bias = filled({shape.out});
  Buffer y = Buffer::make(DType::f32, {shape.rows, shape.out}).value();
  Buffer scratch =
      Buffer::make(DType::u8, {Product::scratch_bytes(kernel, shape.rows, shape.in, pool.threads())}).value();
  Stream stream{pool, {scratch.view().bytes(), static_cast<size_t>(scratch.size_bytes())}, cpu_features().best()};
  ProductPart part{.bias = bias.flat<float>().data(), .y = y.view()};
  if (shape.epilogue == Epilogue::gelu) part.f = Activation::Kind::gelu_tanh;
  if (gated) part.f = Activation::Kind::silu;
  if (shape.epilogue == Epilogue::residual) part.residual = y.view();
  Product op{.kernel = &kernel, .norm = {}, .x = x.view(), .parts = {part}};
  const double flops = (gated ? 4.0 : 2.0) * static_cast<double>(shape.rows * shape.in * shape.out);
  report(state, pool, kernel, flops, [&] {
    op.parts[0].weight = weights.next();
    if (gated) op.parts[0].gated = weights.next();
    op.run(stream);
  });
}

void attention(benchmark::State& state, const ProductKernel& kernel, const AttentionShape& shape) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  Attention op{1.0F / std::sqrt(static_cast<float>(shape.head_dim)), shape.causal, {}};
  for (int64_t s = 0; s < shape.segments; ++s)
    op.segments.push_back({s * shape.rows, (s + 1) * shape.rows, s * shape.keys, (s + 1) * shape.keys});
  const Buffer q = filled({shape.segments * shape.rows, shape.heads, shape.head_dim});
  const Buffer kv = filled({shape.segments * shape.keys, shape.kv_heads, shape.head_dim});
  const std::array<ConstView, 3> operands{q.view(), kv.view(), kv.view()};
  const FusedAttention fused{&kernel, &op};
  Buffer scratch = Buffer::make(DType::u8, {fused.scratch_bytes(operands, pool.threads())}).value();
  Buffer y = Buffer::make(DType::f32, op.output_shape(operands)).value();
  Stream stream{pool, {scratch.view().bytes(), static_cast<size_t>(scratch.size_bytes())}, cpu_features().best()};
  const double seen = shape.causal ? 0.5 : 1.0;
  const auto products = static_cast<double>(shape.segments * shape.rows * shape.keys * shape.heads * shape.head_dim);
  report(state, pool, kernel, seen * 4 * products, [&] { fused.run(stream, operands, y.view()); });
}

template <class Run, class Shapes>
void register_shapes(const std::string& op, const ProductKernel& kernel, const Run& run, const Shapes& shapes) {
  for (const auto& shape : shapes) {
    const std::string name = op + "/" + std::string(kernel.name) + "/" + shape.name;
    auto* bench = benchmark::RegisterBenchmark(
        name.c_str(), [&kernel, &shape, run](benchmark::State& state) { run(state, kernel, shape); });
    bench->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime();
    for (const int64_t threads : {1, 2}) bench->Arg(threads);
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const ProductKernel* kernel : product_kernels()) {
    if (!cpu_features().has(kernel->isa) || !kernel->runs_on(cpu_features())) continue;
    register_shapes("product", *kernel, product, kProducts);
    if (kernel->precision != Precision::int8) register_shapes("attention", *kernel, attention, kAttentions);
  }
  return true;
}();

}  // namespace
}  // namespace ramet::ops
