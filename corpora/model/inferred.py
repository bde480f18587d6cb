"""Moved; removed when nothing imports it."""

from corpora.model.short_forms import *  # noqa: F403
