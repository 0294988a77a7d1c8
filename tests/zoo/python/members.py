"""Python candidates with one fault each; the control is `honest`. tests/candidate/python.cpp says what is due."""

import ctypes
import os
import sys

import numpy as np

not_callable = 3


def honest(query, key, value, **_):
    """The mean of V over its keys: attention with q = 0."""
    return np.broadcast_to(value.mean(axis=2, keepdims=True), query.shape[:3] + value.shape[3:]).copy()


def with_lse(query, key, value, **_):
    return honest(query, key, value), np.full(query.shape[:3], 0.25, query.dtype)


def one_parameter(query):
    return query


def no_mask(query, key, value):
    return honest(query, key, value)


def refuses(query, key, value, **_):
    raise NotImplementedError("only d_k = 12345")


def refuses_in_words(query, key, value, **_):
    raise RuntimeError("No available kernel. Aborting execution.")


def raises(query, key, value, **_):
    raise RuntimeError("\x1b[31mout of tiles")


def exits(query, key, value, **_):
    sys.exit(3)


def quick_exit(query, key, value, **_):
    os._exit(0)


def null_pointer(query, key, value, **_):
    ctypes.string_at(0)


def loops(query, key, value, **_):
    while True:
        pass


def wrong_shape(query, key, value, **_):
    return honest(query, key, value)[..., :-1]


def wrong_dtype(query, key, value, **_):
    return honest(query, key, value).astype(np.float64)


def as_list(query, key, value, **_):
    return honest(query, key, value).tolist()


def as_subclass(query, key, value, **_):
    return np.ma.masked_array(honest(query, key, value))


def nothing(query, key, value, **_):
    pass


def triple(query, key, value, **_):
    return (honest(query, key, value),) * 3


def writes_query(query, key, value, **_):
    query *= 0.5
    return honest(query, key, value)


def writes_through(query, key, value, **_):
    """Writes an input past numpy's own protection, as compiled code would."""
    ctypes.memset(query.ctypes.data, 0, 4)
    return honest(query, key, value)


def alternates(query, key, value, calls=[0], **_):
    calls[0] += 1
    return honest(query, key, value) + np.float32(calls[0])


def with_contract(query, key, value, **_):
    return honest(query, key, value)


with_contract.qkvet_contract = "contract = my-own/3\nbase = f32-any/1\n[semantics]\nempty_row = nan\n"


def seen(query, key, value, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
    """Refuses with what it was given, for the tests of the preset."""
    mask = "none" if attn_mask is None else f"{attn_mask.dtype} {attn_mask.tolist()}"
    raise ValueError(f"causal={is_causal} gqa={enable_gqa} scale={scale} mask={mask} "
                     f"strides={query.strides} writable={query.flags.writeable}")
