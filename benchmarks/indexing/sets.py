"""Sets of features for comparison, from small to large."""

from __future__ import annotations

from indexing.candidates import PLACES
from indexing.features import FEATURES
from indexing.layout import LAYOUT

COUNTS = tuple(f"log:{place}" for place in PLACES)
PROMINENCE = ("has:title", "of-most", "log-rank", "log", "share")
AUTHORS = ("keyword", "defined")
POSITION = ("first", "spread", "log-passages", "sections", "log-surfaces")
UNLABELLED = ("rarity", "prominence", "titularity")
ARTICLE = tuple(name for name in FEATURES if name.startswith("article:"))
TREE = ("record", "depth", "narrower-present", "broader-present")

SETS: dict[str, tuple[str, ...]] = {
    "counts as they are": tuple(f"count:{place}" for place in PLACES),
    "counts as shares": tuple(f"share:{place}" for place in PLACES),
    "counts": COUNTS,
    "counts, prior": (*COUNTS, "prior"),
    "+ prominence": (*COUNTS, "prior", *PROMINENCE),
    "+ unlabelled": (*COUNTS, "prior", *PROMINENCE, *UNLABELLED),
    "+ keywords": (*COUNTS, "prior", *PROMINENCE, *UNLABELLED, *AUTHORS),
    "+ article": (*COUNTS, "prior", *PROMINENCE, *UNLABELLED, *AUTHORS, *ARTICLE),
    "+ position": (*COUNTS, "prior", *PROMINENCE, *UNLABELLED, *AUTHORS, *ARTICLE, *POSITION),
    "+ tree": (*COUNTS, "prior", *PROMINENCE, *UNLABELLED, *AUTHORS, *ARTICLE, *POSITION, *TREE),
    "+ layout": (*COUNTS, "prior", *PROMINENCE, *UNLABELLED, *AUTHORS, *ARTICLE, *POSITION, *TREE, *LAYOUT),
}
"""After the sets of counts, each set contains the previous one."""
