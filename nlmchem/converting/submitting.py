"""`nlmchem submit`: a challenge submission from articles, or from articles that are annotated already."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import overwrite_option
from corpora.errors import Argument, InputError, OptionError
from corpora.reporting import ignore
from corpora.words.quantities import quantity
from nlmchem.run.options import RunOptions, WorkerOptions
from nlmchem.run.plan import Configuration, Job
from nlmchem.steps.shared import existing_option
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import YearOptions

TASKS = ("identification", "indexing")


@dataclass(frozen=True)
class Annotating(YearOptions, WorkerOptions):
    """How the articles are annotated, as `nlmchem annotate` does."""

    tagger: str = tagger_option()
    existing: str | None = existing_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitOptions:
    """The options of `nlmchem submit`."""

    articles: str = argument(
        "The articles of the challenge; with `reference`, these articles as you have annotated them. A file, folder, "
        "glob pattern or archive."
    )
    task: str = option(REQUIRED, "The task of the challenge.", choices=TASKS)
    team: str = option(REQUIRED, "The number of the team.")
    run: int = option(REQUIRED, "The number of the run, from 1.", minimum=1)
    out: Path = option(
        REQUIRED,
        "Output file (.xml or .json), or a folder: the file then gets the track's name.",
        short="o",
        metavar="PATH",
    )
    overwrite: bool = overwrite_option()
    annotating: Annotating = group(Annotating)
    reference: str | None = option(
        None,
        "The articles as the organisers published them; ARTICLES are annotated already.",
        metavar="PATH",
        default_text="annotate ARTICLES",
    )


def submit(options: SubmitOptions, progress: Progress) -> Result:
    """Annotate the articles of the NLM-Chem challenge, write a submission file, and check that the scorer accepts it.

    With `reference` the articles are annotated already, and only the file is made.
    """
    from corpora.submission import file_name, write_submission

    facts = options.task, options.team, options.run, options.out
    annotating = options.annotating
    if options.reference is not None:
        # What has no effect on articles that are annotated already is refused.
        defaults = asdict(Annotating())
        for name, value in asdict(annotating).items():
            if value != defaults[name]:
                unused = "has no effect with ", Argument("reference"), ": ARTICLES are annotated already"
                raise OptionError(name, *unused)
        submission = write_submission(options.articles, options.reference, *facts, progress)
    else:
        from nlmchem.engine.runner import annotate_folder

        _refuse_annotated(options.articles, annotating.existing)
        plan = Configuration.of(
            tagger=annotating.tagger, lexicon=annotating.lexicon, as_of=annotating.as_of, existing=annotating.existing
        ).parse()
        # A wrong team or task is reported before the articles are annotated.
        file_name(options.task, options.team, options.run)
        with tempfile.TemporaryDirectory(prefix="nlmchem-") as scratch:
            folder = Path(scratch) / "run"
            job = Job([options.articles], plan, RunOptions(workers=annotating.workers))
            counts = annotate_folder(job, folder)
            if counts.failed:
                raise InputError(
                    f"{counts.failed} of {quantity(counts.articles, 'article')} failed, and a submission must contain "
                    "all of them; the lines above have the reasons; correct the articles and run again"
                )
            # The articles are also the reference: the submission has their order and their text.
            submission = write_submission(str(folder), options.articles, *facts, progress)
    fields = submission.as_dict()
    lines = (f"{name.replace('_', ' ')}: {value}" for name, value in fields.items())
    return record(fields, *lines, "checked: the scorer accepts the file", value=submission)


def _refuse_annotated(articles: str, existing: str | None) -> None:
    """Raise `OptionError` where an article is annotated already, and nothing states what to do with that."""
    from corpora.model.document import mentions
    from corpora.reading import read
    from corpora.storage.inputs import is_pipe

    if existing is not None or is_pipe(articles):
        return
    first = next((document for document in read(articles, report=ignore) if any(mentions(document))), None)
    if first is not None:
        raise OptionError(
            "reference",
            f"must be given: article {first.id!r} in {articles} is annotated already. Name the articles as the "
            "organisers published them, or annotate these again with ",
            Argument("existing", "replace"),
        )


SUBMIT = Command(
    "submit",
    SubmitOptions,
    submit,
    Call({"articles": "test.xml", "task": "identification", "team": "999", "run": 1, "out": "submission/"}),
    has_panels=True,
)
