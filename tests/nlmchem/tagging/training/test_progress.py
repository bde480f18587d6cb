"""Progress lines and the time limit of a training."""

from __future__ import annotations

from types import SimpleNamespace

from nlmchem.tagging.training.stage import TrainingProgress


def test_a_line_is_reported_every_minute() -> None:
    now = 0.0
    lines: list[str] = []
    progress = TrainingProgress("all", 6_000, lines.append, lambda: now)
    arguments, state = SimpleNamespace(num_train_epochs=2), SimpleNamespace(global_step=0, max_steps=600)
    progress.on_train_begin(arguments, state, None)
    progress.on_log(arguments, state, None, logs={"loss": 0.51239})
    for step in range(1, 131):
        now += 1
        state.global_step = step
        progress.on_step_end(arguments, state, None)
    assert lines == [
        "all: step 60 of 600 (pass 0.2 of 2), loss 0.5124, 20 pieces/s, 9 min left",
        "all: step 120 of 600 (pass 0.4 of 2), loss 0.5124, 20 pieces/s, 8 min left",
    ]


def test_the_speed_counts_only_steps_of_this_call() -> None:
    now = 0.0
    lines: list[str] = []
    progress = TrainingProgress("all", 6_000, lines.append, lambda: now)
    arguments, state = SimpleNamespace(num_train_epochs=2), SimpleNamespace(global_step=540, max_steps=600)
    progress.on_train_begin(arguments, state, None)
    now, state.global_step = 60.0, 570
    progress.on_step_end(arguments, state, None)
    assert lines == ["all: step 570 of 600 (pass 1.9 of 2), 10 pieces/s, 60 s left"]


def test_long_times_are_given_in_hours() -> None:
    now = 0.0
    lines: list[str] = []
    progress = TrainingProgress("all", 1_000, lines.append, lambda: now)
    arguments, state = SimpleNamespace(num_train_epochs=1), SimpleNamespace(global_step=0, max_steps=185)
    progress.on_train_begin(arguments, state, None)
    now, state.global_step = 60.0, 1
    progress.on_step_end(arguments, state, None)
    assert lines[0].endswith("3 h 04 min left")
