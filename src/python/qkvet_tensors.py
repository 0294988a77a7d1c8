"""The tensors of a call: as they are stored, and as numpy or torch hands them to a candidate.

A file of its own because of bfloat16: numpy has it only with ml_dtypes, and torch shares no such array
with numpy. So masks are put together from the stored bits here, in one way for both.
"""

import sys

import numpy as np

BFLOAT, BOOL = 4, 6  # DLPack's codes, as in kernel.h; all else are floats
INFINITE_BFLOAT = 0xFF80  # the bits of -inf


class Missing(Exception):
    """The interpreter lacks what the case needs: nothing that could be held against a candidate."""


class Stored:
    """An array and the format of its elements; bf16 lies in `array` as bits (uint16)."""

    def __init__(self, array, format):
        self.array, self.format = array, format
        self.shape = array.shape

    def wide(self):
        """The values in binary64, exactly."""
        values = self.array
        if self.format == "bf16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        with np.errstate(invalid="ignore"):  # signalling NaNs
            return values.astype(np.float64)

    def cast(self, format):
        """The same values in another format; None if one of them is no number of it."""
        if format == self.format:
            return self
        values = self.wide()
        with np.errstate(all="ignore"):
            if format == "bf16":  # truncated: what that loses was no number of bf16
                bits = np.ascontiguousarray(values.astype(np.float32)).view(np.uint32) >> 16
                cast = Stored(bits.astype(np.uint16), format)
                nan = np.isnan(values)
                cast.array[nan] |= 0x40  # a NaN whose payload went away with the lower half stays one
            else:
                cast = Stored(values.astype(NUMPY_TYPES[format]), format)
        return cast if np.array_equal(cast.wide(), values, equal_nan=True) else None

    def hidden(self, visible):
        """-inf where not visible (an array of booleans that broadcasts), else as it is."""
        infinite = INFINITE_BFLOAT if self.format == "bf16" else -np.inf
        return Stored(np.where(visible, self.array, self.array.dtype.type(infinite)), self.format)


NUMPY_TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16,
               "bool": np.bool_}


def stored(shape, code, bits, memory, offset, strides):
    """The array at `offset` of `memory`; strides are in elements."""
    format = "bool" if code == BOOL else "bf16" if code == BFLOAT else f"f{bits}"
    steps = [stride * bits // 8 for stride in strides]
    return Stored(np.ndarray(shape, NUMPY_TYPES[format], memory, offset, steps), format)


class Numpy:
    """Candidates that take and return numpy arrays; bf16 by the type of ml_dtypes."""

    kind = np.ndarray

    def __init__(self):
        self.bfloat = None

    def dtype(self, format):
        if format != "bf16":
            return np.dtype(NUMPY_TYPES[format])
        if self.bfloat is None:
            try:
                import ml_dtypes
            except ImportError:
                raise Missing(
                    f"a bf16 case, but {sys.executable} has no ml_dtypes; hint: install it there "
                    "(pip install ml_dtypes), or --tensors torch, or --dtype f32,f64,f16") from None
            self.bfloat = np.dtype(ml_dtypes.bfloat16)
        return self.bfloat

    def hand(self, tensor):
        return tensor.array.view(self.dtype(tensor.format)) if tensor.format == "bf16" else tensor.array

    def integers(self, array):
        return array

    def array(self, value, format):
        return value.view(np.uint16) if format == "bf16" else value


class Torch:
    """Candidates that take and return torch tensors, which share the memory of the call."""

    def __init__(self, torch):
        self.torch, self.kind = torch, torch.Tensor
        self.types = {"f16": torch.float16, "f32": torch.float32, "f64": torch.float64,
                      "bf16": torch.bfloat16, "bool": torch.bool}

    def dtype(self, format):
        return self.types[format]

    def hand(self, tensor):
        if tensor.format != "bf16":
            return self.torch.from_numpy(tensor.array)
        return self.torch.from_numpy(tensor.array.view(np.int16)).view(self.torch.bfloat16)

    def integers(self, array):
        return self.torch.from_numpy(array)

    def array(self, value, format):
        value = value.detach().cpu()
        if format == "bf16":
            return value.view(self.torch.int16).numpy().view(np.uint16)
        return value.numpy()
