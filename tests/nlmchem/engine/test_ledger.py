"""The ledger: what it stores, and what it refuses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from nlmchem.engine.account import ArticleCounts, Sums
from nlmchem.engine.database import transaction
from nlmchem.engine.ledger import Ledger, open_ledger
from nlmchem.engine.tasks import LEFT_OUT, MENTIONS, Failure, Source, TaskResult


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ledger.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    ledger = Ledger(path)
    begin(ledger)
    yield ledger
    ledger.close()


def begin(ledger: Ledger, fingerprint: str = "a") -> None:
    with ledger.transaction():
        ledger.begin_run({"steps": fingerprint}, {}, "now")


def source(ledger: Ledger, name: str = "a.xml", path: str = "in/a.xml") -> Source:
    return ledger.add_source(path, None, PurePosixPath(name))


def finish(ledger: Ledger, result: TaskResult, place: tuple[int, int] | None = None) -> None:
    with ledger.transaction():
        ledger.finish(result, place)


def test_done_and_failed_articles_are_counted_separately(ledger: Ledger) -> None:
    a = source(ledger)
    finish(ledger, TaskResult(a.id, 0, "h0", counts={MENTIONS: 3}))
    finish(ledger, TaskResult(a.id, 1, "h1", failure=Failure("tag", "no")))
    ledger.end_of_source(a.id, 2, [])
    assert ledger.tally(a.id) == (1, 1)
    assert (ledger.hash_at(a.id, 0), ledger.hash_at(a.id, 1), ledger.hash_at(a.id, 2)) == ("h0", "h1", None)
    assert (ledger.has_failed(a.id, 0), ledger.has_failed(a.id, 1)) == (False, True)
    assert ledger.account.counts() == ArticleCounts(read=2, done=1, failed=1, counted=Sums({MENTIONS: 3}))


def test_what_steps_count_is_summed_over_the_articles_that_are_done(ledger: Ledger) -> None:
    a = source(ledger)
    finish(ledger, TaskResult(a.id, 0, "h", counts={MENTIONS: 3, "doses": 2, LEFT_OUT: 0}))
    finish(ledger, TaskResult(a.id, 1, "h", counts={MENTIONS: 1, "doses": 3}))
    finish(ledger, TaskResult(a.id, 2, "h", failure=Failure("tag", "no")))
    counts = ledger.account.counts()
    assert (counts.of_steps, counts.mentions, counts.left_out) == ({"doses": 5}, 4, 0)
    assert (counts + counts).counted == {MENTIONS: 8, "doses": 10, LEFT_OUT: 0}
    assert (counts + ArticleCounts()).left_out == 0
    assert ArticleCounts().left_out is None


def test_articles_of_an_earlier_run_count_as_skipped(path: Path) -> None:
    first = Ledger(path)
    begin(first)
    finish(first, TaskResult(source(first).id, 0, "h", counts={MENTIONS: 3}))
    first.end_of_source(1, 1, [])
    first.close()
    second = Ledger(path)
    begin(second)
    source(second)
    assert second.account.counts() == ArticleCounts(read=1, skipped=1, counted=Sums({MENTIONS: 3}))
    second.close()


def test_only_sources_of_this_run_are_counted(path: Path) -> None:
    first = Ledger(path)
    begin(first)
    finish(first, TaskResult(source(first).id, 0, "h"))
    first.close()
    second = Ledger(path)
    begin(second)
    source(second, "b.xml", "in/b.xml")
    assert second.account.counts() == ArticleCounts()
    second.close()


def test_ctrl_c_as_a_transaction_begins_leaves_none_open() -> None:
    class Interrupted(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            cursor = super().execute(sql, *arguments)
            if sql.startswith("BEGIN"):
                raise KeyboardInterrupt
            return cursor

    database = sqlite3.connect(":memory:", isolation_level=None, factory=Interrupted)
    with pytest.raises(KeyboardInterrupt), transaction(database):
        pass
    # The end of the run is recorded in another transaction, which could not begin in this one.
    assert not database.in_transaction
    database.close()


def test_another_configuration_is_refused_and_changes_nothing(ledger: Ledger, path: Path) -> None:
    ledger.close()
    again = Ledger(path)
    with pytest.raises(ConfigurationError, match=r"\(steps differs\).*restart=True"):
        begin(again, "b")
    again.close()
    begin(Ledger(path), "a")


def test_two_sources_with_one_output_are_refused(ledger: Ledger) -> None:
    source(ledger)
    with pytest.raises(ConfigurationError, match=r"in/a.xml and other/a.xml would both be written to a.xml"):
        source(ledger, path="other/a.xml")


def test_a_file_that_is_given_twice_counts_once(ledger: Ledger) -> None:
    names = [("/real/b", "x/b", "b"), ("/real/a", "a", "a"), ("/real/b", "b", "b")]
    assert ledger.inputs.replace([(*name, None, 0, 0, 0) for name in names]) == 2
    assert [file.path for file in ledger.inputs.files()] == ["a", "x/b"]


def test_rows_beyond_the_end_of_a_shorter_input_are_deleted(ledger: Ledger) -> None:
    a = source(ledger)
    for position in range(3):
        finish(ledger, TaskResult(a.id, position, "h", notes=("odd",)))
    ledger.end_of_source(a.id, 2, ["on the file"])
    assert ledger.account.counts() == ArticleCounts(read=2, done=2)
    assert ledger.account.notes(10)[0] == 3


def test_an_article_that_is_done_again_has_only_its_new_notes(ledger: Ledger) -> None:
    a = source(ledger)
    for note in ("first", "second"):
        finish(ledger, TaskResult(a.id, 0, "h", notes=(note,)))
    assert [note["note"] for note in ledger.account.notes(10)[1]] == ["second"]


def test_lone_surrogates_are_stored_escaped(ledger: Ledger) -> None:
    a = source(ledger)
    failure = Failure("read", "holds \ud800")
    finish(ledger, TaskResult(a.id, 0, "h", document="x\ud800", failure=failure, notes=("\ud800",)))
    assert ledger.account.failures(1)[0]["document"] == "x\\ud800"


@pytest.mark.parametrize(("forget", "left"), [("none", (1, 1)), ("failed", (1, 0)), ("all", (0, 0))])
def test_reopening_a_source_deletes_the_chosen_articles(forget: str, left: tuple[int, int], ledger: Ledger) -> None:
    a = source(ledger)
    finish(ledger, TaskResult(a.id, 0, "h"))
    finish(ledger, TaskResult(a.id, 1, "h", failure=Failure("tag", "no")))
    ledger.finish_source(a.id, "stamp", "{}")
    ledger.reopen_source(a.id, forget)  # type: ignore[arg-type]
    assert (ledger.source_state(a)[0], ledger.tally(a.id)) == ("open", left)


def test_the_end_of_a_part_file_is_none_unless_all_done_articles_are_in_it(ledger: Ledger) -> None:
    a = source(ledger)
    assert ledger.part_end(a.id) == 0
    finish(ledger, TaskResult(a.id, 0, "h"), (0, 10))
    finish(ledger, TaskResult(a.id, 1, "h", failure=Failure("tag", "no")))
    finish(ledger, TaskResult(a.id, 2, "h"), (10, 5))
    assert ledger.part_end(a.id) == 15
    assert list(ledger.places(a.id)) == [(0, 10), (10, 5)]
    finish(ledger, TaskResult(a.id, 3, "h"), None)
    assert ledger.part_end(a.id) is None


def test_repeated_document_ids_are_found(ledger: Ledger) -> None:
    a, b = source(ledger), source(ledger, "b.xml", "in/b.xml")
    for of, position, document in ((a, 0, "1"), (a, 1, "2"), (b, 0, "1"), (b, 1, "")):
        finish(ledger, TaskResult(of.id, position, "h", document=document))
    assert ledger.account.repeated_documents(5) == (1, ["1"])
    assert ledger.account.articles_named("1", 5) == [("in/a.xml", 0), ("in/b.xml", 0)]


def test_a_restart_deletes_all_records_and_lists_stale_outputs(ledger: Ledger) -> None:
    finish(ledger, TaskResult(source(ledger).id, 0, "h"))
    with ledger.transaction():
        ledger.forget_everything()
        ledger.begin_run({"steps": "other"}, {}, "now")
    assert ledger.account.counts() == ArticleCounts()
    assert ledger.has_stale()
    assert list(ledger.stale_outputs()) == ["a.xml"]
    ledger.clear_stale()
    assert not ledger.has_stale()


def test_a_refused_restart_deletes_nothing(ledger: Ledger) -> None:
    finish(ledger, TaskResult(source(ledger).id, 0, "h"))

    def refused() -> None:
        with ledger.transaction():
            ledger.forget_everything()
            raise ConfigurationError("no")

    with pytest.raises(ConfigurationError):
        refused()
    assert not ledger.has_stale()
    assert ledger.source(PurePosixPath("a.xml")) is not None


def test_a_file_of_another_version_is_refused(path: Path) -> None:
    Ledger(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 77")
    with pytest.raises(sqlite3.DatabaseError, match="version 77"):
        Ledger(path)


@pytest.mark.parametrize("content", [b"this is not a database" * 1000, None])
def test_a_damaged_ledger_is_refused_and_made_again_by_a_restart(content: bytes | None, path: Path) -> None:
    Ledger(path).close()
    # None: an intact start and damaged pages, which SQLite finds only when it reads the whole file.
    path.write_bytes(content if content is not None else path.read_bytes()[:5000] + b"\xff" * 30_000)
    if content is not None:
        with pytest.raises(ConfigurationError, match=r"cannot be used.*restart=True"):
            open_ledger(path, restart=False)
    open_ledger(path, restart=True).close()
    ledger = open_ledger(path, restart=False)
    assert ledger.run == 1
    ledger.close()
