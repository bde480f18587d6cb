"""`nlmchem corpora list|info|stats|convert`: the corpora that can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpora.errors import ConfigurationError, command
from corpora.reporting import ignore
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.expand_options import writes_file
from nlmchem.cli.shared import FormatOption, JsonOption, OutFileOption, SplitOption
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from bioc import BioCDocument

LIST_EXAMPLE = "Example: nlmchem corpora list"
INFO_EXAMPLE = "Example: nlmchem corpora info bc5cdr downloads/bc5cdr"
STATS_EXAMPLE = "Example: nlmchem corpora stats bc5cdr downloads/bc5cdr; nlmchem corpora stats annotated/"
CONVERT_EXAMPLE = "Example: nlmchem corpora convert drugprot downloads/drugprot -o drugprot.xml.gz"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A corpus (see `corpora list`).")]
FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the corpus.")]


def list_(as_json: JsonOption = False) -> None:
    """List the corpora that can be read."""
    from corpora.datasets import cards

    if as_json:
        print(json.dumps([_card_value(name) for name in cards()], indent=1))
        return
    print(f"{'NAME':18} {'KIND':18} TITLE")
    for card in cards().values():
        print(f"{card.name:18} {card.kind:18} {card.title}")


def info(
    name: NameArgument,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="The folder of the corpus, to list the splits in it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the data card of a corpus: source, licence, counts and citation."""
    from corpora.datasets import open_corpus

    value = _card_value(name)
    if folder is not None:
        corpus = open_corpus(name, folder)
        value["found"] = {"form": corpus.form.name, "splits": list(corpus.splits)}
    if as_json:
        print(json.dumps(value, indent=1))
        return
    for key, fact in value.items():
        if fact:
            print(f"{key}: {fact if isinstance(fact, str) else json.dumps(fact)}")


def stats(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="A corpus (see `corpora list`); none: any articles.")],
    folder: Annotated[
        str | None, typer.Argument(metavar="FOLDER", help="The folder of the corpus, or articles.")
    ] = None,
    split: SplitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the articles and annotations of a corpus, check all offsets, and compare the counts with the data card.

    Without NAME, FOLDER contains any articles, and there is no data card. The exit code is 3 if the counts differ.
    """
    from corpora.datasets import open_corpus
    from corpora.datasets.registry import documents
    from corpora.tools.statistics import compare, measure

    counted: dict[str, dict[str, int]] = {}
    differences: list[str] = []
    if folder is None:
        counted["all"] = measure(documents([_articles(name)], split=split, report=warn))
    else:
        corpus = open_corpus(name, folder)
        for part in [split] if split is not None else list(corpus.form.splits):
            counted[part] = measure(corpus.read(part, warn))
            differences += compare(corpus.card, part, counted[part])
    if as_json:
        print(json.dumps({"corpus": name if folder else None, "splits": counted, "differences": differences}, indent=1))
    else:
        print("split\twhat\tnumber")
        for part, counts in counted.items():
            for what, number in counts.items():
                print(f"{part}\t{what}\t{number}")
    for sentence in differences:
        warn(sentence)
    if differences:
        raise typer.Exit(INCOMPLETE)


def _articles(source: str) -> str:
    """The articles to count. Raises `ConfigurationError` for the name of a corpus, whose folder is missing."""
    from corpora.datasets import cards

    if source in cards() and not Path(source).exists():
        raise ConfigurationError(f"{source} is a corpus; name its folder: {command(f'corpora stats {source} FOLDER')}")
    return source


@writes_file
def convert(
    name: NameArgument,
    folder: FolderArgument,
    out: OutFileOption,
    split: SplitOption = None,
    format: FormatOption = None,
    index: Annotated[
        list[str] | None,
        typer.Option(help="MEDLINE/PubMed XML with index terms, joined by PMID. Can be repeated."),
    ] = None,
    sections: Annotated[bool, typer.Option("--sections", help="Derive section types from headings.")] = False,
    lexicon: Annotated[str | None, typer.Option(help="Check that this lexicon contains the identifiers.")] = None,
    replaced: Annotated[
        Path | None,
        typer.Option(help="File with lines `old<TAB>new`: identifiers of another MeSH year are replaced."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a corpus in another format.

    All identifiers get the same form, and known errors of the corpus are corrected. Options add index terms and
    section types.
    """
    from corpora.datasets.medline_index import add_index, index_of, pmid_of
    from corpora.datasets.registry import documents
    from corpora.model.sections import add_sections
    from corpora.tools.identifier_check import IdentifierCheck, check_identifiers, read_successors
    from corpora.writing import write

    found = documents([str(folder)], name, split, warn)
    if index:
        # MEDLINE has tens of millions of citations. Only those of the corpus are stored.
        wanted = frozenset(pmid_of(document) for document in documents([str(folder)], name, split, ignore))
        found = add_index(found, index_of(index, wanted, report=warn), warn)
    check = IdentifierCheck()
    known = _known_ids(lexicon) if lexicon is not None else None
    successors = read_successors(replaced) if replaced is not None else {}

    def enriched() -> Iterator[BioCDocument]:
        for document in found:
            if sections:
                add_sections(document)
            if known is not None or successors:
                check_identifiers(document, (known or frozenset()).__contains__, successors, check, rewrite=True)
            yield document

    number = write(enriched(), out, format, report=warn)
    if known is None:
        check.unknown.clear()
    for sentence in check.sentences():
        warn(f"{name}: {sentence}")
    if as_json:
        print(json.dumps({"corpus": name, "articles": number, "out": str(out)}))
    else:
        print(f"wrote {number} articles of {name} to {out}")


def _card_value(name: str) -> dict[str, Any]:
    from corpora.datasets import card

    known = card(name)
    texts = {key: getattr(known, key) for key in ("name", "title", "kind", "source", "licence", "use", "citation")}
    forms = {form.name: list(form.splits) for form in known.forms}
    return {**texts, "notes": known.notes, "forms": forms, "counts": dict(known.counts)}


def _known_ids(lexicon: str) -> frozenset[str]:
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        return frozenset(identifier for _, joined in opened.names() for identifier in joined.split(","))
