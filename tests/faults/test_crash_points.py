"""Commands that are killed before a durable event and continued give the bytes of an undisturbed run.

The short form of `benchmarks/faults/crash_points.py`, which kills before every event.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from disturbances import (
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
from run_drills import DRILLS

from corpora.storage import atomic

KILLS = 5
"""Kills of each command in these tests."""


@pytest.mark.parametrize("name", list(DRILLS))
def test_a_killed_command_continues_to_the_same_bytes(name: str, tmp_path: Path) -> None:
    place, _ = prepared(DRILLS[name], tmp_path / "counted")
    step = max(1, len(events_of(DRILLS[name], place)) // KILLS)
    cases, differences = kill_everywhere(DRILLS[name], tmp_path / "killed", step, first=step // 2)
    assert cases >= KILLS - 1
    assert not differences


@pytest.mark.parametrize("name", list(DRILLS))
def test_a_power_failure_loses_no_finished_work(name: str, tmp_path: Path) -> None:
    place, _ = prepared(DRILLS[name], tmp_path / "counted")
    step = max(1, len(events_of(DRILLS[name], place)) // KILLS)
    cases, differences = lose_power_everywhere(DRILLS[name], tmp_path / "lost", step, first=step // 3)
    assert cases >= KILLS - 1
    assert not differences


def test_the_power_layer_finds_folders_that_are_not_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "sync_folder", lambda path: None)
    _, differences = lose_power_everywhere(DRILLS["replay"], tmp_path, step=4)
    assert differences


@pytest.mark.parametrize("name", ["annotate", "restart", "retry-failed", "replay", "lexicon unpacking", "silver"])
def test_an_error_at_any_event_is_one_sentence_and_the_command_continues(name: str, tmp_path: Path) -> None:
    place, _ = prepared(DRILLS[name], tmp_path / "counted")
    step = max(1, len(events_of(DRILLS[name], place, reading=True)) // 3)
    cases, differences = raise_everywhere(DRILLS[name], tmp_path / "raised", step, first=step // 2)
    assert cases >= 12
    assert not differences


@pytest.mark.parametrize("name", ["annotate", "annotate into one file", "lexicon unpacking"])
def test_a_kill_at_the_last_rename_leaves_no_temporary_file(name: str, tmp_path: Path) -> None:
    """The last rename of a run is that of its manifest, or of its only output."""
    place, right = prepared(DRILLS[name], tmp_path)
    renames = [number for number, event in enumerate(events_of(DRILLS[name], place)) if event.startswith("os.rename")]
    assert disturbed(DRILLS[name], place, killing(renames[-1])).signal
    assert list((tmp_path / "work").rglob(".*.tmp"))
    assert not difference(place, right, in_child(lambda: DRILLS[name].continued(place)))


def test_an_error_while_the_ledger_is_closed_is_one_sentence(tmp_path: Path) -> None:
    drill = DRILLS["annotate"]
    place, _ = prepared(drill, tmp_path / "first")
    last = len(events_of(drill, place, reading=True)) - 1
    cases, differences = raise_everywhere(drill, tmp_path / "raised", last + 1, first=last)
    assert (cases, differences) == (4, [])


def test_the_copies_of_a_replay_survive_each_kill(tmp_path: Path) -> None:
    """Each event between the first result of a replay and the end: the copies are removed there."""
    drill = DRILLS["replay"]
    place, _ = prepared(drill, tmp_path / "counted")
    events = events_of(drill, place)
    removed = [number for number, event in enumerate(events) if event.endswith("error.json") and "remove" in event]
    committed = [number for number, event in enumerate(events) if event.startswith("COMMIT")]
    stored = [number for number, event in enumerate(events) if "INSERT OR REPLACE INTO article" in event]
    assert removed
    assert any(stored[0] < commit < removed[0] for commit in committed)


def test_the_events_of_a_run_are_seen(tmp_path: Path) -> None:
    drill = DRILLS["annotate"]
    place, right = prepared(drill, tmp_path)
    events = events_of(drill, place)
    kinds = {event.split()[0] for event in events}
    assert {"open", "os.rename", "os.remove", "os.mkdir", "fsync", "INSERT", "COMMIT"} <= kinds
    assert content(place) in right


def test_a_difference_would_be_found(tmp_path: Path) -> None:
    """The harness itself: a command that is killed and not continued has another content."""
    drill = DRILLS["annotate"]
    place, right = prepared(drill, tmp_path)

    def stop(event: Event) -> None:
        if event.what == "COMMIT":
            raise KeyboardInterrupt

    assert disturbed(drill, place, stop).error
    assert content(place) not in right


def test_an_article_that_is_annotated_again_would_be_found(tmp_path: Path) -> None:
    """The harness itself: a ledger that has lost its articles."""
    drill = DRILLS["annotate"]
    place, right = prepared(drill, tmp_path / "root")
    with sqlite3.connect(place.out / ".nlmchem" / "ledger.sqlite") as ledger:
        ledger.executescript("DELETE FROM article; UPDATE source SET state = 'open'")
    ledger.close()
    assert "finished articles were annotated again" in difference(place, right, in_child(lambda: drill.command(place)))
