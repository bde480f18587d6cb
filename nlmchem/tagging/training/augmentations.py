"""The registry of augmentations: what `augment` of `nlmchem train tagger` can do with the articles of a corpus.

Installed packages add to it by the entry point `nlmchem.augmentations`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from nlmchem.tagging.training.data import Augment


@dataclass(frozen=True, slots=True)
class Augmentation:
    """A way to change articles.

    `make(lexicon)`: the function that makes the copies. `lexicon` is the path of a lexicon (None: the default one).
    Raises `ResourceError` if it cannot be read.
    """

    make: Callable[[str | None], Augment]


AUGMENTATIONS = Registry("nlmchem.augmentations", Augmentation, {})


def augmenters_of(names: str, lexicon: str | None = None) -> Sequence[Augment]:
    """The augmentations of comma-separated names. Raises `ConfigurationError`, and `ResourceError` for the lexicon."""
    made = []
    for name in (part.strip() for part in names.split(",")):
        if not name:
            continue
        augmentation = AUGMENTATIONS.get(name)
        if augmentation is None:
            known = ", ".join(AUGMENTATIONS.names())
            remedy = f"choose from {known}" if known else "no installed package has one; leave it out"
            raise ConfigurationError(f"there is no augmentation {name!r}; {remedy}")
        made.append(augmentation.make(lexicon))
    return made
