"""Fails while it is imported."""

import a_module_that_nobody_has
