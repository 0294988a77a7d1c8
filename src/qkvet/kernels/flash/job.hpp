// What the parts of flash tell each other: one call's plan, one row's place, the table of a path. Plain data,
// the same for every instruction set.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <cstdint>
#include <qkvet/kernels/args.hpp>

namespace qkvet::kernels::fast {

inline constexpr std::int64_t block_keys = 128;   ///< keys per tile; the contract declares it
inline constexpr std::int64_t part_keys = 2048;   ///< keys with an accumulator of their own
inline constexpr std::int64_t alignment = 64;     ///< of scratch, in bytes

enum class Number : std::uint8_t { b64, b32, b16, brain16 };  ///< f64, f32, f16, bf16

/// Numbers in memory: element n is at first + n * step elements.
struct Line {
  const char* first = nullptr;
  std::int64_t step = 0;
  Number format = Number::b32;
};

/// A number as a sum of two, of which the first is it rounded to double.
struct Constant {
  double high, low;
};
inline constexpr Constant constant_log2_e{0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};

/// One query of a tile: where it lies and what it sees.
struct Row {
  std::int64_t first, last;        ///< keys outside [first, last) are hidden
  std::int64_t diagonal;           ///< i + offset
  const std::uint8_t* attend;      ///< null: none; key j is at attend[j * attend_step]
  std::int64_t attend_step;
  Line q, bias;                    ///< bias.first null: none
  char* o;
  std::int64_t o_step;
  char* lse;                       ///< null: not wanted
  double slope, sink;              ///< of ALiBi; in natural units
  bool has_slope;
};

/// The plan of one call. The rows of a *head* share keys and values: the queries of one head or, where
/// they are few, those of all query heads of one key head.
struct Job {
  const qkvet_args* args;
  Dims dims;
  Number stored;
  Constant scale;                  ///< with log2 e, unless a softcap comes between
  bool flat;                       ///< a head is a key head
  std::int64_t heads, rows;        ///< per batch entry; per head
  std::int64_t tile_rows, tiles;   ///< rows of a tile, tiles of a head
  std::int64_t parts, units_of_tile;  ///< parts of the keys; 1, or `parts` if they are apart
  char* partials;                  ///< of parts that are apart: see partial_bytes

  [[nodiscard]] std::int64_t units() const { return dims.B * heads * tiles * units_of_tile; }
};

/// The path of one instruction set.
struct Path {
  const char* name;
  std::int64_t (*lanes)(Number stored);  ///< queries that fill a tile
  std::int64_t (*scratch_bytes)(const Job& job);
  /// Bytes that one unit leaves for merge, if parts are apart.
  std::int64_t (*partial_bytes)(const Job& job);
  void (*run)(const Job& job, std::int64_t unit, char* scratch);
  /// Merges the parts of a tile and stores its outputs.
  void (*merge)(const Job& job, std::int64_t tile, char* scratch);
  /// The functions of the softmax, for tests: count numbers, a multiple of 16.
  void (*exp2)(const float* x, float* y, std::int64_t count);
  void (*exp2_double)(const double* x, double* y, std::int64_t count);
  void (*tanh)(const float* x, float* y, std::int64_t count);
};

/// scale, or scale * log2 e.
[[nodiscard]] Constant scale_of(const qkvet_args& args);
/// Row n of a head.
void find_row(const Job& job, std::int64_t b, std::int64_t head, std::int64_t n, Row& row);
/// Keys or values of one key head: key j, channel c at first + (j * step + c * inner) elements.
struct Table {
  const char* first;
  std::int64_t step, inner;
  Number format;
};
[[nodiscard]] Table table_of(const qkvet_tensor& tensor, std::int64_t b, std::int64_t head);

[[nodiscard]] std::int64_t bytes_of(Number format);
[[nodiscard]] Number number_of(qkvet_dtype dtype);
[[nodiscard]] double element(const Line& line, std::int64_t n);
/// Does the row see key j?
[[nodiscard]] bool sees(const Row& row, std::int64_t j);
/// Stores a row of outputs, rounded once.
void store_outputs(const Job& job, const Row& row, const float* o);
void store_outputs(const Job& job, const Row& row, const double* o);
/// The log-sum-exp from maximum (base 2) and sum; without a sum it is -infinity.
void store_lse(const Job& job, const Row& row, double maximum, double sum);
[[nodiscard]] double tanh_of_one(double y);

/// Null where the processor cannot run it.
[[nodiscard]] const Path* path_named(const char* name);

}  // namespace qkvet::kernels::fast
