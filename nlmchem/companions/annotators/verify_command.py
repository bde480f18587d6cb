"""`nlmchem verify`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.call import Call
from corpora.commands.command import JSON, TSV, Command
from corpora.commands.options import FILE, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import INCOMPLETE, Result, ResultTable
from corpora.commands.shared import annotated_argument, overwrite_option
from corpora.formats.registry import format_option
from corpora.words.quantities import quantity
from nlmchem.companions.annotators.verdict import SURE
from sieves.lexicon.options import YearOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

COLUMNS = ("document", "id", "start", "end", "text", "identifier", "finding", "reason", "suggested", "probability")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """The options of `nlmchem verify`."""

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
    from nlmchem.companions.annotators.correcting import correct
    from nlmchem.companions.annotators.verifying import Verifier

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
        from nlmchem.companions.annotators.verify_page import page

        owned_files.write_text(options.page, page(rows, counts))
    return _answer(rows, counts, changed, options)


def _answer(rows: list[Mapping[str, Any]], counts: Counter[Any], changed: int, options: VerifyOptions) -> Result:
    from nlmchem.companions.annotators.verdict import Finding

    wrong = sum(counts[finding] for finding in Finding if finding.is_wrong)
    total = sum(counts[finding] for finding in Finding)
    listed = ", ".join(f"{finding} {counts[finding]}" for finding in Finding if counts[finding])
    articles = quantity(counts["articles"], "article")
    summary = f"{quantity(total, 'mention')} in {articles}: {listed or 'none of a chemical'}"
    notes = [summary]
    if options.out is not None:
        notes.append(f"corrected {quantity(changed, 'mention')}, written to {options.out}")
    return Result(
        table=ResultTable(COLUMNS, [[_cell(row[column]) for column in COLUMNS] for row in rows]),
        objects=rows,
        lines=(f"{row['document']}\t{row['start']}-{row['end']}\t{row['text']}\t{row['identifier'] or '-'}\t"
               f"{row['finding']}\t{row['reason']}\t{row['suggested']}" for row in rows),
        notes=notes,
        files=tuple(filter(None, (options.out, options.page))),
        exit_code=INCOMPLETE if wrong else 0,
        value=counts,
    )  # fmt: skip


def _cell(value: object) -> object:
    return "" if value is None else value


VERIFY = Command(
    "verify", VerifyOptions, verify, Call({"annotated": ["annotated.xml"], "out": "corrected.xml"}), forms=(JSON, TSV)
)
