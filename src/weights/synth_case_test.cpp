#include "weights/synth_case.h"

#include "weights/checkpoint.h"
#include "weights/testing.h"

#include <gmock/gmock.h>

namespace ramet {
namespace {

using testing::HasSubstr;

// A case of one tensor, with a companion and a second profile.
class SynthCase : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(case_ / "checkpoint/experiment_cfg");
    std::filesystem::create_directories(case_ / "companion");
    write("case.json", R"({"seed": 1, "profiles": ["plain", "spiky"]})");
    write("checkpoint/config.json", "{}");
    write("checkpoint/experiment_cfg/metadata.json", "{}");
    write("checkpoint/tensors.tsv", "n.weight\tF32\t512\t" + std::string(kPlain) + "\n");
    write("checkpoint/tensors.spiky.tsv", "n.weight\tF32\t512\t" + std::string(kSpiky) + "\n");
    write("companion/config.json", "{}");
  }

  void write(const std::string& name, const std::string& text) { ASSERT_OK(write_file(case_ / name, text)); }
  Result<SynthReport> synth(const SynthCaseOptions& options = {}) {
    return synth_from_case(case_.path(), out(), options, pool_);
  }
  std::filesystem::path out() const { return scratch_ / "new/out"; }

  // tools/synth.py hash
  static constexpr std::string_view kPlain = "3571bb10c4524641", kSpiky = "f02fdef75834f0df";

  test::ScratchFolder case_, scratch_;
  ThreadPool pool_{2};
};

TEST_F(SynthCase, CopiesFilesAndChecksHashes) {
  const auto report = synth();
  ASSERT_OK(report);
  EXPECT_EQ(report->hashes_checked, 1);
  EXPECT_TRUE(std::filesystem::exists(out() / "config.json"));
  EXPECT_TRUE(std::filesystem::exists(out() / "experiment_cfg/metadata.json"));
  EXPECT_TRUE(std::filesystem::exists(out() / "backbone/config.json"));
  EXPECT_FALSE(std::filesystem::exists(out() / "tensors.tsv"));
  EXPECT_OK(Checkpoint::open(out()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_ / "new"), {}), 1);
}

TEST_F(SynthCase, OtherProfilesHaveTheirOwnHashes) {
  const auto report = synth({.profile = SynthProfile::spiky});
  ASSERT_OK(report);
  EXPECT_EQ(report->hashes_checked, 1);
}

TEST_F(SynthCase, OtherSeedsHaveNone) {
  const auto report = synth({.seed = 2});
  ASSERT_OK(report);
  EXPECT_EQ(report->hashes_checked, 0);
}

TEST_F(SynthCase, FilesAreReplacedOnlyOnRequest) {
  ASSERT_OK(synth());
  EXPECT_CODE(synth(), Code::usage);
  ASSERT_OK(write_file(out() / "model-00001-of-00002.safetensors", "old"));
  ASSERT_OK(write_file(out() / "notes.txt", "mine"));
  ASSERT_OK(synth({.existing = Existing::replace}));
  EXPECT_FALSE(std::filesystem::exists(out() / "model-00001-of-00002.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(out() / "notes.txt"));
  EXPECT_OK(Checkpoint::open(out()));
}

TEST_F(SynthCase, ErrorsLeaveNoDirectory) {
  struct Case {
    const char *file, *text;
    Code code;
    const char* message;
  };
  for (const Case& c : {Case{"case.json", R"({"profile": "plain"})", Code::not_found, "seed"},
                        Case{"case.json", R"({"seed": -1, "profile": "plain"})", Code::invalid_value, "seed"},
                        Case{"case.json", R"({"seed": 1, "profile": "odd"})", Code::invalid_value, "plain or spiky"},
                        Case{"case.json", R"({"seed": 1, "profiles": []})", Code::invalid_value, "profiles"},
                        Case{"case.json", R"({"seed": 3, "profile": "plain"})", Code::invalid_file, "n.weight"}}) {
    SCOPED_TRACE(c.text);
    write(c.file, c.text);
    const auto report = synth();
    EXPECT_CODE(report, c.code);
    EXPECT_THAT(report.error().message(), HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
  write("case.json", R"({"seed": 1, "profiles": ["plain", "spiky"]})");
  write("checkpoint/tensors.spiky.tsv", "other.weight\tF32\t512\t0123456789abcdef\n");
  EXPECT_CODE(synth({.profile = SynthProfile::spiky}), Code::invalid_file);
  std::filesystem::remove(case_ / "checkpoint/tensors.tsv");
  const auto report = synth();
  EXPECT_CODE(report, Code::not_found);
  EXPECT_THAT(report.error().hint, HasSubstr("no model"));
}

TEST_F(SynthCase, AFileInTheWayIsRefused) {
  std::filesystem::create_directories(out().parent_path());
  ASSERT_OK(write_file(out(), "a file"));
  EXPECT_CODE(synth({.existing = Existing::replace}), Code::usage);
}

}  // namespace
}  // namespace ramet
