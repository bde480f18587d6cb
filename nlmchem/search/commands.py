"""`nlmchem search`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import JSON, LOOKING, TSV, Call, Command, Progress, Result, ResultTable
from corpora.commands.options import argument, group, option
from corpora.commands.shared import indexed_argument
from corpora.errors import Argument, Text
from corpora.words.quantities import quantity
from sieves.lexicon.options import NamesOptions

if TYPE_CHECKING:
    from nlmchem.search.queries import Hit

_COLUMNS = (
    "document", "file", "pmid", "pmcid", "year", "title", "index_term", "mentions", "concepts", "sections", "sentence",
)  # fmt: skip
PLACES = ANYWHERE, IN_MENTIONS, IN_INDEX_TERMS = ("anywhere", "mentions", "index-terms")
"""Where a concept must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    articles: str = indexed_argument()
    query: str = argument(
        'A name, an identifier of MeSH, CAS, ChEBI or PubChem, a tree number (D02.691), or a branch: "all metals".',
        metavar="QUERY",
    )
    narrower: bool = option(False, "Search for the concept and for all below it in MeSH, as `all NAME` does.")
    place: str = option(ANYWHERE, "Where the concept must be.", flags=("--in",), choices=PLACES)
    min_probability: float = option(
        0.0, "The lowest probability of a mention that counts; one without probability does not reach any.",
        minimum=0.0, maximum=1.0,
    )  # fmt: skip
    min_identifier_probability: float = option(
        0.0, "The lowest probability of the identifier of a mention that counts.", minimum=0.0, maximum=1.0
    )
    number: int = option(20, "Number of articles that are listed; 0: all.", flags=("--number", "-n"), minimum=0)
    names: NamesOptions = group(NamesOptions)


def search(options: SearchOptions, progress: Progress) -> Result:
    """List the articles of a run that have a concept, with counts by section and one sentence each.

    Articles with the concept as index term come first, then those with most mentions. The first search makes an index
    of the run; later ones use it, and read only files that have changed.
    """
    from nlmchem.search import queries
    from nlmchem.search.store import open_index

    run = options.articles
    least = options.min_probability, options.min_identifier_probability
    with open_index(run, progress) as database, options.names.open(progress) as lexicon:
        meant, identifiers = queries.resolve(options.query, queries.concepts(database), lexicon, options.narrower)
        number, hits = queries.search(database, identifiers, options.place, least, options.number or None)
        articles = queries.totals(database).articles
    if Path(run).is_dir():
        # The path from where the user is.
        hits = [replace(hit, file=str(Path(run) / hit.file)) for hit in hits]
    notes: list[str] = []
    if len(hits) < number:
        more = quantity(number - len(hits), "more article has", "more articles have")
        notes = [Text(f"{more} it; list all with ", Argument("number", 0))]
    rows = [
        (
            hit.document, hit.file, hit.pmid, hit.pmcid, hit.year, hit.title, "yes" if hit.is_term else "no",
            hit.mentions, " | ".join(hit.concepts), _sections(hit), hit.sentence,
        )
        for hit in hits
    ]  # fmt: skip
    lines = _lines(f"{meant}: {number} of {quantity(articles, 'article')}", hits)
    return Result((asdict(hit) for hit in hits), ResultTable(_COLUMNS, rows), lines, notes, value=hits)


def _sections(hit: Hit) -> str:
    return ", ".join(f"{name or 'no section'} {number}" for name, number in hit.sections)


def _lines(heading: str, hits: list[Hit]) -> Iterator[str]:
    yield heading
    for hit in hits:
        year = "" if hit.year is None else f" ({hit.year})"
        yield f"\n{hit.pmcid or hit.document}{year}  {hit.title}"
        counts = ["index term"] if hit.is_term else []
        if hit.mentions:
            counts.append(f"{quantity(hit.mentions, 'mention')}: {_sections(hit)}")
        yield f"    {'; '.join(counts)}"
        yield f"    {' | '.join(hit.concepts)}"
        if hit.sentence:
            yield f'    "{hit.sentence}"'
        yield f"    {hit.file}"


SEARCH = Command(
    "search",
    SearchOptions,
    search,
    Call({"articles": "annotated/", "query": "all platinum compounds"}),
    (JSON, TSV),
    heading=LOOKING,
)
