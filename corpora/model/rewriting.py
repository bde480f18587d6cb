"""Moved; removed when nothing imports it."""

from corpora.model.mention_infons import *  # noqa: F403
from corpora.model.mesh_ids import *  # noqa: F403
