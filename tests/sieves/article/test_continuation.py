"""Misspelt and abbreviated mentions take the concept of another mention of the article."""

from __future__ import annotations

import pytest

from sieves.article.continuation import continue_mention
from sieves.sieve import SieveCandidate

KNOWN = {
    "docosahexaenoic acid": SieveCandidate(("MESH:D1",), "exact", "x"),
    "sodium chloride": SieveCandidate(("MESH:D2",), "exact", "y"),
    "silver chloride": SieveCandidate(("MESH:D3",), "exact", "z"),
    "C18:0 ceramide": SieveCandidate(("MESH:D4",), "exact", "c"),
    "dexamethasone phosphate": SieveCandidate(("MESH:D5",), "exact", "d"),
    "tacrolimus": SieveCandidate(("MESH:D6",), "exact", "t"),
}


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("docosahexanoic acid", "MESH:D1"),  # misspelt
        ("DHA", None),  # letters within words: three parts, two words
        ("SOC", "MESH:D2"),  # first letters, and one behind
        ("SC", None),  # two of the article's names have these letters
        ("Dex", "MESH:D5"),  # the beginning of the first word
        ("TAC", "MESH:D6"),
        ("Tacrol", None),  # more than half of the name
        ("Do", None),  # too short to be a beginning
        ("C16:0 ceramide", None),  # another chain is no misspelling
        ("wine", None),
    ],
)
def test_a_mention_without_an_answer_takes_a_concept_of_the_article(text: str, identifier: str | None) -> None:
    found = continue_mention(text, KNOWN)
    assert (found.identifiers[0] if found else None) == identifier
    assert found is None or found.sieve == "article"
