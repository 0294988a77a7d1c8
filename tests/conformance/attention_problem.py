"""The operator's inputs and attributes as one Problem of ours, with its `qk1:` text."""

import dataclasses

import numpy as np

FORMATS = {np.dtype(np.float16): "f16", np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}
ATTRIBUTES = {"is_causal", "kv_num_heads", "left_window_size", "q_num_heads",
              "qk_matmul_output_mode", "right_window_size", "scale", "softcap",
              "softmax_precision"}


@dataclasses.dataclass(frozen=True)
class Problem:
    """q [B,H_q,L,d_k], k [B,H_kv,S,d_k], v [B,H_kv,S,d_v]; the rest is None or 0 where absent."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    causal: bool = False
    offsets: tuple = (0,)  # of the diagonal: one number, or one per batch entry
    window: tuple = (None, None)  # left, right; None = no limit
    ends: tuple | None = None  # keys of batch entry b: 0 <= j < ends[b]
    attend: np.ndarray | None = None  # [B|1,H_q|1,L|1,S], True = attend
    bias: np.ndarray | None = None
    scale: float | None = None
    softcap: float = 0.0

    def unmasked(self):
        """The same scores with nothing added and nothing hidden."""
        return dataclasses.replace(self, causal=False, window=(None, None), ends=None, attend=None,
                                   bias=None)

    def with_identity_values(self):
        """V = I, so that the output is the weights [B,H_q,L,S]."""
        B, H_kv, S, _ = self.k.shape
        identity = np.broadcast_to(np.eye(S, dtype=self.v.dtype), (B, H_kv, S, S))
        return dataclasses.replace(self, v=identity)

    def text(self):
        B, H_q, L, d_k = self.q.shape
        _, H_kv, S, d_v = self.v.shape
        parts = [f"qk1:b{B}.hq{H_q}.hk{H_kv}.l{L}.s{S}.dk{d_k}.dv{d_v}", FORMATS[self.q.dtype]]
        parts += [f"{name}:{values(getattr(self, name))}" for name in ("q", "k", "v")]
        if self.causal or self.window != (None, None):
            name = "causal" if self.causal else "diag"
            parts.append(f"{name}:" + ",".join(map(str, self.offsets)))
        if self.window != (None, None):
            parts.append("window:" + ",".join("*" if n is None else str(n) for n in self.window))
        if self.ends is not None:
            parts.append("range:" + ",".join(f"0-{end}" for end in self.ends))
        if self.attend is not None:
            ones = ",".join("01"[int(bit)] for bit in self.attend.flat)
            parts.append(f"mask:{extents(self.attend)}:{ones}")
        if self.bias is not None:
            form = FORMATS[self.bias.dtype]
            parts.append(f"bias:{form}:{extents(self.bias)}:{values(self.bias)}")
        if self.scale is not None:
            parts.append(f"scale:{number(self.scale)}")
        if self.softcap:
            parts.append(f"cap:{number(self.softcap)}")
        return "/".join(parts)


def bits(array):
    """The encodings of an array as integers, row-major."""
    array = np.ascontiguousarray(array)
    return array.view(f"u{array.itemsize}").ravel().tolist()


def values(array):
    digits = 2 * array.itemsize
    return ",".join(f"bits:0x{word:0{digits}x}" for word in bits(array))


def extents(array):
    return ".".join(map(str, array.shape))


def number(x):
    return float(x).hex().replace("+", "")


def split_heads(tensor, heads):
    """[B,L,H*d] -> [B,H,L,d]; 4-D tensors have their heads already."""
    if tensor.ndim == 4:
        return tensor
    B, L, width = tensor.shape
    return tensor.reshape(B, L, heads, width // heads).transpose(0, 2, 1, 3)


def four_axes(mask, S, fill):
    """A mask of rank 2 to 4, padded with `fill` to S keys; leading axes become 1."""
    missing = S - mask.shape[-1]
    if missing > 0:
        mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=fill)
    return mask.reshape((1,) * (4 - mask.ndim) + mask.shape)


def missing_fields(vector):
    """What a vector says that a Problem has no field for."""
    return sorted(set(vector.attributes) - ATTRIBUTES)


def problem_of(vector):
    """The operator's text (opsets 23 to 25) as a Problem."""
    inputs, attributes = vector.inputs, vector.attributes
    q = split_heads(inputs["Q"], attributes.get("q_num_heads"))
    k = split_heads(inputs["K"], attributes.get("kv_num_heads"))
    v = split_heads(inputs["V"], attributes.get("kv_num_heads"))
    past = 0
    if "past_key" in inputs:  # the cache comes first, and its length moves the diagonal
        past = inputs["past_key"].shape[2]
        k = np.concatenate((inputs["past_key"], k), axis=2)
        v = np.concatenate((inputs["past_value"], v), axis=2)
    S, offsets, ends = k.shape[2], (past,), None
    if "nonpad_kv_seqlen" in inputs:
        ends = tuple(inputs["nonpad_kv_seqlen"].tolist())
        offsets = tuple(end - q.shape[2] for end in ends)
    mask = inputs.get("attn_mask")
    boolean = mask is not None and mask.dtype == np.bool_
    return Problem(
        q, k, v,
        causal=bool(attributes.get("is_causal")),
        offsets=offsets,
        window=tuple(limit(attributes.get(f"{side}_window_size")) for side in ("left", "right")),
        ends=ends,
        attend=four_axes(mask, S, False) if boolean else None,
        bias=None if mask is None or boolean else four_axes(mask, S, -np.inf),
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap", 0.0),
    )


def limit(window_size):
    """One side of a window; the operator writes no limit as -1."""
    return None if window_size in (None, -1) else window_size
