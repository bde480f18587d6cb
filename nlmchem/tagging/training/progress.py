"""Progress of a long training: a line every minute, on a terminal and in a log file alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback

from corpora.reporting import Report
from nlmchem.tagging.training.processes import Processes

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
        self._report(self._line(state.global_step, state.max_steps, args.num_train_epochs, now - self._begun))

    def _line(self, step: int, steps: int, passes: float, seconds: float) -> str:
        share = (step - self._first_step) / steps
        parts = [f"{self._name}: step {step} of {steps} (pass {passes * step / steps:.1f} of {passes:g})"]
        if self._loss is not None:
            parts.append(f"loss {self._loss:.4f}")
        parts.append(f"{self._pieces * passes * share / seconds:,.0f} pieces/s")
        parts.append(f"{_minutes(seconds / (step - self._first_step) * (steps - step))} left")
        return ", ".join(parts)


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


def _minutes(seconds: float) -> str:
    """A duration: `45 s`, `12 min`, `3 h 05 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
