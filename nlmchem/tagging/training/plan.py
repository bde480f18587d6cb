"""What a training should do, with its settings, what it did, and the record of it in its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import DAMAGE, Argument, ConfigurationError, OptionError, damage
from corpora.model.document import mentions
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.storage.owned_files import OwnedFolder
from corpora.tools.leaks import describe, fingerprint, leaks
from corpora.words.quantities import quantity
from nlmchem.tagging.models.folders import version_of
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.training.data import Augment, TrainingCorpus, augmented, is_distant
from nlmchem.tagging.training.folders import base_folder


@dataclass(frozen=True, slots=True)
class StageOptions:
    """The settings of one stage."""

    rate: float
    """Peak learning rate."""
    passes: float
    """Epochs."""
    batch: int = 4096
    """Padded word pieces in a batch."""
    dropout: float | None = None
    """Dropout of hidden states (None: the base model's own)."""
    patience: int = 0
    """The stage ends after this many passes without a better strict F on the development set (0: never)."""

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.passes <= 0 or self.batch <= 0:
            raise ConfigurationError("learning rate, passes and batch must be greater than 0")


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """The settings of a whole training."""

    window: int = 256
    """Word pieces in a window."""
    seed: int = 7
    first: StageOptions = StageOptions(rate=2e-4, passes=1)
    """The stage on outside corpora."""
    second: StageOptions = StageOptions(rate=1e-4, passes=6)
    """The stage on the target."""
    replayed: int = 500
    """Windows of an earlier training that are mixed into the second stage, so that it forgets less of it (de Masson
    d'Autume et al. 2019, "Episodic memory in lifelong language learning", NeurIPS)."""
    letter_case: bool = False
    """Give the model the letter case of each piece, for tokenizers that fold capitals."""
    gazetteer: bool = False
    """Give the model what the default lexicon has for each piece; needs `letter_case`."""
    guidelines: tuple[str, ...] = ()
    """Names of corpora of the first stage whose guidelines differ from those of the target; the model receives which of
    them a window follows."""
    copies: int = 1
    """Augmented copies of an article, for each augmentation."""
    device: str = "cpu"
    precision: str | None = None
    """Of the matrix products; weights are float32 (None: float32 on a CPU, bfloat16 on a GPU that has it)."""
    accumulate: int = 1
    """Parts of a batch whose gradients are computed one after another and added."""
    seconds: float | None = None
    """Training stops after this time; the same call continues."""

    def __post_init__(self) -> None:
        if self.window < 32 or self.window % 16:
            raise ConfigurationError(f"the window is {self.window} pieces; give a multiple of 16, at least 32")
        if (self.gazetteer and not self.letter_case) or (self.guidelines and not self.gazetteer):
            raise OptionError(
                "gazetteer", "needs ", Argument("letter_case"), ", and ", Argument("guidelines"), " needs ",
                Argument("gazetteer"), "; give both",
            )  # fmt: skip
        if self.precision == "float16" and not self.device.startswith("cuda"):
            raise OptionError("precision", "float16 needs a GPU; add ", Argument("device", "cuda"), ", or use bfloat16")
        smallest = min(self.first.batch, self.second.batch) // self.window
        if self.accumulate > max(1, smallest):
            raise OptionError(
                "accumulate",
                f"is {self.accumulate}, but a batch has {quantity(max(1, smallest), 'window')}; give a smaller number",
            )

    def facts(self) -> dict[str, Any]:
        """The settings that determine the weights, for the model card."""
        facts = asdict(self)
        for key in ("device", "seconds"):
            del facts[key]
        return facts


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The corpora, folds and seeds of a training.

    Raises `ConfigurationError` if there is nothing to train on, or folds or seeds are not valid.
    """

    base: Path
    """The folder of a base model, or `default` for the embedded model."""
    out: Path
    target: Sequence[TrainingCorpus]
    outside: Sequence[TrainingCorpus] = ()
    """The corpora of the first stage."""
    silver: Sequence[TrainingCorpus] = ()
    replay: Sequence[TrainingCorpus] = ()
    """Corpora of an earlier training, of which a sample joins the target."""
    dev: TrainingCorpus | None = None
    folds: int = 0
    """0 trains once on all target articles."""
    only: Sequence[int] = ()
    """The folds to train (empty: all)."""
    whole: bool = False
    """Whether a model is trained on all target articles after the folds."""
    seeds: Sequence[int] = (7,)
    """One model for each seed, or for each seed and fold."""
    options: TaggerTraining = TaggerTraining()
    augmenters: Sequence[Augment] = ()
    rules: Rules = Rules()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if not self.target and not self.outside:
            raise ConfigurationError("nothing to train on; name annotated articles with ", Argument("corpus"))
        if self.folds == 1 or self.folds < 0:
            raise OptionError("folds", f"is {self.folds}; give 2 or more, or leave the option out")
        if not self.seeds or min(self.seeds) < 0 or len(set(self.seeds)) < len(self.seeds):
            given = ",".join(map(str, self.seeds))
            raise OptionError("seeds", f"is {given!r}; give different numbers from 0 up, separated by commas")

    @property
    def parts(self) -> list[str]:
        """The names of the models that each seed trains: `all`, or `fold-0`, `fold-1`, ..., then `all` for `whole`."""
        if not self.folds:
            return ["all"]
        return [f"fold-{number}" for number in self.only or range(self.folds)] + ["all"] * self.whole

    def leakage(self) -> list[str]:
        """Sentences about articles that are both trained on and scored on."""
        others = [*self.outside, *self.silver, *self.replay]
        compared = [([*others, *self.target], self.dev)] if self.dev is not None else []
        # The folds of the target keep articles with one id together. Other corpora may contain copies of them.
        compared += [(others, corpus) for corpus in self.target if self.folds]
        sentences = []
        for trained, scored in compared:
            # By id, DOI and near-identical text.
            left = [fingerprint(document) for document in scored.documents]
            right = (fingerprint(document) for document in chain.from_iterable(corpus.documents for corpus in trained))
            if trained:
                names = ", ".join(corpus.name for corpus in trained)
                sentences.append(describe(leaks(left, right), scored.name, names))
        return sentences


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Where the time limit stopped a training.

    `part`: the stage that was not finished (`seed-7/first`, `seed-7/fold-0`), at `step` of `steps` (both 0 if the
    stage was not started). `models` of `wanted` models are complete.
    """

    part: str
    step: int
    steps: int
    models: int
    wanted: int

    def __str__(self) -> str:
        """One sentence: what was reached, and how to continue."""
        reached = f"reached step {self.step} of {self.steps}" if self.steps else "was not started"
        return (
            f"the time limit stopped the training with {self.models} of "
            f"{quantity(self.wanted, 'model')} complete, {self.part} "
            f"{reached}; run the same command again to continue"
        )


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """The models that are complete, the scores of all folds and seeds, and where the time limit stopped the training.

    `scores` is None if there are no held-out articles or the training was stopped. `cutoff` is None if all is done.
    """

    models: tuple[Path, ...]
    scores: dict[str, Any] | None
    cutoff: Cutoff | None = None

    @property
    def finished(self) -> bool:
        """Whether all models are complete."""
        return self.cutoff is None


PLAN = "plan.json"
"""The record of a training in its folder: a second training with other data or settings must not use its models."""


def claim(folder: OwnedFolder, plan: TrainingPlan) -> None:
    """Write the record of a training, or compare it with the one that is there.

    Seeds, the device and the time limit may differ: each seed has models of its own. Raises `ConfigurationError` where
    the folder has a training of another base, other articles or other settings, which are named.
    """
    # What the weights and the scores depend on, by the names of options; corpora and models by their content.
    settings = plan.options.facts()
    stages = {"first stage": settings.pop("first"), "second stage": settings.pop("second")}
    for stage, values in stages.items():
        settings |= {f"{name} of the {stage}": value for name, value in values.items()}
    parts: Mapping[str, Sequence[TrainingCorpus]] = {
        "corpus": plan.target, "first": plan.outside, "silver": plan.silver, "replay": plan.replay,
        "dev": () if plan.dev is None else (plan.dev,),
    }  # fmt: skip
    copies = [augmented(corpus, [augment], 1, 0) for augment in plan.augmenters for corpus in plan.target]
    facts = {
        "base": version_of(base_folder(plan.base)),
        "folds": plan.folds,
        "rules": asdict(plan.rules),
        "augment": [_digest(corpus) for corpus in copies],
        **{name: [_digest(corpus) for corpus in corpora] for name, corpora in parts.items()},
        **settings,
    }
    now = json.loads(json.dumps(facts))
    file = folder.path / PLAN
    folder.check(PLAN)
    try:
        before = json.loads(file.read_bytes())
        differing = sorted(key for key in {*now, *before} if now.get(key) != before.get(key))
    except FileNotFoundError:
        folder.write_text(PurePosixPath(PLAN), json.dumps(now, indent=1) + "\n")
        return
    except DAMAGE as error:
        raise ConfigurationError(
            f"{file} is not the record of a training ({damage(error)}); name a new folder"
        ) from error
    if differing:
        names = ", ".join(differing)
        raise ConfigurationError(
            f"{folder.path} has a training with another configuration ({names} differ); name a new folder"
        )


def _digest(corpus: TrainingCorpus) -> str:
    """The sha256 of what training reads of a corpus, with its name (guidelines go by it) and weight."""
    digest = hashlib.sha256(f"{corpus.name} {corpus.weight}".encode())
    for document in corpus.documents:
        read = (
            [join_key(document), is_distant(document)],
            [[passage.offset, passage_text(passage)] for passage in document.passages],
            [[mention.type, mention.spans, mention.identifiers] for mention in mentions(document, None)],
        )
        digest.update(json.dumps(read, sort_keys=True).encode())
    return digest.hexdigest()
