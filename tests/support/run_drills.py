"""Drills: a start (files), a command that `disturbances` disturbs, and the command that continues it.

The commands annotate in their own process and without a lexicon, so that thousands of disturbances take minutes.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from article_events import record
from durable_events import in_child, killing, watch

from corpora.reporting import ignore
from nlmchem.engine import executors, runner
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.executors import InlineExecutor
from nlmchem.engine.runs import run_into, select_conversion, select_output
from nlmchem.report.articles import write_views
from nlmchem.run.options import RunOptions
from nlmchem.run.plan import Configuration, Job, Plan

__all__ = ["DRILLS", "Content", "Drill", "Place"]

WINDOW = 2
"""Articles in a window: small, so that a drill has several windows, part files and flushes."""

BAD = "\x0b"
"""A character that XML forbids: its article fails."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of a drill: `inputs` does not change; `out` is restored from `start` before each disturbance."""

    root: Path

    @property
    def inputs(self) -> Path:
        return self.root / "in"

    @property
    def out(self) -> Path:
        return self.root / "work" / "out"

    @property
    def start(self) -> Path:
        return self.root / "start"

    @property
    def events(self) -> Path:
        """The log of begun and finished articles: outside of the root, whose files are watched."""
        return self.root.with_name(f"events-of-{self.root.name}")

    def restore(self) -> None:
        """Make the state from which each disturbance begins."""
        shutil.rmtree(self.root / "work", ignore_errors=True)
        if self.start.exists():
            shutil.copytree(self.start, self.root / "work", symlinks=True)
        else:
            (self.root / "work").mkdir(parents=True)
        self.events.write_bytes(self._events_of_start.read_bytes() if self._events_of_start.exists() else b"")

    def keep_as_start(self) -> None:
        """Make the present state the start."""
        shutil.rmtree(self.start, ignore_errors=True)
        shutil.copytree(self.root / "work", self.start, symlinks=True)
        if self.events.exists():
            shutil.copy(self.events, self._events_of_start)

    @property
    def _events_of_start(self) -> Path:
        return self.root.with_name(f"events-of-the-start-of-{self.root.name}")


Command = Callable[[Place], object]
Content = dict[str, bytes]
"""Relative paths and bytes of files."""


@dataclass(frozen=True, slots=True)
class Drill:
    """`prepare` makes the start. `command` is disturbed, and `again` continues it (None: the same command).

    `after_error`: what continues it after an injected error, where failed articles may be left. `or_as_after`: a
    command whose result is right too, for a command that is killed before it has begun.
    """

    name: str
    prepare: Command
    command: Command
    again: Command | None = None
    after_error: Command | None = None
    or_as_after: Command | None = None

    def continued(self, place: Place) -> object:
        return (self.again or self.command)(place)


# -- articles -----------------------------------------------------------------------------------


def document(number: int, more: str = "") -> str:
    text = f"Article {number}: rats were given glucose and NaCl at {number} mM.{more}"
    return f"<document><id>{number}</id><passage><offset>0</offset><text>{text}</text></passage></document>"


def collection(*documents: str) -> bytes:
    return f"<collection><source>drill</source><date/><key/>{''.join(documents)}</collection>".encode()


def write_inputs(place: Place) -> None:
    """A collection with two articles that fail, files with one article, an archive, an empty file, a folder `v1.0`."""
    inputs = place.inputs
    (inputs / "v1.0").mkdir(parents=True)
    (inputs / "all.xml").write_bytes(collection(*(document(n, BAD if n in (2, 4) else "") for n in range(5))))
    (inputs / "one.xml").write_bytes(collection(document(10)))
    (inputs / "v1.0" / "bad.xml").write_bytes(collection(document(11, BAD)))
    (inputs / "v1.0" / "two.xml").write_bytes(collection(document(12), document(13)))
    (inputs / "broken.xml").write_bytes(b"")
    with tarfile.open(inputs / "pack.tar", "w") as archive:
        for number in (20, 21):
            entry = tarfile.TarInfo(f"{number}.xml")
            raw = collection(document(number))
            entry.size = len(raw)
            archive.addfile(entry, BytesIO(raw))


def correct_inputs(place: Place) -> None:
    for path in (place.inputs / "all.xml", place.inputs / "v1.0" / "bad.xml"):
        path.write_bytes(path.read_bytes().replace(BAD.encode(), b""))


def correct_copies(place: Place) -> None:
    """Correct the articles in the quarantine, but for one."""
    for path in sorted(place.out.rglob("quarantine/**/article.xml")):
        if path.parent.name != "all.xml.4":
            path.write_bytes(path.read_bytes().replace(BAD.encode(), b" Corrected."))


# -- commands -----------------------------------------------------------------------------------


def _plan(place: Place, format: str | None = None) -> Plan:
    record(place.events)
    runner.LocalExecutor = InlineExecutor  # type: ignore[assignment, misc]
    executors.ARTICLES_PER_WORKER = WINDOW
    return Configuration.of(steps=(), format=format).parse()


def annotate(place: Place, **options: object) -> ArticleCounts:
    run = RunOptions(workers=1, **options)  # type: ignore[arg-type]
    return runner.annotate_folder(Job([str(place.inputs)], _plan(place), run), place.out)


def annotate_brat(place: Place) -> ArticleCounts:
    run = RunOptions(workers=1)
    return runner.annotate_folder(Job([str(place.inputs)], _plan(place, "brat"), run), place.out)


def restart(place: Place) -> ArticleCounts:
    return annotate(place, restart=True)


def retry(place: Place) -> ArticleCounts:
    return annotate(place, retry_failed=True)


def replay(place: Place) -> ArticleCounts:
    _plan(place)
    return runner.replay(place.out, workers=1)


def annotate_and_replay(place: Place) -> ArticleCounts:
    annotate(place)
    return replay(place)


def into_one_file(place: Place) -> ArticleCounts:
    output = select_output(place.out.with_name("out.jsonl"), None)
    return run_into(Job([str(place.inputs)], _plan(place, output.format), RunOptions(workers=1)), output)


def convert(place: Place, format: str = "jsonl", **options: object) -> ArticleCounts:
    output = select_conversion(str(place.inputs), str(place.out), format)
    run = RunOptions(workers=1, **options)  # type: ignore[arg-type]
    return run_into(Job([str(place.inputs)], _plan(place, format), run), output)


def convert_brat(place: Place) -> ArticleCounts:
    return convert(place, "brat")


def view(place: Place) -> object:
    return len(write_views(str(place.inputs / "v1.0" / "two.xml"), place.out, None, lambda concept, name: None, ignore))


def unpack(place: Place) -> object:
    """Unpack a small lexicon into the cache, as the first command does on a new machine."""
    import hashlib

    from sieves.lexicon import shipped

    os.environ["NLMCHEM_HOME"] = str(place.out)
    packed = place.root / "packed.xz"
    card = replace(
        shipped.read_card(),
        version="0" * 64,
        bytes=(place.root / "packed").stat().st_size,
        sha256=hashlib.sha256((place.root / "packed").read_bytes()).hexdigest(),
    )
    shipped.PACKED = packed
    shipped.read_card = lambda: card  # type: ignore[assignment]
    return shipped.shipped_file(lambda sentence: None)


def silver(place: Place, *, again: bool = False) -> object:
    """Make a silver corpus of two runs."""
    from ensemble import TASKS
    from ensemble.combine import Rule, whole_folder
    from ensemble.runs import open_poll
    from ensemble.silver import SILVER, CorpusPlan, write_silver

    runs = [str(place.inputs / name) for name in ("a", "b")]
    with (
        whole_folder(place.out, SILVER, again) as folder,
        open_poll(runs, report=lambda sentence: None, scratch=folder, workers=1) as poll,
    ):
        return write_silver(poll, Rule(TASKS, 0.35), folder, CorpusPlan(shard_size=2))


def silver_again(place: Place) -> object:
    return silver(place, again=True)


# -- starts -------------------------------------------------------------------------------------


def finished(place: Place) -> None:
    write_inputs(place)
    annotate(place)


def killed_half_way(place: Place) -> None:
    write_inputs(place)
    in_child(lambda: (watch(place.root, killing(90)), annotate(place)))


def of_other_inputs(place: Place) -> None:
    """A finished run whose inputs have changed: an old output, an old failure, and a file of the user."""
    write_inputs(place)
    for name, raw in (("old.xml", collection(document(30))), ("old-bad.xml", b"")):
        (place.inputs / name).write_bytes(raw)
    annotate(place)
    for name in ("old.xml", "old-bad.xml"):
        (place.inputs / name).unlink()
    (place.out / "notes.txt").write_text("of the user")


def with_corrected_inputs(place: Place) -> None:
    finished(place)
    correct_inputs(place)


def with_corrected_copies(place: Place) -> None:
    finished(place)
    correct_copies(place)


def with_packed_lexicon(place: Place) -> None:
    import lzma

    with sqlite3.connect(place.root / "packed") as small:
        small.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        small.execute("INSERT INTO meta VALUES ('sha256', ?)", ("0" * 64,))
    small.close()
    (place.root / "packed.xz").write_bytes(lzma.compress((place.root / "packed").read_bytes()))


def with_two_runs(place: Place) -> None:
    for name in ("a", "b"):
        (place.inputs / name).mkdir(parents=True)
        (place.inputs / name / "all.xml").write_bytes(collection(*(document(number) for number in range(5))))


def with_a_silver_corpus(place: Place) -> None:
    with_two_runs(place)
    silver(place)


DRILLS = {
    drill.name: drill
    for drill in (
        Drill("annotate", write_inputs, annotate, after_error=retry),
        Drill("annotate to brat", write_inputs, annotate_brat),
        Drill("annotate into one file", write_inputs, into_one_file),
        Drill("resume", killed_half_way, annotate, after_error=retry),
        Drill("restart", of_other_inputs, restart, after_error=restart),
        Drill("restart, continued without", of_other_inputs, restart, annotate, or_as_after=annotate),
        Drill("retry-failed", with_corrected_inputs, retry, after_error=retry),
        Drill("replay", with_corrected_copies, replay, after_error=replay),
        Drill("replay, continued by annotate", with_corrected_copies, replay, annotate_and_replay),
        Drill("convert", write_inputs, convert),
        Drill("convert to brat", write_inputs, convert_brat),
        Drill("view", write_inputs, view),
        Drill("lexicon unpacking", with_packed_lexicon, unpack, after_error=unpack),
        Drill("silver", with_two_runs, silver, silver_again, after_error=silver_again),
        Drill("silver over silver", with_a_silver_corpus, silver_again, after_error=silver_again),
    )
}
