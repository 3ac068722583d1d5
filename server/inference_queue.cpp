#include "server/inference_queue.h"

#include <fmt/format.h>

namespace ramet::server {
namespace {

// The place alone is the message.
tl::unexpected<Error> refusal(std::string text) { return fail(Code::no_resource, std::move(text), "", ""); }

}  // namespace

InferenceQueue::InferenceQueue(QueueLimits limits) : limits_(limits), thread_([this] { work(); }) {}

InferenceQueue::~InferenceQueue() {
  close();
  thread_.join();
}

Status InferenceQueue::check(const std::string& client) const {
  if (closed_) return refusal("stopping: the server takes no more requests");
  if (waiting_ >= limits_.requests) return refusal(fmt::format("busy: {} requests are waiting; try again", waiting_));
  const auto line = lines_.find(client);
  if (line == lines_.end() && lines_.size() >= limits_.clients)
    return refusal(fmt::format("busy: {} clients are waiting; try again", lines_.size()));
  if (line != lines_.end() && line->second.tasks.size() >= limits_.per_client)
    return refusal(fmt::format("busy: {} of your requests are waiting; try again", line->second.tasks.size()));
  return {};
}

Status InferenceQueue::submit(const std::string& client, std::unique_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  RAMET_TRY_STATUS(check(client));
  Line& line = lines_[client];
  if (line.tasks.empty() && !line.is_running) turns_.push_back(client);
  line.tasks.push_back(std::move(task));
  ++waiting_;
  wake_.notify_one();
  return {};
}

bool InferenceQueue::take_next(std::string& client, std::unique_ptr<Task>& task) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return closed_ || !turns_.empty(); });
  if (closed_) return false;
  client = std::move(turns_.front());
  turns_.pop_front();
  Line& line = lines_.at(client);
  task = std::move(line.tasks.front());
  line.tasks.pop_front();
  line.is_running = busy_ = true;
  --waiting_;
  return true;
}

void InferenceQueue::finish(const std::string& client) {
  const std::lock_guard lock(mutex_);
  busy_ = false;
  const auto line = lines_.find(client);
  if (line == lines_.end()) return;  // close() took the lines
  line->second.is_running = false;
  if (line->second.tasks.empty())
    lines_.erase(line);
  else
    turns_.push_back(client);
}

void InferenceQueue::work() {
  std::string client;
  std::unique_ptr<Task> task;
  while (take_next(client, task)) {
    task->run();
    task.reset();
    finish(client);
  }
}

void InferenceQueue::close() {
  std::map<std::string, Line> left;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    left.swap(lines_);
    turns_.clear();
    waiting_ = 0;
  }
  wake_.notify_all();
  for (auto& [client, line] : left)
    for (const auto& task : line.tasks) task->refuse();
}

QueueState InferenceQueue::state() const {
  const std::lock_guard lock(mutex_);
  return {waiting_, lines_.size(), busy_};
}

}  // namespace ramet::server
