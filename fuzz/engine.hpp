// What every target gives to its engine, libFuzzer or replay_main.cpp: the two functions that any
// engine calls, and three that only the replay needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace qkvet::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// The input in words that reproduce it: a `qk1:` line for a target that judges a kernel, the text
/// itself for a parser.
[[nodiscard]] std::string describe(Bytes input);

/// Draws a problem (a parser's text) from a seed, without guidance by coverage, and runs the
/// target.
void run_drawn(std::uint64_t seed);

/// An input that `seed` stands for, for a kernel a draw of all parts: how seeds of a corpus are made.
[[nodiscard]] std::vector<std::uint8_t> drawn_input(std::uint64_t seed);

/// The bytes of a committed text seed: those of its `# drawn: N` line if that draw still gives the
/// case, else the text.
[[nodiscard]] std::vector<std::uint8_t> derived_input(const std::string& text);

}  // namespace qkvet::fuzz
