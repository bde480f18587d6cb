"""A challenge submission straight from articles: annotate, then write the file and check it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from corpora.errors import InputError
from corpora.reporting import Report
from corpora.submission.files import Submission, file_name, write_submission
from corpora.words.quantities import quantity
from nlmchem.engine.options import RunOptions
from nlmchem.engine.runner import annotate_folder
from nlmchem.run.plan import Plan


def submit_articles(
    articles: str,
    plan: Plan,
    options: RunOptions,
    task: str,
    team: str,
    run: int,
    out: Path,
    report: Report,
) -> Submission:
    """Annotate the articles of the challenge into a temporary folder, and write the submission from it.

    The articles are also the reference: the submission has their order and their text. Raises `InputError` if an
    article failed, because a submission must contain all of them; the errors of `annotate_folder` and
    `write_submission`.
    """
    # A wrong team or task is reported before the articles are annotated.
    file_name(task, team, run)
    with tempfile.TemporaryDirectory(prefix="nlmchem-") as scratch:
        folder = Path(scratch) / "run"
        counts = annotate_folder([articles], folder, plan, options)
        if counts.failed:
            raise InputError(
                f"{counts.failed} of {quantity(counts.articles, 'article')} failed, and a submission "
                "must contain all of them; "
                "the lines above have the reasons; correct the articles and run again"
            )
        return write_submission(str(folder), articles, task, team, run, out, report)
