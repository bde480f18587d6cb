"""The voting rule for index terms, worked by hand."""

from __future__ import annotations

from collections.abc import Callable

from bioc import BioCDocument

from corpora.model.document import IndexTerm, add_index_term
from ensemble.identifiers import passing_terms, tally_terms
from ensemble.runs import Ballot, open_poll

ZINC, COPPER = "MESH:D015032", "MESH:D003300"


def ballot(
    write_run: Callable[..., str], document: Callable[..., BioCDocument], *runs: list[IndexTerm], weights: str = ""
) -> Ballot:
    paths = []
    for number, terms in enumerate(runs):
        article = document("1")
        for term in terms:
            add_index_term(article, term)
        paths.append(write_run(f"run{number}", [article]))
    with open_poll(paths, weights=weights.split(), report=lambda sentence: None) as poll:
        (found,) = poll.ballots()
    return found


def test_share_of_runs_then_threshold(write_run: Callable[..., str], document: Callable[..., BioCDocument]) -> None:
    zinc, copper = IndexTerm(ZINC, "Zinc"), IndexTerm(COPPER, "Copper")
    terms = tally_terms(ballot(write_run, document, [zinc, copper], [zinc, zinc], [zinc], [copper]))
    # zinc by 3 of 4 (equal terms of a run count once), copper by 2 of 4.
    assert [(t.identifier, t.voters, t.score) for t in terms] == [(ZINC, (0, 1, 2), 0.75), (COPPER, (0, 3), 0.5)]
    assert [t.identifier for t in passing_terms(terms, 0.6)] == [ZINC]
    assert passing_terms(terms, 0.0) == terms


def test_equal_scores_are_ordered_by_identifier(
    write_run: Callable[..., str], document: Callable[..., BioCDocument]
) -> None:
    terms = tally_terms(ballot(write_run, document, [IndexTerm(ZINC)], [IndexTerm(COPPER)]))
    assert [t.identifier for t in terms] == [COPPER, ZINC]


def test_the_entry_term_is_the_most_frequent_by_weight(
    write_run: Callable[..., str], document: Callable[..., BioCDocument]
) -> None:
    runs = [[IndexTerm(ZINC, "zinc ion")], [IndexTerm(ZINC, "Zinc")], [IndexTerm(ZINC, "zinc ion")], [IndexTerm(ZINC)]]
    assert tally_terms(ballot(write_run, document, *runs))[0].entry_term == "zinc ion"
    assert tally_terms(ballot(write_run, document, *runs, weights="1 3 1 1"))[0].entry_term == "Zinc"
    assert tally_terms(ballot(write_run, document, *runs, weights="1 2 1 1"))[0].entry_term == "Zinc"  # alphabet


def test_no_concept_is_not_an_index_term(write_run: Callable[..., str], document: Callable[..., BioCDocument]) -> None:
    assert tally_terms(ballot(write_run, document, [IndexTerm("-")])) == []
