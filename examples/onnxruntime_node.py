"""Runs one ONNX operator with ONNX Runtime on the CPU: one node a model, one session a signature."""

import functools

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as errors

OPSET = 24
REFUSALS = errors.Fail, errors.InvalidArgument, errors.NotImplemented, errors.InvalidGraph
TYPES = {
    np.dtype(ml_dtypes.bfloat16): TensorProto.BFLOAT16,
    np.dtype(np.float16): TensorProto.FLOAT16,
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.bool_): TensorProto.BOOL,
    np.dtype(np.int32): TensorProto.INT32,
}


def run(operator, inputs, attributes, domain="", outputs=1):
    """The first of `outputs` outputs, of the type of the first input. Absent inputs are None.

    What ONNX Runtime declines is a ValueError with its words: a clean refusal.
    """
    types = tuple((name, tensor.dtype if tensor is not None else None)
                  for name, tensor in inputs.items())
    feeds = {name: tensor for name, tensor in inputs.items() if tensor is not None}
    try:
        return session(operator, domain, types, tuple(sorted(attributes.items())), outputs).run(
            ["Y"], feeds)[0]
    except REFUSALS as refusal:
        raise ValueError(str(refusal)) from refusal


@functools.lru_cache(maxsize=256)
def session(operator, domain, types, attributes, outputs):
    """An inference session for one combination of input types and attributes."""
    inputs = [helper.make_tensor_value_info(name, TYPES[dtype], None)
              for name, dtype in types if dtype is not None]
    output = helper.make_tensor_value_info("Y", TYPES[types[0][1]], None)
    node = helper.make_node(operator, [name if dtype is not None else "" for name, dtype in types],
                            ["Y"] + [f"unused{number}" for number in range(1, outputs)],
                            domain=domain, **dict(attributes))
    graph = helper.make_graph([node], "attention", inputs, [output])
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def joined(tensor):
    """[B, H, length, d] as [B, length, H * d]."""
    return np.ascontiguousarray(np.swapaxes(tensor, 1, 2)).reshape(
        tensor.shape[0], tensor.shape[2], tensor.shape[1] * tensor.shape[3])


def divided(tensor, heads):
    """[B, length, H * d] as [B, H, length, d]."""
    return np.swapaxes(tensor.reshape(*tensor.shape[:2], heads, -1), 1, 2)
