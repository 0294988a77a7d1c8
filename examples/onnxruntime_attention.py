"""ONNX Runtime's `Attention` operator (opset 24) on the CPU.

    qkvet check py:examples/onnxruntime_attention.py:attention --like onnx \
        --python build/venv/bin/python

Nothing is worked around: what the operator declines is a refusal, what it answers is judged.
"""

import numpy as np

import onnxruntime_node


def attention(Q, K, V, attn_mask=None, is_causal=0, scale=None, softcap=0.0):
    """Q [B, H_q, L, d_k], K [B, H_kv, S, d_k], V [B, H_kv, S, d_v] -> [B, H_q, L, d_v]."""
    attributes = {"is_causal": int(is_causal)}
    if scale is not None:
        attributes["scale"] = attribute("scale", scale, Q.dtype)
    if softcap:
        attributes["softcap"] = attribute("softcap", softcap, Q.dtype)
    inputs = {"Q": Q, "K": K, "V": V}
    if attn_mask is not None:
        # The operator pads a mask that is shorter than S with -inf: an extent of 1 would not repeat.
        inputs["attn_mask"] = np.broadcast_to(attn_mask, attn_mask.shape[:-1] + K.shape[2:3])
    return onnxruntime_node.run("Attention", inputs, attributes)


def attribute(name, value, dtype):
    """The operator's float attributes are binary32: for double tensors others cannot be said."""
    if dtype == np.float64 and np.float64(np.float32(value)) != value:
        raise ValueError(f"{name} is a binary32 attribute and cannot be {value!r}")
    return float(np.float32(value))
