"""`nlmchem replay`, and the counts of runs as the result of a command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import ANNOTATING, DONE, INCOMPLETE, STANDARD_OUTPUT, Call, Command, Progress, Result
from corpora.commands.options import argument, group
from corpora.errors import Argument, Text, command
from corpora.words.quantities import quantity
from nlmchem.run.options import WorkerOptions

if TYPE_CHECKING:
    from nlmchem.engine.account import ArticleCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    quarantine: Path = argument("The quarantine of a run, or its output folder.")
    working: WorkerOptions = group(WorkerOptions)


def replay(options: ReplayOptions, progress: Progress) -> Result:
    """Annotate failed articles again, from their copies in the quarantine.

    You can correct the copies first. Articles that succeed are added to the output.
    """
    from nlmchem.engine.runner import replay as replay_quarantine

    folder = options.quarantine
    out = folder.parent if folder.name == "quarantine" else folder
    return answer({out: replay_quarantine(folder, options.working.workers, progress)}, progress.quiet)


REPLAY = Command("replay", ReplayOptions, replay, Call({"quarantine": "annotated/quarantine/"}), heading=ANNOTATING)


def answer(runs: Mapping[Path, ArticleCounts], quiet: bool, run_folder: Path | None = None) -> Result:
    """The counts of each run. `run_folder`: the folder with the quarantine of a run into one file."""
    lines = [f"{counts.sentence()}; results in {out}" for out, counts in runs.items()]
    problems = [_remedy(counts, out, run_folder) for out, counts in runs.items() if counts.failed]
    for counts in runs.values():
        if counts.files_empty and not counts.articles:
            files = quantity(counts.files_empty, "file contains", "files contain")
            what = f"there is no article to write: {files} none; get the articles again, or remove what has none"
            problems.append(what)
    return Result(
        objects=[{**counts.as_json(), "out": str(out)} for out, counts in runs.items()],
        lines=() if quiet else lines,
        problems=problems,
        files=tuple(runs),
        exit_code=INCOMPLETE if problems else DONE,
        value=dict(runs),
        # Standard output has the articles then.
        is_message=STANDARD_OUTPUT in runs,
    )


def _remedy(counts: ArticleCounts, out: Path, run_folder: Path | None) -> str:
    """What to do about failed articles."""
    earlier = f" ({counts.failed_earlier} of them in earlier runs)" if counts.failed_earlier else ""
    failed = f"{quantity(counts.failed, 'article')} failed{earlier}"
    if out == STANDARD_OUTPUT:
        return f"{failed}; annotate into a file or folder to keep copies of them with the reasons"
    folder = (run_folder or out) / "quarantine"
    again = Argument("retry_failed", True)
    if not folder.is_dir():
        return Text(f"{failed}, and their copies in {folder} are gone; run {command('annotate')} again with ", again)
    kept = f"{failed}; {folder} contains the reason for each, and a copy if it could be read; "
    if run_folder is not None:
        return Text(f"{kept}correct the input and run again with ", again)
    return Text(
        f"{kept}correct the copies and run {command('replay', shlex.quote(str(folder)))}, or correct the input and "
        "run again with ",
        again,
    )
