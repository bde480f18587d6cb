"""Moved; removed when nothing imports it."""

from corpora.model.passages import *  # noqa: F403
