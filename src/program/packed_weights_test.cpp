#include "program/packed_weights.h"

#include "program/testing.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "support/assertions.h"

namespace ramet {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Packed : public testing::Test {
 protected:
  Packed() { fs::create_directories(folder_); }
  ~Packed() override { fs::remove_all(folder_); }

  // Packs both matrices as a program would, and gives the bytes of the first.
  std::vector<std::byte> pack(const std::string& identity = "today", const fs::path& file = {}) {
    PackedWeights packed;
    packed.use_cache(
        {.file = file.empty() ? folder_ / "cache/weights.safetensors" : file, .identity = identity, .from_bytes = 0});
    packed.report_to([&](std::string_view line) { log_.emplace_back(line); }, {});
    const size_t a = packed.want({"a", {.weight = a_.view}, kernel_});
    EXPECT_NE(packed.want({"b", {.weight = b_.view, .layout = ops::Linear::Layout::in_out}, kernel_}), a);
    EXPECT_EQ(packed.want({"a", {.weight = a_.view}, kernel_}), a);
    EXPECT_OK(packed.prepare(pool_));
    const ops::PackedMatrix matrix = packed.matrix(a);
    EXPECT_EQ(matrix.in, 20);
    EXPECT_EQ(matrix.out, 30);
    return {matrix.panels, matrix.panels + ops::packed_bytes(*kernel_, 20, 30)};
  }

  fs::path folder_ = fs::temp_directory_path() / ("ramet-packed-" + std::to_string(::getpid()));
  fs::path file_ = folder_ / "cache/weights.safetensors";
  ThreadPool pool_{2};
  test::WeightStore weights_;
  Weight a_ = weights_.random({30, 20}), b_ = weights_.random({20, 30});
  const ops::ProductKernel* kernel_ =
      &ops::choose_product_kernel(ops::Precision::bf16, DType::f32, cpu_features().best());
  std::vector<std::string> log_;
};

TEST_F(Packed, TheSecondStartMapsTheFile) {
  const auto first = pack();
  ASSERT_TRUE(fs::exists(file_));
  const auto written = fs::last_write_time(file_);
  EXPECT_EQ(pack(), first);
  EXPECT_EQ(fs::last_write_time(file_), written);
  EXPECT_THAT(log_, IsEmpty());
}

// The first program may have been a part of the model: the file is then made again for all of it, once.
TEST_F(Packed, AFileOfAPartIsCompleted) {
  const auto start = [&](const std::vector<PackedWeights::Request>& requests) {
    PackedWeights packed;
    packed.use_cache({.file = file_, .identity = "today", .from_bytes = 1500});
    packed.report_to([&](std::string_view line) { log_.emplace_back(line); }, {});
    for (const PackedWeights::Request& request : requests) packed.want(request);
    EXPECT_OK(packed.prepare(pool_));
  };
  const Weight large = weights_.random({300, 200}), other = weights_.random({300, 200}),
               small = weights_.random({10, 4});
  const PackedWeights::Request a{"a", {.weight = large.view}, kernel_}, b{"b", {.weight = small.view}, kernel_},
      c{"c", {.weight = other.view}, kernel_};
  ASSERT_LT(b.bytes(), 1500);
  start({a});
  const auto of_a = fs::file_size(file_);
  start({a, b});  // b alone is too little for a new file
  EXPECT_EQ(fs::file_size(file_), of_a);
  EXPECT_THAT(log_, IsEmpty());
  start({a, b, c});
  EXPECT_THAT(log_, ElementsAre(HasSubstr("the file lacks")));
  EXPECT_GT(fs::file_size(file_), of_a);
  start({a, b, c}), start({c});
  EXPECT_EQ(log_.size(), 1U);
}

// What is read or stored in another way is another matrix.
TEST_F(Packed, LayoutAndCopiesTellMatricesApart) {
  PackedWeights packed;
  const Weight square = weights_.random({20, 20});
  std::set<size_t> indexes{packed.want({"w", {.weight = square.view}, kernel_}),
                           packed.want({"w", {.weight = square.view, .layout = ops::Linear::Layout::in_out}, kernel_}),
                           packed.want({"w", {.weight = square.view, .copies = {2, 10}}, kernel_}),
                           packed.want({"w", {.weight = square.view, .copies = {2, 5}}, kernel_})};
  EXPECT_EQ(indexes.size(), 4U);
}

// Large enough for a few huge pages, in the file that was just made and in the one that is found.
TEST_F(Packed, SettlingChangesNoByte) {
  const Weight large = weights_.random({2048, 2100});
  for (const char* start : {"made", "found"}) {
    if (start == std::string_view("found")) {
      PackedWeights made;
      made.use_cache({.file = file_, .identity = "today", .from_bytes = 0});
      made.want({"large", {.weight = large.view}, kernel_});
      ASSERT_OK(made.prepare(pool_));
    }
    PackedWeights packed;
    packed.use_cache({.file = file_, .identity = "today", .from_bytes = 0});
    const size_t index = packed.want({"large", {.weight = large.view}, kernel_});
    ASSERT_OK(packed.prepare(pool_));
    const std::byte* panels = packed.matrix(index).panels;
    const std::vector<std::byte> before(panels, panels + ops::packed_bytes(*kernel_, 2100, 2048));
    packed.settle();
    packed.settle();
    packed.wait_until_settled();
    EXPECT_EQ(packed.matrix(index).panels, panels);
    std::fstream(file_, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(fs::file_size(file_)) / 2)
        .put(static_cast<char>(~before[before.size() / 2]));  // what was moved no longer looks into the file
    EXPECT_TRUE(std::ranges::equal(before, std::span(panels, before.size()))) << start;
    fs::remove(file_);
  }
}

TEST_F(Packed, StaleFilesAreMadeAgain) {
  const auto first = pack("yesterday");
  EXPECT_EQ(pack("today"), first);
  EXPECT_THAT(log_, ElementsAre(HasSubstr("packed_weights_rebuilt")));
  log_.clear();
  pack("today");
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(Packed, DamagedFilesAreMadeAgain) {
  const auto first = pack();
  for (const auto where : {std::streamoff{4}, static_cast<std::streamoff>(fs::file_size(file_)) / 2}) {
    std::fstream(file_, std::ios::in | std::ios::out | std::ios::binary).seekp(where).put('\x7F');
    log_.clear();
    EXPECT_EQ(pack(), first);
    EXPECT_THAT(log_, ElementsAre(HasSubstr("packed_weights_rebuilt"))) << where;
  }
  fs::resize_file(file_, 100);
  EXPECT_EQ(pack(), first);
}

TEST_F(Packed, WithoutAPlaceNothingIsLost) {
  const auto first = pack();
  std::ofstream(folder_ / "blocked") << "a file where a folder should be";
  EXPECT_EQ(pack("today", folder_ / "blocked/weights.safetensors"), first);
  EXPECT_THAT(log_, ElementsAre(HasSubstr("packed_weights_not_kept")));
}

TEST_F(Packed, ProgramsThatStartAtOnceDoNotMeet) {
  const auto first = pack("other");
  std::vector<std::jthread> starts;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i)
    starts.emplace_back([&, i] {
      PackedWeights packed;
      ThreadPool pool(1);
      packed.use_cache({.file = file_, .identity = i % 2 == 0 ? "even" : "odd", .from_bytes = 0});
      const size_t a = packed.want({"a", {.weight = a_.view}, kernel_});
      if (!packed.prepare(pool)) ++wrong;
      if (!std::equal(first.begin(), first.end(), packed.matrix(a).panels)) ++wrong;
    });
  starts.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(file_.parent_path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace ramet
