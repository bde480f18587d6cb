"""Moved; removed when nothing imports it."""

from corpora.model import Stage as Stage
