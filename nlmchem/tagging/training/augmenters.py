"""The augmentations of training data, by the names that the command line has for them.

`synonym`, `other` and `random` are those of `augmentation`; here are the two that write the same name otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model import greek
from nlmchem.tagging.training.augmentation import MODES, Augmenter, Names, Replacement, replace, replaceable
from nlmchem.tagging.training.data import Augment

__all__ = ["NAMES", "augmenters_of", "other_case", "other_greek"]

NAMES = (*MODES, "case", "greek")
"""What may be named by `--augment`."""

_GREEK = {letter: greek.NAME_OF[letter] for letter in "αβγδεκω"}
"""The letters that names of chemicals use."""
_LETTERS = {name: letter for letter, name in _GREEK.items()}
_LONG_WORD = 5
"""Names with fewer letters are abbreviations and symbols, whose case tells them from words."""


def augmenters_of(names: str, lexicon: str | None = None) -> Sequence[Augment]:
    """The augmentations of names joined by commas. Raises `ConfigurationError`, and `ResourceError` by the lexicon."""
    given = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in given if name not in NAMES]
    if unknown:
        raise ConfigurationError(f"no augmentation is called {unknown[0]!r}; choose of {', '.join(NAMES)}")
    pool = _names(lexicon) if set(given) & {"synonym", "other"} else Names({}, (), "")
    return [_augment(name, pool) for name in given]


def other_case(text: str, random: Random) -> str:
    """A name of some length in capitals, capitalised, or in lower case; short ones as they are."""
    if sum(map(str.isalpha, text)) < _LONG_WORD or not text[1:].islower():
        return text
    return random.choice([text.upper(), text[:1].upper() + text[1:], text.lower()])


def other_greek(text: str, random: Random) -> str:
    """A name with its Greek letters written out, or with written-out ones as letters."""
    if any(letter in text for letter in _GREEK):
        return "".join(_GREEK.get(letter, letter) for letter in text)
    parts = text.split("-")
    return "-".join(_LETTERS.get(part.lower(), part) for part in parts)


def _names(lexicon: str | None) -> Names:
    from sieves.lexicon.lexicon import Lexicon

    opened = Lexicon.open(lexicon)
    # Not the proteins and roles that it knows too: they are no chemicals to the guidelines. Records of proteins that
    # are mapped to a peptide's heading give themselves away by their names.
    chemicals = (pair for pair in opened.names(distance=0) if "protein" not in pair[0].lower())
    return Names.of(chemicals, opened.version)


def _augment(name: str, pool: Names) -> Augment:
    if name == "case":
        return _rewriting(other_case, name)
    if name == "greek":
        return _rewriting(other_greek, name)
    augmenter = Augmenter(name, pool)
    return lambda document, copy: augmenter(document, copy)[0]


def _rewriting(change: Callable[[str, Random], str], name: str) -> Augment:
    def augment(document: BioCDocument, copy: int) -> BioCDocument:
        random = Random(f"{name}|{document.id}|{copy}")
        changes = [
            Replacement(mention.spans[0], changed, mention.identifiers)
            for mention in replaceable(document)
            if (changed := change(mention.text, random)) != mention.text
        ]
        return replace(document, changes)

    return augment
