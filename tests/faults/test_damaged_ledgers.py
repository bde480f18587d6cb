"""A ledger with damaged bytes: one sentence or the right output, and `--restart` always works."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from nlmchem.engine import runner
from nlmchem.engine.stop import RunStopped

DAMAGED = (ConfigurationError, RunStopped)


def _flip(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 20))):
        content[chance.randrange(len(content))] = chance.randrange(256)


def _copy_page(content: bytearray, chance: random.Random) -> None:
    one, other = (chance.randrange(1, len(content) // 4096) * 4096 for _ in range(2))
    content[one : one + 4096] = content[other : other + 4096]


def _cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


def _change_text(content: bytearray, chance: random.Random) -> None:
    letters = [place for place, byte in enumerate(content) if 48 <= byte < 123]
    for _ in range(3):
        content[chance.choice(letters)] = chance.randrange(256)


@pytest.mark.parametrize("damage", [_flip, _copy_page, _cut, _change_text])
def test_a_damaged_ledger_is_one_sentence_or_no_difference(
    damage: Callable[[bytearray, random.Random], None], good: Path, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    out = annotate(good).out
    ledger = out / ".nlmchem" / "ledger.sqlite"
    whole = ledger.read_bytes()
    messages: list[str] = []
    for seed in range(6):
        content = bytearray(whole)
        damage(content, random.Random(seed))
        ledger.write_bytes(content)
        for command in (lambda: annotate(good), lambda: runner.replay(out)):
            try:
                command()
            except DAMAGED as error:
                messages.append(str(error))
        ledger.write_bytes(content)
        assert annotate(good, restart=True).tree == undisturbed
    assert not [message for message in messages if "\n" in message]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = '{'",
        "UPDATE meta SET value = '[1]' WHERE key = 'fingerprint'",
        "UPDATE run SET id = 9223372036854775807",
        "UPDATE article SET state = 'odd'",
        "UPDATE source SET state = 'odd'",
        "DROP INDEX source_path",
        "CREATE TABLE more (a)",
    ],
)
def test_a_ledger_with_wrong_values_is_reported(
    statement: str, good: Path, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    out = annotate(good).out
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as database:
        database.execute(statement)
    database.close()
    with pytest.raises(DAMAGED, match="restart=True"):
        annotate(good)
    assert annotate(good, restart=True).tree == undisturbed


def test_a_restart_deletes_no_file_outside_of_the_output_folder(good: Path, annotate: Any, tmp_path: Path) -> None:
    out = annotate(good).out
    mine = tmp_path / "mine.xml"
    mine.write_text("mine")
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as database:
        database.execute("UPDATE source SET output = '../mine.xml' WHERE output = 'a-good.xml'")
    database.close()
    annotate(good, restart=True)
    assert mine.read_text() == "mine"
