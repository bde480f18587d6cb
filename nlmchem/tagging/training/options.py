"""How a tagger is trained: plain data, written beside the weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from corpora.errors import ConfigurationError
from nlmchem.tagging.models.labels import Scheme

__all__ = ["StageOptions", "TrainingOptions"]


@dataclass(frozen=True, slots=True)
class StageOptions:
    """One stage. `rate`: peak learning rate; `passes`: epochs; `batch`: padded word pieces in a batch.

    `dropout`: of hidden states (None: as the base model says). `attention_dropout`: 0 lets a CPU use its fused
    attention, which trains 1.5 times as fast (6 layers of 384, 2 cores).
    `masking`: the share of word pieces that are shown as [MASK], others in each pass: names are then learnt from what
    stands around them too. `patience`: passes without a better strict F on the development set after which the stage
    ends (0: never).
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
    """A whole training. `first` is the stage on outside corpora, `second` that on the target.

    `negatives`: the share of the target's windows without any mention that is mixed into the first stage.
    `letter_case`: show the model the case of each piece (for models whose tokenizer folds capitals).
    `seconds`: after which training stops, to be gone on with by the same call.
    """

    scheme: Scheme = Scheme.BIO
    crf: bool = False
    window: int = 256
    seed: int = 7
    first: StageOptions = field(default_factory=lambda: StageOptions(rate=2e-4, passes=1))
    second: StageOptions = field(default_factory=lambda: StageOptions(rate=1e-4, passes=6))
    negatives: float = 0.0
    letter_case: bool = False
    copies: int = 1
    device: str = "cpu"
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.window < 32 or self.window % 16:
            raise ConfigurationError(f"the window is {self.window} pieces; give a multiple of 16 from 32 on")
        if not 0 <= self.negatives <= 1:
            raise ConfigurationError(f"the share of negatives is {self.negatives:g}; give a number from 0 to 1")

    def seeded(self, seed: int) -> TrainingOptions:
        """The same with another seed."""
        return replace(self, seed=seed)

    def facts(self) -> dict[str, Any]:
        """What of this is told in a model's card: all that decides about its weights."""
        told = asdict(self)
        for key in ("device", "seconds"):
            del told[key]
        return told
