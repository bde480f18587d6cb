"""`nlmchem view`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import overwrite_option
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """The options of `nlmchem view`."""

    source: str = argument(
        "Annotated articles: a file, or a folder, glob pattern or archive of files.", metavar="ANNOTATED"
    )
    out: Path = option(
        REQUIRED,
        "HTML file. For several articles it is the index of one page for each.",
        short="o",
        metavar="FILE",
    )
    overwrite: bool = overwrite_option()
    gold: str | None = option(None, "Gold standard of the same articles, shown beside the annotations.", metavar="PATH")
    names: LexiconOptions = group(LexiconOptions)


def view(options: ViewOptions, progress: Progress) -> Result:
    """Show annotated articles in a browser: mentions, concepts, abbreviations and index terms.

    The JSON output has the pages with the counts and scores of their articles.
    """
    from corpora.model.mention_infons import DATABASES
    from nlmchem.report.pages import Link
    from nlmchem.report.view.articles import write_views
    from sieves.lexicon.looking_up import ADDRESSES, TITLES, CrossReferences

    with options.names.open(progress) as lexicon:

        def preferred(identifier: str, name: str) -> str | None:
            known = any(match.identifier == identifier for match in lexicon.lookup(name))
            return lexicon.preferred_name(identifier) if known else None

        references = CrossReferences(lexicon)

        def links(identifier: str) -> list[Link]:
            return [
                Link(f"{TITLES[database]} {other.removeprefix('CHEBI:')}", ADDRESSES[database].format(other))
                for database in DATABASES
                for other in references.of(identifier, database)
            ]

        written = write_views(options.source, options.out, options.gold, preferred, progress, links)
    others = f" and {quantity(len(written), 'page')} in {written.folder}, which belong together"
    pages = others if written.folder else ""
    return record(
        written.as_dict(), f"wrote {written.index}{pages}; open {written.index} in a browser", files=(written.index,)
    )


VIEW = Command("view", ViewOptions, view, Call({"source": "annotated/", "out": "report.html", "gold": "gold/"}))
