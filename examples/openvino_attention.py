"""OpenVINO's `ScaledDotProductAttention` operation (opset 13) on the CPU, one operation a model.

    qkvet check py:examples/openvino_attention.py:attention --like openvino --python PYTHON
"""

import functools

import numpy as np
import openvino
from openvino import opset13

CORE = openvino.Core()
TYPES = {"float64": openvino.Type.f64, "float32": openvino.Type.f32, "float16": openvino.Type.f16,
         "bfloat16": openvino.Type.bf16, "bool": openvino.Type.boolean}


def attention(query, key, value, attention_mask=None, causal=False, scale=None):
    """query [B,H,L,d_k], key [B,H,S,d_k], value [B,H,S,d_v] -> [B,H,L,d_v].

    Values of one column have a model of their own, since they spoil it for others: see below.
    """
    one_column = value.shape[3] == 1
    return run(query, key, value, attention_mask, causal, scale, one_column)


def one_column_first(query, key, value, attention_mask=None, causal=False, scale=None):
    """The same by one model for all, which is new and sees one column of the values first."""
    compiled.cache_clear()
    run(query, key, value[..., :1], attention_mask, causal, scale, False)
    return run(query, key, value, attention_mask, causal, scale, False)


def run(query, key, value, attention_mask, causal, scale, one_column):
    if scale is not None:
        wanted, scale = scale, np.array([scale], query.dtype)  # of the type of the query
        if query.dtype.itemsize < 4 and float(scale[0]) != wanted:
            raise ValueError(f"the scale is of type {query.dtype} and cannot be {wanted!r}")
    inputs = [query, key, value, attention_mask, scale]
    request = compiled(tuple(tensor is not None and (tensor.dtype.name, tensor.ndim)
                             for tensor in inputs), bool(causal), one_column)
    request.infer([handed(tensor) for tensor in inputs if tensor is not None])
    return request.get_output_tensor().data.view(query.dtype).copy()


def handed(tensor):
    """numpy's own types have no bfloat16: OpenVINO is told what the bits are."""
    bits = np.ascontiguousarray(tensor)
    if tensor.dtype.name != "bfloat16":
        return openvino.Tensor(bits)
    return openvino.Tensor(bits.view(np.uint16), tensor.shape, openvino.Type.bf16)


@functools.lru_cache(maxsize=64)
def compiled(types, causal, _one_column):
    """A request for one combination of input types. Extents stay open."""
    inputs = [given and opset13.parameter([-1] * given[1], TYPES[given[0]]) for given in types]
    parameters = [parameter for parameter in inputs if parameter]
    query, key, value, mask, scale = inputs
    if scale and not mask:
        mask = opset13.constant(0, TYPES[types[0][0]])  # the operation's way to say: no mask
    node = opset13.scaled_dot_product_attention(query, key, value, mask or None, scale or None,
                                                causal=causal)
    model = openvino.Model([node], parameters)
    # Left alone, processors with bfloat16 units compute f32 models in bfloat16.
    options = {"INFERENCE_PRECISION_HINT": TYPES[types[0][0]], "INFERENCE_NUM_THREADS": 1}
    return CORE.compile_model(model, "CPU", options).create_infer_request()
