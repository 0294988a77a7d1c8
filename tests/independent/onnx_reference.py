"""The evaluator of the ONNX project (onnx.reference) behind the onnx preset's signature.

One workaround: a mask is broadcast over the queries before the call, because the evaluator of onnx
1.23.2 mistakes a query extent of 1 together with is_causal (docs/trophies.md). `as_it_is` is the
evaluator without it.
"""

import functools

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

OPSET = 24
TYPES = {
    np.dtype(np.float16): TensorProto.FLOAT16,
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.bool_): TensorProto.BOOL,
}


def attention(Q, K, V, attn_mask=None, **options):
    """Q [B,H_q,L,d_k], K [B,H_kv,S,d_k], V [B,H_kv,S,d_v] -> Y [B,H_q,L,d_v]."""
    if attn_mask is not None:
        attn_mask = np.broadcast_to(attn_mask, attn_mask.shape[:-2] + (Q.shape[2], K.shape[2]))
    return as_it_is(Q, K, V, attn_mask, **options)


def as_it_is(Q, K, V, attn_mask=None, is_causal=0, scale=None, softcap=0.0):
    """The same call, the mask handed over as it comes but for the keys."""
    attributes = {"is_causal": int(is_causal)}
    for name, value in (("scale", scale), ("softcap", softcap or None)):
        if value is not None:
            attributes[name] = float(np.float32(value))
    feeds = {"Q": Q, "K": K, "V": V}
    if attn_mask is not None:  # an extent of 1 would be padded with -inf, not repeated
        feeds["attn_mask"] = np.broadcast_to(attn_mask, attn_mask.shape[:-1] + K.shape[2:3])
    types = tuple((name, tensor.dtype) for name, tensor in feeds.items())
    return evaluator(types, tuple(sorted(attributes.items()))).run(None, feeds)[0]


@functools.lru_cache(maxsize=256)
def evaluator(types, attributes):
    """An evaluator for one combination of input types and attributes."""
    inputs = [helper.make_tensor_value_info(name, TYPES[dtype], None) for name, dtype in types]
    output = helper.make_tensor_value_info("Y", TYPES[types[0][1]], None)
    node = helper.make_node("Attention", [name for name, _ in types], ["Y"], **dict(attributes))
    graph = helper.make_graph([node], "attention", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    return ReferenceEvaluator(model)
