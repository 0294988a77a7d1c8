"""Vectors in the style of the stored ones, drawn at will and computed by onnx.reference.

They reach what the stored ones do not: every qk_matmul_output_mode in every format, masks of every
rank and shorter than the keys, windows (opset 25), a padded cache without is_causal.
"""

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from onnx_vectors import INPUTS, OUTPUTS, Vector

OPSET = 25


def draw(rng, name):
    """The inputs and attributes of one call; scores are moderate, so that no format overflows.

    Left out: a scale for f64 tensors, whose root the evaluator takes in f32 (as the operator's
    function body does: presets/onnx.json), and what onnx 1.23.2 does wrong (docs/trophies.md).
    """
    dtype = rng.choice([np.float32, np.float32, np.float64, np.float16])
    B, H_kv, L, S, d_k, d_v = (int(rng.integers(1, most + 1)) for most in (3, 3, 5, 7, 9, 5))
    H_q = H_kv * int(rng.integers(1, 4))
    normal = lambda *shape: rng.standard_normal(shape).astype(dtype)
    attributes = {"is_causal": int(rng.integers(2)), "qk_matmul_output_mode": int(rng.integers(4))}
    inputs = {"Q": normal(B, H_q, L, d_k), "K": normal(B, H_kv, S, d_k),
              "V": normal(B, H_kv, S, d_v)}
    cache, keys, least = rng.choice(["none", "past", "padded"]), S, 1
    if cache == "past":
        past = int(rng.integers(1, 6))
        inputs |= {"past_key": normal(B, H_kv, past, d_k), "past_value": normal(B, H_kv, past, d_v)}
        keys += past
    if cache == "padded":
        inputs["nonpad_kv_seqlen"] = rng.integers(1, S + 1, size=B)
        least = int(inputs["nonpad_kv_seqlen"].max())
    if rng.random() < 0.3:
        attributes |= {"left_window_size": int(rng.integers(-1, 4)),
                       "right_window_size": int(rng.integers(-1, 4))}
    if rng.random() < 0.7:
        inputs["attn_mask"] = draw_mask(rng, (B, H_q, L, int(rng.integers(least, keys + 1))), dtype,
                                        attributes["is_causal"])
    if rng.random() < 0.3 and dtype != np.float64:
        attributes["scale"] = float(np.float32(rng.uniform(0.05, 1)))
    if rng.random() < 0.4 and attributes["qk_matmul_output_mode"] != 0:
        attributes["softcap"] = float(rng.choice([0.5, 2.0, 30.0]))
    if rng.random() < 0.2:
        wider = onnx.TensorProto.DOUBLE if dtype == np.float64 else onnx.TensorProto.FLOAT
        attributes["softmax_precision"] = wider
    if rng.random() < 0.4:
        attributes |= {"q_num_heads": H_q, "kv_num_heads": H_kv}
        for tensor in ("Q", "K", "V"):
            inputs[tensor] = np.ascontiguousarray(inputs[tensor].swapaxes(1, 2)).reshape(
                B, inputs[tensor].shape[2], -1)
    return Vector(name, OPSET, attributes, inputs, {})


def draw_mask(rng, shape, dtype, is_causal):
    """A mask of rank 2 to 4, its leading extents the call's or 1.

    With is_causal its query extent is never broadcast (docs/trophies.md).
    """
    rank = int(rng.integers(2, 5))
    extents = [extent if rng.random() < 0.6 else 1 for extent in shape]
    extents[3] = shape[3]
    if is_causal:
        extents[2] = shape[2]
    extents = extents[4 - rank:]
    visible = rng.random(extents) < 0.8
    if rng.random() < 0.5:
        return visible
    return np.where(visible, rng.standard_normal(extents), -np.inf).astype(dtype)


def evaluate(vector):
    """The vector with the outputs that onnx.reference gives."""
    with_past = "past_key" in vector.inputs
    names = [name if name in vector.inputs else "" for name in INPUTS]
    while not names[-1]:
        names.pop()
    outputs = [name if with_past or not name.startswith("present") else "" for name in OUTPUTS]
    node = helper.make_node("Attention", names, outputs, **vector.attributes)
    infos = [info(name, tensor.dtype) for name, tensor in vector.inputs.items()]
    results = [info(name, vector.dtype) for name in outputs if name]
    model = helper.make_model(helper.make_graph([node], "attention", infos, results),
                              opset_imports=[helper.make_opsetid("", vector.opset)])
    got = ReferenceEvaluator(model).run(None, vector.inputs)
    stored = dict(zip((name for name in outputs if name), got))
    return Vector(vector.name, vector.opset, vector.attributes, vector.inputs, stored)


def info(name, dtype):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), None)


def some(count, seed):
    rng = np.random.default_rng(seed)
    return [evaluate(draw(rng, f"seed {seed}, call {n}")) for n in range(count)]
