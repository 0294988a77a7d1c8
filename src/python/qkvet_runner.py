"""Runs one Python candidate for a supervisor (not yet: see git log)."""
import sys

sys.exit("the Python runner is not there yet")
