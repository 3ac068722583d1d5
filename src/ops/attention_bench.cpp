// Arguments: query rows, keys, query heads, key heads, head_dim, causal, threads. Both products count as flops.
#include "ops/attention.h"
#include "ops/bench_peak.h"
#include "tensor/buffer.h"

namespace ramet::ops {
namespace {

void attention(benchmark::State& state) {
  const int64_t rows = state.range(0), keys = state.range(1), heads = state.range(2), head_dim = state.range(4);
  const Attention op{0.125F, state.range(5) != 0, {{0, rows, 0, keys}}};
  const Buffer q = Buffer::make(DType::f32, {rows, heads, head_dim}).value();
  const Buffer kv = Buffer::make(DType::f32, {keys, state.range(3), head_dim}).value();
  const std::array<ConstView, 3> operands{q.view(), kv.view(), kv.view()};
  ThreadPool pool(static_cast<int>(state.range(6)));
  Buffer scratch = Buffer::make(DType::u8, {op.scratch_bytes(operands, pool.threads())}).value();
  Buffer y = Buffer::make(DType::f32, op.output_shape(operands)).value();
  Stream stream{pool, {scratch.view().bytes(), static_cast<size_t>(scratch.size_bytes())}};
  const double seen = op.causal ? 0.5 : 1.0;
  bench::report_flops(state, seen * 4.0 * static_cast<double>(rows * keys * heads * head_dim),
                      [&] { op.reference(stream, operands, y.view()); });
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "keys", "heads", "kv_heads", "head_dim", "causal", "threads"});
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const int64_t threads : {1, 2}) {
    bench->Args({256, 256, 16, 16, 64, 0, threads});
    bench->Args({2048, 2048, 16, 16, 72, 0, threads});
    bench->Args({90, 90, 16, 8, 128, 1, threads});
    bench->Args({41, 90, 32, 32, 48, 0, threads});
  }
}
BENCHMARK(attention)->Apply(shapes);

}  // namespace
}  // namespace ramet::ops
