"""Reads every #include of the tree and fails on an arrow against the order of the layers.

Exists so that the one-way design stays one-way: `layers.py ROOT` checks a tree, and
`layers.py --self-test` checks the checker on planted faults.
"""

import pathlib
import re
import sys
import tempfile

# What each room may include of the others. A room may always include itself.
LIBRARY = ["loops", "num", "problem", "contract", "oracle", "ladder", "candidate", "bound", "check",
           "report", "campaign"]
ALLOWED = {room: set(LIBRARY[:rank]) for rank, room in enumerate(LIBRARY)}
ALLOWED["candidate"] -= {"oracle", "ladder"}
FRONT = set(LIBRARY) | {"properties", "kernels"}
ALLOWED["campaign"] |= {"properties"}
ALLOWED["properties"] = set(LIBRARY[: LIBRARY.index("check") + 1])
ALLOWED["properties/rapidcheck"] = FRONT | {"tests"}
ALLOWED["kernels"] = {"candidate"}
ALLOWED["cli"] = FRONT
ALLOWED["worker"] = {"num", "problem", "contract", "candidate", "kernels"}
ALLOWED["python"] = {"num", "problem", "contract", "candidate"}
ALLOWED["examples"] = {"candidate"}
ALLOWED["fuzz"] = FRONT
ALLOWED["bench"] = FRONT | {"tests/ladder"}  # the price of MPFR is that of the tests' own judge
ALLOWED["tests"] = FRONT | {"fuzz"}

# Headers of others that stay in their rooms: pattern of the include, rooms that may use it.
ROOMS_OF = [
    (re.compile(r"^boost/|^mpfr\.h$|^gmp\.h$"), 
     {"num", "oracle", "tests/num", "tests/oracle", "tests/ladder", "bench"}),
    (re.compile(r"^(arb|arf|mag|acb|flint|fmpz|fmpq|arb_\w+)\.h$|^flint/|^flint-arb/"),
     {"oracle", "tests/oracle", "tests/ladder", "tests/bound", "bench"}),  # tests/bound: Mag against Arb
    (re.compile(r"^rapidcheck"), {"properties/rapidcheck"}),
    (re.compile(r"^gtest/|^gmock/"), {"tests", "properties/rapidcheck"}),
    (re.compile(r"^benchmark/"), {"bench"}),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
FOREIGN_TO_ARB = re.compile(
    r"\b(visible|visible_without_bias|bias_value|diagonal_offset|has_sink|fix)\s*\(")


def room_of(path):
    """The room of a source file, by its path from the root; None for files outside every room."""
    parts = path.parts
    if parts[:2] == ("src", "qkvet"):
        return parts[2] if len(parts) > 3 else None
    if parts[0] == "src":
        return parts[1]
    if parts[:2] == ("properties", "rapidcheck"):
        return "properties/rapidcheck"
    if parts[0] == "tests" and parts[1:2] in (("num",), ("oracle",), ("ladder",), ("bound",)):
        return "tests/" + parts[1]
    return parts[0]


def family(room):
    """tests/oracle may do what tests may do."""
    return room.split("/")[0] if room.startswith("tests/") else room


def target_of(kind, name, path, root):
    """The room of qkvet that an include names, else None."""
    if name.startswith("qkvet/") and name.count("/") >= 2:
        return name.split("/")[1]
    if name.startswith("properties/"):
        return "properties"
    if kind == '"':  # beside the file, or from src/ or the root
        for base in (root / path).parent, root / "src", root:
            if (base / name).is_file():
                return room_of((base / name).resolve().relative_to(root.resolve()))
    return None


def is_private(name):
    """True for headers of the two references, which no installed header may need."""
    return any(pattern.search(name) for pattern, _ in ROOMS_OF[:2])


def check_file(root, path):
    room = room_of(path)
    if room is None:
        return
    if family(room) not in ALLOWED:
        yield f"{path}: the room {room} is not in the list of layers (tests/layers/layers.py)"
        return
    text = COMMENT.sub(" ", (root / path).read_text(encoding="ascii"))
    for kind, name in INCLUDE.findall(text):
        target = target_of(kind, name, path, root)
        if room == "kernels" and name.startswith("qkvet/") and target != "kernels":
            if name != "qkvet/candidate/kernel.h":
                yield f"{path}: kernels include only <qkvet/candidate/kernel.h>, not <{name}>"
        elif target is not None and target != room and family(target) != family(room):
            if target not in ALLOWED[family(room)]:
                yield f"{path}: {room} must not include {target} (<{name}>)"
        for pattern, rooms in ROOMS_OF:
            if pattern.search(name) and not {room, family(room)} & rooms:
                yield f"{path}: <{name}> may be included only in {', '.join(sorted(rooms))}"
        if is_private(name) and path.suffix in {".hpp", ".h"} and path.parts[0] == "src":
            yield f"{path}: headers are installed and must not include <{name}>"
        if room == "oracle" and path.name.startswith("arb") and name.endswith("attention.hpp"):
            yield f"{path}: the Arb oracle must not include the definition"
    if room == "oracle" and path.name.startswith("arb"):
        for call in FOREIGN_TO_ARB.findall(text):
            yield f"{path}: the Arb oracle must read masks by itself, but calls {call}()"


def check_tree(root):
    """Complaints about the tree at root, and the number of files read."""
    complaints, count = [], 0
    for top in ("src", "properties", "tests", "examples", "bench", "fuzz"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in {".hpp", ".ipp", ".cpp", ".h", ".c", ".cc"} and file.is_file():
                path = file.relative_to(root)
                try:
                    complaints += check_file(root, path)
                except UnicodeDecodeError as error:
                    complaints.append(f"{path}: not ASCII ({error})")
                count += 1
    return complaints, count


# Planted faults: path, text, words of the complaint that is due; None = the file is in order.
PLANTED = [
    ("src/qkvet/num/a.hpp", "#include <qkvet/problem/problem.hpp>\n",
     "num must not include problem"),
    ("src/qkvet/problem/a.cpp", "  #  include <qkvet/check/examine.hpp>\n",
     "must not include check"),
    ("src/qkvet/oracle/a.cpp", "#include <qkvet/candidate/kernel.h>\n",
     "must not include candidate"),
    ("src/qkvet/candidate/a.cpp", "#include <qkvet/oracle/oracle.hpp>\n",
     "must not include oracle"),
    ("src/qkvet/bound/a.cpp", '#include "../check/verdict.hpp"\n', "bound must not include check"),
    ("src/qkvet/check/verdict.hpp", "#include <qkvet/bound/admissible.hpp>\n", None),
    ("src/qkvet/report/a.cpp", "#include <qkvet/campaign/campaign.hpp>\n",
     "must not include campaign"),
    ("src/qkvet/check/a.cpp", "#include <properties/registry.hpp>\n",
     "must not include properties"),
    ("src/qkvet/kernels/a.cpp", "#include <qkvet/num/format.hpp>\n", "kernels include only"),
    ("src/qkvet/kernels/b.cpp", "#include <qkvet/candidate/kernel.h>\n", None),
    ("src/qkvet/kernels/c.cpp", "#include <qkvet/candidate/candidate.hpp>\n",
     "kernels include only"),
    ("properties/a.cpp", "#include <qkvet/campaign/campaign.hpp>\n", "must not include campaign"),
    ("properties/b.cpp", "#include <qkvet/check/property.hpp>\n", None),
    ("properties/c.cpp", "#include <rapidcheck.h>\n",
     "may be included only in properties/rapidcheck"),
    ("properties/rapidcheck/a.cpp", "#include <rapidcheck.h>\n", None),
    ("src/qkvet/bound/b.cpp", "#include <boost/multiprecision/mpfr.hpp>\n",
     "may be included only in"),
    ("src/qkvet/oracle/b.cpp", "#include <boost/multiprecision/mpfr.hpp>\n", None),
    ("src/qkvet/num/b.cpp", "#include <arb.h>\n",
     "may be included only in bench, oracle, tests/bound"),
    ("src/qkvet/oracle/b.hpp", "#include <arb.h>\n", "headers are installed"),
    ("src/qkvet/oracle/b.ipp", "#include <arb.h>\n", None),
    ("tests/oracle/a.cpp", "#include <arb.h>\n#include <gtest/gtest.h>\n", None),
    ("tests/check/a.cpp", "#include <arb.h>\n", "may be included only in"),
    ("src/qkvet/oracle/arb.cpp", '#include "attention.hpp"\n', "must not include the definition"),
    ("src/qkvet/oracle/arb_mask.cpp", "bool f() { return visible (p, b, h, i, j); }\n",
     "calls visible()"),
    ("src/qkvet/oracle/arb_row.cpp", "// as visible(...) does\nbool key_visible = arb_visible(1);\n",
     None),
    ("src/qkvet/oracle/arb_bias.cpp", "double x = bias_value(p, 0, 0, 0, 0);\n",
     "calls bias_value()"),
    ("src/qkvet/oracle/arb_diag.cpp", "auto x = qkvet::diagonal_offset(p, 0);\n",
     "calls diagonal_offset()"),
    ("src/qkvet/attic/a.cpp", "int x;\n", "attic is not in the list"),
    ("src/cli/main.cpp", "#include <qkvet/campaign/campaign.hpp>\n#include <CLI/CLI.hpp>\n", None),
]


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text, _ in PLANTED:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="ascii")
        complaints, count = check_tree(root)
        for name, _, due in PLANTED:
            own = [line for line in complaints if line.startswith(name + ":")]
            if due is None and own:
                failures.append(f"false alarm: {own}")
            elif due is not None and not any(due in line for line in own):
                failures.append(f"missed: {name} (due: {due}; got: {own})")
        if count != len(PLANTED):
            failures.append(f"read {count} files of {len(PLANTED)}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        problems, read = self_test(), len(PLANTED)
    else:
        problems, read = check_tree(pathlib.Path(sys.argv[1]))
        if read < 20:
            problems.append(f"only {read} files found: is this the root of the tree?")
    print("\n".join(problems) if problems else f"{read} files in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
