"""The figures of `nlmchem bench` as plain data and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.words.quantities import quantity
from nlmchem.bench.stages import StageRates, tag_options
from nlmchem.bench.workers import WorkerRate
from nlmchem.run.options import default_workers
from nlmchem.run.plan import Plan, environment
from nlmchem.tagging.kernel.arithmetic import AUTO, INT8, chosen, path_of_kernel, why_auto

MILLION = 1_000_000
CLUSTERS = (8, 64, 512)
"""Numbers of workers for which the time of a large run is estimated."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured. `source`: where the articles came from; `characters`: of one article on average."""

    plan: Plan
    source: str
    articles: int
    characters: int
    stages: StageRates
    workers: WorkerRate

    def million_hours(self) -> dict[int, float]:
        """Hours for a million such articles by number of workers: measured here, and in proportion for more."""
        each = self.workers.articles_per_second / self.workers.workers
        numbers = (self.workers.workers, *(number for number in CLUSTERS if number > self.workers.workers))
        return {number: MILLION / (each * number) / 3600 for number in numbers}

    def as_json(self) -> dict[str, Any]:
        """The figures for programs; rates are per second of wall-clock time, memory is in bytes."""
        facts, run, share = environment(), self.workers, self.stages.share_of_limit
        return {
            "machine": {
                "processors": default_workers(),
                "kernel": path_of_kernel(),
                "platform": facts["platform"],
                "packages": {name: facts["packages"][name] for name in ("nlmchem", "torch", "numpy")},
            },
            "articles": {"source": self.source, "number": self.articles, "characters_each": self.characters},
            "tagger": tag_options(self.plan).tagger,
            "arithmetic": tag_options(self.plan).arithmetic,
            "stages": {
                name: {"articles_per_second": round(rate.articles_per_second, 3)}
                | ({"pieces_per_second": round(rate.pieces_per_second)} if rate.pieces else {})
                for name, rate in sorted(self.stages.rates.items())
            },
            "share_of_limit": None if share is None else round(share, 3),
            "not_measured": self.stages.unavailable,
            "workers": {
                "number": run.workers,
                "start_seconds": round(run.start, 2),
                "articles_per_second": round(run.articles_per_second, 3),
                "peak_memory_each": run.memory,
            },
            "million_articles_hours": {str(number): round(value, 1) for number, value in self.million_hours().items()},
        }

    def lines(self) -> Iterator[str]:
        """The figures as a table."""
        run, rates = self.workers, self.stages.rates
        processors, used = default_workers(), tag_options(self.plan).arithmetic
        yield f"{processors} processors; arithmetic: {used}; {AUTO} is {chosen(AUTO, 'cpu')} here ({why_auto()})"
        yield f"{quantity(self.articles, 'article')} ({self.source}), {self.characters:,} characters each"
        yield ""
        yield from _table(
            ("one process, one thread", "articles/s", "word pieces/s"),
            [
                (name, _short(rate.articles_per_second), f"{rate.pieces_per_second:,.0f}" if rate.pieces else "")
                for name, rate in sorted(rates.items())
            ],
        )
        if (share := self.stages.share_of_limit) is not None:
            yield (
                f"tag {INT8}: {share:.0%} of its time goes into products of matrices in {INT8}, which cannot be done "
                "faster; the rest is other arithmetic"
            )
        for name, reason in self.stages.unavailable.items():
            yield f"{name}: not measured: {reason}"
        yield ""
        yield from _table(
            ("workers", "articles/s", "start", "peak memory each"),
            [
                (
                    str(run.workers),
                    _short(run.articles_per_second),
                    f"{run.start:.1f} s",
                    f"{run.memory / 1e6:.0f} MB" if run.memory else "not known",
                )
            ],
        )
        yield ""
        yield from _table(
            ("a million such articles", "time"),
            [
                (f"on {quantity(number, 'worker')}{' (this machine)' if number == run.workers else ''}", _long(hours))
                for number, hours in self.million_hours().items()
            ],
        )


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2f}"


def _long(hours: float) -> str:
    return f"{hours / 24:.1f} days" if hours >= 72 else f"{hours:.1f} hours"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip()
