"""Moved; removed when nothing imports it."""

from corpora.model.chemical import *  # noqa: F403
