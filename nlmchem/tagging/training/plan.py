"""What a training should do, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError
from nlmchem.tagging.rules.post_processing import PostProcessing
from nlmchem.tagging.training.data import Augment, Corpus
from nlmchem.tagging.training.options import TrainingOptions

__all__ = ["Cutoff", "Outcome", "Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The corpora, folds and seeds of a training.

    `base`: the folder of a base model, or `default` for the embedded model. `folds`: 0 trains once on all target
    articles. `only`: the folds to train (empty: all). `seeds`: one model per seed, or one per seed and fold. `replay`:
    corpora of an earlier training, of which a sample joins the target.

    Raises `ConfigurationError` if there is nothing to train on, or folds or seeds are not valid.
    """

    base: Path
    out: Path
    target: Sequence[Corpus]
    outside: Sequence[Corpus] = ()
    silver: Sequence[Corpus] = ()
    replay: Sequence[Corpus] = ()
    dev: Corpus | None = None
    folds: int = 0
    only: Sequence[int] = ()
    seeds: Sequence[int] = (7,)
    options: TrainingOptions = TrainingOptions()  # noqa: RUF009 - frozen
    augmenters: Sequence[Augment] = ()
    post_processing: PostProcessing = PostProcessing()  # noqa: RUF009 - frozen

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
        """The names of the models that each seed trains: `all`, or `fold-0`, `fold-1`, ..."""
        return [f"fold-{number}" for number in self.only or range(self.folds)] if self.folds else ["all"]


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
            f"the time limit stopped the training: {self.models} of {self.wanted} models are complete, {self.part} "
            f"{reached}; run the same command again to continue"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
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
