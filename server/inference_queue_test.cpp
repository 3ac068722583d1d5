#include "server/inference_queue.h"

#include "support/assertions.h"

#include <gmock/gmock.h>

#include <future>

namespace ramet::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What ran and what was refused, in order; a task named "gate" runs until it is opened.
class Diary {
 public:
  void open_gate() { gate_.set_value(); }
  void wait_for_start() { started_.get_future().wait(); }
  void run(const std::string& name) {
    if (name == "gate") {
      started_.set_value();
      gate_.get_future().wait();
    }
    note(name);
  }
  void note(const std::string& name) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(name);
  }
  std::vector<std::string> entries() {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  std::promise<void> gate_, started_;
  std::mutex mutex_;
  std::vector<std::string> entries_;
};

class DiaryTask : public Task {
 public:
  DiaryTask(Diary& diary, std::string name) : diary_(diary), name_(std::move(name)) {}
  void run() override { diary_.run(name_); }
  void refuse() override { diary_.note("no " + name_); }

 private:
  Diary& diary_;
  std::string name_;
};

Status submit(InferenceQueue& queue, const std::string& client, Diary& diary, const std::string& name) {
  std::unique_ptr<Task> task = std::make_unique<DiaryTask>(diary, name);
  return queue.submit(client, task);
}

void drain(const InferenceQueue& queue) {
  while (queue.state().waiting > 0 || queue.state().busy) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(InferenceQueue, ClientsTakeTurns) {
  Diary diary;
  InferenceQueue queue({});
  ASSERT_OK(submit(queue, "z", diary, "gate"));
  diary.wait_for_start();
  for (const char* name : {"a1", "a2", "a3"}) ASSERT_OK(submit(queue, "a", diary, name));
  ASSERT_OK(submit(queue, "b", diary, "b1"));
  ASSERT_OK(submit(queue, "c", diary, "c1"));
  EXPECT_EQ(queue.state().waiting, 5U);
  EXPECT_EQ(queue.state().clients, 4U);
  EXPECT_TRUE(queue.state().busy);
  diary.open_gate();
  drain(queue);
  EXPECT_THAT(diary.entries(), ElementsAre("gate", "a1", "b1", "c1", "a2", "a3"));
  EXPECT_EQ(queue.state().clients, 0U);
}

TEST(InferenceQueue, FullQueueAnswersAtOnce) {
  Diary diary;
  InferenceQueue queue({.requests = 3, .per_client = 2, .clients = 3});
  ASSERT_OK(submit(queue, "z", diary, "gate"));
  diary.wait_for_start();
  ASSERT_OK(submit(queue, "a", diary, "a1"));
  ASSERT_OK(submit(queue, "a", diary, "a2"));
  const Status own = submit(queue, "a", diary, "a3");
  EXPECT_CODE(own, Code::no_resource);
  EXPECT_EQ(own.error().where, "busy: 2 of your requests are waiting; try again");
  ASSERT_OK(submit(queue, "b", diary, "b1"));
  EXPECT_THAT(submit(queue, "b", diary, "b2").error().where, HasSubstr("busy: 3 requests"));
  diary.open_gate();
  drain(queue);
  EXPECT_THAT(diary.entries(), ElementsAre("gate", "a1", "b1", "a2"));
}

TEST(InferenceQueue, TooManyClients) {
  Diary diary;
  InferenceQueue queue({.clients = 2});
  ASSERT_OK(submit(queue, "z", diary, "gate"));
  diary.wait_for_start();
  ASSERT_OK(submit(queue, "a", diary, "a1"));
  EXPECT_THAT(submit(queue, "b", diary, "b1").error().where, HasSubstr("busy: 2 clients"));
  EXPECT_OK(submit(queue, "a", diary, "a2"));
  diary.open_gate();
}

TEST(InferenceQueue, ClosingFinishesWhatRunsAndRefusesTheRest) {
  Diary diary;
  {
    InferenceQueue queue({});
    ASSERT_OK(submit(queue, "a", diary, "gate"));
    diary.wait_for_start();
    ASSERT_OK(submit(queue, "a", diary, "a2"));
    queue.close();
    EXPECT_THAT(submit(queue, "b", diary, "b1").error().where, HasSubstr("stopping"));
    EXPECT_THAT(diary.entries(), ElementsAre("no a2"));
    diary.open_gate();
  }
  EXPECT_THAT(diary.entries(), ElementsAre("no a2", "gate"));
}

}  // namespace
}  // namespace ramet::server
