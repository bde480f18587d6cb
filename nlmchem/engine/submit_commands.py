"""`nlmchem submit`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import Overwrite
from corpora.errors import Argument, OptionError
from corpora.reporting import ignore
from nlmchem.engine.options import RunOptions
from nlmchem.run.plan import Configuration
from nlmchem.run.workers import WorkerOptions
from nlmchem.steps.shared import EXISTING

TASKS = ("identification", "indexing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotating:
    """How the articles are annotated, as `nlmchem annotate` does. None: not given."""

    tagger: str | None = option(
        None, "Tagger or taggers.", flags=("--tagger", "--taggers"), metavar="NAME,...", default_text="default"
    )
    lexicon: str | None = option(None, "Lexicon file (.sqlite or .tsv), or starter.", default_text="MeSH, as it comes")
    as_of: int | None = option(None, "Use the MeSH identifiers of this year.", metavar="YEAR")
    existing: str | None = option(None, "Mentions that the articles already contain.", choices=EXISTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitOptions:
    """The options of `nlmchem submit`."""

    articles: str = argument(
        "The articles of the challenge; with --reference, these articles as you have annotated them. A file, folder, "
        "glob pattern or archive."
    )
    task: str = option(REQUIRED, "The task of the challenge.", choices=TASKS)
    team: str = option(REQUIRED, "The number of the team.")
    run: int = option(REQUIRED, "The number of the run, from 1.", minimum=1)
    out: Path = option(
        REQUIRED,
        "Output file (.xml or .json), or a folder: the file then gets the track's name.",
        flags=("--out", "-o"),
        metavar="PATH",
    )
    replacing: Overwrite = group(Overwrite)
    annotating: Annotating = group(Annotating)
    working: WorkerOptions = group(WorkerOptions)
    reference: str | None = option(
        None,
        "The articles as the organisers published them; ARTICLES are annotated already.",
        metavar="PATH",
        default_text="annotate ARTICLES",
    )


def submit(options: SubmitOptions, progress: Progress) -> Result:
    """Annotate the articles of the NLM-Chem challenge, write a submission file, and check that the scorer accepts it.

    With --reference the articles are annotated already, and only the file is made.
    """
    from corpora.submission.files import write_submission

    facts = options.task, options.team, options.run, options.out
    given = {name: value for name, value in asdict(options.annotating).items() if value is not None}
    workers = options.working.workers
    if options.reference is not None:
        for name in [*given, *(["workers"] if workers is not None else [])]:
            raise OptionError(name, "has no effect with ", Argument("reference"), ": ARTICLES are annotated already")
        submission = write_submission(options.articles, options.reference, *facts, progress)
    else:
        from nlmchem.engine.submitting import submit_articles

        _refuse_annotated(options.articles, options.annotating.existing)
        plan = Configuration.of(**given).parse()
        submission = submit_articles(options.articles, plan, RunOptions(workers=workers), *facts, progress)
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
            "organisers published them, or replace the annotations with ",
            Argument("existing", "replace"),
        )


SUBMIT = Command(
    "submit", SubmitOptions, submit, "nlmchem submit test.xml --task identification --team 999 --run 1 -o submission/"
)
