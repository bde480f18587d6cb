"""`nlmchem align`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import FILE, REQUIRED, option
from corpora.commands.progress import Progress
from corpora.commands.result import INCOMPLETE, Result
from corpora.commands.shared import inputs_argument, out_file, overwrite_option
from corpora.formats.registry import format_option
from corpora.words.quantities import quantity
from nlmchem.steps.shared import existing_option

if TYPE_CHECKING:
    from nlmchem.companions.annotators.aligning import Aligner


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
    """The options of `nlmchem align`."""

    inputs: tuple[str, ...] = inputs_argument()
    mentions: str = option(
        REQUIRED,
        "List of mentions: JSON lines, JSON, CSV or TSV; - for standard input. Each row has a document and a text, and "
        "where known identifier, quote, start, end, label, score and run.",
        metavar="FILE",
    )
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    format: str | None = format_option()
    occurrences: str = option(
        "all", "Which places a text without a place means: all, or the first one.", choices=("all", "first")
    )
    run: str | None = option(
        None, "Align the rows of this run only.", metavar="NAME", default_text="the only one of the file"
    )
    chemical_labels: tuple[str, ...] = option(
        (),
        "Labels of the rows that are chemicals, joined by commas.",
        metavar="LABEL,...",
        default_text="usual names, such as Chemical and Drug",
    )
    route: Path | None = option(
        None,
        "The file of `route` of `nlmchem curate select` that the mentions answer: they replace those of its passages, "
        "and all others stay.",
        metavar="FILE",
    )
    fates: Path | None = option(
        None, "Write what became of each row into this table (TSV).", metavar="FILE", place=FILE
    )
    existing: str | None = existing_option()


def align(options: AlignOptions, progress: Progress) -> Result:
    """Find the places of mentions that another tool lists, such as a language model.

    The rows become mentions with exact offsets, or are refused with a reason; the exit code is then 3. The text of an
    article is never changed, and no mention is placed by mere likeness.
    """
    from corpora.reading import read
    from corpora.run_names import run_names
    from corpora.storage import owned_files
    from corpora.writing import write
    from nlmchem.companions.annotators.aligning import ERROR, Aligner, selected
    from nlmchem.companions.annotators.fates import table
    from nlmchem.companions.annotators.rows import passages_of, read_rows

    aligner = Aligner(
        selected(read_rows(options.mentions), options.run),
        name=run_names([options.mentions])[0] if options.mentions != "-" else "aligned",
        labels=frozenset(options.chemical_labels),
        occurrences=options.occurrences,
        existing=options.existing or ERROR,
        asked={} if options.route is None else passages_of(options.route),
    )
    out = options.out
    documents = read(list(options.inputs), report=progress)
    number = write(aligner.aligned(documents, progress), out, options.format, report=progress)
    if options.fates is not None:
        owned_files.write_text(options.fates, table(aligner.outcomes))
    return _answer(aligner, number, out, options.fates)


def _answer(aligner: Aligner, articles: int, out: Path, fates: Path | None) -> Result:
    from nlmchem.companions.annotators.placing import RowFate

    counts = aligner.counts()
    refused = sum(number for fate, number in counts.items() if fate.is_refused)
    listed = ", ".join(f"{fate} {counts[fate]}" for fate in RowFate if counts[fate])
    line = (
        f"{quantity(len(aligner.rows), 'row')}: {listed}; {quantity(aligner.placed, 'mention')} in "
        f"{quantity(articles, 'article')}, written to {out}"
    )
    problems = []
    if refused:
        first = next(
            outcome for at in sorted(aligner.outcomes) for outcome in aligner.outcomes[at] if outcome.fate.is_refused
        )
        reason = f"{first.row.place}: {first.row.text!r} {_REASONS[first.fate]}"
        problems = [f"{quantity(refused, 'row was', 'rows were')} refused, the first: {reason}"]
    answer: dict[str, Any] = {
        "rows": len(aligner.rows),
        "fates": {str(fate): counts[fate] for fate in RowFate if counts[fate]},
        "mentions": aligner.placed,
        "articles": articles,
        "out": str(out),
    }
    return Result(
        objects=(answer,),
        lines=(line,),
        problems=problems,
        files=(out,) if fates is None else (out, fates),
        exit_code=INCOMPLETE if refused else 0,
        value=aligner.outcomes,
    )


_REASONS = {
    "not in the text": "is not in the text",
    "ambiguous": "is ambiguous",
    "no text": "states no text",
    "no such document": "names no document of the articles",
}

ALIGN = Command(
    "align", AlignOptions, align, Call({"inputs": ["articles/"], "mentions": "answers.jsonl", "out": "aligned.xml"})
)
