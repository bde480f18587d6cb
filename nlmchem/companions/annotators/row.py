"""What another tool states about one mention, as far as it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a list of mentions. A field is None where the row does not state it.

    Args:
        place: Where the row stands, in words: `mentions.jsonl, row 3`.
        document: The id of the article.
        text: The text of the mention.
        quote: A piece of the article that contains the mention, such as its sentence.
        quote_start: Where the mention begins in the quote, in code points.
        start: Where the mention begins, in an unknown unit (`offsets.py`).
        end: Where it ends (exclusive), in the same unit.
        identifier: Its concepts, in any spelling.
        label: Its type, such as `Drug`.
        score: A confidence from 0 to 1.
        run: The name of the run, such as that of a language model.
        passage: The offset of its passage in the article, where it answers `curate select --route`.
    """

    place: str
    document: str | None = None
    text: str = ""
    quote: str | None = None
    quote_start: int | None = None
    start: int | None = None
    end: int | None = None
    identifier: str | None = None
    label: str | None = None
    score: float | None = None
    run: str | None = None
    passage: int | None = None

    @property
    def states_place(self) -> bool:
        """Whether it states more than a text: offsets or a quote."""
        return self.start is not None or self.quote is not None
