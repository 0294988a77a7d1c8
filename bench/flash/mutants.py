"""Spoils each trick of flash in turn and asks qkvet: every spoilt kernel must FAIL, the unspoilt ones must hold.

`mutants.py BIN FOLDER [NAME...]`: copies the kernel's sources into FOLDER, changes one place, compiles, and runs
BIN/qkvet check on the result. A place that is not found is an error: the list must follow the sources. Merges need
rows of more than one part, so their kernels have parts of 128 keys. Run by scripts/nightly flash-mutants.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = "src/qkvet/kernels"
SHORT = ("job.hpp", "part_keys = 2048", "part_keys = 128")

# name: is it right?; changes (file, from, to); the properties that are asked; the problems, if it needs rare ones.
MUTANTS = {
    "unspoilt": (True, [], "matches-reference"),
    "short-parts": (True, [SHORT], "matches-reference"),
    "block-left-out-too-soon": (False, [("tile.hpp", "attended == Seen::none", "attended != Seen::all")],
                                "matches-reference"),
    "last-key-of-a-range-left-out": (False, [("tile.hpp", "end = least(last_, (p + 1) * part_keys)",
                                              "end = least(last_ - 1, (p + 1) * part_keys)")], "matches-reference"),
    "block-begins-at-the-range": (False, [("tile.hpp", "j = begin - begin % block_keys", "j = begin")],
                                  "chunked-equals-whole", "S >= 150,window=yes,L >= 8"),
    "diagonal-block-not-masked": (False, [("tile.hpp", "j + keys > common_last_", "j > common_last_")],
                                  "matches-reference"),
    "maximum-without-rescale": (False, [("steps.hpp", "factor[n] = exp2_of<T>(state.maximum[n] - shift)",
                                         "factor[n] = splat(T{1})")], "matches-reference"),
    "rescale-of-values-forgotten": (False, [("product.hpp", "load(to) * factor[n] + sums", "load(to) + sums")],
                                    "matches-reference"),
    "tail-rows-clamped-early": (False, [("product.hpp", "a + (first + r < rows ? first + r : rows - 1) * stride",
                                         "a + (first + r + 1 < rows ? first + r : rows - 2) * stride")],
                                "matches-reference"),
    "merge-without-rescale": (False, [SHORT, ("steps.hpp", "into.sum[n] * old + from.sum[n] * fresh",
                                              "into.sum[n] + from.sum[n]")], "matches-reference"),
    "merge-drops-values": (False, [SHORT, ("steps.hpp", "* old + load(from.values + at) * fresh", "* old")],
                           "matches-reference"),
    "hidden-values-multiplied": (False, [("tile.hpp", "!hides || all_finite(v, keys, d_v)", "true || hides")],
                                 "hidden-nonfinite,masked-inputs-dead"),
    "sink-in-every-part": (False, [SHORT, ("tile.hpp", "if (p > 0 || job_", "if (job_")], "matches-reference"),
}
SHIM = """#include <qkvet/kernels/flash.hpp>
extern "C" const qkvet_candidate* qkvet_candidate_v1() { return &qkvet::kernels::flash(); }
"""


def compile_mutant(name, changes, folder):
    work = folder / name
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(ROOT / KERNELS, work / "qkvet/kernels")
    for file, before, after in changes:
        path = work / "qkvet/kernels/flash" / file
        text = path.read_text()
        if text.count(before) != 1:
            raise SystemExit(f"{name}: '{before}' stands {text.count(before)} times in {file}, not once")
        path.write_text(text.replace(before, after))
    (work / "shim.cpp").write_text(SHIM)
    sources = [work / "shim.cpp", work / "qkvet/kernels/args.cpp", *sorted((work / "qkvet/kernels/flash").glob("*.cpp"))]
    objects = []
    for source in sources:
        flags = {"isa_v3": ["-march=x86-64-v3"], "isa_v4": ["-march=x86-64-v4"]}.get(source.stem, [])
        objects.append(str(work / (source.stem + ".o")))
        subprocess.run(["g++", "-std=c++20", "-O0", "-fPIC", "-w", "-ffp-contract=fast", *flags, f"-I{work}", f"-I{ROOT / 'src'}",
                        "-c", str(source), "-o", objects[-1]], check=True)
    library = folder / f"{name}.so"
    subprocess.run(["g++", "-shared", "-pthread", *objects, "-o", str(library)], check=True)
    return library


def main():
    binaries, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name in sys.argv[3:] or MUTANTS:
        right, changes, properties, *where = MUTANTS[name]
        library = compile_mutant(name, changes, folder)
        run = subprocess.run([str(binaries / "qkvet"), "check", str(library), "--profile", "ci", "--cases", "150",
                              "--dtype", "f32", "--stop-first", "--prop", properties, "--out", str(folder / "out"), *(["--where", *where, "--no-corpus"] if where else [])],
                             capture_output=True, text=True, cwd=folder)
        good = run.returncode == (0 if right else 1)
        failures += not good
        print(f"{name:32} {'holds' if run.returncode == 0 else 'FAIL'} ({run.returncode}): {'as is due' if good else 'WRONG'}", flush=True)
        if not good:
            print(run.stdout[-3000:], run.stderr[-1000:])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
