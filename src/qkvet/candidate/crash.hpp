// From the address of a fault in a worker to words about the tensors of the call.
#pragma once

#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/observation.hpp>
#include <qkvet/candidate/shared_memory.hpp>

namespace qkvet {

/// Adds what the worker's signal handler left (if it could) to the message and faults of a crash.
void explain_crash(const SharedMemory& memory, const Pieces& pieces, Observation& seen);

}  // namespace qkvet
