#include "ops/kernel_ranking.h"

#include "base/atomic_file.h"
#include "device/cpu.h"
#include "support/assertions.h"
#include "support/scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace ramet::ops {
namespace {

using Seconds = std::map<std::string, double, std::less<>>;

Seconds all_alike() {
  Seconds seconds;
  for (const ProductKernel* kernel : product_kernels()) seconds.emplace(kernel->name, 1.0);
  return seconds;
}

bool same_seconds(const KernelRanking& a, const KernelRanking& b) {
  return std::ranges::all_of(product_kernels(),
                             [&](const ProductKernel* kernel) { return a.seconds(*kernel) == b.seconds(*kernel); });
}

TEST(KernelRanking, WithoutMeasurementsTheOrderOfTheListDecides) {
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8})
    for (const Isa limit : kIsas)
      for (const KernelRanking& ranking : {KernelRanking(), KernelRanking::of(all_alike())})
        EXPECT_EQ(&choose_product_kernel(precision, DType::bf16, limit, ranking),
                  &choose_product_kernel(precision, DType::bf16, limit));
}

TEST(KernelRanking, TheFastestOfTheSamePrecisionIsTaken) {
  const Isa best = cpu_features().best();
  if (best == Isa::scalar) GTEST_SKIP() << "this machine has kernels of one instruction set only";
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    const ProductKernel& first = choose_product_kernel(precision, DType::bf16, best);
    const ProductKernel& other = choose_product_kernel(precision, DType::bf16, Isa::scalar);
    Seconds seconds = all_alike();
    seconds.insert_or_assign(std::string(other.name), 0.9);
    EXPECT_EQ(&choose_product_kernel(precision, DType::bf16, best, KernelRanking::of(seconds)), &other);
    seconds.insert_or_assign(std::string(other.name), 0.96);  // no more than noise
    EXPECT_EQ(&choose_product_kernel(precision, DType::bf16, best, KernelRanking::of(seconds)), &first);
  }
}

// float32 kernels serve bf16 weights too, and double their bytes.
TEST(KernelRanking, SpeedIsNotBoughtWithMemory) {
  const ProductKernel& first = choose_product_kernel(Precision::fp32, DType::bf16, Isa::avx2);
  ASSERT_EQ(first.weights, DType::bf16);
  Seconds seconds = all_alike();
  for (auto& [name, value] : seconds)
    if (name.ends_with("fp32")) value = 0.1;
  EXPECT_EQ(&choose_product_kernel(Precision::fp32, DType::bf16, Isa::avx2, KernelRanking::of(seconds)), &first);
}

TEST(KernelRanking, MeasuresEveryKernelOfThisMachine) {
  const KernelRanking ranking = KernelRanking::measure();
  EXPECT_TRUE(ranking.covers_this_machine());
  for (const ProductKernel* kernel : product_kernels()) {
    const auto seconds = ranking.seconds(*kernel);
    const bool expected =
        kernel->isa > Isa::scalar && cpu_features().has(kernel->isa) && kernel->runs_on(cpu_features());
    ASSERT_EQ(seconds.has_value(), expected) << kernel->name;
    EXPECT_GT(seconds.value_or(1), 1e-5) << kernel->name;  // 0.1 GFLOP
  }
}

TEST(KernelRanking, SurvivesItsFile) {
  const test::ScratchFolder folder;
  Seconds seconds = all_alike();
  seconds.insert_or_assign("avx2.fp32", 0.00123456789012345);
  const KernelRanking ranking = KernelRanking::of(seconds);
  ASSERT_OK(ranking.write(folder.path() / "kernels.json", "a processor"));
  const auto read = KernelRanking::read(folder.path() / "kernels.json", "a processor");
  ASSERT_OK(read);
  EXPECT_TRUE(same_seconds(*read, ranking));
}

TEST(KernelRanking, RefusesTheFileOfAnotherProcessor) {
  const test::ScratchFolder folder;
  ASSERT_OK(KernelRanking::of(all_alike()).write(folder.path() / "kernels.json", "a processor"));
  EXPECT_CODE(KernelRanking::read(folder.path() / "kernels.json", "another"), Code::invalid_file);
}

TEST(KernelRanking, RefusesWhatIsNotARanking) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "kernels.json";
  for (const std::string_view text :
       {"", "{", "[]", R"({"version": 1, "cpu": "p"})", R"({"version": 2, "cpu": "p", "seconds": {}})",
        R"({"version": 1, "cpu": 3, "seconds": {}})", R"({"version": 1, "cpu": "p", "seconds": {"avx2.fp32": "fast"}})",
        R"({"version": 1, "cpu": "p", "seconds": {"avx2.fp32": -1}})"}) {
    ASSERT_OK(write_file(file, text));
    EXPECT_FALSE(KernelRanking::read(file, "p").has_value()) << text;
  }
  if (cpu_features().best() == Isa::scalar) return;
  ASSERT_OK(write_file(file, R"({"version": 1, "cpu": "p", "seconds": {}})"));  // a kernel has been added since
  EXPECT_CODE(KernelRanking::read(file, "p"), Code::invalid_file);
}

TEST(KernelRanking, IsMeasuredOnceAndAgainWhereTheFileIsDamaged) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "kernels.json";
  const LoadedRanking first = load_kernel_ranking(file);
  EXPECT_TRUE(first.measured);
  EXPECT_FALSE(first.problem.has_value());
  const LoadedRanking second = load_kernel_ranking(file);
  EXPECT_FALSE(second.measured);
  EXPECT_TRUE(same_seconds(first.ranking, second.ranking));
  ASSERT_OK(write_file(file, "{\"version\":"));
  const LoadedRanking third = load_kernel_ranking(file);
  EXPECT_TRUE(third.measured);
  ASSERT_TRUE(third.problem.has_value());
  EXPECT_NE(third.problem->message().find("kernels.json"), std::string::npos);
  EXPECT_FALSE(load_kernel_ranking(file).measured);
}

TEST(KernelRanking, AFolderThatCannotBeWrittenOnlyWarns) {
  const test::ScratchFolder folder;
  const LoadedRanking loaded = load_kernel_ranking(folder.path() / "missing" / "kernels.json");
  EXPECT_TRUE(loaded.measured);
  EXPECT_TRUE(loaded.ranking.covers_this_machine());
  EXPECT_TRUE(loaded.problem.has_value());
}

TEST(CpuModel, HasAName) { EXPECT_FALSE(cpu_model().empty()); }

}  // namespace
}  // namespace ramet::ops
