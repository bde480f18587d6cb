"""Moved; removed when nothing imports it."""

from corpora.words.licences import *  # noqa: F403
