"""Taggers by the names of `--tagger`: `lexicon`, `default`, paths of models, or several of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.errors import OptionError
from nlmchem.tagging.models.arithmetic import AUTO
from nlmchem.tagging.models.folders import LEXICON, folder_of
from nlmchem.tagging.rules.post_processing import Rules

if TYPE_CHECKING:
    from nlmchem.tagging.inference.spans import Decide
    from nlmchem.tagging.lexicon.tagger import LexiconTagger
    from nlmchem.tagging.tagger import NeuralTagger
    from sieves.lexicon.lexicon import Lexicon

__all__ = ["TaggerChoice", "split_names"]


@dataclass(frozen=True, slots=True)
class TaggerChoice:
    """The tagging options of `annotate`. No heavy package is imported before `stage` is called.

    `rules`: in the form of `Rules.parse`. `threads`: threads of torch in a worker process. On a
    CPU they affect only the speed. `guidelines`: those that the models follow (None: those of their targets).
    """

    names: tuple[str, ...]
    min_score: float = 0.0
    rules: str = "default"
    skip_sections: frozenset[str] = frozenset()
    device: str = "cpu"
    threads: int | None = 1
    arithmetic: str = AUTO
    guidelines: str | None = None

    def versions(self) -> dict[str, str]:
        """The version of each tagger, by `tagger 1`, ...: the hash of a model's files, or `lexicon`.

        Raises `ConfigurationError` for an unknown name, or guidelines that a model was not trained with, and
        `ResourceError` for a folder without a model.
        """
        from nlmchem.tagging.models.folders import number_of, version_of

        if self.guidelines is not None:
            for folder in self.folders():
                number_of(folder, self.guidelines)
        return {
            f"tagger {number}": LEXICON if name == LEXICON else version_of(folder_of(name))
            for number, name in enumerate(self.names, 1)
        }

    def folders(self) -> list[Path]:
        """The folders of the models. Raises `ConfigurationError` for an unknown name."""
        return [folder_of(name) for name in self.names if name != LEXICON]

    def stage(self, lexicon: Lexicon, decide: Decide | None = None) -> LexiconTagger | NeuralTagger:
        """The stage: the lexicon tagger alone, or models together with the votes of lexicons.

        `lexicon` is used if `lexicon` is one of the names: as the only tagger, or as a vote in addition to the
        starter lexicon. `decide` changes the spans of each article before they are written (None: no change).
        """
        folders = self.folders()
        if not folders:
            from nlmchem.tagging.lexicon.tagger import LexiconTagger

            return LexiconTagger(lexicon, self.skip_sections, decide)
        from nlmchem.tagging.tagger import TaggerOptions, open_tagger

        rules, lexicons = Rules.parse(self.rules), None
        if LEXICON in self.names:
            from nlmchem.tagging.lexicon.tagger import lexicon_votes, starter_votes

            rules, lexicons = replace(rules, lexicon=True), [starter_votes(), lexicon_votes(lexicon)]
        options = TaggerOptions(rules, self.min_score, self.skip_sections)
        return open_tagger(
            folders, options, self.device, self.threads, lexicons, self.arithmetic, decide, self.guidelines
        )


def split_names(given: str) -> tuple[str, ...]:
    """The names in `a,b,c`. Raises `ConfigurationError` if there is no name, or a name is repeated."""
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names or len(set(names)) < len(names):
        raise OptionError("tagger", f"is {given!r}; give the name of each tagger once, separated by commas")
    return names
