// The table of one path: from a unit of work to the tile of its size.
#pragma once

#include <qkvet/kernels/flash/tile.hpp>

namespace qkvet::kernels::fast {
namespace QKVET_FLASH_ISA {

enum class Do : std::uint8_t { whole, part, merge };

template <class T, int N>
[[gnu::noinline]] void do_tile(Do what, const Job& job, std::int64_t tile, std::int64_t part,
                               char* scratch) {
  Tile<T, N> work(job, tile, reinterpret_cast<T*>(scratch));
  if (what == Do::whole) return work.run();
  char* partials = job.partials + tile * job.parts * Tile<T, N>::partial_bytes(job);
  if (what == Do::part) work.run_part(part, partials + part * Tile<T, N>::partial_bytes(job));
  if (what == Do::merge) work.merge_parts(partials);
}
template <class T>
void do_any(Do what, const Job& job, std::int64_t tile, std::int64_t part, char* scratch) {
  if (job.tile_rows > 2 * width<T>) return do_tile<T, 3>(what, job, tile, part, scratch);
  if (job.tile_rows > width<T>) return do_tile<T, 2>(what, job, tile, part, scratch);
  do_tile<T, 1>(what, job, tile, part, scratch);
}

void run(const Job& job, std::int64_t unit, char* scratch) {
  const Do what = job.units_of_tile > 1 ? Do::part : Do::whole;
  const std::int64_t tile = unit / job.units_of_tile, part = unit % job.units_of_tile;
  if (job.stored == Number::b64) return do_any<double>(what, job, tile, part, scratch);
  do_any<float>(what, job, tile, part, scratch);
}
void merge_tile(const Job& job, std::int64_t tile, char* scratch) {
  if (job.stored == Number::b64) return do_any<double>(Do::merge, job, tile, 0, scratch);
  do_any<float>(Do::merge, job, tile, 0, scratch);
}
std::int64_t lanes(Number stored) { return 3 * (stored == Number::b64 ? width<double> : width<float>); }
std::int64_t scratch_bytes(const Job& job) {
  if (job.stored == Number::b64) return 8 * Tile<double, 3>::elements(job);
  return 4 * Tile<float, 3>::elements(job);
}
std::int64_t partial_bytes(const Job& job) {
  return job.stored == Number::b64 ? Tile<double, 3>::partial_bytes(job)
                                   : Tile<float, 3>::partial_bytes(job);
}

template <class T, class Function>
void apply(const T* x, T* y, std::int64_t count, Function function) {
  for (std::int64_t n = 0; n < count; n += width<T>) store(y + n, Vec<T>(function(load(x + n))));
}
void exp2_all(const float* x, float* y, std::int64_t count) {
  apply(x, y, count, [](const Vec<float>& a) { return exp2_of<float>(a); });
}
void exp2_double_all(const double* x, double* y, std::int64_t count) {
  apply(x, y, count, [](const Vec<double>& a) { return exp2_of<double>(a); });
}
void tanh_all(const float* x, float* y, std::int64_t count) {
  apply(x, y, count, [](const Vec<float>& a) { return tanh_of(a); });
}

#define QKVET_NAME_OF(isa) #isa
#define QKVET_NAME(isa) QKVET_NAME_OF(isa)
extern const Path path;
const Path path{QKVET_NAME(QKVET_FLASH_ISA), lanes, scratch_bytes, partial_bytes,
                run, merge_tile, exp2_all, exp2_double_all, tanh_all};

}  // namespace QKVET_FLASH_ISA
}  // namespace qkvet::kernels::fast
