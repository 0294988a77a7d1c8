// The two memories that a supervisor shares with its worker: inputs, which are sealed so that only
// the supervisor's older mapping can write them, and outputs. Layout: protocol.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/protocol.hpp>
#include <span>

namespace qkvet {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  [[nodiscard]] int get() const { return fd_; }

 private:
  int release();
  int fd_;
};

/// `fd` moved to a number above those that a worker uses, closed on exec. Throws
/// InputError(isolation).
[[nodiscard]] Descriptor out_of_the_way(int fd, const char* what);

class SharedMemory {
 public:
  /// `capacity`: bytes of each cell, a multiple of 128. Untouched pages cost nothing.
  explicit SharedMemory(std::int64_t capacity);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] const Descriptor& inputs() const { return input_fd_; }
  [[nodiscard]] const Descriptor& outputs() const { return output_fd_; }
  [[nodiscard]] wire::Request& request() const;
  [[nodiscard]] std::int64_t* ranges() const;  ///< right after the request
  [[nodiscard]] std::int64_t ranges_offset() const;
  [[nodiscard]] wire::Reply& reply() const;
  [[nodiscard]] std::byte* base(Slot slot) const;  ///< of the memory in which the slot lies
  [[nodiscard]] std::int64_t size(Slot slot) const;
  /// Places all pieces: for Side::left in the lower halves of their cells, else in the upper ones.
  void place_all(Pieces& pieces, Side side) const;

 private:
  std::int64_t capacity_;
  std::int64_t input_size_, output_size_;
  Descriptor input_fd_, output_fd_;
  std::byte *inputs_ = nullptr, *outputs_ = nullptr;
};

/// The capacity that `pieces` and `batch` entries need.
[[nodiscard]] std::int64_t needed_capacity(const Pieces& pieces, std::int64_t batch);

}  // namespace qkvet
