"""Files of the user at the places of a command, and the same command at the same time: samples of the drills.

`python -m benchmarks.faults.crash_points --kind theirs` and `--kind two` run all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import training_drills
from command_drills import COMMANDS, DRILLS, PREPARED
from command_tree import commands
from companion_cases import cases
from disturbances import prepared
from neighbours import MINE, places_of, share_everywhere, work_together

BY_FUNCTION = {"annotate", "replay", "convert", "view", "silver build", "fetch"}
"""Commands with drills that call the function of the command."""
ALIKE = {"ensemble vote", "ensemble spans", "ensemble indexing", "evaluate identifiers", "evaluate indexing"}
"""Commands whose function is that of a command with a drill: `ensemble identifiers`, `evaluate spans`."""


def test_every_command_that_writes_has_drills() -> None:
    """The commands are those of the registry; `doctor --out` writes nothing."""
    drilled = {" ".join(words[:2]) for words in {**COMMANDS, **PREPARED, **training_drills.COMMANDS}.values()}
    drilled |= {words[0] for words in COMMANDS.values()} | BY_FUNCTION | ALIKE
    outputs = {"out", "target", "report", "quarantine"}
    writing = {name for name, command in commands().items() if {param.name for param in command.params} & outputs}
    assert writing - {"doctor"} <= drilled
    assert DRILLS.keys() >= COMMANDS.keys() | cases("TRAINING").keys()


@pytest.mark.parametrize("name", [*COMMANDS, *PREPARED, *training_drills.COMMANDS])
def test_the_command_line_of_a_drill_is_valid(name: str) -> None:
    """The drills are run by a benchmark, and options change."""
    words = {**COMMANDS, **PREPARED, **training_drills.COMMANDS}[name]
    known = commands()
    command, number = next((known[" ".join(words[:n])], n) for n in (2, 1) if " ".join(words[:n]) in known)
    with command.make_context(name, list(words[number:])) as context:
        assert context.params


@pytest.mark.parametrize("name", ["convert into a file", "fetch"])
def test_a_file_of_the_user_survives_a_command(name: str, tmp_path: Path) -> None:
    number, differences = share_everywhere(prepared(DRILLS[name], tmp_path), step=11)
    assert (number > 0, differences) == (True, [])


@pytest.mark.parametrize("name", ["corpora split", "fetch"])
def test_two_commands_at_once_leave_a_whole_output(name: str, tmp_path: Path) -> None:
    number, differences = work_together(prepared(DRILLS[name], tmp_path), step=20)
    assert (number > 0, differences) == (True, [])


def test_the_drill_finds_a_lost_file_and_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that writes without a check."""

    def careless(place: Any) -> None:
        place.out.mkdir(exist_ok=True)
        (place.out / "a.txt").write_text("ours")

    ready = prepared(type(DRILLS["convert"])("careless", lambda place: None, careless), tmp_path)
    assert {path.name for path in places_of(ready)} >= {"out", "a.txt", ".out.old"}
    _, differences = share_everywhere(ready)
    assert any("a file of the user at out/a.txt before the command: it is lost" in line for line in differences)
    assert MINE
