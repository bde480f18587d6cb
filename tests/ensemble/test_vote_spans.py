"""The voting rule for spans, worked by hand.

The text of every case:   Copper sulfate and zinc in cells
                          0      7       15  19   24 27  32
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpora.errors import ConfigurationError
from ensemble.runs import Ballot
from ensemble.tally import VotedSpan, best, growth, merged, passing, resolved, tally, threshold_value

COPPER, SULFATE, SALT, ZINC, IN_CELLS = (0, 6), (7, 14), (0, 14), (19, 23), (24, 32)


def span(place: tuple[int, int], score: float, *voters: int) -> VotedSpan:
    return VotedSpan(0, (place,), voters, score)


def places(spans: list[VotedSpan]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in spans]


def test_the_score_is_the_share_of_runs_that_have_the_span(ballot_of: Callable[..., Ballot]) -> None:
    ballot = ballot_of([COPPER, ZINC], [ZINC], [SALT, ZINC])
    # zinc by 3 of 3; copper and copper sulfate by 1 of 3 each.
    assert [(s.start, s.end, s.voters, s.score) for s in tally(ballot)] == [
        (0, 6, (0,), 0.3333),
        (0, 14, (2,), 0.3333),
        (19, 23, (0, 1, 2), 1.0),
    ]


def test_a_run_has_one_vote_for_a_span(ballot_of: Callable[..., Ballot]) -> None:
    ballot = ballot_of([(*ZINC, "MESH:D015032"), (*ZINC, "MESH:D003300")], [])
    assert [s.score for s in tally(ballot)] == [0.5]


def test_weights_are_shares_of_all_weights(ballot_of: Callable[..., Ballot]) -> None:
    ballot = ballot_of([COPPER], [ZINC], [ZINC], weights=["2", "0.5", "1.5"])
    # 2 of 4 for copper; 0.5 + 1.5 of 4 for zinc.
    assert [s.score for s in tally(ballot)] == [0.5, 0.5]


def test_the_rounded_score_is_compared_with_the_threshold() -> None:
    # The track's best threshold, 0.3519, is 19 of 54 runs, which is 0.35185...: 19 votes must pass it.
    ballot = Ballot(None, (1,) * 54, (0,) * 54)  # type: ignore[arg-type]
    assert ballot.share(range(19)) == threshold_value(0.3519)
    assert ballot.share(range(18)) < threshold_value(0.3519)


def test_four_decimals_round_half_up() -> None:
    ballot = Ballot(None, (1,) * 32, (0,) * 32)  # type: ignore[arg-type]
    assert ballot.share([0]) == 0.0313  # 1/32 = 0.03125
    assert threshold_value(0.03125) == 0.0313


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(value: float) -> None:
    with pytest.raises(ConfigurationError, match="from 0 to 1"):
        threshold_value(value)


def test_threshold_0_keeps_all_spans_and_1_keeps_those_of_all_runs() -> None:
    spans = [span(COPPER, 0.0001, 0), span(ZINC, 1.0, 0, 1)]
    assert passing(spans, 0.0) == spans
    assert passing(spans, 1.0) == [spans[1]]


def test_overlapping_spans_become_one_from_lowest_start_to_highest_end() -> None:
    # copper 0-6 and "er sulfate" 4-14 overlap; zinc does not overlap.
    left, right, zinc = span(COPPER, 0.6, 0, 1, 2), span((4, 14), 0.4, 2, 3), span(ZINC, 0.4, 0, 3)
    joined, alone = merged([zinc, right, left])
    assert (joined.start, joined.end) == (0, 14)
    # No run has it: it has the voters of all parts and the score of the best part.
    assert (joined.voters, joined.score, joined.parts) == ((0, 1, 2, 3), 0.6, (left, right))
    assert alone == zinc


def test_overlap_through_a_third_span_counts() -> None:
    assert places(merged([span((0, 5), 0.4), span((4, 10), 0.4), span((9, 12), 0.4)])) == [(0, 12)]


def test_spans_that_touch_do_not_overlap() -> None:
    assert places(merged([span((0, 6), 0.4), span((6, 14), 0.4)])) == [(0, 6), (6, 14)]


def test_a_merged_span_of_a_run_keeps_its_votes() -> None:
    # copper inside copper sulfate: two runs have the outer span, and only they are its voters.
    inner, outer = span(COPPER, 0.8, 2, 3, 4, 5), span(SALT, 0.4, 0, 1)
    (joined,) = merged([inner, outer])
    assert (joined.spans, joined.voters, joined.score) == (((0, 14),), (0, 1), 0.4)


def test_spans_of_different_passages_never_merge() -> None:
    assert len(merged([VotedSpan(0, ((0, 6),), (0,), 1.0), VotedSpan(1, ((4, 9),), (0,), 1.0)])) == 2


def test_a_mention_of_several_spans_occupies_the_text_from_first_to_last() -> None:
    # "Copper ... zinc" in two pieces, and sulfate in the gap.
    pieces = VotedSpan(0, ((0, 6), (19, 23)), (0,), 0.5)
    (joined,) = merged([pieces, span(SULFATE, 0.5, 1)])
    assert joined.spans == ((0, 23),)
    assert merged([pieces]) == [pieces]


def test_best_keeps_the_highest_score_and_then_spans_without_overlap() -> None:
    # sulfate (0.9) bars copper sulfate (0.8); copper (0.4) still fits beside it.
    spans = [span(SALT, 0.8), span(SULFATE, 0.9), span(COPPER, 0.4)]
    assert places(best(spans)) == [COPPER, SULFATE]


def test_best_does_not_prefer_two_halves_to_the_better_whole() -> None:
    # A sum of scores would take the halves: 0.4 + 0.4 > 0.7.
    assert places(best([span(COPPER, 0.4), span(SULFATE, 0.4), span(SALT, 0.7)])) == [SALT]


def test_ties_are_decided_by_length_then_position() -> None:
    assert places(best([span(COPPER, 0.5), span(SALT, 0.5)])) == [SALT]
    assert places(best([span((4, 9), 0.5), span((0, 5), 0.5)])) == [(0, 5)]


def test_an_unknown_value_of_overlaps_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="merge, best"):
        resolved([], "longest")


def test_growth_lists_the_spans_that_each_span_replaces() -> None:
    copper, sulfate, bridge = span(COPPER, 0.9, 0), span(SULFATE, 0.8, 1), span((4, 9), 0.3, 2)
    first, second, third = growth([bridge, sulfate, copper], "merge")
    assert first == (0.9, [], copper)
    assert second == (0.8, [], sulfate)
    # The bridge joins both: two go, one comes.
    score, removed, added = third
    assert (score, removed, added.spans) == (0.3, [copper, sulfate], ((0, 14),))
    assert [added for _, _, added in growth([bridge, sulfate, copper], "best")] == [copper, sulfate]
