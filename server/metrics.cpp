#include "server/metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace ramet::server {
namespace {

void describe(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void gauge(std::string& text, std::string_view name, std::string_view help, double value) {
  describe(text, name, "gauge", help);
  text += fmt::format("{} {}\n", name, value);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

void Histogram::observe(double seconds) {
  const auto bound = std::ranges::lower_bound(kBoundsSeconds, seconds);
  ++counts_[static_cast<size_t>(bound - kBoundsSeconds.begin())];
  sum_ += seconds;
}

void Histogram::write(const std::string& labels, std::string& text) const {
  uint64_t total = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    total += counts_[i];
    const std::string bound = i < kBoundsSeconds.size() ? fmt::format("{}", kBoundsSeconds[i]) : "+Inf";
    text += fmt::format("ramet_stage_seconds_bucket{{{},le=\"{}\"}} {}\n", labels, bound, total);
  }
  text += fmt::format("ramet_stage_seconds_sum{{{}}} {}\n", labels, sum_);
  text += fmt::format("ramet_stage_seconds_count{{{}}} {}\n", labels, total);
}

void Metrics::count(const RequestRecord& record) {
  constexpr double kMsPerSecond = 1000;
  const std::lock_guard lock(mutex_);
  ++requests_[{record.endpoint, record.code}];
  stages_["read"].observe(record.read_ms / kMsPerSecond);
  if (record.predict_ms <= 0) return;
  for (const StageMs& stage : record.stages)
    if (stage.stage != "total") stages_[stage.stage].observe(stage.ms / kMsPerSecond);
  for (const auto& [stage, ms] : {std::pair{"queue", record.queue_ms},
                                  {"predict", record.predict_ms},
                                  {"reply", record.reply_ms},
                                  {"request", record.total_ms}})
    stages_[stage].observe(ms / kMsPerSecond);
}

void Metrics::count_ignored(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  ++ignored_[reason];
}

std::string Metrics::text(const QueueState& queue) const {
  std::string text;
  const std::lock_guard lock(mutex_);
  describe(text, "ramet_requests_total", "counter", "Requests by endpoint and outcome.");
  for (const auto& [labels, count] : requests_)
    text += fmt::format("ramet_requests_total{{endpoint=\"{}\",code=\"{}\"}} {}\n", labels.first, labels.second, count);
  describe(text, "ramet_messages_ignored_total", "counter", "Messages that no client sent and nobody answers.");
  for (const auto& [reason, count] : ignored_)
    text += fmt::format("ramet_messages_ignored_total{{reason=\"{}\"}} {}\n", reason, count);
  describe(text, "ramet_stage_seconds", "histogram", "Time by stage of a request.");
  for (const auto& [stage, histogram] : stages_) histogram.write(fmt::format("stage=\"{}\"", stage), text);
  gauge(text, "ramet_queue_requests", "Requests that wait.", static_cast<double>(queue.waiting));
  gauge(text, "ramet_queue_clients", "Clients with a request that waits or runs.", static_cast<double>(queue.clients));
  gauge(text, "ramet_busy", "1 while a request is computed.", queue.busy ? 1 : 0);
  gauge(text, "process_resident_memory_bytes", "Resident memory.", resident_bytes());
  gauge(text, "ramet_peak_memory_bytes", "Largest resident memory so far.", peak_bytes());
  return text;
}

}  // namespace ramet::server
