"""The article's other mentions: what they choose among candidates, and what they make of short forms."""

from __future__ import annotations

import pytest

from sieves.article.context import context_of, is_short_form
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer
from sieves.sieve import Article, Candidate


def candidate(identifier: str, sieve: str, name: str = "x") -> Candidate:
    return Candidate((f"MESH:{identifier}",), sieve, name)


FIRM = {
    "dexamethasone": [candidate("D1", "exact")],
    "phosphatidylserine": [candidate("D2", "folded")],
    "sodium chloride": [candidate("D3", "exact")],
}


def settled(text: str, *told: Candidate, others: tuple[Candidate, ...] = ()) -> Candidate | None:
    return context_of({**FIRM, text: list(told)}).settle(text, told, others or told)


def test_of_several_concepts_of_one_name_the_article_names_one() -> None:
    first, second = candidate("D9", "external"), candidate("D1", "external")
    assert settled("glucocorticoid x", first, second) == second
    assert settled("glucocorticoid x", second, first) == second
    assert settled("glucocorticoid x", first, candidate("D8", "external")) == first


def test_variants_that_a_sieve_has_made_keep_their_order() -> None:
    first = candidate("D9", "isotope")
    assert settled("13C", first, candidate("D1", "isotope")) == first


def test_a_short_form_means_what_another_sieve_knows_and_the_article_names() -> None:
    polystyrene = candidate("D9", "shorthand")
    found = settled("PS", polystyrene, others=(polystyrene, candidate("D2", "external", "PS")))
    assert found == Candidate(("MESH:D2",), "article", "PS", via="phosphatidylserine")


def test_a_short_form_whose_meaning_the_article_names_is_left() -> None:
    known = candidate("D3", "shorthand")
    assert settled("SC", known, others=(known, candidate("D2", "external"))) == known


def test_the_beginning_of_a_name_of_the_article_is_that_name() -> None:
    found = settled("Dex", candidate("D9", "external"))
    assert found == Candidate(("MESH:D1",), "article", "x", via="dexamethasone")


@pytest.mark.parametrize(
    ("text", "sieve", "stays"),
    [
        ("AG", "external", False),  # alone, an abbreviation of another terminology says nothing
        ("NDMA", "external", False),
        ("3TC", "external", True),  # a code with a digit is somebody's name
        ("cAMP", "external", True),
        ("AG", "shorthand", True),
        ("AG", "exact", True),
        ("agarose", "external", True),
    ],
)
def test_what_a_short_form_means_that_the_article_does_not_support(text: str, sieve: str, stays: bool) -> None:
    known = candidate("D9", sieve)
    assert settled(text, known) == (known if stays else None)


def test_a_short_form_is_no_firm_ground() -> None:
    context = context_of({"DEXA": [candidate("D1", "exact")], "doubtful": [candidate("D2", "edit")]})
    assert (context.firm, context.concepts) == ({}, frozenset())


def test_a_name_of_two_concepts_is_no_firm_ground() -> None:
    assert not context_of({"promotine": [candidate("D1", "exact"), candidate("D2", "exact")]}).firm


@pytest.mark.parametrize(("text", "short"), [("Dex", True), ("PS", True), ("T-2", True), ("dex", False), ("P", False)])
def test_what_a_short_form_looks_like(text: str, short: bool) -> None:
    assert is_short_form(text) is short


def test_without_context_nothing_is_taken_from_other_mentions(lexicon: Lexicon) -> None:
    surfaces = {"linoleic acid", "LOA"}
    assert len(Normalizer(lexicon, context=True).answers(surfaces, Article())) == 2
    assert len(Normalizer(lexicon, context=False).answers(surfaces, Article())) == 1
