"""The options of votes: the same for ensembles and silver corpora."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.options import argument, option
from corpora.formats.registry import aliases_of, collection_names
from corpora.reporting import Report
from nlmchem.run.options import AUTO, default_workers, parse_workers

if TYPE_CHECKING:
    from ensemble.runs import Poll

OVERLAPS = ("merge", "best")
MISSING = ("error", "abstain")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The runs that vote."""

    runs: tuple[str, ...] = argument(
        "Runs over the same documents. Each one is a file, folder or archive.", metavar="RUN..."
    )
    missing: str = option(
        "error",
        "Documents that a run does not contain: error stops, abstain lets the other runs vote.",
        choices=MISSING,
    )
    workers: int | None = option(
        None,
        "Runs that are read at the same time; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )

    @contextmanager
    def open(
        self, scratch: Path | None, report: Report, weights: tuple[str, ...] = (), gold: str | None = None
    ) -> Iterator[Poll]:
        """The runs, open for reading. Temporary files are in the folder `scratch` (None: in that of the system)."""
        from ensemble.runs import open_poll
        from ensemble.weighting import AUTO as ESTIMATED
        from ensemble.weighting import reweighted

        are_estimated = weights == (ESTIMATED,)
        with open_poll(
            list(self.runs), gold=gold, weights=[] if are_estimated else list(weights), missing=self.missing,
            workers=self.workers or default_workers(), scratch=scratch, report=report,
        ) as poll:  # fmt: skip
            if are_estimated:
                poll, sentences = reweighted(poll)
                for sentence in sentences:
                    report(sentence)
            yield poll


def weights_option() -> tuple[str, ...]:
    """How runs count."""
    return option(
        (),
        "Weights of the runs in their order, joined by commas, for example 2,1,1; or auto: by the share of right "
        "spans, measured with the gold standard, or without one estimated from the agreement of three runs or more.",
        metavar="W,W,...|auto",
        default_text="equal",
    )


def overlaps_option() -> str:
    """What happens to spans that overlap."""
    return option("merge", "Overlapping spans: merge them into one span, or keep the best of them.", choices=OVERLAPS)


def per_mention_option() -> bool:
    """What the identifiers are voted on for."""
    return option(False, "Vote on the identifiers of each mention, not of each mention text.")


def restart_option() -> bool:
    """What happens to earlier results."""
    return option(False, "Replace the results of an earlier command in OUT.")


def collection_format() -> str:
    """The format of collections."""
    return option("biocxml", "Output format.", choices=(*collection_names(), *aliases_of(collection_names())))


def provenance() -> dict[str, Any]:
    """Time and versions, for a manifest. No other output file contains clock times."""
    from datetime import UTC, datetime

    from nlmchem.run.plan import environment

    return {"made": datetime.now(UTC).isoformat(timespec="seconds"), "environment": environment()}
