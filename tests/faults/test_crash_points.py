"""Commands that are killed before a durable event and continued give the bytes of an undisturbed run.

The short form of `benchmarks/faults/crash_points.py`, which kills before every event.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import run_drills
from command_drills import DRILLS
from disturbances import (
    Ready,
    content,
    difference,
    disturbed,
    events_of,
    kill_everywhere,
    lose_power_everywhere,
    prepared,
    raise_everywhere,
)
from durable_events import Event, in_child, killing

from corpora.storage import atomic

NAMES = [*run_drills.DRILLS, "corpora split", "submit", "fetch"]
"""The other commands write as these do."""
KILLS = 3
"""Kills of each command in these tests."""


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ready]:
    """A drill by its name, prepared once for all tests: each disturbance restores the start."""
    return cache(lambda name: prepared(DRILLS[name], tmp_path_factory.mktemp("drill")))


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_command_continues_to_the_same_bytes(name: str, ready: Callable[[str], Ready]) -> None:
    step = max(1, len(events_of(ready(name))) // KILLS)
    cases, differences = kill_everywhere(ready(name), step, first=step // 2)
    assert cases >= KILLS - 1
    assert not differences


@pytest.mark.parametrize("name", NAMES)
def test_a_power_failure_loses_no_finished_work(name: str, ready: Callable[[str], Ready]) -> None:
    step = max(1, len(events_of(ready(name))) // KILLS)
    cases, differences = lose_power_everywhere(ready(name), step, first=step // 3)
    assert cases >= KILLS - 1
    assert not differences


def test_the_power_layer_finds_folders_that_are_not_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "sync_folder", lambda path: None)
    _, differences = lose_power_everywhere(prepared(DRILLS["replay"], tmp_path), step=4)
    assert differences


@pytest.mark.parametrize("name", ["annotate", "restart", "retry-failed", "replay", "lexicon unpacking", "silver"])
def test_an_error_at_any_event_is_one_sentence_and_the_command_continues(
    name: str, ready: Callable[[str], Ready]
) -> None:
    step = max(1, len(events_of(ready(name), reading=True)) // 2)
    cases, differences = raise_everywhere(ready(name), step, first=step // 2)
    assert cases >= 8
    assert not differences


@pytest.mark.parametrize("name", ["annotate", "annotate into one file", "lexicon unpacking"])
def test_a_kill_at_the_last_rename_leaves_no_temporary_file(name: str, ready: Callable[[str], Ready]) -> None:
    """The last rename of a run is that of its manifest, or of its only output."""
    drill = ready(name)
    renames = [number for number, event in enumerate(events_of(drill)) if event.startswith("os.rename")]
    assert disturbed(drill, killing(renames[-1])).signal
    assert list((drill.place.root / "work").rglob(".*.tmp"))
    assert not difference(drill, in_child(lambda: drill.drill.continued(drill.place)))


def test_an_error_while_the_ledger_is_closed_is_one_sentence(ready: Callable[[str], Ready]) -> None:
    last = len(events_of(ready("annotate"), reading=True)) - 1
    cases, differences = raise_everywhere(ready("annotate"), last + 1, first=last)
    assert (cases, differences) == (4, [])


def test_the_copies_of_a_replay_survive_each_kill(ready: Callable[[str], Ready]) -> None:
    """Each event between the first result of a replay and the end: the copies are removed there."""
    events = events_of(ready("replay"))
    removed = [number for number, event in enumerate(events) if event.endswith("error.json") and "remove" in event]
    committed = [number for number, event in enumerate(events) if event.startswith("COMMIT")]
    stored = [number for number, event in enumerate(events) if "INSERT OR REPLACE INTO article" in event]
    assert removed
    assert any(stored[0] < commit < removed[0] for commit in committed)


def test_the_events_of_a_run_are_seen(tmp_path: Path) -> None:
    drill = prepared(DRILLS["annotate"], tmp_path)
    events = events_of(drill)
    kinds = {event.split()[0] for event in events}
    assert {"open", "os.rename", "os.remove", "os.mkdir", "fsync", "INSERT", "COMMIT"} <= kinds
    assert content(drill.place) in drill.right


def test_a_difference_would_be_found(ready: Callable[[str], Ready]) -> None:
    """The harness itself: a command that is killed and not continued has another content."""
    drill = ready("annotate")

    def stop(event: Event) -> None:
        if event.what == "COMMIT":
            raise KeyboardInterrupt

    assert disturbed(drill, stop).error
    assert content(drill.place) not in drill.right


def test_an_article_that_is_annotated_again_would_be_found(ready: Callable[[str], Ready]) -> None:
    """The harness itself: a ledger that has lost its articles."""
    drill = ready("annotate")
    drill.place.restore()
    in_child(lambda: drill.drill.command(drill.place))
    with sqlite3.connect(drill.place.out / ".nlmchem" / "ledger.sqlite") as ledger:
        ledger.executescript("DELETE FROM article; UPDATE source SET state = 'open'")
    ledger.close()
    ended = in_child(lambda: drill.drill.command(drill.place))
    assert "finished articles were annotated again" in difference(drill, ended)
