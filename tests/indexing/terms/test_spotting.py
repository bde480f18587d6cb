"""Names of concepts in title and abstract outside mentions."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_articles import plain_article

from corpora.model.document import add_mention, set_identifiers
from indexing.terms.baselines import TITLE_ABSTRACT, rule_indexer
from indexing.terms.candidates import PLACES, candidates_of, spotted


@dataclass(frozen=True)
class Known:
    identifiers: tuple[str, ...]


KNOWN = {
    "lignin": ("MESH:D008031",),
    "drinking water": ("MESH:D060766",),
    "water": ("MESH:D014867",),
    "plant oil": ("MESH:D010938",),
    "of water": ("MESH:D000001",),
    "tin": ("MESH:D014001",),
    "sodium chloride": ("MESH:D012965",),
}


class Names:
    """A lexicon with tree numbers of chemicals for all that it knows."""

    def lookup(self, name: str) -> list[Known]:
        return [Known(KNOWN[name])] if name in KNOWN else []

    def preferred_name(self, identifier: str) -> str | None:
        return None

    def trees(self, identifier: str) -> tuple[str, ...]:
        return ("D01.100",)

    def parents(self, identifier: str) -> tuple[str, ...]:
        return ()

    def translate(self, identifier: str) -> str | None:
        return identifier


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Removal of lignin, drinking water", ["lignin", "drinking water"]),
        ("(lignin) and “plant oils”.", ["lignin", "plant oils"]),
        ("drinking, water", ["water"]),
        ("drinking (water)", ["water"]),
        ("sheets of tin", []),
        ("lignin-based lignins", ["lignins"]),
        ("a lignin peroxidase and lignin receptors", []),
        ("the lignin phase and lignin increases", ["lignin", "lignin"]),
        ("", []),
        (" . ", []),
    ],
)
def test_the_longest_names_are_found(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end, _ in spotted(text, Names(), [])] == expected


def test_names_that_overlap_a_mention_are_left_out() -> None:
    text = "drinking water and lignin"
    assert [text[start:end] for start, end, _ in spotted(text, Names(), [(9, 14)])] == ["lignin"]


def test_only_title_and_abstract_are_searched_for_names() -> None:
    article = plain_article(
        ("TITLE", "On lignin"), ("ABSTRACT", "Lignin? lignin, water."), ("RESULTS", "sodium chloride")
    )
    mention = add_mention(article.passages[1], [(26, 31)], id="C1", annotator="x")
    set_identifiers(mention, ["MESH:D014867"])
    found = candidates_of(article, Names())
    assert [candidate.identifier for candidate in found.candidates] == ["MESH:D008031", "MESH:D014867"]
    lignin, water = found.candidates
    title, abstract = PLACES.index("title"), PLACES.index("abstract")
    assert (lignin.counts[title], lignin.counts[abstract], sum(lignin.marked)) == (1, 1, 0)
    assert (water.counts[abstract], water.marked[abstract]) == (1, 1)
    assert (found.counts[abstract], found.marked[abstract]) == (2, 1)


def test_rules_count_only_mentions() -> None:
    article = plain_article(("TITLE", "On lignin"), ("ABSTRACT", "of water"))
    assert rule_indexer(TITLE_ABSTRACT, Names())(article) == []


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)).map(lambda s: (s[0], s[0] + s[1])), max_size=8))
def test_names_that_overlap_any_of_several_spans_are_left_out(taken: list[tuple[int, int]]) -> None:
    text = "lignin, water, lignin, tin, lignin"
    free = [
        (start, end)
        for start, end in ((0, 6), (8, 13), (15, 21), (28, 34))
        if not any(start < other_end and other_start < end for other_start, other_end in taken)
    ]
    assert [(start, end) for start, end, _ in spotted(text, Names(), taken)] == free
