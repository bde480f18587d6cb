"""Moved; removed when nothing imports it."""

from corpora.model.document import *  # noqa: F403
