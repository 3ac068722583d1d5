// One thread that computes, and the requests that wait for it: fair among clients, bounded, and never blocking those
// who submit.
//
// Clients take turns: each has a line of its own, and after one of its requests has run, the next client comes. So a
// client that sends many requests at once waits behind itself.
#pragma once

#include <ramet/error.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace ramet::server {

class Task {
 public:
  virtual ~Task() = default;
  virtual void run() = 0;     // on the thread of the queue
  virtual void refuse() = 0;  // instead of run, when the server stops; on the thread that closes the queue
};

struct QueueLimits {
  size_t requests = 64;  // waiting, of all clients
  size_t per_client = 8;
  size_t clients = 32;  // with a request waiting or running
};

struct QueueState {
  size_t waiting = 0, clients = 0;
  bool busy = false;  // a request is running
};

class InferenceQueue {
 public:
  explicit InferenceQueue(QueueLimits limits);
  ~InferenceQueue();  // closes, and waits for the running request

  // At once, whatever runs. Errors: no_resource, whose place is what the client is told: "busy: …", "stopping: …". The
  // task is then untouched.
  Status submit(const std::string& client, std::unique_ptr<Task>& task);
  // Refuses the waiting requests and takes no more; the running one goes on.
  void close();
  QueueState state() const;

 private:
  struct Line {
    std::deque<std::unique_ptr<Task>> tasks;
    bool is_running = false;
  };
  Status check(const std::string& client) const;
  void work();
  bool take_next(std::string& client, std::unique_ptr<Task>& task);
  void finish(const std::string& client);

  const QueueLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, Line> lines_;
  std::deque<std::string> turns_;  // clients with a task and none running, next first
  size_t waiting_ = 0;
  bool busy_ = false, closed_ = false;
  std::thread thread_;
};

}  // namespace ramet::server
