"""Moved; removed when nothing imports it."""

from corpora.model.invariant import *  # noqa: F403
