// Arguments: rows, in, out, layout (0 out_in, 1 in_out), threads. Shapes of the GR00T towers and heads; W in bf16.
#include "ops/bench_peak.h"
#include "ops/linear.h"
#include "tensor/buffer.h"

namespace ramet::ops {
namespace {

void linear(benchmark::State& state) {
  const int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const Linear op{state.range(3) == 0 ? Linear::Layout::out_in : Linear::Layout::in_out};
  const Buffer x = Buffer::make(DType::f32, {rows, in}).value();
  const Buffer w =
      Buffer::make(DType::bf16, op.layout == Linear::Layout::out_in ? Shape{out, in} : Shape{in, out}).value();
  const Buffer b = Buffer::make(DType::f32, {out}).value();
  const std::array<ConstView, 3> operands{x.view(), w.view(), b.view()};
  ThreadPool pool(static_cast<int>(state.range(4)));
  Buffer scratch = Buffer::make(DType::u8, {op.scratch_bytes(operands, pool.threads())}).value();
  Buffer y = Buffer::make(DType::f32, op.output_shape(operands)).value();
  Stream stream{pool, {scratch.view().bytes(), static_cast<size_t>(scratch.size_bytes())}};
  bench::report_flops(state, 2.0 * static_cast<double>(rows * in * out),
                      [&] { op.reference(stream, operands, y.view()); });
}

void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "in", "out", "in_out", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const int64_t threads : {1, 2}) {
    bench->Args({256, 1024, 3072, 0, threads});
    bench->Args({256, 4096, 1024, 0, threads});
    bench->Args({41, 1536, 6144, 0, threads});
    bench->Args({90, 2048, 6144, 0, threads});
    bench->Args({41, 1536, 1536, 1, threads});
    bench->Args({1, 1536, 3072, 0, threads});
  }
}
BENCHMARK(linear)->Apply(shapes);

}  // namespace
}  // namespace ramet::ops
