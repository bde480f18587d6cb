"""The options that name a lexicon: the same for all commands and steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.options import option
from corpora.reporting import Report, log

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon


@dataclass(frozen=True)
class LexiconOptions:
    """The lexicon, of all commands and steps that look names up."""

    lexicon: str | None = option(
        None,
        "Lexicon file (.sqlite, .tsv or .csv), or starter.",
        default_text="MeSH, as it comes with nlmchem",
        by_content=True,
    )

    @property
    def path(self) -> Path | None:
        """The file of the lexicon; None: the one that comes with nlmchem."""
        return None if self.lexicon is None else Path(self.lexicon)

    def open(self, report: Report = log) -> Lexicon:
        """The lexicon. Raises `ResourceError` if it cannot be opened."""
        from sieves.lexicon.lexicon import Lexicon

        names = getattr(self, "names", ())
        return Lexicon.open(self.lexicon, getattr(self, "as_of", None), report=report, names=names)


@dataclass(frozen=True)
class NamesOptions(LexiconOptions):
    """The lexicon with names of the user on top, of commands and steps that find or link mentions."""

    names: tuple[str, ...] = option(
        (),
        "Table of names of your own (.tsv, .csv): name, identifier (- blocks the name), preferred name, class; "
        "or identifier, name, synonyms joined by |.",
        metavar="FILE",
        default_text="none",
        repeat=True,
        by_content=True,
    )


@dataclass(frozen=True)
class YearOptions(NamesOptions):
    """The lexicon as it was in one year, of commands and steps that write identifiers."""

    as_of: int | None = option(
        None,
        "Use the MeSH identifiers of this year, if the lexicon has them.",
        metavar="YEAR",
        default_text="the year of the lexicon",
    )
