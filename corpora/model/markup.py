"""Moved; removed when nothing imports it."""

from corpora.words.folding import *  # noqa: F403
