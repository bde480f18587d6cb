"""Which articles runs begin and end, in a log beside them: the proof that no finished article is annotated again.

`record` patches this process. A line of the log is `begun`, `done` or `failed` with source, position and hash of an
article, or `forgotten` where a restart deletes all records. An article is done when its transaction is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["VARIABLE", "begun", "begun_again", "done_again", "record"]

VARIABLE = "TEST_EVENTS"
"""The environment variable with the log of a process that has `faults/misbehaving` on its PYTHONPATH."""

_LOG: list[Path] = []


def record(log: Path) -> None:
    """Write to `log`, from now on, what the runs in this process begin and end."""
    patched = bool(_LOG)
    _LOG[:] = [log]
    if not patched:
        _patch()


def _patch() -> None:
    from nlmchem.engine.executors import DaskExecutor, InlineExecutor, LocalExecutor
    from nlmchem.engine.ledger import Ledger

    transaction, finish, forget = Ledger.transaction, Ledger.finish, Ledger.forget_everything
    pending: list[str] = []

    def recorded(run: Any) -> Any:
        def run_recorded(executor: Any, setup: Any, blocks: Any) -> Any:
            _append([_line("begun", task) for block in blocks for task in block])
            return run(executor, setup, blocks)

        return run_recorded

    def recorded_finish(ledger: Any, result: Any, *place: Any) -> None:
        finish(ledger, result, *place)
        pending.append(_line("done" if result.failure is None else "failed", result))

    def recorded_forget(ledger: Any) -> None:
        forget(ledger)
        pending.append("forgotten")

    @contextmanager
    def recorded_transaction(ledger: Any) -> Iterator[None]:
        pending.clear()
        with transaction(ledger):
            yield
        _append(pending)

    for executor in (InlineExecutor, LocalExecutor, DaskExecutor):
        executor.run = recorded(executor.run)  # type: ignore[method-assign]
    Ledger.transaction = recorded_transaction  # type: ignore[method-assign, assignment]
    Ledger.finish = recorded_finish  # type: ignore[method-assign, assignment]
    Ledger.forget_everything = recorded_forget  # type: ignore[method-assign, assignment]


def _line(what: str, article: Any) -> str:
    return f"{what} {article.source} {article.position} {article.hash}"


def _append(lines: list[str]) -> None:
    if lines:
        with _LOG[0].open("ab", buffering=0) as stream:
            stream.write("".join(f"{line}\n" for line in lines).encode())


def begun(log: Path) -> list[str]:
    """The articles that were given to workers, in order."""
    return [article for what, article in _lines(log) if what == "begun"]


def begun_again(log: Path) -> int:
    """How often an article was given to workers again."""
    articles = begun(log)
    return len(articles) - len(set(articles))


def done_again(log: Path, ends: tuple[str, ...] = ("done",)) -> int:
    """How often an article was given to workers after it had ended in one of the ways of `ends`."""
    ended: set[str] = set()
    again = 0
    for what, article in _lines(log):
        if what == "forgotten":
            ended.clear()
        elif what == "begun":
            again += article in ended
        elif what in ends:
            ended.add(article)
    return again


def _lines(log: Path) -> Iterator[tuple[str, str]]:
    for line in log.read_text().splitlines() if log.exists() else ():
        what, _, article = line.partition(" ")
        yield what, article
