"""Runs pytest on folders or files; exit 77 (skipped) where pytest or numpy is not installed."""

import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(f"skipped: {error} (scripts/test installs it into build/venv)")
    sys.exit(77)

sys.exit(pytest.main([*sys.argv[1:], "-q", "-rs", "-p", "no:cacheprovider"]))
