"""`nlmchem ensemble agreement`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import FOLDER, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from nlmchem.report.ensemble.options import Runs, provenance, restart_option

TASKS = ("spans", "identifiers", "indexing")
_MADE_BY = "nlmchem ensemble agreement"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions:
    """The options of `nlmchem ensemble agreement`."""

    runs: Runs = group(Runs)
    out: Path | None = option(
        None, "Folder for tables and charts.", short="o", metavar="FOLDER", place=FOLDER,
        default_text="none",
    )  # fmt: skip
    task: str = option("spans", "The annotations that are compared.", choices=TASKS)
    restart: bool = restart_option()


def ensemble_agreement(options: AgreementOptions, progress: Progress) -> Result:
    """Print how much runs agree, and list the articles on which they agree least. A curator can start with these."""
    from ensemble.output import whole_folder, write_manifest
    from nlmchem.evaluation.ensembles import measure_agreement
    from nlmchem.report.ensemble.results import agreement_as_json, agreement_as_text, write_agreement

    out = options.out
    with ExitStack() as stack:
        folder = None if out is None else stack.enter_context(whole_folder(out, _MADE_BY, options.restart))
        poll = stack.enter_context(options.runs.open(folder, progress))
        agreement = measure_agreement(poll, options.task)
        if folder is not None:
            write_agreement(agreement, folder / "report", progress)
            write_manifest(folder, poll, _MADE_BY, {"task": options.task, **provenance()})
    files = () if out is None else (out,)
    return record(agreement_as_json(agreement), agreement_as_text(agreement, out), files=files, value=agreement)


AGREEMENT = Command("ensemble agreement", AgreementOptions, ensemble_agreement, Call({"runs": ["runs/*/"]}))
