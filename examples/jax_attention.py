"""JAX's `jax.nn.dot_product_attention` on the CPU, compiled per shape as users do.

    qkvet check py:examples/jax_attention.py:attention --like jax --python PYTHON_WITH_JAX

The preset hands over [B, H, length, d]; JAX wants the heads last but one. Nothing else is changed.
"""

import functools

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def attention(query, key, value, bias=None, mask=None, scale=None, is_causal=False,
              key_value_seq_lengths=None, local_window_size=None, return_residual=False):
    """query [B,H_q,L,d_k], key [B,H_kv,S,d_k], value [B,H_kv,S,d_v] -> o, or (o, lse)."""
    heads_last = [np.swapaxes(tensor, 1, 2) for tensor in (query, key, value)]
    if key_value_seq_lengths is not None:  # pairs of (start, end): JAX counts keys from the first
        if key_value_seq_lengths[:, 0].any():
            raise ValueError("key_value_seq_lengths cannot say where the keys begin")
        key_value_seq_lengths = key_value_seq_lengths[:, 1].astype(np.int32)
    if local_window_size is not None:  # -1 is no limit: JAX has none but a window of all
        local_window_size = tuple(max(query.shape[2], key.shape[2]) if side < 0 else side
                                  for side in local_window_size)
    result = compiled()(*heads_last, bias, mask, key_value_seq_lengths=key_value_seq_lengths,
                        scale=scale, is_causal=bool(is_causal),
                        local_window_size=local_window_size,
                        return_residual=bool(return_residual))
    if return_residual:
        return numpy(result[0]), numpy(result[1])
    return numpy(result)


@functools.cache
def compiled():
    return jax.jit(jax.nn.dot_product_attention, static_argnames=(
        "scale", "is_causal", "local_window_size", "return_residual"))


def numpy(result):
    """[B, length, H, ...] of JAX as [B, H, length, ...] of numpy."""
    return np.swapaxes(np.asarray(result), 1, 2)
