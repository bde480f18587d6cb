"""One stage of training on the Trainer of `transformers`. An interrupted stage continues from its last checkpoint.

Checkpoints are the Trainer's own format and stay in the folder of the training. Exported models are safetensors and
JSON.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import Sampler
from transformers import (
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_utils import get_last_checkpoint
from transformers.training_args import ParallelMode

from corpora.reporting import Report, log
from corpora.storage.atomic import replacing_folder
from nlmchem.tagging.inference.scoring import Model
from nlmchem.tagging.models.folders import FACTS_FILE
from nlmchem.tagging.training.data import Example
from nlmchem.tagging.training.module import Learner
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining
from nlmchem.tagging.training.processes import Processes

Score = Callable[[Model], float]
"""Computes the strict F (0 to 1) of a model on the development set."""
CHECKPOINT_STEPS = {"cpu": 100, "cuda": 1000}
"""Steps between two checkpoints of a stage without development set: some minutes on either device."""
LOGGING_STEPS = 10
"""Steps over which the loss of a progress line is averaged."""
WARMUP, DECAY = 0.1, 0.01
"""The share of the steps in which the learning rate rises, and the decay of weights that are matrices."""
_UNDECAYED = ("bias", "LayerNorm.weight", "layer_norm.weight")


@dataclass(frozen=True, slots=True)
class TrainedStage:
    """The result of a stage. `step` of `steps` were made; `best`: the best strict F on the development set."""

    learner: Learner
    step: int
    steps: int
    best: float | None
    finished: bool


def train_stage(
    base: Path,
    folder: Path,
    given: Sequence[Example],
    stage: StageOptions,
    options: TaggerTraining,
    score: Score | None = None,
    until: float | None = None,
    report: Report = log,
    processes: Processes = Processes(),  # noqa: B008 - frozen
) -> TrainedStage:
    """Train one stage from a base model. `folder` holds its checkpoints; training continues from the last of them.

    `score` is called after each pass, and the weights of the best pass are kept. `until`: the time at which training
    stops (`time.monotonic`). `report` receives a progress line every minute. `processes` share each batch: the
    parts that one process computes one after another are divided among them. Raises `ResourceError` if the base model
    cannot be used.
    """
    set_seed(options.seed)
    learner = Learner(base, stage, options)
    parts = ceil(options.accumulate / processes.number) * processes.number
    at_once = max(1, stage.batch // options.window // parts)
    size = at_once * parts
    steps = ceil(len(given) / size)
    limit = None if until is None else TimeLimit(until, processes)
    callbacks: list[TrainerCallback] = [TrainingProgress(folder.parent.name, sum(len(e.ids) for e in given), report)]
    if limit is not None:
        callbacks.append(limit)
    if score is not None and stage.patience:
        callbacks.append(EarlyStoppingCallback(early_stopping_patience=stage.patience))
    named = [(name, weight) for name, weight in learner.module.named_parameters() if weight.requires_grad]
    groups = [
        {"params": [weight for name, weight in named if name.endswith(_UNDECAYED) is undecayed], "weight_decay": decay}
        for undecayed, decay in ((False, DECAY), (True, 0.0))
    ]
    trainer = _SpanTrainer(
        model=learner.module,
        args=_arguments(
            folder, stage, options, (size // parts, parts // processes.number), steps, scored=score is not None
        ),
        train_dataset=list(given),
        eval_dataset=list(given[:1]) if score is not None else None,
        data_collator=learner.collate,
        optimizers=(torch.optim.AdamW(groups, lr=stage.rate), None),
        callbacks=callbacks,
    )
    # It prints to standard output, which is reserved for results.
    trainer.remove_callback(PrinterCallback)
    trainer.sampler = LengthGrouped([len(example.ids) for example in given], size, options.seed)
    if score is not None:
        trainer.score_of = lambda: processes.shared(lambda: score(learner.model()))
    trainer.train(resume_from_checkpoint=processes.in_turn(lambda: _last_checkpoint(folder)))
    state = trainer.state
    learner.module.eval()
    return TrainedStage(
        learner, state.global_step, state.max_steps, state.best_metric, limit is None or not limit.expired
    )


def export(learner: Learner, folder: Path, facts: Mapping[str, Any]) -> None:
    """Write a complete model folder (weights, configuration, tokenizer, `nlmchem.json`), or no folder."""
    with replacing_folder(folder) as part:
        content = {"format": 1, **learner.save(part), **facts}
        (part / FACTS_FILE).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _last_checkpoint(folder: Path) -> str | None:
    """The last complete checkpoint. Later ones, which a killed training did not write to the end, are removed."""
    while folder.is_dir() and (last := get_last_checkpoint(str(folder))):
        try:
            # The Trainer writes it last.
            json.loads((Path(last) / TRAINER_STATE_NAME).read_bytes())
        except (FileNotFoundError, ValueError):
            shutil.rmtree(last)
        else:
            return str(last)
    return None


@dataclass
class _OneDevice(TrainingArguments):
    """Trains on the named device. The Trainer would take the first GPU, and share each batch among all GPUs.

    Where each GPU has a process of its own, the Trainer's choice is right.
    """

    named: str = "cpu"

    @cached_property
    def _setup_devices(self) -> torch.device:
        device: torch.device = super()._setup_devices
        if device.type != "cuda" or self.parallel_mode is ParallelMode.DISTRIBUTED:
            return device
        self._n_gpu = 1
        device = torch.device(self.named if ":" in self.named else "cuda:0")
        torch.cuda.set_device(device)
        return device


def _arguments(
    folder: Path, stage: StageOptions, options: TaggerTraining, part: tuple[int, int], steps: int, scored: bool
) -> TrainingArguments:
    """`part`: windows that are computed at once, and how many such parts of a batch a process computes."""
    on_gpu = options.device.startswith("cuda")
    by_default = on_gpu and options.precision is None
    return _OneDevice(
        named=options.device,
        output_dir=str(folder),
        per_device_train_batch_size=part[0],
        gradient_accumulation_steps=part[1],
        num_train_epochs=stage.passes,
        learning_rate=stage.rate,
        weight_decay=DECAY,
        warmup_steps=int(WARMUP * steps * stage.passes),
        lr_scheduler_type="linear",
        max_grad_norm=1.0,
        bf16=options.precision == "bfloat16" or (by_default and torch.cuda.is_bf16_supported()),
        fp16=options.precision == "float16",
        use_cpu=not on_gpu,
        seed=options.seed,
        data_seed=options.seed,
        eval_strategy="epoch" if scored else "no",
        save_strategy="epoch" if scored else "steps",
        save_steps=CHECKPOINT_STEPS["cuda" if on_gpu else "cpu"],
        save_total_limit=2,
        load_best_model_at_end=scored,
        metric_for_best_model="strict_f" if scored else None,
        greater_is_better=True if scored else None,
        logging_strategy="steps",
        logging_steps=LOGGING_STEPS,
        remove_unused_columns=False,
        label_names=["labels"],
        dataloader_pin_memory=on_gpu,
        disable_tqdm=True,
        report_to="none",
    )


class _SpanTrainer(Trainer):
    """Evaluates by the strict F of mentions instead of a loss."""

    score_of: Callable[[], float] | None = None
    sampler: LengthGrouped | None = None

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return self.sampler

    def evaluate(self, *_: Any, metric_key_prefix: str = "eval", **__: Any) -> dict[str, float]:
        assert self.score_of is not None
        assert self.model is not None
        self.model.eval()
        metrics = {f"{metric_key_prefix}_strict_f": self.score_of()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


POOL = 50
"""Batches whose windows are drawn at random together and then sorted by length."""


class LengthGrouped(Sampler[int]):
    """Positions of windows. Each group of `batch` positions has windows of similar length; groups come in random order.

    Windows of NLM-Chem have 190 pieces on average. Random batches are padded to 256: a quarter of the computation is
    lost. The order depends on the seed and the pass (`set_epoch`) only, so a resumed training repeats it.
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self._lengths = lengths
        self._batch = batch
        self._seed = seed
        self._epoch = 0

    def __len__(self) -> int:
        return len(self._lengths)

    def set_epoch(self, epoch: int) -> None:
        """Set the pass (from 0). The data loader calls this before each pass."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + self._epoch)
        order = torch.randperm(len(self._lengths), generator=generator).tolist()
        pool = POOL * self._batch
        whole: list[list[int]] = []
        rest: list[int] = []
        for at in range(0, len(order), pool):
            drawn = sorted(order[at : at + pool], key=lambda position: -self._lengths[position])
            for begin in range(0, len(drawn), self._batch):
                batch = drawn[begin : begin + self._batch]
                if len(batch) == self._batch:
                    whole.append(batch)
                else:
                    rest += batch
        for number in torch.randperm(len(whole), generator=generator).tolist():
            yield from whole[number]
        # The batch that is not full comes last, because the loader cuts batches by counting.
        yield from rest


SECONDS = 60.0
"""Seconds between two lines."""


class TrainingProgress(TrainerCallback):
    """Reports steps, passes, loss, word pieces per second and the time left, every `SECONDS` seconds.

    `pieces`: word pieces (without padding) in one pass over the training data. Pieces per second are an average over
    this call: steps that an earlier call made do not count.
    """

    def __init__(self, name: str, pieces: int, report: Report, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._pieces = pieces
        self._report = report
        self._clock = clock
        self._first_step = 0
        self._begun = self._last = clock()
        self._loss: float | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._first_step = state.global_step
        self._begun = self._last = self._clock()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        self._loss = (logs or {}).get("loss", self._loss)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        now = self._clock()
        if now - self._last < SECONDS:
            return
        self._last = now
        step, steps, passes, seconds = state.global_step, state.max_steps, args.num_train_epochs, now - self._begun
        share = (step - self._first_step) / steps
        parts = [f"{self._name}: step {step} of {steps} (pass {passes * step / steps:.1f} of {passes:g})"]
        if self._loss is not None:
            parts.append(f"loss {self._loss:.4f}")
        parts.append(f"{self._pieces * passes * share / seconds:,.0f} pieces/s")
        left = seconds / (step - self._first_step) * (steps - step)
        hours, minutes = divmod(round(left / 60), 60)
        duration = f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
        parts.append(f"{left:.0f} s left" if left < 100 else f"{duration} left")
        self._report(", ".join(parts))


class TimeLimit(TrainerCallback):
    """Ends a training at a given time (`time.monotonic`), with a checkpoint to continue from."""

    def __init__(self, until: float, processes: Processes = Processes()) -> None:  # noqa: B008 - frozen
        self._until = until
        self._processes = processes
        self.expired = False

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if state.global_step < state.max_steps and self._processes.after(self._until):
            self.expired = True
            control.should_save = True
            control.should_training_stop = True
        return control
