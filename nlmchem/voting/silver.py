"""`nlmchem silver vote|build|verify`: silver corpora from runs, or from articles in one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import DONE, INCOMPLETE, Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import inputs_argument, licence_option, out_folder
from corpora.errors import Argument, ConfigurationError, OptionError, command
from corpora.reporting import Report
from corpora.words.quantities import quantity
from ensemble import TASKS
from nlmchem.run.options import RunOptions, WorkerOptions
from nlmchem.run.plan import Configuration
from nlmchem.run.step import COMMON
from nlmchem.steps.shared import existing_option
from nlmchem.voting.commands import (
    Runs,
    collection_format,
    overlaps_option,
    per_mention_option,
    restart_option,
    weights_option,
)
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from ensemble.combine import Rule, WrittenVote
    from ensemble.silver import CorpusPlan

RUNS, CORPUS = "runs", "corpus"
"""Folders of `silver build`: a run for each tagger, and the corpus."""
ONE_SPLIT = "train=1"
SHOWN = 20
"""Differences that `silver verify` lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """What is written of a silver corpus."""

    shard_size: int = option(500, "Number of documents in each file of the corpus.", minimum=1)
    licence: tuple[str, ...] = licence_option()
    dataset: bool = option(
        False, "Write also a data set: tables in Parquet that `datasets.load_dataset` reads, and Croissant metadata."
    )
    splits: str = option(ONE_SPLIT, "Splits of the data set, and their shares.", metavar="NAME=SHARE,...")
    about: Path | None = option(
        None,
        "TOML file with what only you can state in the card: title, creator, url, published, citation, version.",
        metavar="FILE",
    )

    def plan(self, format: str = "biocxml") -> CorpusPlan:
        """The plan. Raises `ConfigurationError` for options that do not fit together, before any work."""
        from corpora.tools.leaks import parse_shares
        from ensemble.silver import CorpusPlan
        from ensemble.silver.record import About, read_about

        if not self.dataset and self.splits != ONE_SPLIT:
            raise ConfigurationError(Argument("splits"), " is for a data set; add ", Argument("dataset", True))
        plan = CorpusPlan(
            shard_size=self.shard_size,
            format=format,
            licences=self.licence,
            dataset=self.dataset,
            shares=parse_shares(self.splits, "splits"),
            about=About() if self.about is None else read_about(self.about),
        )
        plan.check()
        return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class SilverVoteOptions:
    runs: Runs = group(Runs)
    out: Path = out_folder()
    weights: tuple[str, ...] = weights_option()
    format: str = collection_format()
    restart: bool = restart_option()
    threshold: float = option(0.35, "Lowest share of the runs that must contain an annotation, 0 to 1.")
    overlaps: str = overlaps_option()
    per_mention: bool = per_mention_option()
    corpus: CorpusOptions = group(CorpusOptions)


def silver_vote(options: SilverVoteOptions, progress: Progress) -> Result:
    """Make a silver-standard corpus for training: the annotations that enough runs agree on.

    The output folder also contains a data card and a manifest with the hashes of all files. The same runs and options
    give the same folder, byte by byte.
    """
    from ensemble.combine import Rule, whole_folder
    from ensemble.silver import SILVER, write_silver
    from nlmchem.voting.results import summarize

    out = options.out
    rule = Rule(TASKS, options.threshold, options.overlaps, options.per_mention)
    plan = options.corpus.plan(options.format)
    with (
        whole_folder(out, SILVER, options.restart) as folder,
        options.runs.open(folder, progress, options.weights) as poll,
    ):
        written = write_silver(poll, rule, folder, plan, progress)
    text, fields = summarize(written, rule, out)
    return record(fields, text, files=(out,), value=written)


VOTE = Command(
    "silver vote", SilverVoteOptions, silver_vote, Call({"runs": ["runs/*/"], "out": "silver/", "threshold": 0.35})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilverBuildOptions:
    inputs: tuple[str, ...] = inputs_argument()
    out: Path = out_folder()
    taggers: str = option(
        REQUIRED,
        "Two taggers or more: default, lexicon, folders of models.",
        flags=("--taggers", "--tagger"),
        metavar="NAME,...",
    )
    threshold: float = option(0.6, "Lowest share of the taggers that must find a mention, 0 to 1.")
    source: LexiconOptions = group(LexiconOptions)
    existing: str | None = existing_option()
    working: WorkerOptions = group(WorkerOptions)
    corpus: CorpusOptions = group(CorpusOptions)
    restart: bool = option(False, "Delete the runs of an earlier command.", panel=COMMON)


def silver_build(options: SilverBuildOptions, progress: Progress) -> Result:
    """Annotate articles with several taggers, vote, and write a silver corpus for training.

    OUT contains runs/ and corpus/. If the command is stopped, run it again: the runs continue where they stopped.
    """
    from ensemble.combine import Rule
    from nlmchem.voting.results import summarize

    rule = Rule(TASKS, options.threshold)
    configuration = Configuration.of(tagger=options.taggers, lexicon=options.source.lexicon, existing=options.existing)
    run = RunOptions(workers=options.working.workers, restart=options.restart)
    out = options.out
    written, failed = build_silver(options.inputs, out, configuration, run, rule, options.corpus.plan(), progress)
    if written is None:
        problem = (
            f"{quantity(failed, 'article')} failed, so there is no vote: all runs must contain the same articles; "
            f"the folders quarantine/ in {out / RUNS} have the reasons; correct the articles or leave them out"
        )
        return Result(problems=[problem], exit_code=INCOMPLETE)
    corpus = out / CORPUS
    text, fields = summarize(written, rule, corpus)
    line = command("train tagger", "--base default --corpus GOLD --silver", str(corpus), "-o MODEL").strip("`")
    return record({**fields, "train": line}, text, f"to train on it: {line}", files=(corpus,))


def build_silver(
    inputs: Sequence[str],
    out: Path,
    configuration: Configuration,
    options: RunOptions,
    rule: Rule,
    plan: CorpusPlan,
    report: Report,
) -> tuple[WrittenVote | None, int]:
    """Annotate the inputs with each tagger of the configuration (`runs/NAME`), vote, and write the corpus (`corpus`).

    The runs continue where an earlier call stopped; the corpus is written again. If articles fail in a run, the corpus
    is not written: a vote needs the same articles in all runs. Returns what was written, None if articles failed, and
    the most articles that failed in a run. Raises `ConfigurationError` for fewer than two taggers, and the errors of
    `annotate_folder` and `open_poll`.
    """
    from ensemble.combine import check_whole_folder, whole_folder
    from ensemble.runs import open_poll
    from ensemble.silver import SILVER, write_silver
    from nlmchem.engine.runs import annotate_runs, plan_runs

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
    failed = max((run.failed for run in counts.values()), default=0)
    if failed:
        return None, failed
    runs = [str(out / RUNS / name) for name in counts]
    with (
        whole_folder(out / CORPUS, SILVER, restart=True) as folder,
        open_poll(runs, workers=options.number_of_workers, scratch=folder, report=report) as poll,
    ):
        return write_silver(poll, rule, folder, plan, report), 0


BUILD = Command(
    "silver build",
    SilverBuildOptions,
    silver_build,
    Call({"inputs": ["articles/"], "out": "silver/", "taggers": "default,lexicon"}),
    has_panels=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilverVerifyOptions:
    corpus: Path = argument("The folder of a silver corpus.", metavar="FOLDER")


def silver_verify(options: SilverVerifyOptions, progress: Progress) -> Result:
    """Check that a silver corpus is as it was made: every file against the manifest, and the manifest against itself.

    Prints the fingerprint of the corpus. The exit code is 3 if a file was changed, added or removed.
    """
    from ensemble.silver.record import check

    checked = check(options.corpus)
    state = "as it was made" if checked.is_as_made else "not as it was made"
    answer = {
        "folder": str(options.corpus),
        "as_made": checked.is_as_made,
        "fingerprint": checked.fingerprint,
        "files": checked.files,
        "problems": list(checked.problems),
    }
    lines = (
        f"{options.corpus} is {state}: {quantity(checked.files, 'file')} and the manifest",
        f"fingerprint {checked.fingerprint}",
    )
    problems = list(checked.problems[:SHOWN])
    if len(checked.problems) > SHOWN:
        problems.append(f"{len(checked.problems) - SHOWN} more differences are not listed")
    exit_code = DONE if checked.is_as_made else INCOMPLETE
    return record(answer, *lines, notes=list(checked.notes), problems=problems, exit_code=exit_code, value=checked)


VERIFY = Command("silver verify", SilverVerifyOptions, silver_verify, Call({"corpus": "silver/"}))
