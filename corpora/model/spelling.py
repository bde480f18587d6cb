"""Moved; removed when nothing imports it."""

from corpora.model.mesh_ids import *  # noqa: F403
