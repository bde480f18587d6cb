"""`nlmchem corpora convert`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import argument, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import out_file, overwrite_option
from corpora.formats.options import format_option
from corpora.reporting import ignore
from corpora.words.quantities import quantity

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.tools.statistics import IdentifierCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusConvertOptions:
    """The options of `nlmchem corpora convert`."""

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
    from corpora.model.sections import add_sections
    from corpora.tools.statistics import check_identifiers, read_successors

    known = _known_ids(options.lexicon) if options.lexicon is not None else frozenset()
    successors = read_successors(options.replaced) if options.replaced is not None else {}
    for document in _documents(options, progress):
        if options.sections:
            add_sections(document)
        if options.lexicon is not None or successors:
            check_identifiers(document, known.__contains__, successors, check, rewrite=True)
        yield document


def _documents(options: CorpusConvertOptions, progress: Progress) -> Iterator[BioCDocument]:
    from corpora.datasets.index_terms import add_index, index_of, pmid_of
    from corpora.datasets.registry import documents

    folder = [str(options.folder)]
    articles = documents(folder, options.name, options.split, progress)
    if not options.index:
        return articles
    # MEDLINE has tens of millions of citations. Only those of the corpus are stored.
    wanted = frozenset(pmid_of(document) for document in documents(folder, options.name, options.split, ignore))
    return add_index(articles, index_of(list(options.index), wanted, report=progress), progress)


def _known_ids(lexicon: str) -> frozenset[str]:
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        return frozenset(identifier for _, joined in opened.names() for identifier in joined.split(","))


CONVERT = Command(
    "corpora convert", CorpusConvertOptions, corpora_convert,
    Call({"name": "drugprot", "folder": "downloads/drugprot/", "out": "drugprot.xml.gz"}),
)  # fmt: skip
