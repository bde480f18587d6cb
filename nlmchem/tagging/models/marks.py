"""The marks that a text-to-text model writes around chemicals.

The output of such a model is its input with marks: `given <chem> glucose </chem> daily`. In pieces: those of the input
in their order, with the pieces of the opening mark before the first piece of a mention, and those of the closing mark
after its last piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpora.errors import ConfigurationError, ResourceError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from nlmchem.tagging.models.labels import PieceSpan

__all__ = ["KEY", "Marks", "marked_pieces"]

KEY = "text_to_text"
"""The key of the marks in `nlmchem.json`."""
_BLANKS = " ▁Ġ"
"""What stands for a blank in pieces (SentencePiece, byte-level BPE)."""
_DEFAULTS = {"open": "<chem>", "close": "</chem>", "prefix": ""}


@dataclass(frozen=True, slots=True)
class Marks:
    """The ids of the pieces of both marks, and of what stands before each text in the input (`prefix`)."""

    open: tuple[int, ...]
    close: tuple[int, ...]
    prefix: tuple[int, ...] = ()

    @classmethod
    def parse(cls, facts: Mapping[str, Any], tokenizer: Tokenizer) -> Marks:
        """The marks of a model by its `nlmchem.json`; by default `<chem>` and `</chem>`, without a prefix.

        Raises `ConfigurationError` for values that are not texts and for equal marks, `ResourceError` for a mark that
        the tokenizer does not have.
        """
        given = facts.get(KEY, {})
        if not isinstance(given, dict) or not set(given) <= set(_DEFAULTS):
            raise ConfigurationError(
                f'the "{KEY}" of its nlmchem.json is {given!r}; give an object with {", ".join(_DEFAULTS)}'
            )
        texts = _DEFAULTS | given
        for name, text in texts.items():
            if not isinstance(text, str) or (not text.strip() and name != "prefix"):
                raise ConfigurationError(f'the "{name}" in "{KEY}" of its nlmchem.json is {text!r}; give a text')
        marks = cls(*(tuple(tokenizer.encode(texts[name], add_special_tokens=False).ids) for name in _DEFAULTS))
        for text, pieces in ((texts["open"], marks.open), (texts["close"], marks.close)):
            if not _reads(tokenizer, text, pieces):
                raise ResourceError(
                    f"its tokenizer has no pieces for the mark {text!r}; train the model with this mark in its "
                    f'tokenizer, or name the marks of the model in nlmchem.json ("{KEY}": "open", "close")'
                )
        if marks.open == marks.close:
            raise ConfigurationError(f"its marks {texts['open']!r} and {texts['close']!r} have the same pieces")
        return marks

    @property
    def most(self) -> int:
        """The largest number of pieces that are generated for one piece of the text: itself between two marks."""
        return 1 + len(self.open) + len(self.close)


def marked_pieces(ids: Sequence[int], mentions: Sequence[PieceSpan], marks: Marks) -> list[int]:
    """What a model writes for the pieces `ids`, without special pieces: the target of its training.

    `mentions`: first and last (exclusive) piece of each, in the order of the text, without overlaps.
    """
    found: list[int] = []
    done = 0
    for first, last in mentions:
        found += [*ids[done:first], *marks.open, *ids[first:last], *marks.close]
        done = last
    return [*found, *ids[done:]]


def _reads(tokenizer: Tokenizer, text: str, pieces: Sequence[int]) -> bool:
    """Whether the tokenizer has pieces for all of a mark: they lead back to the mark."""
    tokens = "".join(tokenizer.id_to_token(piece) or "" for piece in pieces)
    found = {tokenizer.decode(list(pieces), skip_special_tokens=False), tokens}
    return bool(pieces) and text.strip() in {read.strip(_BLANKS) for read in found}
