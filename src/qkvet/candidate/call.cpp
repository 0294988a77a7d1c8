#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <qkvet/candidate/call.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {
namespace {

wire::TensorPart part_of(const Piece& p) {
  wire::TensorPart part{};
  if (!p.present) return part;
  part.present = 1;
  part.code = p.boolean ? QKVET_BOOL : p.format == Format::bfloat16 ? QKVET_BFLOAT : QKVET_FLOAT;
  part.bits = static_cast<std::uint32_t>(p.bytes) * 8;
  part.ndim = static_cast<std::uint32_t>(p.ndim);
  part.shape = p.extents;
  part.strides = p.strides;
  return part;
}

bool any_diagonal(const Problem& problem) {
  for (std::int64_t b = 0; b < problem.shape.B; ++b) {
    if (diagonal_offset(problem, b) != 0) return true;
  }
  return false;
}

std::int32_t diagonal_kind(Diagonal::Kind kind) {
  switch (kind) {
    case Diagonal::Kind::top_left:
      return QKVET_DIAGONAL_TOP_LEFT;
    case Diagonal::Kind::bottom_right:
      return QKVET_DIAGONAL_BOTTOM_RIGHT;
    case Diagonal::Kind::fixed:
      return QKVET_DIAGONAL_FIXED;
  }
  return QKVET_DIAGONAL_FIXED;
}

/// The ABI has two ways to say where a tensor begins: what is shifted by an odd number of elements
/// is handed over as an aligned address and a byte offset, all else as the address itself.
std::uintptr_t offset_of(std::uintptr_t address, std::uintptr_t bytes) {
  constexpr std::uintptr_t alignment = 64;
  const std::uintptr_t beyond = address % alignment;
  return (beyond / bytes) % 2 == 1 ? beyond : 0;
}

}  // namespace

void describe(const Problem& problem, const Pieces& pieces, wire::Request& request) {
  const MaskSpec& mask = problem.mask;
  request.calls = 2;
  request.flags = problem.scale ? 0u : static_cast<std::uint32_t>(QKVET_DEFAULT_SCALE);
  request.scale = scale_value(problem);
  request.softcap = problem.softcap;
  request.threads = problem.call.threads;
  request.num_splits = problem.call.splits;
  // ALiBi measures from the diagonal, so the diagonal must be told unless it is the plain one.
  request.has_mask = mask.causal || mask.window || mask.key_range || mask.attend || mask.bias ||
                     (problem.alibi_slopes && any_diagonal(problem));
  request.causal = mask.causal;
  request.diagonal_kind = static_cast<std::uint32_t>(diagonal_kind(mask.diagonal.kind));
  request.has_key_range = mask.key_range.has_value();
  request.window_left = mask.window && mask.window->left ? *mask.window->left : -1;
  request.window_right = mask.window && mask.window->right ? *mask.window->right : -1;
  request.batch = problem.shape.B;
  for (std::size_t n = 0; n < slot_count; ++n) {
    request.tensors[0][n] = request.tensors[1][n] = part_of(pieces[n]);
  }
}

std::vector<std::int64_t> ranges_of(const Problem& problem) {
  const auto B = static_cast<std::size_t>(problem.shape.B);
  std::vector<std::int64_t> ranges(3 * B, 0);
  for (std::size_t b = 0; b < B; ++b) {
    ranges[b] = diagonal_offset(problem, static_cast<std::int64_t>(b));
    if (!problem.mask.key_range) continue;
    ranges[B + b] = problem.mask.key_range->start[b];
    ranges[2 * B + b] = problem.mask.key_range->end[b];
  }
  return ranges;
}

Arguments::Arguments(const wire::Request& request, std::size_t call, std::uintptr_t inputs,
                     std::uintptr_t outputs, const std::int64_t* ranges) {
  std::array<qkvet_tensor*, slot_count> at{};
  for (std::size_t n = 0; n < slot_count; ++n) {
    const wire::TensorPart& part = request.tensors[call][n];
    if (part.present == 0) continue;
    std::copy(part.shape.begin(), part.shape.end(), extents_[n].begin());
    std::copy(part.strides.begin(), part.strides.end(), extents_[n].begin() + 4);
    const std::uintptr_t base = n < input_slots ? inputs : outputs;
    qkvet_tensor& t = tensors_[n];
    const std::uintptr_t address = base + static_cast<std::uintptr_t>(part.offset);
    t.byte_offset = offset_of(address, part.bits / 8);
    t.data = reinterpret_cast<void*>(address - t.byte_offset);
    t.device_type = 1;  // kDLCPU
    t.ndim = static_cast<std::int32_t>(part.ndim);
    t.dtype = {static_cast<std::uint8_t>(part.code), static_cast<std::uint8_t>(part.bits), 1};
    t.shape = extents_[n].data();
    t.strides = extents_[n].data() + 4;
    at[n] = &t;
  }
  const auto tensor = [&](Slot slot) { return at[static_cast<std::size_t>(slot)]; };
  args_.struct_size = sizeof args_;
  args_.flags = request.flags;
  args_.q = tensor(Slot::q);
  args_.k = tensor(Slot::k);
  args_.v = tensor(Slot::v);
  args_.o = tensor(Slot::o);
  args_.lse = tensor(Slot::lse);
  args_.scale = request.scale;
  args_.softcap = request.softcap;
  args_.threads = request.threads;
  args_.num_splits = request.num_splits;
  args_.alibi_slopes = tensor(Slot::slopes);
  args_.sinks = tensor(Slot::sinks);
  if (request.has_mask == 0) return;
  mask_.struct_size = sizeof mask_;
  mask_.causal = request.causal != 0;
  mask_.diagonal_kind = static_cast<std::int32_t>(request.diagonal_kind);
  mask_.diagonal_offset = ranges;
  mask_.window_left = request.window_left;
  mask_.window_right = request.window_right;
  if (request.has_key_range != 0) {
    mask_.key_start = ranges + request.batch;
    mask_.key_end = ranges + 2 * request.batch;
  }
  mask_.attend = tensor(Slot::attend);
  mask_.bias = tensor(Slot::bias);
  args_.mask = &mask_;
}

CallResult invoke(const qkvet_candidate& table, const qkvet_args& args) {
  CallResult result;
  qkvet_error why;
  why.message[0] = '\0';
  int code = QKVET_OK;
  const FloatEnvironment before = read_float_environment();
  try {
    if (table.supports != nullptr) code = table.supports(table.self, &args, &why);
    if (code == QKVET_OK) code = table.forward(table.self, &args, &why);
  } catch (const std::exception& error) {
    result.status = RunStatus::failed;
    result.message = "threw an exception across the C border: " + printable(error.what());
  } catch (...) {
    result.status = RunStatus::failed;
    result.message = "threw an exception across the C border";
  }
  const FloatEnvironment after = read_float_environment();
  if (!(after == before)) {
    set_float_environment(before);
    result.environment = changed_float_environment(before, after);
  }
  if (result.status != RunStatus::ok || code == QKVET_OK) return result;
  const std::size_t length = strnlen(why.message, sizeof why.message);
  const std::string said = printable({why.message, length});
  const bool refused = code == QKVET_UNSUPPORTED || code == QKVET_INVALID;
  result.status = refused ? RunStatus::refused : RunStatus::failed;
  if (refused || code == QKVET_FAILED) {
    result.message = said.empty() ? fmt::format("status {} without a reason", code) : said;
  } else {
    result.message = fmt::format("returned {}, which is no status of kernel.h; {}", code, said);
  }
  return result;
}

std::optional<std::string> table_defect(const qkvet_candidate* table) {
  if (table == nullptr) return "qkvet_candidate_v1() returned NULL";
  if (table->struct_size < sizeof(qkvet_candidate) || table->struct_size > 4096) {
    return fmt::format(
        "its table says struct_size {}, version 1 of the ABI has {}; hint: build it "
        "against this qkvet's kernel.h",
        table->struct_size, sizeof(qkvet_candidate));
  }
  if (table->abi != QKVET_ABI) {
    return fmt::format(
        "its table says abi {}, this qkvet speaks {}; hint: build it against this "
        "qkvet's kernel.h",
        table->abi, QKVET_ABI);
  }
  if (table->forward == nullptr) return "its table has no forward function";
  return std::nullopt;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= limit) return out + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += fmt::format("\\x{:02x}", byte);
    }
  }
  return out;
}

}  // namespace qkvet
