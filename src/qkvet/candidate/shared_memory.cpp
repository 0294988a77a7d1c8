#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <qkvet/candidate/shared_memory.hpp>
#include <qkvet/num/error.hpp>
#include <string>
#include <utility>

namespace qkvet {
namespace {

constexpr int first_free_descriptor = 64;

[[noreturn]] void unavailable(const char* what) {
  throw InputError(ExitCode::isolation,
                   std::string("worker process: ") + what + ": " + std::strerror(errno));
}

Descriptor memory_file(const char* name, std::int64_t size) {
  Descriptor fd =
      out_of_the_way(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create");
  if (ftruncate(fd.get(), size) != 0) unavailable("ftruncate of shared memory");
  return fd;
}

std::byte* map(const Descriptor& fd, std::int64_t size) {
  void* at = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
  if (at == MAP_FAILED) unavailable("mmap of shared memory");
  return static_cast<std::byte*>(at);
}

std::int64_t total(std::int64_t cells, std::int64_t capacity) {
  return wire::cell_offset(cells, capacity);  // a guard before each cell and one at the end
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

int Descriptor::release() { return std::exchange(fd_, -1); }

Descriptor out_of_the_way(int fd, const char* what) {
  if (fd < 0) unavailable(what);
  const Descriptor low(fd);
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, first_free_descriptor);
  if (high < 0) unavailable(what);
  return Descriptor(high);
}

SharedMemory::SharedMemory(std::int64_t capacity)
    : capacity_(capacity),
      input_size_(total(wire::input_cells, capacity)),
      output_size_(total(wire::output_cells, capacity)),
      input_fd_(memory_file("qkvet-inputs", input_size_)),
      output_fd_(memory_file("qkvet-outputs", output_size_)) {
  inputs_ = map(input_fd_, input_size_);
  outputs_ = map(output_fd_, output_size_);
  // The seal comes after our own writable mapping, which stays: nobody can make another one.
  const int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (fcntl(input_fd_.get(), F_ADD_SEALS, fixed_size | F_SEAL_FUTURE_WRITE) != 0 ||
      fcntl(output_fd_.get(), F_ADD_SEALS, fixed_size) != 0) {
    unavailable("sealing shared memory");
  }
}

SharedMemory::~SharedMemory() {
  if (inputs_ != nullptr) munmap(inputs_, static_cast<std::size_t>(input_size_));
  if (outputs_ != nullptr) munmap(outputs_, static_cast<std::size_t>(output_size_));
}

wire::Request& SharedMemory::request() const {
  return *reinterpret_cast<wire::Request*>(inputs_ + wire::cell_offset(0, capacity_));
}

std::int64_t SharedMemory::ranges_offset() const {
  return wire::cell_offset(0, capacity_) + static_cast<std::int64_t>(sizeof(wire::Request));
}

std::int64_t* SharedMemory::ranges() const {
  return reinterpret_cast<std::int64_t*>(inputs_ + ranges_offset());
}

wire::Reply& SharedMemory::reply() const {
  return *reinterpret_cast<wire::Reply*>(outputs_ + wire::cell_offset(0, capacity_));
}

std::byte* SharedMemory::base(Slot slot) const {
  return static_cast<std::size_t>(slot) < input_slots ? inputs_ : outputs_;
}

std::int64_t SharedMemory::size(Slot slot) const {
  return static_cast<std::size_t>(slot) < input_slots ? input_size_ : output_size_;
}

void SharedMemory::place_all(Pieces& pieces, Side side) const {
  for (std::size_t n = 0; n < slot_count; ++n) {
    const auto cell = static_cast<std::int64_t>(n < input_slots ? n : n - input_slots) + 1;
    std::byte* begin = base(static_cast<Slot>(n)) + wire::cell_offset(cell, capacity_);
    const auto half = static_cast<std::size_t>(capacity_ / 2);
    place(pieces[n], {side == Side::left ? begin : begin + half, half}, side);
  }
}

std::int64_t needed_capacity(const Pieces& pieces, std::int64_t batch) {
  const auto ranges = static_cast<std::int64_t>(sizeof(wire::Request)) + batch * 24;
  std::int64_t need = std::max<std::int64_t>(ranges, sizeof(wire::Reply));
  for (const Piece& piece : pieces) need = std::max(need, 2 * room(piece));
  const auto rounded = std::bit_ceil(static_cast<std::uint64_t>(need));
  return std::max(static_cast<std::int64_t>(rounded), std::int64_t{1} << 24);
}

}  // namespace qkvet
