"""One stage of training, on the Trainer of `transformers`; it can be killed and gone on with.

Checkpoints are the Trainer's own and stay in the folder of the training; what is exported is safetensors and JSON.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import (
    AutoTokenizer,
    EarlyStoppingCallback,
    PreTrainedTokenizerBase,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)
from transformers.trainer_utils import get_last_checkpoint

from corpora.errors import ResourceError
from nlmchem.tagging.models.labels import LabelSet
from nlmchem.tagging.models.loading import (
    CRF_FILE,
    FACTS_FILE,
    WEIGHTS,
    Model,
    cutter_of,
    longest_window,
    network_of,
    read_json,
)
from nlmchem.tagging.training.data import Example
from nlmchem.tagging.training.module import Collator, TaggerModule, make_module, optimizer_for
from nlmchem.tagging.training.options import StageOptions, TrainingOptions
from nlmchem.tagging.training.order import LengthGrouped

__all__ = ["Stage", "base_cutter", "check_base", "export", "train_stage"]

Score = Callable[[Model], float]
"""Strict F of a model on the development set."""
CHECKPOINT_STEPS = {"cpu": 100, "cuda": 1000}
"""Steps after which a stage without development set writes a checkpoint: some minutes on either."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that has been trained, or that ran out of time (`finished` is false)."""

    module: TaggerModule
    finished: bool
    steps: int
    best: float | None


def check_base(base: Path) -> None:
    """Raise `ResourceError` where a folder cannot be a base model, saying what it lacks."""
    if not (base / "config.json").is_file():
        raise ResourceError(f"no base model in {base}; give a folder with config.json, tokenizer and model.safetensors")
    read_json(base / "config.json")
    if not any((base / name).is_file() for name in WEIGHTS):
        raise ResourceError(
            f"the base model {base} has no model.safetensors (a pickle such as pytorch_model.bin is not read); "
            "docs/training.md says how to save it as safetensors"
        )


def base_cutter(base: Path) -> PreTrainedTokenizerBase:
    """The base model's tokenizer. Raises `ResourceError`."""
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            base, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise ResourceError(f"the tokenizer of {base} cannot be read ({error}); get the model again") from error
    cutter_of(tokenizer)
    return tokenizer


def train_stage(
    base: Path,
    folder: Path,
    given: Sequence[Example],
    stage: StageOptions,
    options: TrainingOptions,
    score: Score | None = None,
    until: float | None = None,
) -> Stage:
    """Train a stage from a base model. `folder` keeps its checkpoints: the last one there is gone on from.

    `score` is asked after each pass; the best pass' weights are kept. `until`: when to stop (`time.monotonic`).
    """
    check_base(base)
    set_seed(options.seed)
    tokenizer = base_cutter(base)
    module = make_module(
        base, options.scheme, options.crf, stage.smoothing, stage.dropout, stage.attention_dropout, options.letter_case
    )
    module.masking, module.mask = stage.masking, _mask_piece(tokenizer, stage, base)
    _take_over_transitions(module, base)
    size = max(1, stage.batch // options.window)
    steps = ceil(len(given) / size)
    callbacks: list[TrainerCallback] = [_TimeLimit(until)] if until is not None else []
    if score is not None and stage.patience:
        callbacks.append(EarlyStoppingCallback(early_stopping_patience=stage.patience))
    trainer = _SpanTrainer(
        model=module,
        args=_arguments(folder, stage, options, size, steps, scored=score is not None),
        train_dataset=list(given),
        eval_dataset=list(given[:1]) if score is not None else None,
        data_collator=Collator(cutter_of(tokenizer).padding),
        optimizers=(optimizer_for(module, stage.rate, stage.layer_decay, stage.weight_decay), None),
        callbacks=callbacks,
    )
    # It prints to standard output, which is for results.
    trainer.remove_callback(PrinterCallback)
    trainer.sampler = LengthGrouped([len(example.ids) for example in given], size, options.seed)
    trainer.score_of = None if score is None else lambda: score(_as_model(module, tokenizer, base, options))
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(folder)) if folder.is_dir() else None)
    return Stage(
        module.eval(), not any(c.expired for c in callbacks if isinstance(c, _TimeLimit)),
        trainer.state.global_step, trainer.state.best_metric,
    )  # fmt: skip


def export(module: TaggerModule, base: Path, folder: Path, options: TrainingOptions, facts: Mapping[str, Any]) -> None:
    """Write a model folder, whole or not at all: weights, configuration, tokenizer, `nlmchem.json`."""
    waiting = folder.with_name(folder.name + ".part")
    shutil.rmtree(waiting, ignore_errors=True)
    waiting.mkdir(parents=True)
    module.classifier.save_pretrained(waiting)  # type: ignore[operator]
    base_cutter(base).save_pretrained(str(waiting))
    if module.crf is not None:
        save_file({"transitions": module.crf.transitions.detach().cpu().contiguous()}, waiting / CRF_FILE)
    told = {
        "format": 1,
        "head": "crf" if options.crf else "linear",
        "window": min(options.window, longest_window(read_json(waiting / "config.json"))),
        "letter_case": options.letter_case,
        **facts,
    }
    (waiting / FACTS_FILE).write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    waiting.rename(folder)


def _mask_piece(tokenizer: PreTrainedTokenizerBase, stage: StageOptions, base: Path) -> int:
    if tokenizer.mask_token_id is None and stage.masking:
        raise ResourceError(f"the tokenizer of {base} has no [MASK]; train without masking")
    return int(tokenizer.mask_token_id or 0)


def _take_over_transitions(module: TaggerModule, base: Path) -> None:
    """A second stage goes on with the first one's transitions."""
    from safetensors.torch import load_file

    if module.crf is not None and (base / CRF_FILE).is_file():
        learned = load_file(base / CRF_FILE)["transitions"]
        if learned.shape == module.crf.transitions.shape:
            with torch.no_grad():
                module.crf.transitions.copy_(learned)


def _as_model(module: TaggerModule, tokenizer: PreTrainedTokenizerBase, base: Path, options: TrainingOptions) -> Model:
    """The module in training, as the tagger uses models."""
    transitions = None if module.crf is None else module.crf.transitions.detach().float().cpu().numpy()
    network = network_of(module.classifier, module.cased)
    cutter = cutter_of(tokenizer, module.cased)
    window = min(options.window, longest_window(read_json(base / "config.json")))
    labels = LabelSet.of(options.scheme)
    return Model("in training", "0" * 64, cutter, network, labels, window, options.device, transitions)


def _arguments(
    folder: Path, stage: StageOptions, options: TrainingOptions, size: int, steps: int, scored: bool
) -> TrainingArguments:
    on_gpu = options.device.startswith("cuda")
    rhythm = "epoch" if scored else "steps"
    return TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=size,
        num_train_epochs=stage.passes,
        learning_rate=stage.rate,
        weight_decay=stage.weight_decay,
        warmup_steps=int(stage.warmup * steps * stage.passes),
        lr_scheduler_type="linear",
        max_grad_norm=1.0,
        bf16=on_gpu and torch.cuda.is_bf16_supported(),
        use_cpu=not on_gpu,
        seed=options.seed,
        data_seed=options.seed,
        eval_strategy="epoch" if scored else "no",
        save_strategy=rhythm,
        save_steps=CHECKPOINT_STEPS["cuda" if on_gpu else "cpu"],
        save_total_limit=2,
        load_best_model_at_end=scored,
        metric_for_best_model="strict_f" if scored else None,
        greater_is_better=True if scored else None,
        logging_strategy="epoch",
        remove_unused_columns=False,
        label_names=["labels"],
        dataloader_pin_memory=on_gpu,
        disable_tqdm=True,
        report_to="none",
    )


class _SpanTrainer(Trainer):
    """Evaluates by strict F of mentions, as the tagger would make them, in place of a loss."""

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


class _TimeLimit(TrainerCallback):
    """Ends a training at a moment (`time.monotonic`), with a checkpoint to go on from."""

    def __init__(self, until: float) -> None:
        self._until = until
        self.expired = False

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        if time.monotonic() >= self._until and state.global_step < state.max_steps:
            self.expired = True
            control.should_save = True
            control.should_training_stop = True
        return control
