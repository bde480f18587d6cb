"""`nlmchem bench` and `nlmchem doctor`: the speed and the state of an installation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.command import DONE, FAILED, Call, Command, Progress, Result, record
from corpora.commands.options import argument, group, option, with_flags
from nlmchem.run.options import WorkerOptions
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True)
class BenchOptions(LexiconOptions, WorkerOptions):
    """What is measured, and for how long."""

    tagger: str = tagger_option()
    seconds: float = option(100.0, "Time of the measurement, without starting.", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    inputs: tuple[str, ...] | None = argument(
        "Articles to measure with.", default=None, metavar="[INPUT...]", default_text="generated articles"
    )
    measuring: BenchOptions = group(BenchOptions)


def bench(options: MeasureOptions, progress: Progress) -> Result:
    """Measure the speed and the memory of this installation, and estimate the time of a large run.

    Other programs that run at the same time make the figures worse.
    """
    from nlmchem.bench.stages import measure

    figures = measure(list(options.inputs or ()), options.measuring)
    return record(figures.as_json(), *figures.lines(), value=figures)


BENCH = Command("bench", MeasureOptions, bench, Call({"inputs": ["articles/"], "lexicon": "mesh.sqlite"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    out: Path = option(Path(), "Check that a run can write to this folder.", short="o", metavar="FOLDER")
    lexicon: str | None = option(None, "Check this lexicon, besides the default lexicon.", metavar="PATH")


def doctor(options: DoctorOptions, progress: Progress) -> Result:
    """Check the installation: versions, models, lexicons, the output folder, and one annotated example.

    The exit code is 1 if a check fails.
    """
    from nlmchem.bench.selfcheck import examine

    found = list(examine(options.out, options.lexicon))
    return Result(
        objects=[{"check": item.check, "ok": item.ok, "finding": with_flags(item.text)} for item in found],
        lines=[f"{'ok  ' if item.ok else 'FAIL'}  {item.check}: {with_flags(item.text)}" for item in found],
        exit_code=DONE if all(item.ok for item in found) else FAILED,
        value=found,
    )


DOCTOR = Command("doctor", DoctorOptions, doctor, Call({"out": "annotated/"}), writes=False)
