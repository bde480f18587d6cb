"""Taggers by name: `lexicon`, `default`, a plugin, the path of a model, or several of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.errors import ConfigurationError, OptionError
from corpora.model.stage import Stage
from corpora.plugins import Registry
from nlmchem.tagging.kernel.arithmetic import AUTO
from nlmchem.tagging.models.folders import DEFAULT, LEXICON, folder_of
from nlmchem.tagging.rules.post_processing import Rules

if TYPE_CHECKING:
    from nlmchem.tagging.inference.spans import Decide
    from sieves.lexicon.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Tagger:
    """A tagger with a name: `make(choice, lexicon, decide)` returns its stage, see `TaggerChoice.stage`."""

    make: Callable[[TaggerChoice, Lexicon, Decide | None], Stage]


@dataclass(frozen=True, slots=True)
class TaggerChoice:
    """The tagging options of `annotate`. No heavy package is imported before `stage` is called.

    `rules`: in the form of `Rules.parse`. `threads`: threads of torch in a worker process. On a
    CPU they affect only the speed. `guidelines`: what the models follow (None: the guidelines of their targets).
    `labels`: names that replace the ones in the config.json of each model except the embedded one, in the same order.
    """

    names: tuple[str, ...]
    min_score: float = 0.0
    rules: str = "default"
    skip_sections: frozenset[str] = frozenset()
    device: str = "cpu"
    threads: int | None = 1
    arithmetic: str = AUTO
    guidelines: str | None = None
    labels: tuple[str, ...] = ()

    def versions(self) -> dict[str, str]:
        """The version of each tagger, by `tagger 1`, ...: the hash of a model's files, or `lexicon`.

        Raises `ConfigurationError` for an unknown name, guidelines that a model was not trained with, or labels that
        do not fit a model, and `ResourceError` for a folder without a model.
        """

        from nlmchem.tagging.models.folders import number_of, version_of

        if self.guidelines is not None:
            for folder in self.folders():
                number_of(folder, self.guidelines)
        self.check_labels()
        return {
            f"tagger {number}": name if self._is_code(name) else version_of(folder_of(name))
            for number, name in enumerate(self.names, 1)
        }

    def folders(self) -> list[Path]:
        """The folders of the models. Raises `ConfigurationError` for an unknown name."""
        return [folder_of(name) for name in self.names if not self._is_code(name)]

    def check_labels(self) -> None:
        """Raise `ConfigurationError` if `labels` does not fit a model, or applies to none. Does not import torch."""
        if not self.labels:
            return
        from nlmchem.tagging.models.folders import check_folder
        from nlmchem.tagging.models.loading import labels_of

        named = [folder_of(name) for name in self.names if name != DEFAULT and not self._is_code(name)]
        if not named:
            raise OptionError("labels", "has no effect with the embedded model, whose labels are known; leave it out")
        for folder in named:
            check_folder(folder)
            labels_of(folder, self.labels)

    def _is_code(self, name: str) -> bool:
        """Whether a tagger needs no model: the lexicon tagger and plugins (`corpora.plugins.versions`)."""
        return name != DEFAULT and TAGGERS.get(name) is not None

    def stage(self, lexicon: Lexicon, decide: Decide | None = None) -> Stage:
        """The stage: one tagger alone, or models together with the votes of lexicons.

        `lexicon` is used if `lexicon` is one of the names: as the only tagger, or as a vote in addition to the
        starter lexicon. `decide` changes the spans of each article before they are written (None: no change). Raises
        `ConfigurationError` for the tagger of a plugin among several.
        """
        if len(self.names) == 1 and (alone := TAGGERS.get(self.names[0])) is not None:
            return alone.make(self, lexicon, decide)
        plugins = [name for name in self.names if self._is_code(name) and name != LEXICON]
        if plugins:
            raise ConfigurationError(f"the tagger {plugins[0]!r} cannot be joined with others; give it alone")
        return _models(self, lexicon, decide)


def _lexicon_tagger(choice: TaggerChoice, lexicon: Lexicon, decide: Decide | None) -> Stage:
    from nlmchem.tagging.lexicon_tagger import LexiconTagger

    return LexiconTagger(lexicon, choice.skip_sections, decide)


def _models(choice: TaggerChoice, lexicon: Lexicon, decide: Decide | None) -> Stage:
    from nlmchem.tagging.tagger import TaggerOptions, open_tagger

    choice.check_labels()
    folders = choice.folders()
    rules, lexicons = Rules.parse(choice.rules, choice.guidelines), None
    if LEXICON in choice.names:
        from nlmchem.tagging.lexicon_tagger import lexicon_votes, starter_votes

        rules, lexicons = replace(rules, lexicon=True), [starter_votes(), lexicon_votes(lexicon)]
    options = TaggerOptions(rules, choice.min_score, choice.skip_sections)
    return open_tagger(
        folders, options, choice.device, choice.threads, lexicons, choice.arithmetic, decide, choice.guidelines,
        choice.labels, lexicon,
    )  # fmt: skip


TAGGERS = Registry("nlmchem.taggers", Tagger, {LEXICON: Tagger(_lexicon_tagger), DEFAULT: Tagger(_models)})


def split_names(given: str) -> tuple[str, ...]:
    """The names in `a,b,c`. Raises `ConfigurationError` if there is no name, or a name is repeated."""
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names or len(set(names)) < len(names):
        raise OptionError("tagger", f"is {given!r}; give the name of each tagger once, separated by commas")
    return names
