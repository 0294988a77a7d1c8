"""Asks a candidate for one call in a format, and prints how it declines as JSON.

    PYTHON third_party_ask.py FILE FUNCTION FORMAT PRESET

{"refused": true, "words": "ValueError: ..."} is a clean refusal, as `check` takes it; false stands
with the words of any other exception, or with none where it answers.
"""

import importlib.util
import json
import pathlib
import re
import sys

import ml_dtypes
import numpy as np

FORMATS = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16}


def main(file, function, name, preset):
    path = pathlib.Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    refusals = json.loads(pathlib.Path(preset).read_text(encoding="ascii"))["refusals"]
    query = np.zeros((1, 2, 4, 16), FORMATS[name])
    answer = {"refused": False, "words": ""}
    try:
        getattr(module, function)(query, query, query)
    except Exception as error:  # noqa: BLE001  (whatever a library throws is what is asked for)
        clean = isinstance(error, (NotImplementedError, ValueError, TypeError))
        answer["refused"] = clean or any(re.search(words, str(error)) for words in refusals)
        answer["words"] = f"{type(error).__name__}: {error}"
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
