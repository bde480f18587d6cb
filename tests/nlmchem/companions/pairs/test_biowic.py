"""The reader of BioWiC, on our own files in the published format."""

from __future__ import annotations

import json
from pathlib import Path

from corpus_files import put, read

from nlmchem.companions.pairs.pair import GROUPS


def test_biowic_terms_are_at_their_spans(tmp_path: Path) -> None:
    pair = {
        "term1": "zinc", "term2": "Zn", "sentence1": "We saw zinc.", "sentence2": "Zn fell.", "start1": 7, "end1": 11,
        "start2": 0, "end2": 2, "cat": "abbreviations", "label": 1,
    }  # fmt: skip
    folder = put(tmp_path, {"dev.json": json.dumps([pair, {**pair, "start1": 6}])})
    messages: list[str] = []
    [one] = read("biowic", folder, "dev", messages)
    assert (one.group, one.same, one.span1) == ("abbreviations", True, (7, 11))
    assert one.group in GROUPS
    assert "pair 2 was left out" in messages[0]
