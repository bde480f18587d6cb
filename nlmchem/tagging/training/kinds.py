"""The registry of the kinds of models that training knows, by the name of their architecture.

Token classifiers are here. Installed packages add kinds by the entry point `nlmchem.learners`, each with the name of an
entry of `nlmchem.architectures` (`nlmchem.tagging.models.folders`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from nlmchem.tagging.models.folders import architecture_of, read_json
from nlmchem.tagging.models.loading import cased_vocabulary, classes_of, cutter_of, longest_window
from nlmchem.tagging.tokenization.windows import pack
from nlmchem.tagging.tokenization.word_pieces import PieceCutter
from nlmchem.tagging.training.base import base_folder, base_tokenizer, check_base, open_base, receives
from nlmchem.tagging.training.data import Pack
from nlmchem.tagging.training.learner import Learner, token_classifier
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan


@dataclass(frozen=True, slots=True)
class Fitted:
    """A plan for a base: with the settings that the base demands, its tokenizer, and the largest window in pieces."""

    plan: TrainingPlan
    cutter: PieceCutter
    window: int


@dataclass(frozen=True, slots=True)
class LearnerKind:
    """What training needs of a kind of models.

    `prepare(base, out)`: the folder that training reads: that of `base`, or a changed copy of it under `out`.
    `fitted(folder, plan)`: the plan for this folder; raises `OptionError` for options that the kind does not have.
    `learner(folder, stage, options)`: what a stage trains. `pack`: how texts are divided into windows. All raise
    `ResourceError` for a folder that cannot be used.
    """

    prepare: Callable[[Path, Path], Path]
    fitted: Callable[[Path, TrainingPlan], Fitted]
    learner: Callable[[Path, StageOptions, TaggerTraining], Learner]
    pack: Pack


def _fitted_classifier(folder: Path, plan: TrainingPlan) -> Fitted:
    config = read_json(folder / "config.json")
    window = min(plan.options.window, longest_window(config))
    letter_case = plan.options.letter_case or receives(folder, "letter_case")
    gazetteer = plan.options.gazetteer or receives(folder, "gazetteer")
    options = replace(plan.options, window=window, letter_case=letter_case, gazetteer=gazetteer)
    facts = {"letter_case": letter_case, "gazetteer": gazetteer}
    cutter = cutter_of(base_tokenizer(folder), cased_vocabulary(config, facts), classes_of(facts))
    return Fitted(replace(plan, options=options), cutter, window)


TOKEN_CLASSIFIER = LearnerKind(open_base, _fitted_classifier, token_classifier, pack)
KINDS = Registry("nlmchem.learners", LearnerKind, {})


def kind_of(base: Path) -> LearnerKind:
    """The kind of a base model: a folder, or `default` for the embedded model.

    Raises `ResourceError` for a folder that cannot be a base model, and `ConfigurationError` where the package of its
    architecture cannot train.
    """
    check_base(base)
    named = architecture_of(base_folder(base))
    if named is None:
        return TOKEN_CLASSIFIER
    name, architecture = named
    kind = KINDS.get(name)
    if kind is None:
        raise ConfigurationError(f"{base} is {architecture.title}, which cannot be trained; name another base")
    return kind
