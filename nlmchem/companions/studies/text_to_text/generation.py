"""Text-to-text models (T5, BART): their output is their input with marks around chemicals.

`given <chem> glucose </chem> daily`, in pieces: those of the input in their order, with the pieces of the opening mark
before the first piece of a mention, and those of the closing mark after its last piece.

Generation is constrained. After each piece the model may write the next piece of its input, or a mark, and nothing
else. The likelier one is taken (greedy search). A model that writes one piece at a time needs a step for each piece.
Here one step scores a whole output: it assumes that no mark follows. Up to the first place where a mark is likelier,
the assumption held, so these pieces are final; the next step begins with the mark. A window with n mentions takes at
most 2n + 1 steps. The result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ArticleError, ConfigurationError, ResourceError
from nlmchem.tagging.inference.labels import BEGIN, INSIDE, OUTSIDE, LabelSet, PieceSpan
from nlmchem.tagging.inference.scoring import Coverage, RoleSums, ScoredPassage, best_roles
from nlmchem.tagging.models.torch_networks import out_of_memory
from nlmchem.tagging.tokenization.windows import padded, sentence_pieces, stretches
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

KEY = "text_to_text"
"""The key of the marks in `nlmchem.json`."""
_BLANKS = " ▁Ġ"
"""What stands for a blank in pieces (SentencePiece, byte-level BPE)."""
DEFAULTS = {"open": "<chem>", "close": "</chem>", "prefix": ""}
"""The marks of a model whose `nlmchem.json` does not name any."""

Following = Callable[[Sequence[int], int], NDArray[np.float32]]
"""An output and a position in it: logits (pieces x vocabulary) of what follows each piece from this position."""


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
        if not isinstance(given, dict) or not set(given) <= set(DEFAULTS):
            raise ConfigurationError(
                f'the "{KEY}" of its nlmchem.json is {given!r}; give an object with {", ".join(DEFAULTS)}'
            )
        texts = DEFAULTS | given
        for name, text in texts.items():
            if not isinstance(text, str) or (not text.strip() and name != "prefix"):
                raise ConfigurationError(f'the "{name}" in "{KEY}" of its nlmchem.json is {text!r}; give a text')
        marks = cls(*(tuple(tokenizer.encode(texts[name], add_special_tokens=False).ids) for name in DEFAULTS))
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
    marked: list[int] = []
    done = 0
    for first, last in mentions:
        marked += [*ids[done:first], *marks.open, *ids[first:last], *marks.close]
        done = last
    return [*marked, *ids[done:]]


def _reads(tokenizer: Tokenizer, text: str, pieces: Sequence[int]) -> bool:
    """Whether the tokenizer has pieces for all of a mark: they lead back to the mark."""
    tokens = "".join(tokenizer.id_to_token(piece) or "" for piece in pieces)
    readings = {tokenizer.decode(list(pieces), skip_special_tokens=False), tokens}
    return bool(pieces) and text.strip() in {read.strip(_BLANKS) for read in readings}


@dataclass(frozen=True, slots=True)
class TextToTextModel:
    """A `Model` that writes its input again, with marks around chemicals (T5, BART).

    `capacity`: the most pieces of text in a window. `start`: the special pieces before each output. `frame`: those
    before and after each input. `positions`: the longest input or output (None: no limit).
    """

    name: str
    version: str
    cutter: PieceCutter
    labels: LabelSet
    device: str
    marks: Marks
    capacity: int
    start: tuple[int, ...]
    frame: tuple[tuple[int, ...], tuple[int, ...]]
    positions: int | None
    network: Any

    def read(self, ids: Sequence[int]) -> EncodedWindow:
        """Encode the pieces of a window. Raises `ResourceError` if they are more than `capacity`."""
        if len(ids) > self.capacity:
            raise ResourceError(f"a window has {len(ids)} pieces; the model {self.name} reads {self.capacity}")
        before, after = self.frame
        pieces, mask = self.row([*before, *self.marks.prefix, *ids, *after])
        return EncodedWindow(self, self.network.get_encoder()(input_ids=pieces, attention_mask=mask), mask)

    def row(self, ids: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Ids and mask (1 x pieces), padded to a multiple of 16: the length depends on this row alone."""
        import torch

        length = max(len(ids), min(padded(len(ids)), self.positions or padded(len(ids))))
        row = torch.full((1, length), self.cutter.padding, dtype=torch.long)
        row[0, : len(ids)] = torch.tensor(list(ids), dtype=torch.long)
        return row.to(self.device), (torch.arange(length) < len(ids)).long()[None].to(self.device)

    def score(
        self, articles: Sequence[Sequence[str]], budget: int | None = None
    ) -> tuple[list[list[ScoredPassage]], Coverage]:
        """As `Model.score`; `budget` has no effect.

        Each window is written alone, so no output depends on other texts. A passage that fits into a window has the
        roles that the model wrote. A longer one gets overlapping windows; their probabilities are averaged, and the
        best legal roles are taken.
        """
        coverage = Coverage(articles=len(articles))
        return [[_scored(self, text, coverage) for text in texts] for texts in articles], coverage


@dataclass(frozen=True, slots=True)
class EncodedWindow:
    """The states of the encoder for a window, with their mask."""

    model: TextToTextModel
    states: Any
    mask: Tensor

    def following(self, output: Sequence[int], first: int) -> NDArray[np.float32]:
        """What the model would write next: logits (pieces x vocabulary) after each piece of an output from `first`."""
        ids, _ = self.model.row(output)
        outputs = self.model.network(
            encoder_outputs=self.states, attention_mask=self.mask, decoder_input_ids=ids, use_cache=False
        )
        logits: NDArray[np.float32] = outputs.logits[0, first : len(output)].float().cpu().numpy()
        return logits


def _scored(model: TextToTextModel, text: str, coverage: Coverage) -> ScoredPassage:
    (encoded,) = model.cutter([text])
    size = len(encoded)
    sums = RoleSums(encoded, model.labels.scheme.size)
    places = stretches(size, sentence_pieces(text, encoded), model.capacity) if size else []
    copies = [_written(model, encoded, first, last) for first, last in places]
    for (first, _), copy in zip(places, copies, strict=True):
        sums.add(first, copy.probabilities)
    mean = sums.mean(coverage)
    roles = copies[0].roles if len(copies) == 1 else best_roles(mean, encoded.glued, model.labels.scheme)
    return ScoredPassage(encoded, mean, roles)


def _written(model: TextToTextModel, encoded: Encoded, first: int, last: int) -> Copy:
    """What the model writes for pieces `first` to `last` (exclusive)."""
    import torch

    ids = encoded.ids[first:last].tolist()
    try:
        with torch.inference_mode():
            return copy_with_marks(model.read(ids).following, model.start, ids, encoded.glued[first:last], model.marks)
    except (RuntimeError, MemoryError) as error:
        if not out_of_memory(error):
            raise
        raise ArticleError(
            f"there is not enough memory on {model.device} for one window of {len(ids)} pieces; use fewer workers, "
            "a smaller window in the nlmchem.json of the model, or ",
            Argument("device", "cpu"),
        ) from error


@dataclass(frozen=True, slots=True)
class Copy:
    """What a model wrote: `output`, with the special pieces at its start, and for each piece of the input its role.

    `probabilities` (pieces x roles O, B, I) are those of the choices between mark and copy: B, that a mention begins
    here; I, that the mention before goes on. A piece inside of a word takes over from the first piece of the word.
    """

    output: tuple[int, ...]
    roles: NDArray[np.int64]
    probabilities: NDArray[np.float32]


def copy_with_marks(
    following: Following, start: Sequence[int], ids: Sequence[int], glued: NDArray[np.bool_], marks: Marks
) -> Copy:
    """Generate the output for the pieces `ids`, after the special pieces `start`.

    `glued[i]`: piece i is in the word of piece i - 1, so no mark stands between them. A mention is never empty. Where
    the next piece of the input is also the first of the mark, it is copied. Raises `ArticleError` if a logit is not a
    number.
    """
    size = len(ids)
    output = list(start)
    opening, closing = np.zeros(size), np.zeros(size)
    roles = np.zeros(size, dtype=np.int64)
    at, inside, opened = 0, False, False
    while at < size:
        logits = following([*output, *ids[at:]], len(output) - 1)
        begun = at
        while at < size:
            mark = marks.close if inside else marks.open
            chance = 0.0
            if not (opened or glued[at] or ids[at] == mark[0]):
                chance = _chance(logits[at - begun], mark[0], ids[at])
                (closing if inside else opening)[at] = chance
            if chance > 0.5:
                break
            roles[at] = OUTSIDE if not inside else BEGIN if opened else INSIDE
            at, opened = at + 1, False
        output += ids[begun:at]
        if at < size:
            output += mark
            inside = opened = not inside
    if inside:
        output += marks.close
    return Copy(tuple(output), roles, _probabilities(roles, glued, opening, closing))


def _chance(logits: NDArray[np.float32], mark: int, piece: int) -> float:
    """The probability of the mark, of these two pieces."""
    difference = float(logits[mark]) - float(logits[piece])
    if not np.isfinite(difference):
        raise ArticleError(
            "the model gives scores that are no numbers; get the model again, or use ", Argument("device", "cpu")
        )
    return float(1.0 / (1.0 + np.exp(-np.clip(difference, -500.0, 500.0))))


def _probabilities(
    roles: NDArray[np.int64], glued: NDArray[np.bool_], opening: NDArray[np.float64], closing: NDArray[np.float64]
) -> NDArray[np.float32]:
    rows = np.zeros((len(roles), 3))
    for at in range(len(roles)):
        if at and glued[at]:
            rows[at] = rows[at - 1, OUTSIDE], 0.0, 1.0 - rows[at - 1, OUTSIDE]
        elif at and roles[at - 1] != OUTSIDE:
            left = closing[at]
            rows[at] = left * (1.0 - opening[at]), left * opening[at], 1.0 - left
        else:
            rows[at] = 1.0 - opening[at], opening[at], 0.0
    return rows.astype(np.float32)
