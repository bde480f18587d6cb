"""What a training should do, with its settings, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.tools.leaks import describe, fingerprint, leaks
from corpora.words.quantities import quantity
from nlmchem.tagging.inference.labels import Scheme
from nlmchem.tagging.models.folders import folder_of, version_of
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.training.data import Augment, TrainingCorpus


@dataclass(frozen=True, slots=True)
class StageOptions:
    """The settings of one stage.

    `rate`: peak learning rate. `passes`: epochs. `batch`: padded word pieces in a batch. `dropout`: of hidden states
    (None: the base model's own). `attention_dropout`: with 0, torch uses a fused attention kernel on a CPU, which
    trains 1.5 times as fast (6 layers of 384, 2 cores). `masking`: the share of word pieces that are replaced by
    [MASK], different ones in each pass; the model then also learns names from their context. `patience`: the stage
    ends after this many passes without a better strict F on the development set (0: never).
    """

    rate: float
    passes: float
    batch: int = 4096
    warmup: float = 0.1
    layer_decay: float = 1.0
    weight_decay: float = 0.01
    smoothing: float = 0.0
    dropout: float | None = None
    attention_dropout: float = 0.0
    masking: float = 0.0
    patience: int = 0

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.passes <= 0 or self.batch <= 0 or not 0 < self.layer_decay <= 1:
            raise ConfigurationError("learning rate, passes, batch and layer decay must be greater than 0")
        if not 0 <= self.masking < 1:
            raise ConfigurationError(f"the share of masked pieces is {self.masking:g}; give a number from 0 to below 1")


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """The settings of a whole training. `first`: the stage on outside corpora. `second`: the stage on the target.

    `negatives`: the share of the target's windows without mentions that is mixed into the first stage. `replayed`: the
    number of windows of an earlier training that are mixed into the second stage, so that it forgets less of it
    (de Masson d'Autume et al. 2019, "Episodic memory in lifelong language learning", NeurIPS).
    `letter_case`: give the model the letter case of each piece (for tokenizers that fold capitals). `gazetteer`:
    give the model what the default lexicon has for each piece; needs `letter_case`. `guidelines`: names of corpora
    of the first stage whose guidelines differ from those of the target; the model receives which of them a window
    follows. `layers`: those of the base that the model keeps (empty: all). `teacher`: a tagger whose probabilities
    the model learns besides the labels; `taught`: their share of the loss. `copies`: augmented copies per article
    and augmentation. `precision`: of the matrix products; the weights are float32. None: float32 on a CPU, bfloat16
    on a GPU that has it. `accumulate`: the number of parts of a batch whose gradients are computed one after
    another and added. `seconds`: training stops after this time; the same call continues.
    """

    scheme: Scheme = Scheme.BIO
    crf: bool = False
    window: int = 256
    seed: int = 7
    first: StageOptions = field(default_factory=lambda: StageOptions(rate=2e-4, passes=1))
    second: StageOptions = field(default_factory=lambda: StageOptions(rate=1e-4, passes=6))
    negatives: float = 0.0
    replayed: int = 500
    letter_case: bool = False
    gazetteer: bool = False
    guidelines: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()
    teacher: Path | None = None
    taught: float = 0.5
    copies: int = 1
    device: str = "cpu"
    precision: str | None = None
    accumulate: int = 1
    seconds: float | None = None

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
        if not 0 < self.taught <= 1:
            raise ConfigurationError(f"the share of the teacher is {self.taught:g}; give a number above 0, to 1")
        if not 0 <= self.negatives <= 1:
            raise ConfigurationError(f"the share of negatives is {self.negatives:g}; give a number from 0 to 1")

    def seeded(self, seed: int) -> TaggerTraining:
        """The same with another seed."""
        return replace(self, seed=seed)

    def facts(self) -> dict[str, Any]:
        """The settings that determine the weights, for the model card."""
        facts = asdict(self)
        for key in ("device", "seconds"):
            del facts[key]
        if not self.layers:
            del facts["layers"]
        if self.teacher is None:
            del facts["teacher"], facts["taught"]
        else:
            facts["teacher"] = version_of(folder_of(str(self.teacher)))
        return facts


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """The corpora, folds and seeds of a training.

    `base`: the folder of a base model, or `default` for the embedded model. `folds`: 0 trains once on all target
    articles. `only`: the folds to train (empty: all). `whole`: train on all target articles after the folds.
    `seeds`: one model per seed, or one per seed and fold. `replay`: corpora of an earlier training, of which a sample
    joins the target.

    Raises `ConfigurationError` if there is nothing to train on, or folds or seeds are not valid.
    """

    base: Path
    out: Path
    target: Sequence[TrainingCorpus]
    outside: Sequence[TrainingCorpus] = ()
    silver: Sequence[TrainingCorpus] = ()
    replay: Sequence[TrainingCorpus] = ()
    dev: TrainingCorpus | None = None
    folds: int = 0
    only: Sequence[int] = ()
    whole: bool = False
    seeds: Sequence[int] = (7,)
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
        leaks = _leaks([*others, *self.target], [self.dev]) if self.dev is not None else []
        # The folds of the target keep articles with one id together. Other corpora may contain copies of them.
        return leaks + (_leaks(others, self.target) if self.folds else [])


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


def _leaks(trained: Sequence[TrainingCorpus], scored: Sequence[TrainingCorpus]) -> list[str]:
    """One sentence per scored corpus: how many of its articles are in the training corpora.

    Articles are compared by id, DOI and near-identical text (`corpora.tools.leaks`).
    """
    if not trained:
        return []
    names = ", ".join(corpus.name for corpus in trained)
    sentences = []
    for corpus in scored:
        left = [fingerprint(document) for document in corpus.documents]
        right = (fingerprint(document) for document in chain.from_iterable(other.documents for other in trained))
        sentences.append(describe(leaks(left, right), corpus.name, names))
    return sentences
