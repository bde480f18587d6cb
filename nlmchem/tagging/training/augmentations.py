"""The augmentations of training data, by their names on the command line.

`synonym`, `other` and `random` are in `replacement`. This module adds `case` and `greek`, which change the spelling
of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model import greek
from nlmchem.tagging.training.data import Augment
from nlmchem.tagging.training.replacement import MODES, Augmenter, Names, Replacement, replace, replaceable

__all__ = ["NAMES", "augmenters_of", "other_case", "other_greek"]

NAMES = (*MODES, "case", "greek")
"""The values of `--augment`."""

_GREEK = {letter: greek.NAME_OF[letter] for letter in "αβγδεκω"}
"""The letters that names of chemicals use."""
_LETTERS = {name: letter for letter, name in _GREEK.items()}
_LONG_WORD = 5
"""Letters. Shorter names are abbreviations and symbols, and their letter case must not change."""


def augmenters_of(names: str, lexicon: str | None = None) -> Sequence[Augment]:
    """The augmentations of comma-separated names. Raises `ConfigurationError`, and `ResourceError` for the lexicon."""
    given = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in given if name not in NAMES]
    if unknown:
        raise ConfigurationError(f"there is no augmentation {unknown[0]!r}; choose from {', '.join(NAMES)}")
    pool = _names(lexicon) if set(given) & {"synonym", "other"} else Names({}, (), "")
    return [_augment(name, pool) for name in given]


def other_case(text: str, random: Random) -> str:
    """A long name in capitals, capitalised, or in lower case. Short names do not change."""
    if sum(map(str.isalpha, text)) < _LONG_WORD or not text[1:].islower():
        return text
    return random.choice([text.upper(), text[:1].upper() + text[1:], text.lower()])


def other_greek(text: str, random: Random) -> str:
    """A name with Greek letters replaced by their names, or the other way round."""
    if any(letter in text for letter in _GREEK):
        return "".join(_GREEK.get(letter, letter) for letter in text)
    parts = text.split("-")
    return "-".join(_LETTERS.get(part.lower(), part) for part in parts)


def _names(lexicon: str | None) -> Names:
    from sieves.lexicon.lexicon import Lexicon

    opened = Lexicon.open(lexicon)
    # Distance 0 leaves out proteins and roles, which the guidelines do not mark. Some records of proteins are mapped
    # to the heading of a peptide; these are recognised by their names.
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
