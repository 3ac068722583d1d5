#include "policy/compiled_programs.h"

#include "support/assertions.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

class Cache : public testing::Test {
 protected:
  static ProgramKey key(int64_t h, int64_t steps = 1, std::vector<std::string> taps = {}) {
    return {.layout = {.grids = {{1, h, 2}}}, .steps = steps, .taps = std::move(taps)};
  }

  // y = x + x
  Executor* get(const ProgramKey& wanted) {
    const auto record = [&] {
      ++recorded_;
      Recorder rec;
      const Value x = rec.input("x", DType::f32, {2});
      rec.begin_stage("sum");
      rec.output("y", rec.add(x, x));
      return std::move(rec).finish();
    };
    return programs_.get(wanted, record, {}).value();
  }

  ThreadPool pool_{1};
  CompiledPrograms programs_{pool_, {}};
  int recorded_ = 0;
};

TEST_F(Cache, SameKeyIsCompiledOnce) {
  Executor* const first = get(key(2));
  EXPECT_EQ(get(key(2)), first);
  EXPECT_EQ(recorded_, 1);
  ASSERT_OK(first->run());
}

TEST_F(Cache, EveryPartOfTheKeyCounts) {
  get(key(2));
  get(key(4));
  get(key(2, 2));
  get(key(2, 1, {"*"}));
  EXPECT_EQ(recorded_, 4);
  ProgramKey other = key(2);
  other.layout.text.positions[1] = {0};
  get(other);
  EXPECT_EQ(recorded_, 5);
}

TEST_F(Cache, OldestUnusedGoes) {
  for (int64_t h = 1; h <= static_cast<int64_t>(CompiledPrograms::kKept); ++h) get(key(h));
  get(key(1));  // used again: 2 is now the oldest
  get(key(100));
  const int before = recorded_;
  get(key(1));
  EXPECT_EQ(recorded_, before);
  get(key(2));
  EXPECT_EQ(recorded_, before + 1);
}

}  // namespace
}  // namespace ramet
