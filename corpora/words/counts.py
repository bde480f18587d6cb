"""Moved; removed when nothing imports it."""

from corpora.words.english import *  # noqa: F403
