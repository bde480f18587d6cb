"""The search for passages by position gives what a look at each passage gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpora.model.passages import PassageSearch


@given(
    st.lists(st.tuples(st.integers(0, 30), st.text("a", max_size=8)), max_size=20),
    st.integers(-2, 40),
    st.integers(-1, 8),
)
def test_passages_around_and_before_a_position(passages: list[tuple[int, str]], start: int, length: int) -> None:
    search = PassageSearch(passages)
    end = start + length
    around = [at for at, (offset, text) in enumerate(passages) if offset <= start and end <= offset + len(text)]
    assert search.around(start, end) == around
    assert search.last_before(start) == max((at for at, (o, _) in enumerate(passages) if o <= start), default=None)
