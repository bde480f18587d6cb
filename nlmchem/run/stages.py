"""The stages of a plan with open models: they run one after another over a chunk of articles."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora import plugins
from corpora.reporting import Report, log
from nlmchem.run.plan import Plan
from nlmchem.run.step import Context, Stage


@dataclass(frozen=True, slots=True)
class NamedStage:
    """A stage with the name under which its durations and failures are reported."""

    name: str
    stage: Stage


class StageError(Exception):
    """A stage raised an error, so its chunk cannot be used. `__cause__` is that error."""

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


@dataclass(frozen=True, slots=True)
class Stages:
    """Open stages, in the order in which they run. `context`: what they share; `close` closes it."""

    named: tuple[NamedStage, ...]
    context: Context | None = None

    def annotate(self, chunk: Sequence[BioCDocument]) -> dict[str, float]:
        """Annotate one chunk in place. Returns the seconds that each stage took.

        Raises `StageError` if a stage raises an error. The chunk cannot be used then. Also an error such as
        `SystemExit`, of a package that calls `sys.exit`, is one of the stage; only Ctrl-C is not.
        """
        seconds: dict[str, float] = {}
        for named in self.named:
            begun = time.perf_counter()
            try:
                named.stage(chunk)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise StageError(named.name) from error
            seconds[named.name] = time.perf_counter() - begun
        return seconds

    def close(self) -> None:
        """Close the lexicon. The stages cannot be used then."""
        if self.context is not None:
            self.context.close()


def open_stages(plan: Plan, report: Report = log) -> Stages:
    """The stages of a plan. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    context = Context(plan.chosen, report)
    try:
        with plugins.named():
            named = tuple(
                NamedStage(chosen.step.name, chosen.step.stage(chosen.options, context)) for chosen in plan.chosen
            )
    except BaseException:
        context.close()
        raise
    return Stages(named, context)
