"""A stand-in for torch: what qkvet's runner asks of it, over numpy, with torch's refusals.

The real one is 5.5 GB, so no test may need it. bf16 is the type of ml_dtypes here, as torch has its own.
"""

import ml_dtypes
import numpy as np

bfloat16, int16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.int16)
float16, float32, float64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
bool = np.dtype(np.bool_)  # noqa: A001


class Tensor:
    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def view(self, dtype):
        return Tensor(self.array.view(dtype))

    def detach(self):
        return self

    def cpu(self):
        return self

    def to(self, dtype):
        return Tensor(self.array.astype(dtype))

    def numpy(self):
        if self.dtype == bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.array


def from_numpy(array):
    if array.dtype in (np.uint16, bfloat16):
        raise TypeError(f"can't convert np.ndarray of type {array.dtype}")  # as older torch says
    return Tensor(array)
