// What the fuzz engine mutates: streams of choices for the parts of `draw`, short because only the
// bytes that a mutation touched are written down; a seed stands for the endless rest of each part.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/problem/draw.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// One stream per DrawPart, in order.
using FuzzInput = std::vector<ChoicePart>;

/// Nothing written down: as good as a seeded draw.
[[nodiscard]] FuzzInput fresh_input(Choices& random);

/// One to four steps away from `parent`: a part drawn anew, a part taken from `other`, bytes of a
/// part overwritten, inserted or erased; or, now and then, each part from either parent.
/// `values`: about how many bytes of the part of values `draw` reads.
[[nodiscard]] FuzzInput mutated(Choices& random, FuzzInput parent, const FuzzInput& other,
                                std::size_t values);

/// The same as bytes, for engines that change bytes: the seeds of all parts in order, then a record
/// for each part of which something is written down. Requires: fewer than 2^16 bytes in a part, and
/// no skip above that.
[[nodiscard]] std::vector<std::uint8_t> to_fuzz_bytes(const FuzzInput& input);
/// Total: any bytes are an input, zeros follow their end. Of a part's records the last one counts.
/// `memory`: an input that is not needed any more, whose memory serves again.
[[nodiscard]] FuzzInput from_fuzz_bytes(std::span<const std::uint8_t> bytes, FuzzInput memory = {});

/// "HEX+SKIP@SEED" of each part, numbers in hex, joined by commas: one word, for the metadata of a
/// case file.
[[nodiscard]] std::string write_fuzz_input(const FuzzInput& input);
/// Absent if the text is not of that form.
[[nodiscard]] std::optional<FuzzInput> read_fuzz_input(std::string_view text);

}  // namespace qkvet
