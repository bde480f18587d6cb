"""Tests of what the packed lexicon has since MeSH 2026; skipped with a lexicon that was packed before."""

from __future__ import annotations

import pytest

from sieves.lexicon.shipped import read_card

__all__ = ["needs_2026"]

needs_2026 = pytest.mark.skipif(
    read_card().year < "2026",
    reason="the default lexicon is packed without MeSH 2026; run benchmarks/retrain/lexicon.py",
)
