"""The smallest pieces of text that a name may begin or end with."""

from __future__ import annotations

import re

__all__ = ["TOKEN"]

TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
"""A run of letters, a run of digits, or any other single character; blanks are between tokens."""
