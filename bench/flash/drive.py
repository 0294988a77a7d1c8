"""Flash against its peers on the shapes S1 to S7, one thread: the tables of docs/performance.md.

`drive.py LIBRARY [--passes N] [--shapes S1,S2] [--isa v3] [--page FILE --plot FILE]`: every pass runs flash and then each peer,
so that all see the same minutes; each figure of flash stands between two of the FMA peak. Peers that cannot be
imported are left out. All processes are pinned to one core and processor time is measured, so that other load disturbs
caches and clock only. With --page the text between `<!-- flash -->` and `<!-- /flash -->` is replaced.
"""

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np
import peer

SHAPES = {"S1": ((1, 8, 1024, 1024, 64), False, 2), "S2": ((1, 8, 1024, 1024, 128), False, 1),
          "S3": ((1, 8, 4096, 4096, 128), False, 1), "S4": ((1, 8, 2048, 2048, 128), True, 1),
          "S5": ((2, 32, 1, 4096, 128), False, 1), "S6": ((1, 4, 64, 64, 64), False, 300),
          "S7": ((32, 8, 17, 17, 80), False, 20)}
NAMES = {"eigen": "Eigen, textbook", "numpy": "numpy (OpenBLAS)", "ort-mha": "ONNX Runtime MHA",
         "ort-attention": "ONNX Runtime Attention", "openvino": "OpenVINO", "jax": "JAX"}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
              "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}
BYTES = {"v4": 64, "v3": 32, "plain": 16}


class Peer:
    def __init__(self, name, path):
        self.name, here = name, pathlib.Path(__file__).with_name("peer.py")
        command = [sys.executable, str(here), name] + ([path] if name == "eigen" else [])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD})

    def ask(self, sizes, causal, reps):
        try:
            self.process.stdin.write(json.dumps({"sizes": sizes, "causal": causal, "reps": reps}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"error": "it ended"}


def flops(sizes, causal):
    B, H, L, S, d = sizes
    seen = sum(min(i + 1, S) for i in range(L)) if causal else L * S
    return 4.0 * B * H * d * seen


def median(values):
    return statistics.median(values) if values else float("nan")


def measure_shape(lib, peers, name, options):
    sizes, causal, reps = SHAPES[name]
    q, k, v = peer.tensors(sizes)
    o = np.empty_like(q)
    call = peer.call_of(q, k, v, o, causal)
    isa, width = options.isa.encode(), BYTES[options.isa]
    lib.bench_flash(ctypes.byref(call), isa, 1)
    checksum = float(np.abs(o, dtype=np.float64).sum())
    rows = {"flash": [], "peak": [], "step": [], "read": []}
    times = {p.name: [] for p in peers}
    alive = list(peers)
    for _ in range(options.passes):
        before = lib.bench_fma(width, 0)
        rows["flash"].append(lib.bench_flash(ctypes.byref(call), isa, reps) / reps)
        rows["peak"].append((before + lib.bench_fma(width, 0)) / 2)
        rows["step"].append(lib.bench_fma(width, 1))
        if name == "S5":
            rows["read"].append(lib.bench_read(k.ctypes.data, k.nbytes, 1) + lib.bench_read(v.ctypes.data, v.nbytes, 1))
        for p in list(alive):
            answer = p.ask(sizes, causal, reps)
            wrong = "error" not in answer and abs(answer["sum"] / checksum - 1) > 1e-4
            if wrong or "error" in answer:
                print(f"{name}: {p.name} left out: {answer.get('error', 'other results')}", file=sys.stderr)
                alive.remove(p)
                continue
            times[p.name].append(answer["seconds"])
    print(f"{name}: flash {1e3 * median(rows['flash']):.3f} ms", file=sys.stderr)
    return rows, times, flops(sizes, causal)


def ratios(times, own):
    """Peer over flash, pass by pass: median, least and largest."""
    pairs = [t / f for t, f in zip(times, own)]
    return (median(pairs), min(pairs), max(pairs)) if pairs else None


def features(lib, options):
    """Time of each feature over the time without it, alternated."""
    isa, lines = options.isa.encode(), []

    def alternate(title, base, other, times=1.0):
        found = []
        for _ in range(options.passes):
            a = lib.bench_flash(ctypes.byref(base), isa, 1)
            b = lib.bench_flash(ctypes.byref(other), isa, 1)
            found.append(b / a * times)
        lines.append(f"| {title} | {median(found):.2f} | {min(found):.2f} to {max(found):.2f} |")

    q, k, v = peer.tensors((1, 8, 1024, 1024, 128))
    o = np.empty_like(q)
    rng = np.random.default_rng(2)
    base = peer.call_of(q, k, v, o, False)
    half = (rng.random((1024, 1024)) < 0.5).astype(np.uint8)
    triangle = np.tril(np.ones((1024, 1024), np.uint8))
    bias = rng.standard_normal((1024, 1024), dtype=np.float32)
    slopes = np.linspace(0.1, 1, 8).astype(np.float32)
    alternate("boolean mask, half of the keys at random", base, peer.call_of(q, k, v, o, False, attend=half))
    alternate("boolean mask, lower triangle", base, peer.call_of(q, k, v, o, False, attend=triangle))
    alternate("causal", base, peer.call_of(q, k, v, o, True))
    alternate("additive bias", base, peer.call_of(q, k, v, o, False, bias=bias))
    alternate("ALiBi", base, peer.call_of(q, k, v, o, False, slopes=slopes))
    alternate("softcap", base, peer.call_of(q, k, v, o, False, softcap=30.0))
    for stored, title in ((16, "f16 storage"), (-16, "bf16 storage")):
        low = [x.astype(np.float16) if stored > 0 else (x.view(np.uint32) >> 16).astype(np.uint16) for x in (q, k, v)]
        alternate(title, base, peer.call_of(*low, np.empty_like(low[0]), False, stored=stored))
    wide = peer.tensors((1, 8, 1024, 1024, 128))
    doubles = [x.astype(np.float64) for x in wide]
    alternate("f64", base, peer.call_of(*doubles, np.empty_like(doubles[0]), False, stored=64))
    q, k, v = peer.tensors((1, 2, 4096, 4096, 128))
    o = np.empty_like(q)
    alternate("window of 256 of 4096 keys", peer.call_of(q, k, v, o, False), peer.call_of(q, k, v, o, False, window=255))
    many, k, v = peer.tensors((8, 32, 1, 4096, 128))[0], *peer.tensors((8, 4, 1, 4096, 128))[1:]
    few = np.ascontiguousarray(many[:, :4])
    alternate("decode, 32 query heads on 4 key heads, against 4 on 4", peer.call_of(few, k, v, np.empty_like(few), False),
              peer.call_of(many, k, v, np.empty_like(many), False))
    return lines


def scaling(lib, options):
    isa, lines = options.isa.encode(), []
    for sizes in [(1, 8, n, n, 64) for n in (64, 256, 1024, 4096)] + [(1, 4, 1024, 1024, d) for d in (16, 32, 80, 256, 512)]:
        q, k, v = peer.tensors(sizes)
        call = peer.call_of(q, k, v, np.empty_like(q), False)
        work, found = flops(sizes, False), []
        reps = max(1, int(2e9 / work))
        for _ in range(options.passes):
            peak = lib.bench_fma(BYTES[options.isa], 0)
            found.append(100 * work / (lib.bench_flash(ctypes.byref(call), isa, reps) / reps) / 1e9 / peak)
        lines.append(f"| {sizes[2]} | {sizes[4]} | {median(found):.0f} | {min(found):.0f} to {max(found):.0f} |")
    return lines


def model_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def page(results, peers, extra, options):
    versions = []
    for module in ("numpy", "onnxruntime", "openvino", "jax"):
        try:
            versions.append(f"{module} {__import__('importlib.metadata').metadata.version(module)}")
        except Exception:
            continue
    load = os.getloadavg()
    lines = [f"{datetime.date.today()}, {model_name()} ({os.cpu_count()} CPUs), path {options.isa}, {options.compiler}; {', '.join(versions)}. Load of the machine "
             f"{load[0]:.1f}" + (": it was not quiet, and ratios count, not times." if load[0] > 1.2 else "."),
             f"One thread, processor time, medians of {options.passes} alternated passes; peers: time over that of flash in the same pass (least to largest).", "",
             "| | " + " | ".join(results) + " |", "|---|" + "---:|" * len(results)]
    row = lambda title, cell: lines.append(f"| {title} | " + " | ".join(cell(*results[s]) for s in results) + " |")  # noqa: E731
    row("flash, ms", lambda r, t, f: f"{1e3 * median(r['flash']):.3g}")
    row("% of FMA peak", lambda r, t, f: f"{median([100 * f / x / 1e9 / p for x, p in zip(r['flash'], r['peak'])]):.0f}")
    row("% of the ideal step", lambda r, t, f: f"{median([100 * f / x / 1e9 / p for x, p in zip(r['flash'], r['step'])]):.0f}")
    row("% of a read loop", lambda r, t, f: f"{median([100 * a / x for x, a in zip(r['flash'], r['read'])]):.0f}" if r["read"] else "")
    for p in peers:
        def cell(r, t, f, name=p.name):
            found = ratios(t[name], r["flash"])
            return f"{found[0]:.2f} ({found[1]:.2f} to {found[2]:.2f})" if found else "-"
        row(NAMES[p.name], cell)
    return lines + extra


def plot(results, peers, isa):
    """Bars: peers' time over that of flash (1 = as fast), on a logarithmic axis."""
    import math
    bar, gap, left, high = 13, 22, 60, 220
    colours = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2"]
    y = lambda ratio: high + 30 - high * (math.log2(max(0.5, min(ratio, 32))) + 1) / 6  # noqa: E731
    parts, x = [], left
    for tick in (0.5, 1, 2, 4, 8, 16, 32):
        parts.append(f'<line x1="{left - 5}" x2="WIDTH" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="{"#000" if tick == 1 else "#ddd"}"/>'
                     f'<text x="{left - 10}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
    for shape, (r, t, _) in results.items():
        start = x + gap
        x = start
        for n, p in enumerate(peers):
            found = ratios(t[p.name], r["flash"])
            if found:
                top, base = min(y(found[0]), y(1)), max(y(found[0]), y(1))
                parts.append(f'<rect x="{x}" y="{top:.1f}" width="{bar - 2}" height="{base - top:.1f}" fill="{colours[n]}"/>')
            x += bar
        parts.append(f'<text x="{(start + x) / 2}" y="{high + 48}" text-anchor="middle">{shape}</text>')
    for n, p in enumerate(peers):
        parts.append(f'<rect x="{left + 150 * (n % 4)}" y="{high + 60 + 18 * (n // 4)}" width="10" height="10" fill="{colours[n]}"/>'
                     f'<text x="{left + 15 + 150 * (n % 4)}" y="{high + 69 + 18 * (n // 4)}">{NAMES[p.name]}</text>')
    wide = max(x + gap, left + 620)
    body = "\n".join(parts).replace("WIDTH", str(x + gap))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high + 100}" font-family="sans-serif" font-size="11">\n'
            f'<text x="{left}" y="14">Time over that of flash ({isa}), one thread: above 1 flash is faster</text>\n{body}\n</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--isa", default="", choices=["", *BYTES])
    parser.add_argument("--compiler", default="unknown compiler")
    parser.add_argument("--page")
    parser.add_argument("--plot")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    lib = peer.library(options.library)
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    options.isa = options.isa or ("v4" if "avx512bw" in flags else "v3" if "avx2" in flags else "plain")
    peers = [Peer(name, options.library) for name in peer.PEERS]
    peers = [p for p in peers if "error" not in p.ask((1, 1, 4, 4, 16), False, 1)]
    results = {name: measure_shape(lib, peers, name, options) for name in options.shapes.split(",")}
    extra = ["", f"![Time of peers over that of flash]({pathlib.Path(options.plot).name})" if options.plot else "", "",
             "| S2 unless said, against no mask in f32 | time | least to largest |", "|---|---:|---:|", *features(lib, options), "",
             "| L = S | d | % of FMA peak | least to largest |", "|---:|---:|---:|---:|", *scaling(lib, options)]
    text = "\n".join(page(results, peers, extra, options))
    print(text)
    if options.plot:
        pathlib.Path(options.plot).write_text(plot(results, peers, options.isa))
    if options.page:
        file = pathlib.Path(options.page)
        head, rest = file.read_text().split("<!-- flash -->\n", 1)
        tail = rest.split("<!-- /flash -->", 1)[1]
        file.write_text(f"{head}<!-- flash -->\n{text}\n<!-- /flash -->{tail}")


if __name__ == "__main__":
    main()
