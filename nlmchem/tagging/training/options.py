"""The settings of a training. They are stored beside the weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError
from nlmchem.tagging.models.labels import Scheme

__all__ = ["StageOptions", "TrainingOptions"]


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
class TrainingOptions:
    """The settings of a whole training. `first`: the stage on outside corpora. `second`: the stage on the target.

    `negatives`: the share of the target's windows without mentions that is mixed into the first stage. `replayed`: the
    number of windows of an earlier training that are mixed into the second stage, so that it forgets less of it
    (de Masson d'Autume et al. 2019, "Episodic memory in lifelong language learning", NeurIPS).
    `letter_case`: give the model the letter case of each piece (for tokenizers that fold capitals). `gazetteer`: give
    the model what the default lexicon has for each piece; needs `letter_case`. `styles`: names of corpora of the first
    stage whose guidelines differ from those of the target; the model is told which of them a window follows. `copies`:
    augmented copies per article and augmentation. `precision`: of the matrix products; the weights are float32. None:
    float32 on a CPU, bfloat16 on a GPU that has it. `seconds`: training stops after this time; the same call continues.
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
    styles: tuple[str, ...] = ()
    copies: int = 1
    device: str = "cpu"
    precision: str | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.window < 32 or self.window % 16:
            raise ConfigurationError(f"the window is {self.window} pieces; give a multiple of 16, at least 32")
        if (self.gazetteer and not self.letter_case) or (self.styles and not self.gazetteer):
            letter_case, gazetteer = Argument("letter_case"), Argument("gazetteer")
            raise OptionError(
                "gazetteer", "needs ", letter_case, ", and ", Argument("styles"), " needs ", gazetteer, "; give both"
            )
        if not 0 <= self.negatives <= 1:
            raise ConfigurationError(f"the share of negatives is {self.negatives:g}; give a number from 0 to 1")

    def seeded(self, seed: int) -> TrainingOptions:
        """The same with another seed."""
        return replace(self, seed=seed)

    def facts(self) -> dict[str, Any]:
        """The settings that determine the weights, for the model card."""
        facts = asdict(self)
        for key in ("device", "seconds"):
            del facts[key]
        return facts
