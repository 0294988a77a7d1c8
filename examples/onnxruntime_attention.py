"""ONNX Runtime's `Attention` operator (opset 24) on the CPU, one node a model.

    qkvet check py:examples/onnxruntime_attention.py:attention --like onnx \
        --python build/venv/bin/python

Nothing is worked around: what the operator declines is a refusal, what it answers is judged.
"""

import functools

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as errors

OPSET = 24
REFUSALS = errors.Fail, errors.InvalidArgument, errors.NotImplemented, errors.InvalidGraph
TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.bool_): TensorProto.BOOL,
}


def attention(Q, K, V, attn_mask=None, is_causal=0, scale=None, softcap=0.0):
    """Q [B, H_q, L, d_k], K [B, H_kv, S, d_k], V [B, H_kv, S, d_v] -> [B, H_q, L, d_v]."""
    attributes = {"is_causal": int(is_causal)}
    if scale is not None:
        attributes["scale"] = attribute("scale", scale, Q.dtype)
    if softcap:
        attributes["softcap"] = attribute("softcap", softcap, Q.dtype)
    feeds = {"Q": Q, "K": K, "V": V}
    if attn_mask is not None:
        # The operator pads a mask that is shorter than S with -inf: an extent of 1 would not repeat.
        feeds["attn_mask"] = np.broadcast_to(attn_mask, attn_mask.shape[:-1] + K.shape[2:3])
    types = tuple((name, tensor.dtype) for name, tensor in feeds.items())
    try:
        return session(types, tuple(sorted(attributes.items()))).run(None, feeds)[0]
    except REFUSALS as refusal:
        raise ValueError(str(refusal)) from refusal


def attribute(name, value, dtype):
    """The operator's float attributes are binary32: for double tensors others cannot be said."""
    if dtype == np.float64 and np.float64(np.float32(value)) != value:
        raise ValueError(f"{name} is a binary32 attribute and cannot be {value!r}")
    return float(np.float32(value))


@functools.lru_cache(maxsize=256)
def session(types, attributes):
    """An inference session for one combination of input types and attributes."""
    inputs = [helper.make_tensor_value_info(name, TYPES[dtype], None) for name, dtype in types]
    output = helper.make_tensor_value_info("Y", TYPES[types[0][1]], None)
    node = helper.make_node("Attention", [name for name, _ in types], ["Y"], **dict(attributes))
    graph = helper.make_graph([node], "attention", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
