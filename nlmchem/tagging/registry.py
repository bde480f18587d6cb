"""Taggers by name: `lexicon`, `default`, a plugin, the path of a model, or several of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.errors import ConfigurationError, OptionError
from corpora.model import Stage
from corpora.plugins import Registry
from nlmchem.tagging.kernel.arithmetic import AUTO
from nlmchem.tagging.models.folders import ANCESTORS, DEFAULT, LEXICON, folder_of, read_facts

if TYPE_CHECKING:
    from nlmchem.tagging.inference.scoring import Model, SpanTagger
    from nlmchem.tagging.inference.spans import Decide
    from sieves.lexicon.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Tagger:
    """A tagger with a name. It has one of two functions: `spans`, or `make` if it does everything itself."""

    make: Callable[[TaggerChoice, Lexicon, Decide | None], Stage] | None = None
    """Returns a whole stage, as `TaggerChoice.stage` does. Such a tagger is used alone."""
    spans: Callable[[TaggerChoice, Lexicon], SpanTagger] | None = None
    """Returns what finds the chemicals in texts. Skipped sections, rules, votes of several taggers, decisions,
    thresholds and the writing of mentions are added to it (docs/howto/add-a-tagger.md)."""
    version: Callable[[], str] | None = None
    """Returns what the spans depend on besides the version of the package, such as the sha256 of a model file. It is
    part of the configuration of a run (None: nothing else)."""

    def __post_init__(self) -> None:
        if (self.make is None) is (self.spans is None):
            raise ValueError("a tagger has either make or spans")


@dataclass(frozen=True, slots=True)
class TaggerChoice:
    """The tagging options of `annotate`. No heavy package is imported before `stage` is called."""

    names: tuple[str, ...]
    min_score: float = 0.0
    rules: str = "default"
    """In the form of `Rules.parse`."""
    skip_sections: frozenset[str] = frozenset()
    device: str = "cpu"
    threads: int | None = 1
    """Threads of torch in a worker process. On a CPU they affect only the speed."""
    arithmetic: str = AUTO
    guidelines: str | None = None
    """What the models follow (None: the guidelines of their targets)."""
    labels: tuple[str, ...] = ()
    """Names that replace those in the config.json of each model except the embedded one, in the same order."""

    def versions(self) -> dict[str, str]:
        """The version of each tagger, by `tagger 1`, ...: the hash of a model's files, `lexicon`, or that of a plugin.

        Raises `ConfigurationError` for an unknown name, guidelines that a model was not trained with, or labels that
        do not fit a model, and `ResourceError` for a folder without a model.
        """
        from nlmchem.tagging.models.folders import number_of, version_of

        if self.guidelines is not None:
            for folder in self.folders():
                number_of(folder, self.guidelines)
        self.check_labels()
        return {
            f"tagger {number}": version_of(folder_of(name)) if entry is None else _code_version(name, entry)
            for number, (name, entry) in enumerate(((name, _of_code(name)) for name in self.names), 1)
        }

    def folders(self) -> list[Path]:
        """The folders of the models. Raises `ConfigurationError` for an unknown name."""
        return [folder_of(name) for name in self.names if _of_code(name) is None]

    def check_labels(self) -> None:
        """Raise `ConfigurationError` if `labels` does not fit a model, or applies to none. Does not import torch."""
        if not self.labels:
            return
        from nlmchem.tagging.models.folders import check_folder
        from nlmchem.tagging.models.loading import labels_of

        named = [folder_of(name) for name in self.names if name != DEFAULT and _of_code(name) is None]
        if not named:
            raise OptionError("labels", "has no effect with the embedded model, whose labels are known; leave it out")
        for folder in named:
            check_folder(folder)
            labels_of(folder, self.labels)

    def measured_by(self, card: Mapping[str, object]) -> bool:
        """Whether a decision with this card was measured with these taggers, so that its calibration holds.

        A card has the versions of the taggers. The card of the decision that comes with nlmchem has none: it was
        measured with the embedded tagger. A model that was trained from the measured one counts as it, because a
        decision is trained on articles that its tagger has not seen.
        """
        if self.rules != "default" or self.guidelines is not None:
            return False
        measured = {key: version for key, version in card.items() if re.fullmatch(r"tagger \d+", key)}
        if not measured:
            return self.names == (DEFAULT,)
        versions = self.versions()
        if len(versions) == len(measured) == 1 and _of_code(self.names[0]) is None:
            own = [*versions.values(), *read_facts(folder_of(self.names[0])).get(ANCESTORS, ())]
            return measured.get("tagger 1") in own
        return versions == measured

    def models(self, lexicon: Lexicon) -> list[Model]:
        """The opened models, also for taggers of plugins. The tagger `lexicon` has no model.

        Raises `ConfigurationError` for the tagger of a plugin that works alone, and as `open_model`.
        """
        from nlmchem.tagging.inference.scoring import SpanModel
        from nlmchem.tagging.models.loading import needs_torch, open_model

        self.check_labels()
        entries = [(name, _of_code(name)) for name in self.names if name != LEXICON]
        for name, entry in entries:
            if entry is not None and entry.spans is None:
                raise ConfigurationError(f"the tagger {name!r} cannot be joined with others; give it alone")
        models: list[Model] = []
        for name, entry in entries:
            if entry is not None and entry.spans is not None:
                models.append(SpanModel.of(name, _code_version(name, entry), entry.spans(self, lexicon)))
            else:
                labels = () if name == DEFAULT else self.labels
                models.append(open_model(folder_of(name), self.device, self.arithmetic, self.guidelines, labels))
        # After the models, which report a torch that is not installed.
        if self.threads is not None and any(needs_torch(folder, self.device) for folder in self.folders()):
            import torch

            torch.set_num_threads(max(1, self.threads))
        return models

    def stage(self, lexicon: Lexicon, decide: Decide | None = None) -> Stage:
        """The stage: one tagger alone, or models together with the votes of lexicons.

        `lexicon` is used if `lexicon` is one of the names: as the only tagger, or as a vote in addition to the
        starter lexicon. `decide` changes the spans of each article before they are written (None: no change). Raises
        `ConfigurationError` for the tagger of a plugin among several that works alone.
        """
        alone = TAGGERS.get(self.names[0]) if len(self.names) == 1 else None
        make = _joined if alone is None or alone.make is None else alone.make
        return make(self, lexicon, decide)


def _lexicon_tagger(choice: TaggerChoice, lexicon: Lexicon, decide: Decide | None) -> Stage:
    from nlmchem.tagging.lexicon_tagger import LexiconTagger

    return LexiconTagger(lexicon, choice.skip_sections, decide)


def _joined(choice: TaggerChoice, lexicon: Lexicon, decide: Decide | None) -> Stage:
    from nlmchem.tagging.rules.post_processing import Rules
    from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions

    rules, lexicons = Rules.parse(choice.rules, choice.guidelines), None
    if LEXICON in choice.names:
        from nlmchem.tagging.lexicon_tagger import lexicon_votes, starter_votes

        rules, lexicons = replace(rules, lexicon=True), [starter_votes(), lexicon_votes(lexicon)]
    options = TaggerOptions(rules, choice.min_score, choice.skip_sections)
    return NeuralTagger(choice.models(lexicon), options, lexicons, decide, lexicon)


TAGGERS = Registry("nlmchem.taggers", Tagger, {LEXICON: Tagger(_lexicon_tagger), DEFAULT: Tagger(_joined)})


def _of_code(name: str) -> Tagger | None:
    """The entry of a tagger that needs no folder of a model: the lexicon tagger, and plugins."""
    return None if name == DEFAULT else TAGGERS.get(name)


def _code_version(name: str, entry: Tagger) -> str:
    return name if entry.version is None else f"{name} {entry.version()}"


def split_names(given: str) -> tuple[str, ...]:
    """The names in `a,b,c`. Raises `ConfigurationError` if there is no name, or a name is repeated."""
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names or len(set(names)) < len(names):
        raise OptionError("tagger", f"is {given!r}; give the name of each tagger once, separated by commas")
    return names
