"""`nlmchem silver vote` and `nlmchem silver build`."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import COMMON, REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import INCOMPLETE, Result, record
from corpora.commands.shared import Inputs, OutFolder
from corpora.errors import command
from corpora.words.quantities import quantity
from nlmchem.engine.options import RunOptions
from nlmchem.report.ensemble.options import (
    CollectionFormat,
    Overlaps,
    PerMention,
    Restart,
    Runs,
    RunWeights,
    provenance,
)
from nlmchem.run.plan import Configuration
from nlmchem.run.workers import WorkerOptions
from nlmchem.steps.shared import ExistingOptions
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class SilverVoteOptions:
    """The options of `nlmchem silver vote`."""

    runs: Runs = group(Runs)
    output: OutFolder = group(OutFolder)
    weights: RunWeights = group(RunWeights)
    format: CollectionFormat = group(CollectionFormat)
    restart: Restart = group(Restart)
    threshold: float = option(0.35, "Lowest share of the runs that must contain an annotation, 0 to 1.")
    shard_size: int = option(500, "Number of documents in each file of the corpus.", minimum=1)
    overlaps: Overlaps = group(Overlaps)
    per_mention: PerMention = group(PerMention)


def silver_vote(options: SilverVoteOptions, progress: Progress) -> Result:
    """Make a silver-standard corpus for training: the annotations that enough runs agree on.

    The output folder also contains a manifest and a data card.
    """
    from ensemble.combine import TASKS, Rule
    from ensemble.output import whole_folder
    from ensemble.silver import SILVER, write_silver
    from nlmchem.report.ensemble.results import summarize

    out = options.output.out
    rule = Rule(TASKS, options.threshold, options.overlaps.overlaps, options.per_mention.per_mention)
    with (
        whole_folder(out, SILVER, options.restart.restart) as folder,
        options.runs.open(folder, progress, options.weights.weights) as poll,
    ):
        written = write_silver(
            poll, rule, folder, shard_size=options.shard_size, format=options.format.format, extra=provenance()
        )
    summary = summarize(written, rule, None, None, None, out)
    return record(summary.fields, summary.text, files=(out,), value=written)


VOTE = Command(
    "silver vote", SilverVoteOptions, silver_vote, Call({"runs": ["runs/*/"], "out": "silver/", "threshold": 0.35})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilverBuildOptions:
    """The options of `nlmchem silver build`."""

    articles: Inputs = group(Inputs)
    output: OutFolder = group(OutFolder)
    taggers: str = option(
        REQUIRED,
        "Two taggers or more: default, lexicon, folders of models.",
        flags=("--taggers", "--tagger"),
        metavar="NAME,...",
    )
    threshold: float = option(0.6, "Lowest share of the taggers that must find a mention, 0 to 1.")
    source: LexiconOptions = group(LexiconOptions)
    existing: ExistingOptions = group(ExistingOptions)
    working: WorkerOptions = group(WorkerOptions)
    restart: bool = option(False, "Delete the runs of an earlier command.", panel=COMMON)


def silver_build(options: SilverBuildOptions, progress: Progress) -> Result:
    """Annotate articles with several taggers, vote, and write a silver corpus for training.

    OUT contains runs/ and corpus/. If the command is stopped, run it again: the runs continue where they stopped.
    """
    from ensemble.combine import TASKS, Rule
    from nlmchem.engine.silver import build_silver
    from nlmchem.report.ensemble.results import summarize

    rule = Rule(TASKS, options.threshold, "merge", False)
    configuration = Configuration.of(
        tagger=options.taggers, lexicon=options.source.lexicon, existing=options.existing.existing
    )
    run = RunOptions(workers=options.working.workers, restart=options.restart)
    out = options.output.out
    made = build_silver(list(options.articles.inputs), out, configuration, run, rule, provenance(), progress)
    if made.written is None:
        problem = (
            f"{quantity(made.failed, 'article')} failed, so there is no vote: all runs must contain the same articles; "
            f"the folders quarantine/ in {out / 'runs'} have the reasons; correct the articles or leave them out"
        )
        return Result(problems=[problem], exit_code=INCOMPLETE)
    summary = summarize(made.written, rule, None, None, None, made.folder)
    line = command("train tagger", "--base default --corpus GOLD --silver", str(made.folder), "-o MODEL").strip("`")
    return record({**summary.fields, "train": line}, summary.text, f"to train on it: {line}", files=(made.folder,))


BUILD = Command(
    "silver build",
    SilverBuildOptions,
    silver_build,
    Call({"inputs": ["articles/"], "out": "silver/", "taggers": "default,lexicon"}),
)
