"""Moved; removed when nothing imports it."""

from corpora.model.metadata import *  # noqa: F403
