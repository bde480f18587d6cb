"""The kinds of models that training knows, by the name of their architecture. Token classifiers are here.

Installed packages add kinds by the entry point `nlmchem.learners`, each with the name of an entry of
`nlmchem.architectures` (`nlmchem.tagging.models.folders`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor, nn

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from nlmchem.tagging.inference.labels import LabelSet
from nlmchem.tagging.inference.scoring import Model, TokenClassifier
from nlmchem.tagging.models.folders import CRF_FILE, GUIDELINES, architecture_of, read_json
from nlmchem.tagging.models.loading import cased_vocabulary, classes_of, cutter_of, longest_window
from nlmchem.tagging.models.torch_networks import computed, network_of
from nlmchem.tagging.tokenization.windows import pack
from nlmchem.tagging.tokenization.word_pieces import PieceCutter
from nlmchem.tagging.training.data import Example, Pack
from nlmchem.tagging.training.folders import base_folder, base_tokenizer, check_base, open_base, receives
from nlmchem.tagging.training.module import Collator, make_module, merge_kinds
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan


@dataclass(frozen=True, slots=True)
class Learner:
    """What a stage trains, whatever the kind of model."""

    module: nn.Module
    """Its `forward` returns the loss of a batch."""
    collate: Callable[[Sequence[Example]], dict[str, Tensor]]
    """Makes a batch."""
    model: Callable[[], Model]
    """The module as it is now, as a model that a tagger can use."""
    save: Callable[[Path], dict[str, Any]]
    """Writes weights, configuration and tokenizer into a folder, and returns what its `nlmchem.json` states."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A plan for a base."""

    plan: TrainingPlan
    """With the settings that the base demands."""
    cutter: PieceCutter
    window: int
    """The largest window in pieces."""


@dataclass(frozen=True, slots=True)
class LearnerKind:
    """What training needs of a kind of models. All functions raise `ResourceError` for a folder that cannot be used."""

    prepare: Callable[[Path, Path], Path]
    """Given a base and the output folder: the folder that training reads, that of the base or a changed copy."""
    fitted: Callable[[Path, TrainingPlan], Fitted]
    """The plan for such a folder. Raises `OptionError` for options that the kind does not have."""
    learner: Callable[[Path, StageOptions, TaggerTraining], Learner]
    """What a stage trains that starts from such a folder."""
    pack: Pack
    """How texts are divided into windows."""


def token_classifier(base: Path, stage: StageOptions, options: TaggerTraining) -> Learner:
    """A token classifier that starts from a base model. Raises `ResourceError` if the base cannot be used."""
    tokenizer = base_tokenizer(base)
    module = make_module(base, options, stage.dropout)

    def model() -> TokenClassifier:
        transitions = None if module.crf is None else module.crf.transitions.detach().float().cpu().numpy()
        network = partial(computed, options.device, network_of(module.classifier, module.cased))
        cutter = cutter_of(tokenizer, module.cased, classes_of({"gazetteer": options.gazetteer}))
        window = min(options.window, longest_window(read_json(base / "config.json")))
        labels = LabelSet.of(options.scheme)
        return TokenClassifier("in training", "0" * 64, cutter, network, labels, window, options.device, transitions)

    def save(folder: Path) -> dict[str, Any]:
        merge_kinds(module.classifier)
        module.classifier.save_pretrained(folder)  # type: ignore[operator]
        tokenizer.save_pretrained(str(folder))
        if module.crf is not None:
            save_file({"transitions": module.crf.transitions.detach().cpu().contiguous()}, folder / CRF_FILE)
        return {
            "head": "crf" if options.crf else "linear",
            "window": min(options.window, longest_window(read_json(folder / "config.json"))),
            "letter_case": options.letter_case,
            **({"gazetteer": True, GUIDELINES: ["", *options.guidelines]} if options.gazetteer else {}),
        }

    return Learner(module, Collator(cutter_of(tokenizer).padding), model, save)


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
