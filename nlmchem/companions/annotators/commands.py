"""`nlmchem align`, `nlmchem verify` and `nlmchem mcp`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import (
    ANNOTATING,
    INCOMPLETE,
    JSON,
    NAMING,
    TSV,
    Call,
    Command,
    Progress,
    Result,
    ResultTable,
    record,
)
from corpora.commands.options import FILE, REQUIRED, argument, group, option
from corpora.commands.shared import annotated_argument, inputs_argument, out_file, overwrite_option
from corpora.formats.registry import format_option
from corpora.words.quantities import quantity
from nlmchem.steps.shared import existing_option
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import LexiconOptions, YearOptions

if TYPE_CHECKING:
    from bioc import BioCDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
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
        "The file of `route` of `nlmchem curate select` that the mentions answer: an answer, which may be an empty "
        "list, replaces the mentions of its passage, and all others stay.",
        metavar="FILE",
    )
    fates: Path | None = option(
        None, "Write what became of each row into this table (TSV).", metavar="FILE", place=FILE
    )
    existing: str | None = existing_option()


def align(options: AlignOptions, progress: Progress) -> Result:
    """Find the places of mentions that another tool lists, such as a language model.

    The rows become mentions with exact offsets, or are refused with a reason; the exit code is then 3, and so it is if
    passages that were asked for have no answer. The text of an article is never changed, and no mention is placed by
    mere likeness.
    """
    from corpora.errors import Argument, ConfigurationError, shortened
    from corpora.output_names import run_names
    from corpora.reading import read
    from corpora.storage import owned_files
    from corpora.writing import write
    from nlmchem.companions.annotators.aligning import ERROR, REPLACE, Aligner, selected, table
    from nlmchem.companions.annotators.placing import RowFate
    from nlmchem.companions.annotators.rows import passages_of, read_rows

    if options.route is not None and options.existing == REPLACE:
        raise ConfigurationError(
            "with ",
            Argument("route"),
            " the mentions of other passages stay; leave out ",
            Argument("existing", REPLACE),
        )
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
    articles = write(aligner.aligned(documents, progress), out, options.format, report=progress)
    if options.fates is not None:
        owned_files.write_text(options.fates, table(aligner.outcomes))
    counts = aligner.counts()
    fates = {str(fate): counts[fate] for fate in RowFate if counts[fate]}
    listed = ", ".join(f"{fate} {number}" for fate, number in fates.items())
    problems = []
    number = sum(number for fate, number in counts.items() if fate.is_refused)
    if number:
        of_rows = (outcome for at in sorted(aligner.outcomes) for outcome in aligner.outcomes[at])
        first = next(outcome for outcome in of_rows if outcome.fate.is_refused)
        reason = f"{first.row.place}: {first.row.text!r} {_REASONS[first.fate]}"
        problems = [f"{quantity(number, 'row was', 'rows were')} refused, the first: {reason}"]
    passages, kept = aligner.unanswered_passages(), aligner.unanswered
    if passages:
        named = shortened(", ".join(f"{document} at {offset}" for document, offset in passages), 300)
        problems.append(
            f"{len(passages)} of {quantity(len(aligner.asked), 'passage')} that were asked for have no answer and keep "
            f"their mentions: {named}; ask for them again, or answer with an empty list of mentions"
        )
    if kept:
        problems.append(
            f"mentions stay in {quantity(len(kept), 'article')} without a row: {shortened(', '.join(kept), 300)}; an "
            "empty list of mentions for an article removes them"
        )
    answer = {
        "rows": len(aligner.rows), "fates": fates, "mentions": aligner.placed, "articles": articles,
        "passages_without_answer": len(passages), "articles_without_answer": len(kept),
    }  # fmt: skip
    return record(
        {**answer, "out": str(out)},
        f"{quantity(len(aligner.rows), 'row')}: {listed}; {quantity(aligner.placed, 'mention')} in "
        f"{quantity(articles, 'article')}, written to {out}",
        problems=problems,
        files=(out,) if options.fates is None else (out, options.fates),
        exit_code=INCOMPLETE if problems else 0,
        value=aligner.outcomes,
    )


_REASONS = {
    "not in the text": "is not in the text",
    "ambiguous": "is ambiguous",
    "no text": "states no text",
    "no such document": "names no document of the articles",
}

ALIGN = Command(
    "align",
    AlignOptions,
    align,
    Call({"inputs": ["articles/"], "mentions": "answers.jsonl", "out": "aligned.xml"}),
    heading=ANNOTATING,
)


SURE = 0.9
"""Lowest probability of another concept with which an identifier counts as wrong
(docs/reference/annotators.md has what this gives)."""
COLUMNS = ("document", "id", "start", "end", "text", "identifier", "finding", "reason", "suggested", "probability")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    annotated: tuple[str, ...] = annotated_argument()
    source: YearOptions = group(YearOptions)
    sure: float = option(
        SURE,
        "Lowest probability of another concept with which an identifier counts as wrong, 0 to 1.",
        minimum=0,
        maximum=1,
    )
    all: bool = option(False, "List the mentions that are right, too.")
    out: Path | None = option(
        None,
        "Write a copy with corrected identifiers to this file; each mention has the reason.",
        flags=("--fix", "--out", "-o"),
        metavar="FILE",
        place=FILE,
    )
    format: str | None = format_option()
    page: Path | None = option(None, "Write the findings as a page (HTML).", metavar="FILE", place=FILE)
    overwrite: bool = overwrite_option()


def verify(options: VerifyOptions, progress: Progress) -> Result:
    """Check annotations of any source: offsets, identifiers, and whether the texts are names of their concepts.

    A mention is wrong if its text is not at its offsets, its identifier is not in MeSH of the year or not a chemical,
    the article or MeSH give the text another meaning, or two mentions of a text have different identifiers. The exit
    code is 3 if a mention is wrong.
    """
    from corpora.reading import read
    from corpora.storage import owned_files
    from corpora.writing import write
    from nlmchem.companions.annotators.verifying import Finding, Verifier, correct, page

    counts: Counter[Any] = Counter()
    changed = 0
    rows: list[Mapping[str, Any]] = []

    def verified() -> Iterator[BioCDocument]:
        nonlocal changed
        # Offsets are checked here, mention by mention.
        for document in progress.counted(read(list(options.annotated), report=progress), "articles"):
            counts["articles"] += 1
            verdicts = verifier.verdicts(document)
            counts.update(verdict.finding for verdict in verdicts)
            rows.extend(verdict.as_row() for verdict in verdicts if options.all or verdict.finding.is_wrong)
            if options.out is not None:
                changed += correct(verdicts, options.sure)
            yield document

    with options.source.open(progress) as lexicon:
        verifier = Verifier(lexicon, options.sure)
        if options.out is None:
            for _ in verified():
                pass
        else:
            write(verified(), options.out, options.format, report=progress)
    if options.page is not None:
        owned_files.write_text(options.page, page(rows, counts))
    listed = ", ".join(f"{finding} {counts[finding]}" for finding in Finding if counts[finding])
    total = sum(counts[finding] for finding in Finding)
    articles = quantity(counts["articles"], "article")
    notes = [f"{quantity(total, 'mention')} in {articles}: {listed or 'none of a chemical'}"]
    if options.out is not None:
        notes.append(f"corrected {quantity(changed, 'mention')}, written to {options.out}")
    return Result(
        table=ResultTable(COLUMNS, [["" if row[name] is None else row[name] for name in COLUMNS] for row in rows]),
        objects=rows,
        lines=(f"{row['document']}\t{row['start']}-{row['end']}\t{row['text']}\t{row['identifier'] or '-'}\t"
               f"{row['finding']}\t{row['reason']}\t{row['suggested']}" for row in rows),
        notes=notes,
        files=tuple(filter(None, (options.out, options.page))),
        exit_code=INCOMPLETE if any(counts[finding] for finding in Finding if finding.is_wrong) else 0,
        value=counts,
    )  # fmt: skip


VERIFY = Command(
    "verify",
    VerifyOptions,
    verify,
    Call({"annotated": ["annotated.xml"], "out": "corrected.xml"}),
    forms=(JSON, TSV),
    heading=NAMING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    folder: Path | None = argument(
        "The only folder whose files the tools may read.", default=None, default_text="no file is read"
    )
    tagger: str = tagger_option()
    source: LexiconOptions = group(LexiconOptions)
    timeout: float = option(60.0, "Seconds that a call may take.", minimum=0.1, metavar="SECONDS")


def serve_tools(options: McpOptions, progress: Progress) -> Result:
    """Serve tools for agents by the Model Context Protocol, on standard input and output.

    The tools: annotate_text, lookup, define, explain, verify_mentions, find_abbreviations. The server opens no port and
    no connection, and ends with its input and at the first signal. An agent starts it; docs/howto/agents.md has the
    configuration.
    """
    from corpora.errors import OptionError
    from corpora.extras import require
    from nlmchem.companions.annotators.toolbox import Toolbox

    require("mcp", extra="mcp", purpose="the server for agents")
    from nlmchem.companions.annotators.serving import serve

    if options.folder is not None and not options.folder.is_dir():
        raise OptionError("folder", f"is {options.folder}, which is no folder")
    serve(Toolbox(options.folder, options.source.lexicon, options.tagger or "default"), options.timeout)
    return Result()


MCP = Command("mcp", McpOptions, serve_tools, Call({"folder": "articles"}), forms=())
