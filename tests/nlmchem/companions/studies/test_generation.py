"""Constrained generation: the output is the input with marks, however the model scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from corpora.errors import ArticleError
from nlmchem.companions.studies.text_to_text.generation import Copy, Following, Marks, copy_with_marks, marked_pieces
from nlmchem.tagging.inference.labels import spans_of_roles

START, OPEN, CLOSE, SIZE = 0, 1, 2, 40
MARKS = Marks((OPEN,), (CLOSE,))
LONG_MARKS = Marks((3, 4), (3, 5, 4))
"""Marks of several pieces, with the same first piece."""


def of_table(table: NDArray[np.float32]) -> Following:
    """A model without memory: what follows a piece depends on this piece alone."""

    def following(output: Sequence[int], first: int) -> NDArray[np.float32]:
        return table[np.array(output[first:])]

    return following


def of_history(seed: int) -> Following:
    """A model whose scores depend on everything that it wrote."""

    def following(output: Sequence[int], first: int) -> NDArray[np.float32]:
        rows = [np.random.default_rng([seed, *output[: at + 1]]).normal(size=SIZE) for at in range(first, len(output))]
        return np.array(rows, dtype=np.float32)

    return following


def piece_by_piece(following: Following, ids: Sequence[int], glued: NDArray[np.bool_], marks: Marks) -> list[int]:
    """The same search as a language model runs it: one piece at a time, with a mask over what is allowed."""
    output, at, inside, opened = [START], 0, False, False
    while at < len(ids) or inside:
        mark = marks.close if inside else marks.open
        if at == len(ids):
            output += mark
            inside = False
            continue
        allowed = [ids[at]]
        if not (opened or glued[at] or ids[at] == mark[0]):
            allowed.append(mark[0])
        logits = following(output, len(output) - 1)[0]
        if len(allowed) == 2 and logits[mark[0]] > logits[ids[at]]:
            output += mark
            inside = opened = not inside
        else:
            output.append(ids[at])
            at, opened = at + 1, False
    return output


def copied(following: Following, ids: Sequence[int], glued: Sequence[bool] = (), marks: Marks = MARKS) -> Copy:
    return copy_with_marks(following, [START], ids, np.array(glued or [False] * len(ids), dtype=bool), marks)


def test_marks_stand_where_they_are_likelier_than_the_next_piece() -> None:
    table = np.zeros((SIZE, SIZE), dtype=np.float32)
    table[:, OPEN] = table[:, CLOSE] = -5
    table[10, OPEN] = 5  # after piece 10 a mention begins,
    table[12, CLOSE] = 5  # and after piece 12 it ends
    copy = copied(of_table(table), [10, 11, 12, 13])
    assert copy.output == (START, 10, OPEN, 11, 12, CLOSE, 13)
    assert spans_of_roles(copy.roles) == [(1, 3)]
    sure = 1 / (1 + np.exp(-5))
    assert copy.probabilities[1] == pytest.approx([1 - sure, sure, 0])
    assert copy.probabilities[2] == pytest.approx([1 - sure, 0, sure])
    assert copy.probabilities.sum(axis=1) == pytest.approx(np.ones(4))


@pytest.mark.parametrize(
    ("glued", "spans"),
    [([False] * 4, [(0, 1), (1, 2), (2, 3), (3, 4)]), ([False, True, False, True], [(0, 2), (2, 4)])],
)
def test_marks_everywhere_stand_at_words_and_around_something(glued: list[bool], spans: list[tuple[int, int]]) -> None:
    table = np.zeros((SIZE, SIZE), dtype=np.float32)
    table[:, [OPEN, CLOSE]] = 5
    copy = copied(of_table(table), [10, 11, 12, 13], glued)
    assert spans_of_roles(copy.roles) == spans
    assert list(copy.output[1:]) == marked_pieces([10, 11, 12, 13], spans, MARKS)


def test_a_piece_inside_of_a_word_has_the_probability_of_the_word() -> None:
    table = np.zeros((SIZE, SIZE), dtype=np.float32)
    table[:, OPEN] = -1
    copy = copied(of_table(table), [10, 11], [False, True])
    assert copy.probabilities[1, 0] == copy.probabilities[0, 0] > 0.5
    assert not copy.roles.any()


def test_text_that_looks_like_a_mark_is_copied() -> None:
    table = np.zeros((SIZE, SIZE), dtype=np.float32)
    table[:, OPEN], table[:, CLOSE] = 6, 5
    copy = copied(of_table(table), [OPEN, CLOSE, 10])
    assert spans_of_roles(copy.roles) == [(1, 2), (2, 3)], "nothing opens before a piece that reads as the mark"
    assert copy.output == (START, OPEN, OPEN, CLOSE, CLOSE, OPEN, 10, CLOSE)


def test_no_text_gives_no_output() -> None:
    copy = copied(of_history(0), [])
    assert copy.output == (START,)
    assert copy.probabilities.shape == (0, 3)


def test_scores_that_are_not_numbers_are_an_error() -> None:
    with pytest.raises(ArticleError, match="scores that are no numbers"):
        copied(of_table(np.full((SIZE, SIZE), np.nan, dtype=np.float32)), [10])


@settings(max_examples=60, deadline=None)
@given(
    ids=st.lists(st.integers(3, SIZE - 1), max_size=12),
    seed=st.integers(0, 1000),
    long=st.booleans(),
    data=st.data(),
)
def test_it_equals_generation_piece_by_piece(ids: list[int], seed: int, long: bool, data: st.DataObject) -> None:
    glued = np.array(data.draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids))), dtype=bool)
    marks = LONG_MARKS if long else MARKS
    steps = 0

    def counted(output: Sequence[int], first: int) -> NDArray[np.float32]:
        nonlocal steps
        steps += 1
        return of_history(seed)(output, first)

    copy = copy_with_marks(counted, [START], ids, glued, marks)
    assert list(copy.output) == piece_by_piece(of_history(seed), ids, glued, marks)
    spans = spans_of_roles(copy.roles)
    assert list(copy.output[1:]) == marked_pieces(ids, spans, marks), "the output is the input with marks"
    assert steps <= 2 * len(spans) + 1
    assert (copy.probabilities >= 0).all()
