"""The voting rules for identifiers and for index terms, worked by hand.

The text of every case:   zinc and zinc in Copper sulfate
                          0        9       17     24     31
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bioc import BioCDocument

from corpora.model.document import IndexTerm, add_index_term
from ensemble.runs import Ballot, open_poll
from ensemble.tally import IdentifierCounts, IdentifierVote, VotedSpan, merged, passing, tally, tally_terms

ZINC, OTHER_ZINC, COPPER, SULFATE, SALT = (0, 4), (9, 13), (17, 23), (24, 31), (17, 31)
D_ZINC, D_COPPER, D_SULFATE, D_SALT = "MESH:D015032", "MESH:D003300", "MESH:D013431", "MESH:D019327"


@pytest.fixture
def vote(write_run: Callable[..., str], document: Callable[..., object]) -> Callable[..., Ballot]:
    def ballot(*runs: list[tuple[object, ...]], weights: tuple[str, ...] = ()) -> Ballot:
        paths = [
            write_run(f"run{at}", [document("1", marks, texts=("zinc and zinc in Copper sulfate",))])
            for at, marks in enumerate(runs)
        ]
        with open_poll(paths, weights=weights, report=lambda sentence: None) as poll:
            (found,) = poll.ballots()
        return found

    return ballot


def answer(
    ballot: Ballot, place: tuple[int, int], per_mention: bool = False, parts: tuple[VotedSpan, ...] = ()
) -> tuple[tuple[str, ...], float] | None:
    found = IdentifierVote(ballot, per_mention).of(VotedSpan(0, (place,), (), 1.0, parts))
    return None if found is None else (found.identifiers, found.score)


def test_all_mentions_of_a_text_vote_together(vote: Callable[..., Ballot]) -> None:
    # zinc: D_ZINC from run 0 (twice) and run 1 (once), D_COPPER from run 2 (twice): 3 of 5.
    ballot = vote(
        [(*ZINC, D_ZINC), (*OTHER_ZINC, D_ZINC)], [(*ZINC, D_ZINC)], [(*ZINC, D_COPPER), (*OTHER_ZINC, D_COPPER)]
    )
    assert answer(ballot, ZINC) == ((D_ZINC,), 0.6)
    assert answer(ballot, OTHER_ZINC) == ((D_ZINC,), 0.6)


def test_per_mention_each_place_votes_by_itself(vote: Callable[..., Ballot]) -> None:
    ballot = vote([(*ZINC, D_ZINC), (*OTHER_ZINC, D_COPPER)], [(*ZINC, D_ZINC), (*OTHER_ZINC, D_COPPER)])
    assert answer(ballot, ZINC, per_mention=True) == ((D_ZINC,), 1.0)
    assert answer(ballot, OTHER_ZINC, per_mention=True) == ((D_COPPER,), 1.0)


def test_mention_texts_are_case_sensitive(vote: Callable[..., Ballot]) -> None:
    ballot = vote([(*COPPER, D_COPPER)])
    assert answer(ballot, ZINC) is None


def test_a_composite_is_one_value(vote: Callable[..., Ballot]) -> None:
    # {copper, sulfate} once, {copper} once, {sulfate} once, {salt} twice: the parts do not help one another.
    ballot = vote(
        [(*SALT, f"{D_COPPER},{D_SULFATE}")], [(*SALT, D_COPPER)], [(*SALT, D_SULFATE)], [(*SALT, D_SALT)],
        [(*SALT, D_SALT)],
    )  # fmt: skip
    assert answer(ballot, SALT) == ((D_SALT,), 0.4)


def test_a_composite_is_a_set_written_in_its_most_frequent_order(vote: Callable[..., Ballot]) -> None:
    ballot = vote(
        [(*SALT, f"{D_SULFATE},{D_COPPER}")], [(*SALT, f"{D_SULFATE},{D_COPPER}")],
        [(*SALT, f"{D_COPPER},{D_SULFATE}")], [(*SALT, D_SALT)], [(*SALT, D_SALT)],
    )  # fmt: skip
    assert answer(ballot, SALT) == ((D_SULFATE, D_COPPER), 0.6)


def test_no_concept_is_a_value_and_can_win(vote: Callable[..., Ballot]) -> None:
    assert answer(vote([(*ZINC, "-")], [(*ZINC, "-")], [(*ZINC, D_ZINC)]), ZINC) == ((), 0.6667)


def test_a_mention_without_identifier_infon_has_no_vote(vote: Callable[..., Ballot]) -> None:
    assert answer(vote([ZINC], [ZINC], [(*ZINC, D_ZINC)]), ZINC) == ((D_ZINC,), 1.0)
    assert answer(vote([ZINC], [ZINC]), ZINC) is None


def test_weights_decide(vote: Callable[..., Ballot]) -> None:
    ballot = vote([(*ZINC, D_ZINC)], [(*ZINC, D_COPPER)], [(*ZINC, D_COPPER)], weights=("3", "1", "1"))
    assert answer(ballot, ZINC) == ((D_ZINC,), 0.6)


@pytest.mark.parametrize(
    ("tied", "winner"),
    [
        (((), (D_ZINC,)), (D_ZINC,)),  # a concept before none
        (((D_COPPER, D_SULFATE), (D_ZINC,)), (D_ZINC,)),  # fewer identifiers
        ((("MESH:C000001",), (D_ZINC,)), (D_ZINC,)),  # descriptors before supplementary records
        (((D_ZINC,), (D_COPPER,)), (D_COPPER,)),  # the alphabet
        (((D_SULFATE, D_COPPER), (D_COPPER, D_SULFATE)), (D_COPPER, D_SULFATE)),  # one set, two orders
    ],
)
def test_ties_are_decided_by_a_total_order(tied: tuple[tuple[str, ...], ...], winner: tuple[str, ...]) -> None:
    for order in (tied, tied[::-1]):
        counts = IdentifierCounts()
        for identifiers in order:
            counts.add(identifiers, 1)
        found = counts.winner()
        assert found is not None
        assert found.identifiers == winner


def test_a_merged_span_of_no_run_gets_the_identifiers_of_the_mentions_inside(vote: Callable[..., Ballot]) -> None:
    # "Copper sul" and "er sulfate" merge into "Copper sulfate", which nobody marked. Inside it: D_SALT from
    # three mentions, D_COPPER from one. zinc, outside it, has no say.
    ballot = vote(
        [(17, 27, D_SALT), (*ZINC, D_ZINC)], [(17, 27, D_SALT), (*ZINC, D_ZINC)], [(21, 31, D_SALT)],
        [(21, 31, D_COPPER), (*ZINC, D_ZINC)],
    )  # fmt: skip
    joined = next(span for span in merged(tally(ballot)) if span.start == 17)
    assert (joined.start, joined.end) == SALT
    for per_mention in (False, True):
        found = IdentifierVote(ballot, per_mention).of(joined)
        assert found is not None
        assert (found.identifiers, found.score) == ((D_SALT,), 0.75)


def test_a_merged_span_gets_the_identifiers_of_other_mentions_of_its_text(
    write_run: Callable[..., str], document: Callable[..., object]
) -> None:
    # The second "zinc salt" is merged of two halves; the first, which is one mention, has the votes for this text.
    texts = ("zinc salt and zinc salt",)
    left = write_run("left", [document("1", [(0, 9, D_SALT), (14, 20, D_ZINC)], texts=texts)])
    right = write_run("right", [document("1", [(18, 23, D_ZINC)], texts=texts)])
    with open_poll([left, right], report=lambda sentence: None) as poll:
        (ballot,) = poll.ballots()
    joined = merged(tally(ballot))[1]
    assert (joined.start, joined.end) == (14, 23)
    assert answer(ballot, (14, 23), parts=joined.parts) == ((D_SALT,), 1.0)
    assert answer(ballot, (14, 23), per_mention=True, parts=joined.parts) == ((D_ZINC,), 1.0)


def test_a_span_of_a_run_gets_no_identifiers_from_mentions_inside(vote: Callable[..., Ballot]) -> None:
    assert answer(vote([SALT], [(*COPPER, D_COPPER)]), SALT) is None


# -- index terms ------------------------------------------------------------------------------


def terms_ballot(
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
    zinc, copper = IndexTerm(D_ZINC, "Zinc"), IndexTerm(D_COPPER, "Copper")
    terms = tally_terms(terms_ballot(write_run, document, [zinc, copper], [zinc, zinc], [zinc], [copper]))
    # zinc by 3 of 4 (equal terms of a run count once), copper by 2 of 4.
    assert [(t.identifier, t.voters, t.score) for t in terms] == [(D_ZINC, (0, 1, 2), 0.75), (D_COPPER, (0, 3), 0.5)]
    assert [t.identifier for t in passing(terms, 0.6)] == [D_ZINC]
    assert passing(terms, 0.0) == terms


def test_equal_scores_are_ordered_by_identifier(
    write_run: Callable[..., str], document: Callable[..., BioCDocument]
) -> None:
    terms = tally_terms(terms_ballot(write_run, document, [IndexTerm(D_ZINC)], [IndexTerm(D_COPPER)]))
    assert [t.identifier for t in terms] == [D_COPPER, D_ZINC]


def test_the_entry_term_is_the_most_frequent_by_weight(
    write_run: Callable[..., str], document: Callable[..., BioCDocument]
) -> None:
    runs = [[IndexTerm(D_ZINC, name)] for name in ("zinc ion", "Zinc", "zinc ion", None)]

    def winner(weights: str = "") -> str | None:
        return tally_terms(terms_ballot(write_run, document, *runs, weights=weights))[0].entry_term

    # Of equal weights, the first in alphabetical order.
    assert (winner(), winner("1 3 1 1"), winner("1 2 1 1")) == ("zinc ion", "Zinc", "Zinc")


def test_no_concept_is_not_an_index_term(write_run: Callable[..., str], document: Callable[..., BioCDocument]) -> None:
    assert tally_terms(terms_ballot(write_run, document, [IndexTerm("-")])) == []
