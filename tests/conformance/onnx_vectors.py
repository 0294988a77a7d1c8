"""Reads the node vectors of the ONNX project's `Attention` operator with the onnx package.

A folder of vectors holds, for each, model.onnx (one node) and test_data_set_0/{input,output}_N.pb.
Tensors are matched by name: omitted optional inputs are not numbered.
"""

import dataclasses
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(os.environ.get("QKVET_ROOT", pathlib.Path(__file__).resolve().parents[2]))
INPUTS = "Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen"
OUTPUTS = "Y", "present_key", "present_value", "qk_matmul_output"


@dataclasses.dataclass(frozen=True)
class Vector:
    """One stored case: attributes by name, tensors by the operator's names for them."""

    name: str
    opset: int
    attributes: dict
    inputs: dict
    outputs: dict  # empty where nothing has computed them yet

    @property
    def dtype(self):
        return self.inputs["Q"].dtype


def folder():
    """Where the vectors lie; it may be absent."""
    return pathlib.Path(os.environ.get("QKVET_ONNX_VECTORS", ROOT.parent / "shared/onnx-attention"))


def read_all():
    """All vectors of the folder, by name."""
    return [read(path) for path in sorted(folder().glob("test_*"))]


def read(path):
    import onnx  # not at the top: without it the tests are skipped, with a message

    model = onnx.load(path / "model.onnx")
    (node,) = model.graph.node
    assert node.op_type == "Attention", f"{path}: a node {node.op_type}"
    named = {}
    for file in sorted((path / "test_data_set_0").glob("*.pb")):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(file.read_bytes())
        named[tensor.name] = onnx.numpy_helper.to_array(tensor)
    return Vector(
        name=path.name,
        opset=model.opset_import[0].version,
        attributes={a.name: onnx.helper.get_attribute_value(a) for a in node.attribute},
        inputs=by_role(node.input, INPUTS, named),
        outputs=by_role(node.output, OUTPUTS, named),
    )


def by_role(names, roles, tensors):
    """The node's tensors by the operator's own names; an empty name is an omitted one."""
    return {role: tensors[name] for name, role in zip(names, roles) if name}
