"""The headers refuse compiler flags under which arithmetic is not what it says: `fast_math_test.py
COMPILER ID SOURCE_FOLDER`, where ID is CMake's name of the compiler."""

import subprocess
import sys
import tempfile

REFUSED = ["-ffast-math", "-Ofast", "-ffinite-math-only"]
# g++ says which part of -ffast-math is on, clang does not.
REFUSED_BY_GNU = ["-funsafe-math-optimizations", "-freciprocal-math", "-fno-signed-zeros",
                  "-fassociative-math -fno-signed-zeros -fno-trapping-math"]
ACCEPTED = ["", "-O3 -march=native", "-ffp-contract=off", "-frounding-math"]
HEADERS = ["num/mag.hpp", "num/interval.hpp", "oracle/outward.hpp", "bound/admissible.hpp"]


def compiles(compiler, flags, header, folder):
    """True, or what the compiler said."""
    result = subprocess.run(
        [compiler, "-std=c++20", f"-I{folder}", *flags.split(), "-w", "-fsyntax-only", "-x", "c++", "-"],
        input=f"#include <qkvet/{header}>\n", capture_output=True, text=True, check=False,
        cwd=tempfile.gettempdir())
    return True if result.returncode == 0 else result.stderr


def main(compiler, name, folder):
    wrong = []
    refused = REFUSED + (REFUSED_BY_GNU if name == "GNU" else [])
    for flags in refused + ACCEPTED:
        for header in HEADERS if flags == "-ffast-math" else HEADERS[:1]:
            said = compiles(compiler, flags, header, folder)
            if flags in ACCEPTED and said is not True:
                wrong.append(f"{header} does not compile with '{flags}': {said[:300]}")
            elif flags not in ACCEPTED and (said is True or "judges floating point" not in said):
                wrong.append(f"{header} is not refused with '{flags}'")
    print("\n".join(wrong) or "all refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
