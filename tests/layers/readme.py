"""The code that the README shows is the code that the tests run: the examples, word for word."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])
readme = (root / "README.md").read_text(encoding="ascii")
shown = {"examples/c/attention.c": "c", "examples/plain_attention.py": "python"}
missing = [name for name, language in shown.items()
           if f"```{language}\n{(root / name).read_text(encoding='ascii')}```\n" not in readme]
print(f"README.md differs from {missing}" if missing else "README.md shows its examples as they are")
sys.exit(1 if missing else 0)
