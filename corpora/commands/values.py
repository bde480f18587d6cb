"""Moved; removed when nothing imports it."""

from corpora.commands.options import from_python as from_python
from corpora.commands.options import from_text as from_text
