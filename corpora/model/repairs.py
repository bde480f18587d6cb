"""Moved; removed when nothing imports it."""

from corpora.model.mention_infons import *  # noqa: F403
