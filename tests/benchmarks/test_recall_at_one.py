"""Which answers BELB's recall@1 counts as right."""

from __future__ import annotations

import pytest

from benchmarks.scores.recall_at_one import Answer, Recall


@pytest.mark.parametrize(
    ("gold", "given", "right", "strict", "missing", "same"),
    [
        (("A",), ("A",), 1, 1, 0, 1),
        (("A", "B"), ("B",), 1, 1, 0, 0),
        (("A", "B"), ("B", "A"), 1, 0, 0, 1),
        (("A",), ("A", "C"), 1, 0, 0, 0),
        (("A",), ("C", "A"), 0, 0, 0, 0),
        (("A",), (), 0, 0, 1, 0),
    ],
)
def test_the_first_identifier_must_be_one_of_the_gold_identifiers(
    gold: tuple[str, ...], given: tuple[str, ...], right: int, strict: int, missing: int, same: int
) -> None:
    expected = Recall(mentions=1, right=right, strict=strict, missing=missing, same=same, every=1)
    assert Recall.of([Answer(gold, given)]) == expected


def test_a_mention_without_gold_identifier_counts_for_the_accuracy_only() -> None:
    recall = Recall.of([Answer(("A",), ("A",)), Answer((), ()), Answer((), ("C",))])
    assert recall == Recall(mentions=1, right=1, strict=1, missing=0, same=2, every=3)
