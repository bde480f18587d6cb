"""A silver corpus from articles in one step: one run for each tagger, then the vote.

Folders of the result: `runs/NAME`, a run for each tagger, and `corpus`, the articles with what enough taggers agree on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import ConfigurationError, OptionError
from corpora.reporting import Report
from ensemble.combine import Rule
from ensemble.output import WrittenVote, check_whole_folder, whole_folder
from ensemble.runs import open_poll
from ensemble.silver import SILVER, CorpusPlan, write_silver
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.runs import annotate_runs, plan_runs
from nlmchem.run.options import RunOptions
from nlmchem.run.plan import Configuration

RUNS, CORPUS = "runs", "corpus"


@dataclass(frozen=True, slots=True)
class SilverCorpus:
    """The result: where it is, the counts of each run, and what was written. `written` is None if articles failed."""

    folder: Path
    counts: dict[str, ArticleCounts]
    written: WrittenVote | None

    @property
    def failed(self) -> int:
        """Articles that failed in at least one run."""
        return max((counts.failed for counts in self.counts.values()), default=0)


def build_silver(
    inputs: Sequence[str],
    out: Path,
    configuration: Configuration,
    options: RunOptions,
    rule: Rule,
    plan: CorpusPlan,
    report: Report,
) -> SilverCorpus:
    """Annotate the inputs with each tagger of the configuration, vote, and write the corpus.

    The runs continue where an earlier call stopped; the corpus is written again. If articles fail in a run, the corpus
    is not written: a vote needs the same articles in all runs. Raises `ConfigurationError` for fewer than two taggers,
    and the errors of `annotate_folder` and `open_poll`.
    """
    plans = plan_runs(configuration)
    if len(plans) < 2:
        raise OptionError(
            "taggers", f"must name two taggers or more, joined by commas, not {configuration.of_steps.tagger!r}"
        )
    if out.is_file():
        raise ConfigurationError(f"{out} is a file; name a folder")
    # Before the runs, which may take hours.
    check_whole_folder(out / CORPUS, SILVER, restart=True)
    counts = annotate_runs(inputs, out / RUNS, plans, options)
    corpus = SilverCorpus(out / CORPUS, counts, None)
    if corpus.failed:
        return corpus
    runs = [str(out / RUNS / name) for name in counts]
    with (
        whole_folder(corpus.folder, SILVER, restart=True) as folder,
        open_poll(runs, workers=options.number_of_workers, scratch=folder, report=report) as poll,
    ):
        written = write_silver(poll, rule, folder, plan, report)
    return SilverCorpus(corpus.folder, counts, written)
