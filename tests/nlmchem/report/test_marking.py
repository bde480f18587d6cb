"""Texts are cut at marks, which are nested."""

from __future__ import annotations

from typing import Any

import pytest

from nlmchem.report.marks import Mark, TextPiece, cut, marked


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], [(0, 6, ())]),
        ([(1, 3, 0)], [(0, 1, ()), (1, 3, (0,)), (3, 6, ())]),
        ([(0, 6, 0), (2, 4, 1)], [(0, 2, (0,)), (2, 4, (0, 1)), (4, 6, (0,))]),
        ([(0, 4, 0), (2, 6, 1)], [(0, 2, (0,)), (2, 4, (0, 1)), (4, 6, (1,))]),
        ([(4, 9, 0)], [(0, 4, ()), (4, 6, (0,))]),
        ([(3, 3, 0)], [(0, 6, ())]),
    ],
)
def test_text_is_cut_at_the_start_and_end_of_every_span(spans: list[tuple[int, int, int]], expected: list[Any]) -> None:
    assert list(cut(6, spans)) == expected


def test_overlapping_marks_are_nested_and_have_one_id_each() -> None:
    marks = [Mark(((10, 14),), {"class": "a"}, {"id": "a"}), Mark(((12, 16),), {"class": "b"}, {"id": "b"})]
    assert marked(10, "abcdef", marks) == [
        TextPiece("ab", ({"class": "a", "id": "a"},)),
        TextPiece("cd", ({"class": "a"}, {"class": "b", "id": "b"})),
        TextPiece("ef", ({"class": "b"},)),
    ]


def test_a_longer_mark_contains_a_shorter_one() -> None:
    marks = [Mark(((2, 4),), {"class": "inner"}), Mark(((0, 6),), {"class": "outer"})]
    pieces = marked(0, "abcdef", marks)
    assert [mark["class"] for mark in pieces[1].elements] == ["outer", "inner"]
