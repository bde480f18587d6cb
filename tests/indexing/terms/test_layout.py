"""Positions of candidates within title, abstract and sections, counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from math import log, log1p

import pytest
from bioc import BioCDocument

from indexing.terms.candidates import candidates_of
from indexing.terms.layout import LAYOUT, Layout

COPPER, RUTIN, ZINC = "MESH:D003300", "MESH:D012431", "MESH:D015032"

LONG = "and more words that make a paragraph of this line, because a short one is taken for a label or a heading."


@pytest.fixture
def paper(article: Callable[..., BioCDocument]) -> BioCDocument:
    document = article(
        [
            ("TITLE", "Uptake of zinc"),
            ("ABSTRACT", "Roots need metals. We gave zinc and copper to them. They took zinc up."),
            ("INTRO", f"Much copper {LONG}"),
            ("INTRO", f"Here we study zinc {LONG}"),
            ("METHODS", "Plates of copper and rutin"),
            ("RESULTS", "The uptake of zinc"),
            ("CONCL", f"So zinc it is {LONG}"),
        ],
        infons={"kwd": "zinc zinc uptake", "kwd_0": "zinc", "kwd_1": "zinc uptake", "kwd_2": "roots"},
    )
    document.passages[5].infons["type"] = "title_1"
    return document


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # copper, rutin, zinc
        ("abstract:first-sentence", [0, 0, 0]),
        ("abstract:last-sentence", [0, 0, 1]),
        ("abstract:sentences", [1 / 3, 0, 2 / 3]),
        ("abstract:position", [36 / 70, 1, 27 / 70]),
        ("title:position", [1, 1, 10 / 14]),
        ("heading", [0, 0, log1p(1)]),
        ("introduction:last", [0, 0, 1]),
        ("conclusion:last", [0, 0, 1]),
        ("discussion:first", [0, 0, 0]),
        ("keyword:number", [0, 0, log1p(2)]),
        ("keyword:exact", [0, 0, 1]),
        ("title:others", [log1p(1), log1p(1), 0]),
        ("title:alone", [0, 0, 1]),
        ("outside-front", [0, 1, 0]),
        ("methods:part", [1 / 3, 1, 0]),
        # Copper stands with two others in the abstract, with none in the introduction, with one in the methods.
        ("company", [log(1 + 3 / 3), log(2), log(1 + 4 / 6)]),
    ],
)
def test_values_of_the_layout(paper: BioCDocument, name: str, expected: list[float]) -> None:
    found = candidates_of(paper)
    layout = Layout(found)
    # Metals are a candidate too; they are left out here.
    kept = [candidate for candidate in found.candidates if candidate.identifier in (COPPER, RUTIN, ZINC)]
    assert [LAYOUT[name](candidate, layout) for candidate in kept] == pytest.approx(expected)
