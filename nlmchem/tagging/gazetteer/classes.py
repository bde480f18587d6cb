"""What the default lexicon says about each word piece, as an input of models (soft gazetteer features).

A model with `gazetteer` in its `nlmchem.json` receives the class of each piece as well: whether the piece begins or
continues a name of a chemical, a protein or another substance, and whether annotators of NLM-Chem marked the
text as a chemical in other articles. The model learns how far to trust each class. The lexicon is always the one that
comes with the package, so that the scores of a model do not depend on the option `lexicon`.

Two sources of names are used: MeSH without the starter names (they were chosen by hand while reading some of the
articles that models are measured on), and the names in `annotated_names.tsv`. Method: gazetteer embeddings added to the
input (Liu et al. 2019, "Towards improving neural named entity recognition with gazetteers", ACL).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.gazetteer.names import NameScanner, is_common, is_spelling, without_overlaps
from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds, by_first_token
from nlmchem.tagging.tokenization.word_pieces import Encoded
from sieves.lexicon.concepts import CHEMICAL_KIND, kind_of
from sieves.lexicon.keys import plain, tidy
from sieves.lexicon.lexicon import Lexicon, Match, singular

CHEMICAL, DOUBTFUL, PROTEIN, ROLE = 1, 3, 5, 6
"""Classes by MeSH; 0 is for pieces outside of names.

`CHEMICAL` and `DOUBTFUL` have a second value, one higher, for pieces after the first."""
MESH_CLASSES = 7
ANNOTATED = MESH_CLASSES
"""Is added to the first piece of a name that annotators marked; twice this number to the pieces after it."""
CLASSES = 3 * MESH_CLASSES
"""Number of classes: those by MeSH, times unmarked, first piece and later piece of a marked name."""

_PROTEINS = frozenset({"enzyme", "protein", "nucleic acid"})
_STARTER = "starter"
_SHORTEST_SURE = 3
"""Characters. Shorter names are also abbreviations of other things."""
_SHORTEST_RELAXED = 4
_NAMES = "annotated_names.tsv"

Span = tuple[int, int, int]
"""Start, end (exclusive) and class."""


class Gazetteer:
    """Classes of word pieces (0 to `CLASSES` - 1) by a lexicon and by names that annotators marked."""

    count = CLASSES

    def __init__(self, lexicon: Lexicon, annotated: Iterable[str] = (), *, strict: bool = False) -> None:
        """`annotated`: names that annotators marked.

        `strict`: names have no punctuation around them, and texts that differ from a name by more than punctuation and
        case are no names. Distant labels need it. The embedded models were trained without it, and a small model
        that was trained with it was no better (docs/measurements/tagger.md).
        """
        self._strict = strict
        self._lexicon = lexicon.undated()
        self._scanner: NameScanner[int] = NameScanner(self._lexicon, self._kind)
        self._annotated = by_first_token({tidy(name) for name in annotated})
        names = "\n".join(name for first in sorted(self._annotated) for name in self._annotated[first])
        what = f"{lexicon.version}\n{names}" + ("\nstrict" if strict else "")
        self.version = hashlib.sha256(what.encode()).hexdigest()
        """The sha256 of everything that the classes depend on."""

    def __call__(self, texts: Sequence[str], pieces: Sequence[Encoded]) -> list[NDArray[np.int32]]:
        """The classes of the pieces of each text."""
        shown = [plain(text) for text in texts]
        named = zip(shown, pieces, self.every_name(shown), strict=True)
        made: list[NDArray[np.int32]] = []
        for text, encoded, names in named:
            classes = np.zeros(len(encoded), dtype=np.int32)
            for start, end, kind in without_overlaps(names):
                first, last = encoded.pieces(start, end)
                classes[first:last] = kind
                if kind in (CHEMICAL, DOUBTFUL):
                    classes[first + 1 : last] = kind + 1
            for start, end in self.annotated(text):
                first, last = encoded.pieces(start, end)
                classes[first:last] += ANNOTATED
                classes[first + 1 : last] += ANNOTATED
            made.append(classes)
        return made

    def every_name(self, texts: Sequence[str]) -> list[list[Span]]:
        """The longest name at each token of texts in plain characters, by start; they may overlap."""
        return self._scanner.names(texts)

    def annotated(self, text: str) -> list[tuple[int, int]]:
        """The names that annotators marked, in a text in plain characters, from left to right, without overlaps."""

        def names() -> Iterator[tuple[int, int]]:
            for token in TOKEN.finditer(text):
                start = token.start()
                for name in self._annotated.get(token.group(), ()):
                    if text.startswith(name, start) and at_word_bounds(text, start, start + len(name)):
                        yield start, start + len(name)
                        break

        return list(without_overlaps(names()))

    def _kind(self, text: str) -> int | None:
        """The class of a text or of its singular; None for a text that is no name."""
        for form in (text, singular(text)):
            if form:
                matches = _of_mesh(self._lexicon.spelt(form)) or ()
                if matches:
                    return self._class_of(form, matches[0])
                matches = self._respelt(form)
                if matches and self._class_of(form, matches[0]) in (CHEMICAL, DOUBTFUL):
                    return DOUBTFUL
        return None

    def _respelt(self, text: str) -> list[Match]:
        """The names of which a text is another spelling."""
        if self._strict:
            return [name for name in _of_mesh(self._lexicon.relaxed(text)) if is_spelling(text, name.name)]
        if len(text) >= _SHORTEST_RELAXED and any(map(str.isalpha, text)):
            return _of_mesh(self._lexicon.relaxed(text))
        return []

    def _class_of(self, text: str, match: Match) -> int:
        kind = kind_of(self._lexicon.trees(match.identifier))
        if kind == CHEMICAL_KIND:
            return DOUBTFUL if len(text) < _SHORTEST_SURE or is_common(text, match) else CHEMICAL
        return PROTEIN if kind in _PROTEINS else ROLE


@cache
def shipped_gazetteer(*, strict: bool = False) -> Gazetteer:
    """The gazetteer of the default lexicon and of the names that come with the package."""
    lines = files(__package__).joinpath(_NAMES).read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return Gazetteer(Lexicon.open(), (row[0] for row in rows), strict=strict)


def _of_mesh(matches: Iterable[Match]) -> list[Match]:
    return [match for match in matches if match.layer != _STARTER]
