"""The lexicon of a run: its options, and which lexicon a step reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from corpora.commands.options import COMMON, RESOURCES, option


@dataclass(frozen=True)
class LexiconOptions:
    """The lexicon, of all steps that look names up."""

    lexicon: str | None = option(
        None,
        "Lexicon file (.sqlite or .tsv), or starter.",
        default_text="MeSH, as it comes with nlmchem",
        by_content=True,
        panel=COMMON,
    )


@dataclass(frozen=True)
class YearOptions(LexiconOptions):
    """The lexicon as it was in one year, of the steps that write identifiers."""

    as_of: int | None = option(
        None,
        "Use the MeSH identifiers of this year, if the lexicon has them.",
        metavar="YEAR",
        default_text="the year of the lexicon",
        panel=RESOURCES,
    )


def lexicon_read_by(options: object, of_run: Iterable[object]) -> tuple[str | None, int | None]:
    """The file (None: the lexicon that comes with nlmchem) and the year (None: its own) that a step reads.

    A step without these options reads the lexicon of the first step that has them, and a step without a year reads
    the year of the first step with the same file.
    """
    with_lexicon = [one for one in of_run if isinstance(one, LexiconOptions)]
    own = options if isinstance(options, LexiconOptions) else next(iter(with_lexicon), LexiconOptions())
    if isinstance(options, YearOptions):
        return options.lexicon, options.as_of
    years = (one.as_of for one in with_lexicon if isinstance(one, YearOptions) and one.lexicon == own.lexicon)
    return own.lexicon, next(years, None)
