"""Runs one Python candidate for a qkvet supervisor: qkvet_runner.py SOURCE FUNCTION PRESET TENSORS CAPACITY.

The counterpart of src/worker/main.cpp for Python: the same shared memory, descriptors and sequence numbers
(src/qkvet/candidate/protocol.hpp). It runs under the user's interpreter and needs the standard library and
numpy only (for bf16 ml_dtypes or torch). Started by qkvet, never by hand.
"""

import ctypes
import faulthandler
import fcntl
import importlib
import importlib.util
import inspect
import json
import mmap
import os
import re
import resource
import struct
import sys
import traceback

SOCKET, INPUTS, OUTPUTS, LIFE = 3, 4, 5, 6
GUARD = 16 * 4096
SLOTS = ("q", "k", "v", "attend", "bias", "sinks", "slopes", "o", "lse")
INPUT_SLOTS = 7
INPUT_CELLS, OUTPUT_CELLS = 1 + INPUT_SLOTS, 1 + len(SLOTS) - INPUT_SLOTS

# struct Request, then two calls of nine struct TensorPart.
HEADER = struct.Struct("<QIIddiiIIIIqqqq")
PART = struct.Struct("<IIIIq4q4q")
DEFAULT_SCALE = 1
# struct Reply: offsets of its members.
REPLY_SEQUENCE, REPLY_STATUS, REPLY_STARTED = 0, 8, 12
REPLY_MESSAGE, MESSAGE_SIZE = 48, 4096
REPLY_CONTRACT, TEXT_SIZE = REPLY_MESSAGE + 2 * MESSAGE_SIZE, 1 << 18
OK, REFUSED, FAILED, UNUSABLE = range(4)


class Refusal(Exception):
    """The case cannot be said in the preset's signature, or the candidate has no such parameter."""


class Broken(Exception):
    """The candidate returned something that is no result, or wrote an input."""


class Unusable(Exception):
    """The candidate cannot be used at all."""


def cell_offset(index, capacity):
    return GUARD + index * (capacity + GUARD)


class Memory:
    """The two shared memories, guards between their cells, and the views of a call."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.inputs = self.map(INPUTS, INPUT_CELLS, mmap.PROT_READ)
        self.outputs = self.map(OUTPUTS, OUTPUT_CELLS, mmap.PROT_READ | mmap.PROT_WRITE)
        self.request = cell_offset(0, capacity)
        self.reply = cell_offset(0, capacity)

    def map(self, fd, cells, protection):
        memory = mmap.mmap(fd, cell_offset(cells, self.capacity), mmap.MAP_SHARED, protection)
        base = np.frombuffer(memory, np.uint8).ctypes.data
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for cell in range(cells + 1):
            if libc.mprotect(base + cell_offset(cell, self.capacity) - GUARD, GUARD, 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")
        return memory

    def put_text(self, offset, size, text):
        data = text.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0")[: size - 1] + b"\0"
        self.outputs[self.reply + offset : self.reply + offset + len(data)] = data

    def put_int(self, offset, value, code="<I"):
        struct.pack_into(code, self.outputs, self.reply + offset, value)

    def view(self, slot, call):
        """A tensor of a call, read-only for inputs; None if it is absent."""
        at = self.request + HEADER.size + (call * len(SLOTS) + slot) * PART.size
        present, code, bits, ndim, offset, *rest = PART.unpack_from(self.inputs, at)
        if not present:
            return None
        memory = self.inputs if slot < INPUT_SLOTS else self.outputs
        return stored(rest[:ndim], code, bits, memory, offset, rest[4 : 4 + ndim])


class Case:
    """One call as values that a preset can ask for by name."""

    def __init__(self, memory, call, causal_with_mask, said):
        """`said` has the values that the signature can say."""
        header = HEADER.unpack_from(memory.inputs, memory.request)
        (self.sequence, self.calls, flags, scale, softcap, _, _, has_mask, causal, diagonal_kind,
         key_range, window_left, window_right, batch, ranges) = header
        self.tensors = {name: memory.view(slot, call) for slot, name in enumerate(SLOTS)}
        self.q, self.k = self.tensors["q"], self.tensors["k"]
        windowed = has_mask and (window_left >= 0 or window_right >= 0)
        self.window = (window_left, window_right) if windowed else None
        if windowed and "window" not in said:
            raise Refusal("the signature has no window")
        offsets, starts, ends = (np.frombuffer(memory.inputs, np.int64, 3 * batch, ranges)
                                 .reshape(3, batch) if has_mask else np.zeros((3, 0), np.int64))
        self.ranges = np.stack([starts, ends], axis=1) if has_mask and key_range else None
        if self.ranges is not None and "ranges" not in said:
            raise Refusal("the signature has no key ranges")
        self.causal = bool(has_mask and causal)
        measured = self.causal or windowed or self.tensors["slopes"] is not None
        self.offsets = offsets if measured and has_mask else None
        if self.offsets is not None and self.offsets.any() and "offsets" not in said:
            raise Refusal("the signature has only a diagonal at the top left")
        self.mask = self.combined_mask() if "mask" in said else None
        if self.causal and self.mask is not None and causal_with_mask == "merge":
            self.mask, self.causal = self.merged(self.mask), False
        self.scale = None if flags & DEFAULT_SCALE else scale
        self.softcap = softcap
        self.grouped = self.q.shape[1] != self.k.shape[1]

    def combined_mask(self):
        """The boolean mask (True = attend), or the bias with -inf where the boolean mask hides."""
        attend, bias = self.tensors["attend"], self.tensors["bias"]
        if bias is None:
            return attend
        cast = bias.cast(self.q.format)
        if cast is None:
            # No limit of a contract speaks of it: known by its first words (observation.hpp).
            raise Refusal(f"the signature cannot say: a mask in {bias.format} with values that "
                          f"{self.q.format} has not")
        return cast if attend is None else cast.hidden(attend.array)

    def merged(self, mask):
        """`mask` with a causal mask (diagonal at the top left) folded in."""
        visible = np.tri(self.q.shape[2], self.k.shape[2], dtype=bool)
        if mask.format == "bool":
            return Stored(mask.array & visible, "bool")
        return mask.hidden(visible)

    def value(self, name):
        """The value of an argument; None where there is nothing to say."""
        if name in self.tensors and name != "lse":
            return self.tensors[name]
        if name in ("mask", "scale", "window", "ranges", "offsets"):
            return getattr(self, name)
        flag = {"softcap": self.softcap, "causal": self.causal, "grouped": self.grouped,
                "lse": self.tensors["lse"] is not None}[name]
        return flag or None


class Runner:
    def __init__(self, memory, source, function, preset, tensors):
        self.memory = memory
        self.arguments = preset["arguments"]
        self.said = {argument["value"] for argument in self.arguments}
        self.causal_with_mask = preset.get("causal_with_mask", "pass")
        self.refusals = [re.compile(pattern) for pattern in preset.get("refusals", [])]
        self.library = Torch(import_torch()) if tensors == "torch" else Numpy()
        self.module = load_module(source)
        self.function = find_function(self.module, source, function)
        self.accepted = self.check_signature(function)

    def contract(self):
        own = getattr(self.function, "qkvet_contract", None)
        return own if own is not None else getattr(self.module, "qkvet_contract", "")

    def check_signature(self, name):
        """The accepted argument names; None if they cannot be known (or all are)."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):
            return None
        required = [a["name"] for a in self.arguments if a.get("positional")]
        try:
            signature.bind(*required)
        except TypeError as error:
            raise Unusable(
                f"{name}{signature} cannot be called with the {len(required)} arguments "
                f"{', '.join(required)}: {error}; hint: --like names the preset that fits") from None
        parameters = signature.parameters.values()
        if any(p.kind == p.VAR_KEYWORD for p in parameters):
            return None
        return {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}

    def call(self, case):
        positional, named = [], {}
        for argument in self.arguments:
            value = case.value(argument["value"])
            if value is None and not argument.get("positional"):
                continue
            if argument.get("as") == "int":
                value = int(value)
            if isinstance(value, Stored):
                value = self.library.hand(value)
            elif isinstance(value, np.ndarray):
                value = self.library.integers(value)
            if argument.get("positional"):
                positional.append(value)
            elif self.accepted is not None and argument["name"] not in self.accepted:
                raise Refusal(f"the function has no parameter '{argument['name']}'")
            else:
                named[argument["name"]] = value
        return self.function(*positional, **named)

    def store(self, result, case):
        """Copies a result into the output memory, if it is exactly what is due."""
        lse = None
        if isinstance(result, tuple):
            if len(result) != 2:
                raise Broken(f"returned a tuple of {len(result)}, expected o or (o, lse)")
            result, lse = result
        self.store_one("o", result, case.tensors["o"])
        if case.tensors["lse"] is None:
            return
        if lse is None:
            raise Broken("returned no lse")
        self.store_one("lse", lse, case.tensors["lse"])

    def store_one(self, name, value, place):
        kind = self.library.kind
        if type(value) is not kind:
            raise Broken(f"returned {name} as {type(value).__module__}.{type(value).__qualname__}, "
                         f"expected {kind.__module__}.{kind.__qualname__}")
        due = self.library.dtype(place.format)
        if value.dtype != due:
            field = "out" if name == "o" else "lse_out"
            raise Broken(f"returned {name} as {value.dtype}, expected {due}; hint: the field {field} of "
                         "the contract names the format")
        value = self.library.array(value, place.format)
        if value.shape != place.shape:
            raise Broken(f"returned {name} with shape {value.shape}, expected {place.shape}")
        np.copyto(place.array, value)

    def is_refusal(self, error):
        if isinstance(error, (NotImplementedError, ValueError, TypeError)):
            return True
        return any(pattern.search(str(error)) for pattern in self.refusals)

    def serve_one(self):
        """Both calls of a request: (status, message)."""
        calls = 1
        call = 0
        while call < calls:
            self.memory.put_int(REPLY_STARTED, call + 1)
            try:
                case = Case(self.memory, call, self.causal_with_mask, self.said)
                calls = case.calls
                result = self.call(case)
            except Refusal as error:
                return REFUSED, str(error)
            except Missing as error:
                return UNUSABLE, str(error)
            except Exception as error:  # exits and interrupts end the process: that is what they say
                message = f"{type(error).__name__}: {error}"
                if "read-only" in str(error) and isinstance(error, (ValueError, RuntimeError)):
                    return FAILED, f"tried to write an input: {message}{where(error)}"
                if self.is_refusal(error):
                    return REFUSED, message
                return FAILED, message + where(error)
            try:
                self.store(result, case)
            except Broken as error:
                return FAILED, str(error)
            except Missing as error:  # the contract wants an output that the library has not
                return UNUSABLE, str(error)
            call += 1
        return OK, ""

    def serve(self):
        while True:
            if len(os.read(SOCKET, 8)) != 8:
                os._exit(0)  # the supervisor is gone
            status, message = self.serve_one()
            sequence = struct.unpack_from("<Q", self.memory.inputs, self.memory.request)[0]
            self.memory.put_text(REPLY_MESSAGE, MESSAGE_SIZE, message)
            self.memory.put_int(REPLY_STATUS, status)
            self.memory.put_int(REPLY_SEQUENCE, sequence, "<Q")
            os.write(SOCKET, struct.pack("<Q", sequence))


def where(error):
    """The innermost line of the candidate's own code, for a message."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    return f" (at {frames[-1].filename}:{frames[-1].lineno})" if frames else ""


def import_torch():
    try:
        import torch
    except ImportError as error:
        raise Unusable(f"--tensors torch: {error}; hint: --python names the interpreter") from None
    import warnings
    warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
    return torch


def load_module(source):
    try:
        if not (source.endswith(".py") or "/" in source):
            sys.path.insert(0, os.getcwd())
            return importlib.import_module(source)
        sys.path.insert(0, os.path.dirname(os.path.abspath(source)))
        name = os.path.splitext(os.path.basename(source))[0]
        spec = importlib.util.spec_from_file_location(name, source)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    except Exception as error:
        at = where(error)
        hint = "; hint: --python names the interpreter" if isinstance(error, ImportError) else ""
        raise Unusable(f"import error: {type(error).__name__}: {error}{at}{hint}") from None


def find_function(module, source, name):
    function = module
    for part in name.split("."):
        if not hasattr(function, part):
            known = [n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))]
            raise Unusable(f"{source} has no '{name}'; it has: {', '.join(known) or 'nothing callable'}")
        function = getattr(function, part)
    if not callable(function):
        raise Unusable(f"'{name}' of {source} is not callable: it is a {type(function).__name__}")
    return function


def main():
    source, function, preset_file, tensors, capacity = sys.argv[1:]
    faulthandler.enable()  # a crash prints the Python lines that led to it
    sys.dont_write_bytecode = True
    sys.path.pop(0)  # this script's folder is no place for the candidate's imports
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    fcntl.fcntl(LIFE, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(LIFE, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)  # SIGIO ends us with the supervisor
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)
    memory = Memory(int(capacity))
    status = OK
    try:
        with open(preset_file, encoding="utf-8") as file:
            runner = Runner(memory, source, function, json.load(file), tensors)
        memory.put_text(REPLY_CONTRACT, TEXT_SIZE, runner.contract())
    except Unusable as error:
        status = UNUSABLE
        memory.put_text(REPLY_MESSAGE, MESSAGE_SIZE, str(error))
    memory.put_int(REPLY_STATUS, status)
    os.write(SOCKET, struct.pack("<Q", 0))
    if status == OK:
        runner.serve()


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit("qkvet_runner.py is started by qkvet, not by hand")
    try:
        import numpy as np
    except ImportError as missing:
        sys.exit(f"{sys.executable} has no numpy ({missing}); hint: --python names the interpreter")
    from qkvet_tensors import Missing, Numpy, Stored, Torch, stored
    main()
