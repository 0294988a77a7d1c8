#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <qkvet/kernels/flash/job.hpp>
#include <qkvet/kernels/flash/pool.hpp>
#include <system_error>
#include <thread>
#include <vector>

namespace qkvet::kernels::fast {
namespace {

/// Aligned memory that only grows.
class Scratch {
 public:
  char* of(std::int64_t bytes) {
    if (bytes <= bytes_) return memory_.get();
    const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    memory_.reset(static_cast<char*>(std::aligned_alloc(alignment, static_cast<std::size_t>(rounded))));
    bytes_ = memory_ == nullptr ? 0 : rounded;
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  std::int64_t bytes_ = 0;
};

struct Task {
  std::int64_t count, scratch_bytes;
  void (*work)(const void*, std::int64_t, char*);
  const void* job;
  std::atomic<std::int64_t> next{0};

  void help(char* scratch) {
    for (std::int64_t n; (n = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      work(job, n, scratch);
    }
  }
};

class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_all();
    // Threads do not survive a fork: what is left of them there cannot be joined.
    for (std::thread& thread : threads_) getpid() == process_ ? thread.join() : thread.detach();
  }

  bool run(std::int64_t threads, Task& task) {
    const std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy || getpid() != process_) {
      Scratch own;
      char* memory = own.of(task.scratch_bytes);
      if (memory != nullptr) task.help(memory);
      return memory != nullptr;
    }
    char* memory = own_.of(task.scratch_bytes);
    if (memory == nullptr) return false;
    const std::int64_t helpers = std::min({threads, task.count, most_threads}) - 1;
    if (helpers > 0) open(task, grow(helpers));
    task.help(memory);
    if (helpers > 0) close();
    return true;
  }

 private:
  static constexpr std::int64_t most_threads = 256;

  /// Starts threads up to `wanted`; fewer if the system has no more.
  std::int64_t grow(std::int64_t wanted) {
    try {
      while (static_cast<std::int64_t>(threads_.size()) < wanted) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      return static_cast<std::int64_t>(threads_.size());
    }
    return wanted;
  }
  void open(Task& task, std::int64_t helpers) {
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      places_ = helpers;
    }
    wake_.notify_all();
  }
  /// No thread may join any more; waits for those that did.
  void close() {
    std::unique_lock lock(mutex_);
    task_ = nullptr;
    places_ = 0;
    left_.wait(lock, [this] { return helping_ == 0; });
  }
  void serve() {
    Scratch scratch;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ends_ || places_ > 0; });
      if (ends_) return;
      --places_;
      ++helping_;
      Task& task = *task_;
      lock.unlock();
      char* memory = scratch.of(task.scratch_bytes);
      if (memory != nullptr) task.help(memory);
      lock.lock();
      if (--helping_ == 0) left_.notify_one();
    }
  }

  std::mutex busy_;  // one call at a time
  Scratch own_;      // of the caller
  std::mutex mutex_;
  std::condition_variable wake_, left_;
  Task* task_ = nullptr;
  std::int64_t places_ = 0, helping_ = 0;
  bool ends_ = false;
  const pid_t process_ = getpid();
  std::vector<std::thread> threads_;
};

}  // namespace

bool run_in_pool(std::int64_t threads, std::int64_t count, std::int64_t scratch_bytes,
                 void (*work)(const void* job, std::int64_t item, char* scratch), const void* job) {
  static Pool pool;
  Task task{count, scratch_bytes, work, job};
  return pool.run(threads, task);
}

}  // namespace qkvet::kernels::fast
