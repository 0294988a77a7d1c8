"""One attention by one library, on request: the process that bench/flash/drive.py alternates with others.

`peer.py NAME [LIBRARY]` reads a JSON line {"sizes": [B, H, L, S, d], "causal": bool, "reps": n} from stdin and
answers {"seconds": processor time of one pass, "sum": the sum of |outputs|}, or {"error": text}. The tensors are
the same in every process: normal numbers of a fixed seed, [B,H,L,d] contiguous, f32.
"""

import ctypes
import json
import math
import sys
import time

import numpy as np


def tensors(sizes):
    B, H, L, S, d = sizes
    rng = np.random.default_rng(1)
    return [rng.standard_normal((B, H, n, d), dtype=np.float32) for n in (L, S, S)]


class Call(ctypes.Structure):
    _fields_ = ([(n, ctypes.c_int64) for n in ("B", "H_q", "H_kv", "L", "S", "d")]
                + [(n, ctypes.c_int32) for n in ("causal", "threads", "window", "stored")]
                + [(n, ctypes.c_void_p) for n in ("q", "k", "v", "attend", "bias")]
                + [("softcap", ctypes.c_double), ("slopes", ctypes.c_void_p), ("o", ctypes.c_void_p)])


def library(path):
    lib = ctypes.CDLL(path)
    for name, arguments in (("bench_flash", [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]),
                            ("bench_eigen", [ctypes.c_void_p, ctypes.c_int64]),
                            ("bench_fma", [ctypes.c_int32, ctypes.c_int32]),
                            ("bench_read", [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64])):
        function = getattr(lib, name)
        function.argtypes, function.restype = arguments, ctypes.c_double
    return lib


def call_of(q, k, v, o, causal, threads=1, window=0, stored=32, attend=None, bias=None, softcap=0.0,
            slopes=None):
    address = lambda x: None if x is None else x.ctypes.data  # noqa: E731
    B, H, L, d = q.shape
    call = Call(B, H, k.shape[1], L, k.shape[2], d, int(causal), threads, window, stored, address(q),
                address(k), address(v), address(attend), address(bias), softcap, address(slopes), address(o))
    call.kept = (q, k, v, o, attend, bias, slopes)  # the structure has addresses only
    return call


def eigen(path):
    lib = library(path)

    def prepare(q, k, v, causal):
        o = np.empty_like(q)
        call = call_of(q, k, v, o, causal)
        return lambda reps: lib.bench_eigen(ctypes.byref(call), reps), lambda: o
    return prepare


def repeated(function):
    """Processor time of this process, all its threads."""
    def run(reps):
        start = time.process_time()
        for _ in range(reps):
            function()
        return time.process_time() - start
    return run


def numpy_attention(_):
    def prepare(q, k, v, causal):
        result = [None]
        scale = np.float32(1 / math.sqrt(q.shape[3]))
        hidden = np.triu(np.full((q.shape[2], k.shape[2]), -np.inf, np.float32), 1) if causal else None

        def once():
            s = (q * scale) @ k.swapaxes(2, 3)
            if causal:
                s += hidden
            s -= s.max(axis=3, keepdims=True)
            np.exp(s, out=s)
            s /= s.sum(axis=3, keepdims=True)
            result[0] = s @ v
        return repeated(once), lambda: result[0]
    return prepare


def onnx_session(node, inputs, output, domain):
    import onnx
    import onnxruntime
    from onnx import helper
    info = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)  # noqa: E731
    graph = helper.make_graph([node], "g", [info(n) for n in inputs], [info(output)])
    versions = [helper.make_opsetid("", 23)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    model = helper.make_model(graph, opset_imports=versions, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def ort(packed):
    """Attention of ai.onnx ([B,H,L,d]) or MultiHeadAttention of com.microsoft ([B,L,H d], made outside the clock)."""
    def prepare(q, k, v, causal):
        from onnx import helper
        if packed:
            node = helper.make_node("MultiHeadAttention", ["q", "k", "v"], ["o"], domain="com.microsoft",
                                    num_heads=q.shape[1], unidirectional=int(causal))
        else:
            node = helper.make_node("Attention", ["q", "k", "v"], ["o"], is_causal=int(causal))
        session = onnx_session(node, "qkv", "o", "com.microsoft" if packed else None)
        pack = lambda x: np.ascontiguousarray(x.swapaxes(1, 2)).reshape(  # noqa: E731
            x.shape[0], x.shape[2], -1) if packed else x
        feed = {n: pack(x) for n, x in zip("qkv", (q, k, v))}
        binding = session.io_binding()
        for name, x in feed.items():
            binding.bind_cpu_input(name, x)
        binding.bind_output("o")
        return (repeated(lambda: session.run_with_iobinding(binding)),
                lambda: binding.copy_outputs_to_cpu()[0])
    return lambda _: prepare


def openvino(_):
    import openvino
    from openvino import opset13

    def prepare(q, k, v, causal):
        parameters = [opset13.parameter(list(x.shape), np.float32) for x in (q, k, v)]
        node = opset13.scaled_dot_product_attention(*parameters, causal=causal)
        settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        request = openvino.Core().compile_model(openvino.Model([node], parameters), "CPU",
                                                settings).create_infer_request()
        for n, x in enumerate((q, k, v)):
            request.set_input_tensor(n, openvino.Tensor(x, shared_memory=True))
        return repeated(request.infer), lambda: request.get_output_tensor(0).data
    return prepare


def jax_attention(_):
    import jax

    def prepare(q, k, v, causal):
        arrays = [jax.numpy.asarray(np.ascontiguousarray(x.swapaxes(1, 2))) for x in (q, k, v)]
        function = jax.jit(lambda a, b, c: jax.nn.dot_product_attention(a, b, c, is_causal=causal))
        result = [None]

        def once():
            result[0] = function(*arrays).block_until_ready()
        return repeated(once), lambda: np.asarray(result[0])
    return prepare


PEERS = {"eigen": eigen, "numpy": numpy_attention, "ort-mha": ort(True), "ort-attention": ort(False),
         "openvino": openvino, "jax": jax_attention}


def main():
    ready, prepare = {}, None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            prepare = prepare or PEERS[sys.argv[1]](*sys.argv[2:] or [None])
            key = json.dumps([request["sizes"], request["causal"]])
            if key not in ready:
                ready.clear()  # one problem at a time: memory
                kept = tensors(request["sizes"])  # some libraries keep addresses only
                ready[key] = (*prepare(*kept, request["causal"]), kept)
                ready[key][0](1)
            run, result, _ = ready[key]
            seconds = run(request["reps"]) / request["reps"]
            answer = {"seconds": seconds, "sum": float(np.abs(result(), dtype=np.float64).sum())}
        except Exception as error:  # a peer that cannot do it is a gap in the table, not an end
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
