"""Options of the files that a run reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import option
from corpora.model.spelling import SPELLINGS
from corpora.units import OFFSETS_HELP, UNITS
from nlmchem.run.step import COMMON, RUNS


@dataclass(frozen=True)
class FileOptions:
    """How text files are read, what offsets of the input count, and what tables contain."""

    lines: bool = option(False, "Text files (.txt) and standard input contain one article in each line.", panel=COMMON)
    text_column: str | None = option(
        None,
        "Column of CSV and TSV, or key of JSON lines, with the texts.",
        metavar="NAME",
        default_text="usual names: title, abstract, text ...",
        panel=COMMON,
    )
    id_column: str | None = option(
        None,
        "Column or key with the ids of the articles.",
        metavar="NAME",
        default_text="usual names: id, pmid ...",
        panel=COMMON,
    )
    with_abbreviations: bool = option(
        False, "TSV, CSV and PubTator: a row for each short form, with its long form.", panel=COMMON, advanced=True
    )
    per_file: int | None = option(
        None,
        "Write numbered parts of N articles each, not an output for each input; for jsonl and parquet.",
        minimum=1,
        maximum=100_000,
        metavar="N",
        panel=RUNS,
        advanced=True,
    )
    identifiers: str | None = option(
        None,
        "Spelling of MeSH identifiers in the output: MESH:D014867 (mesh), mesh:D014867 (curie), or an address (uri).",
        choices=SPELLINGS,
        default_text="mesh, or as the input has them",
        panel=COMMON,
        advanced=True,
    )
    offsets: str | None = option(None, OFFSETS_HELP, choices=UNITS, metavar="UNIT", panel=COMMON, advanced=True)
