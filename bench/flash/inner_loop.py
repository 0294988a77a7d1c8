"""Guard without a clock: the products of flash keep their sums in registers.

`inner_loop.py OBJECT...`: in the objects isa_*.o, every loop of key_product and value_product that multiplies and adds must
touch no vector on the stack (g++ 12 once kept sums there when the loop was inlined into a larger function).
"""

import re
import subprocess
import sys

FUSED = re.compile(r"\bvfn?m(add|sub)\d+[ps]s|\bv?mulp[sd]\b")
STACK = re.compile(r"\(%rsp[,)].*%[xyz]mm|%[xyz]mm\d+,.*\(%rsp[,)]")


def functions(path):
    """(name, [(address, text)]) of each function of an object."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    for block in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = block.partition("\n")
        name = head.partition("<")[2].rstrip(">:")
        lines = [re.match(r"\s*([0-9a-f]+):\s+(.*)", line) for line in body.splitlines()]
        yield name, [(int(m[1], 16), m[2]) for m in lines if m]


def loops(code):
    """The innermost loops: from the target of a jump back to the jump, with no other such jump between."""
    found = []
    for address, text in code:
        jump = re.match(r"j\w+\s+([0-9a-f]+)", text)
        if jump and int(jump[1], 16) <= address:
            found.append((int(jump[1], 16), address))
    for start, end in found:
        if not any(start <= s and e <= end and (s, e) != (start, end) for s, e in found):
            yield [(a, t) for a, t in code if start <= a <= end]


def main():
    seen, faults = 0, []
    for path in sys.argv[1:]:
        if not re.search(r"isa_\w+\.cpp\.o$", path):
            continue
        for name, code in functions(path):
            if not re.search(r"(key|value)_product<", name):
                continue
            for loop in loops(code):
                if sum(bool(FUSED.search(t)) for _, t in loop) < 8:
                    continue
                seen += 1
                faults += [f"{path}: {name}: {t}" for _, t in loop if STACK.search(t)]
    print("\n".join(faults[:20]) or f"{seen} loops keep their sums in registers")
    if seen < 6:
        print("too few loops found: does this script still know the code?")
    return 1 if faults or seen < 6 else 0


if __name__ == "__main__":
    sys.exit(main())
