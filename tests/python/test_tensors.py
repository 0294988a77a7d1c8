"""Tensors in f16 and bf16: every encoding, masks across formats, and torch by a stand-in of a few lines."""

import importlib.util
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "src/python"))
import qkvet_tensors as tensors  # noqa: E402

ml_dtypes = pytest.importorskip("ml_dtypes")
TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
EVERY = np.arange(65536, dtype=np.uint16)


def of_bits(bits, format):
    bits = np.asarray(bits, np.uint16)
    return tensors.Stored(bits if format == "bf16" else bits.view(np.float16), format)


def of_values(values, format):
    array = np.asarray(values, TYPES[format])
    return tensors.Stored(array.view(np.uint16) if format == "bf16" else array, format)


def same(a, b):
    """Equal values, signs of zeros included; NaN equals NaN."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a) | np.isnan(a),
                                                                   np.signbit(b) | np.isnan(b))


@pytest.mark.parametrize("format", ["f16", "bf16"])
def test_every_encoding_is_the_value_that_ml_dtypes_gives(format):
    assert same(of_bits(EVERY, format).wide(), EVERY.view(TYPES[format]).astype(np.float64))


@pytest.mark.parametrize("format", ["f16", "bf16"])
@pytest.mark.parametrize("wide", ["f32", "f64"])
def test_every_encoding_survives_the_way_to_a_wider_format_and_back(format, wide):
    there = of_bits(EVERY, format).cast(wide)
    back = there.cast(format)
    numbers = ~np.isnan(there.wide())
    assert same(there.wide(), back.wide())
    assert np.array_equal(back.array.view(np.uint16)[numbers], EVERY[numbers])


@pytest.mark.parametrize("value, format", [
    (65520.0, "f16"), (2049.0, "f16"), (2.0**-25, "f16"), (257.0, "bf16"), (2.0**-134, "bf16"),
    (1 + 2.0**-8, "bf16"), (3.4e38, "bf16"), (1e300, "bf16"), (2.0**-1074, "bf16")])
def test_a_value_that_the_format_has_not_is_not_cast(value, format):
    assert of_values([1.0, value], "f64").cast(format) is None
    assert of_values([1.0, np.inf, -np.inf, np.nan, -0.0], "f64").cast(format) is not None


def test_a_nan_whose_payload_is_in_its_lower_half_stays_a_nan():
    nan = tensors.Stored(np.array([0x7F800001], np.uint32).view(np.float32), "f32")
    assert np.isnan(nan.cast("bf16").wide()).all()


@pytest.mark.parametrize("format", ["f16", "bf16", "f32", "f64"])
def test_hidden_places_are_minus_infinity_and_the_others_keep_their_bits(format):
    bias = of_values([[1.5, -0.0], [np.nan, 3.0]], format)
    seen = bias.hidden(np.array([[True], [False]]))
    assert np.array_equal(seen.array[0].view(np.uint8), bias.array[0].view(np.uint8))
    assert np.isneginf(seen.wide()[1]).all()


@pytest.mark.parametrize("format", ["f16", "bf16"])
def test_numpy_candidates_get_a_view_of_the_memory_itself(format):
    memory = bytearray(64)
    view = tensors.stored([2, 3], 4 if format == "bf16" else 2, 16, memory, 2, [9, 2])
    handed = tensors.Numpy().hand(view)
    assert handed.dtype == TYPES[format] and handed.shape == (2, 3) and handed.strides == (18, 4)
    handed[1, 2] = -1.5
    bits = np.frombuffer(memory, np.uint16)[1 + 9 + 4]
    assert bits == np.array(-1.5, TYPES[format]).view(np.uint16)
    assert same(tensors.Numpy().array(handed, format).view(TYPES[format]), handed)


def test_numpy_without_ml_dtypes_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(tensors.Missing, match="no ml_dtypes; hint: install it there"):
        tensors.Numpy().hand(of_values([1.0], "bf16"))
    tensors.Numpy().hand(of_values([1.0], "f16"))


def fake_torch():
    file = pathlib.Path(__file__).resolve().parent / "fake_torch/torch.py"
    spec = importlib.util.spec_from_file_location("fake_torch", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("format", ["f16", "bf16", "f32", "f64"])
def test_torch_candidates_get_and_return_the_same_bits(format):
    torch = tensors.Torch(fake_torch())
    values = of_values([[1.5, -0.0, np.inf], [2.0**-20, np.nan, -3.0]], format)
    handed = torch.hand(values)
    assert handed.dtype == torch.dtype(format) == np.dtype(TYPES[format])
    assert np.shares_memory(handed.array, values.array)
    assert np.array_equal(torch.array(handed, format).view(np.uint8), values.array.view(np.uint8))
