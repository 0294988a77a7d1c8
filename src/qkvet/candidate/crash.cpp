#include <fmt/format.h>

#include <limits>
#include <qkvet/candidate/crash.hpp>

namespace qkvet {
namespace {

struct Nearest {
  Slot slot = Slot::q;
  std::int64_t distance = std::numeric_limits<std::int64_t>::max();  // in bytes; 0 inside
  std::int64_t from_begin = 0, past_end = 0;
};

// The tensor nearest to an offset in the input or output memory.
Nearest nearest(const SharedMemory& memory, const Pieces& pieces, bool outputs,
                std::int64_t offset) {
  Nearest best;
  for (std::size_t n = 0; n < slot_count; ++n) {
    if (!pieces[n].present || (n >= input_slots) != outputs) continue;
    const std::byte* base = memory.base(static_cast<Slot>(n));
    const std::int64_t begin = pieces[n].begin - base, end = pieces[n].end - base;
    const std::int64_t distance = offset < begin  ? begin - offset
                                  : offset >= end ? offset - end + 1
                                                  : 0;
    if (distance < best.distance) {
      best = {static_cast<Slot>(n), distance, offset - begin, offset - end};
    }
  }
  return best;
}

}  // namespace

void explain_crash(const SharedMemory& memory, const Pieces& pieces, Observation& seen) {
  const wire::Reply& reply = memory.reply();
  if (reply.fault_signal == 0) return;
  const bool wrote = reply.fault_write != 0;
  const char* verb = wrote ? "wrote" : "read";
  for (const bool outputs : {false, true}) {
    const std::uint64_t base = outputs ? reply.output_base : reply.input_base;
    const auto offset = static_cast<std::int64_t>(reply.fault_address - base);
    if (offset < 0 || offset >= memory.size(outputs ? Slot::o : Slot::q)) continue;
    const Nearest at = nearest(memory, pieces, outputs, offset);
    const std::string name(slot_name(at.slot));
    std::string detail;
    Fault::Kind kind = Fault::Kind::out_of_bounds;
    if (!outputs && offset < wire::cell_offset(0, memory.capacity()) + memory.capacity()) {
      kind = Fault::Kind::input_changed;
      detail = fmt::format("{} the key ranges or offsets of the mask", verb);
    } else if (at.distance == 0) {
      kind = Fault::Kind::input_changed;
      detail = fmt::format("{} {}, {} bytes after its start", verb, name, at.from_begin);
    } else if (at.from_begin < 0) {
      detail = fmt::format("{} {} bytes before {}", verb, -at.from_begin, name);
    } else {
      detail = fmt::format("{} {} bytes past the end of {}", verb, at.past_end, name);
    }
    seen.message += ": " + detail;
    seen.faults.push_back({kind, name, detail});
    return;
  }
  seen.message +=
      fmt::format(": {} address {:#x}, which belongs to no tensor", verb, reply.fault_address);
}

}  // namespace qkvet
