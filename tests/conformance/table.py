"""The table of vectors, for the test's output and for docs/conformance.md.

    python tests/conformance/table.py          prints it; docs/conformance.md holds a copy
"""

from collections import Counter

from comparison import compare
from onnx_vectors import folder, read_all

ROWS = (
    ("4-D tensors", lambda v: v.inputs["Q"].ndim == 4),
    ("3-D tensors with q_num_heads, kv_num_heads", lambda v: v.inputs["Q"].ndim == 3),
    ("grouped heads", lambda v: heads(v)[0] != heads(v)[1]),
    ("is_causal", lambda v: v.attributes.get("is_causal")),
    ("scale", lambda v: "scale" in v.attributes),
    ("softcap", lambda v: v.attributes.get("softcap")),
    ("boolean attn_mask", lambda v: mask_kind(v) == "b"),
    ("float attn_mask", lambda v: mask_kind(v) == "f"),
    ("past_key and past_value", lambda v: "past_key" in v.inputs),
    ("nonpad_kv_seqlen", lambda v: "nonpad_kv_seqlen" in v.inputs),
    ("softmax_precision", lambda v: "softmax_precision" in v.attributes),
    ("f32", lambda v: v.dtype.name == "float32"),
    ("f16", lambda v: v.dtype.name == "float16"),
)


def heads(vector):
    if vector.inputs["Q"].ndim == 3:
        return vector.attributes["q_num_heads"], vector.attributes["kv_num_heads"]
    return vector.inputs["Q"].shape[1], vector.inputs["K"].shape[1]


def mask_kind(vector):
    return vector.inputs["attn_mask"].dtype.kind if "attn_mask" in vector.inputs else ""


def markdown(results):
    """How many vectors of each kind there are and hold, and what was compared."""
    lines = ["| vectors with | stored | hold |", "|---|---:|---:|"]
    for name, has in ROWS:
        kind = [r for r in results if has(r.vector)]
        lines.append(f"| {name} | {len(kind)} | {sum(r.holds for r in kind)} |")
    lines.append(f"| **all** | **{len(results)}** | **{sum(r.holds for r in results)}** |")
    lines += ["", "| compared | tensors | agree |", "|---|---:|---:|"]
    lines.append(f"| Y | {len(results)} | {sum(r.output for r in results)} |")
    stored = sum(name.startswith("present") for r in results for name in r.vector.outputs)
    lines.append(f"| present_key, present_value (bits) | {stored} | "
                 f"{sum(r.present for r in results)} |")
    for mode in range(4):
        kind = [r for r in results if r.mode == mode]
        agree = sum(r.scores for r in kind)
        lines.append(f"| qk_matmul_output, mode {mode} | {len(kind)} | {agree} |")
    missing = Counter(field for r in results for field in r.missing)
    lines += ["", "Not expressed: " + (", ".join(f"{field} ({count})" for field, count in
                                                missing.items()) or "nothing.")]
    return "\n".join(lines)


def worst(results):
    """The largest errors, as shares of their bounds."""
    outputs, scores = (max(getattr(r, f"{kind}_share") for r in results)
                       for kind in ("output", "score"))
    return f"worst error / bound: outputs {outputs:.2f}, scores {scores:.2f}"


if __name__ == "__main__":
    if not folder().is_dir():
        raise SystemExit(f"no ONNX vectors: {folder()} is absent; QKVET_ONNX_VECTORS names another")
    compared = compare(read_all())
    print(markdown(compared), worst(compared), sep="\n\n")
