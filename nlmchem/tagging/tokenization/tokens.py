"""Tokens: the smallest units of text. Names begin and end at tokens."""

from __future__ import annotations

import re

__all__ = ["TOKEN"]

TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
"""Several letters, several digits, or one other character. Blanks separate tokens."""
