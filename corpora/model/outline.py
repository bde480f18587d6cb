"""Moved; removed when nothing imports it."""

from corpora.model.sections import *  # noqa: F403
