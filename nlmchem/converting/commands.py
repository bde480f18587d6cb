"""`nlmchem convert`, `nlmchem corpora convert` and `nlmchem submit`: articles in another format, or as a submission."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import (
    ANNOTATING,
    CORPUS_WORK,
    STANDARD_OUTPUT,
    Call,
    Command,
    Progress,
    Result,
    execute,
    record,
)
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import out_file, overwrite_option
from corpora.errors import Argument, InputError, OptionError
from corpora.formats.registry import format_option
from corpora.reporting import ignore
from corpora.words.quantities import quantity
from nlmchem.engine.commands import answer
from nlmchem.run.options import FileOptions, RunOptions, WorkerOptions
from nlmchem.run.plan import Configuration, Job
from nlmchem.run.step import COMMON
from nlmchem.steps.shared import existing_option
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import YearOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.tools.statistics import IdentifierCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    source: str = argument("A file, folder, glob pattern or archive, or - for standard input.", metavar="IN")
    target: str | None = argument(
        "One file for all articles (for brat: a folder); a folder with one output for each input file, which needs "
        "`format`; or - for standard output.",
        default=None,
        metavar="OUT",
    )
    out: str | None = option(None, "OUT, by its flag.", short="o", metavar="OUT", panel=COMMON)
    format: str | None = format_option()
    files: FileOptions = group(FileOptions)
    run: RunOptions = group(RunOptions)
    overwrite: bool = overwrite_option()


def convert(options: ConvertOptions, progress: Progress) -> Result:
    """Convert articles to another format.

    OUT is a folder if it exists as one, ends with /, or has no suffix of a format while IN is a folder. If the command
    is stopped, run it again: it continues where it stopped.
    """
    from nlmchem.engine.runs import run_into, select_conversion
    from nlmchem.run.plan import Job, Plan

    if (options.target is None) == (options.out is None):
        problem = "must be given: the output, by its place or by the flag"
        if options.target is not None:
            problem = f"is given twice: {options.target} and {options.out}; leave out one of them"
        raise OptionError("out", problem)
    if options.out is None:
        # With the checks of an output that is given by its flag.
        return execute(CONVERT, replace(options, target=None, out=options.target), progress)
    output = select_conversion(options.source, options.out, options.format)
    plan = Plan.of_conversion(output.format, options.files)
    counts = run_into(Job([options.source], plan, options.run, progress), output)
    out = STANDARD_OUTPUT if output.path is None or output.is_stream else output.path
    return answer({out: counts}, options.run.quiet, output.run_folder)


CONVERT = Command(
    "convert",
    ConvertOptions,
    convert,
    Call({"source": "article.nxml", "out": "article.json"}),
    has_panels=True,
    heading=ANNOTATING,
)


# -- corpora ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConvertOptions:
    name: str = argument("A corpus (see `corpora list`).")
    folder: Path = argument("The folder of the corpus.")
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    split: str | None = option(None, "Read only this split.", metavar="NAME", default_text="all splits")
    format: str | None = format_option()
    index: tuple[str, ...] = option(
        (), "MEDLINE/PubMed XML with index terms, joined by PMID.", metavar="FILE", repeat=True
    )
    sections: bool = option(False, "Derive section types from headings.")
    lexicon: str | None = option(None, "Check that this lexicon contains the identifiers.", metavar="PATH")
    replaced: Path | None = option(
        None, "File with lines `old<TAB>new`: identifiers of another MeSH year are replaced.", metavar="FILE"
    )


def corpora_convert(options: CorpusConvertOptions, progress: Progress) -> Result:
    """Write a corpus in another format.

    All identifiers get the same form, and known errors of the corpus are corrected. Options add index terms and
    section types.
    """
    from corpora.tools.statistics import IdentifierCheck
    from corpora.writing import write

    check = IdentifierCheck()
    out = options.out
    number = write(_enriched(options, check, progress), out, options.format, report=progress)
    if options.lexicon is None:
        check.unknown.clear()
    return record(
        {"corpus": options.name, "articles": number, "out": str(out)},
        f"wrote {quantity(number, 'article')} of {options.name} to {out}",
        notes=[f"{options.name}: {sentence}" for sentence in check.sentences()],
        files=(out,),
    )


def _enriched(options: CorpusConvertOptions, check: IdentifierCheck, progress: Progress) -> Iterator[BioCDocument]:
    """The documents of the corpus with index terms, section types and checked identifiers, where options ask for it."""
    from corpora.datasets.index_terms import add_index, index_of, pmid_of
    from corpora.datasets.registry import documents
    from corpora.model.sections import add_sections
    from corpora.tools.statistics import check_identifiers, read_successors
    from sieves.lexicon.lexicon import Lexicon

    known: frozenset[str] = frozenset()
    if options.lexicon is not None:
        with Lexicon.open(options.lexicon) as lexicon:
            known = frozenset(identifier for _, joined in lexicon.names() for identifier in joined.split(","))
    successors = read_successors(options.replaced) if options.replaced is not None else {}
    folder = [str(options.folder)]
    articles = documents(folder, options.name, options.split, progress)
    if options.index:
        # MEDLINE has tens of millions of citations. Only those of the corpus are stored.
        wanted = frozenset(pmid_of(document) for document in documents(folder, options.name, options.split, ignore))
        articles = add_index(articles, index_of(list(options.index), wanted, report=progress), progress)
    for document in articles:
        if options.sections:
            add_sections(document)
        if options.lexicon is not None or successors:
            check_identifiers(document, known.__contains__, successors, check, rewrite=True)
        yield document


CORPORA_CONVERT = Command(
    "corpora convert", CorpusConvertOptions, corpora_convert,
    Call({"name": "drugprot", "folder": "downloads/drugprot/", "out": "drugprot.xml.gz"}),
)  # fmt: skip


TASKS = ("identification", "indexing")


@dataclass(frozen=True)
class Annotating(YearOptions, WorkerOptions):
    """How the articles are annotated, as `nlmchem annotate` does."""

    tagger: str = tagger_option()
    existing: str | None = existing_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitOptions:
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
            job = Job([options.articles], plan, RunOptions(workers=annotating.workers), progress)
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
    heading=CORPUS_WORK,
)
