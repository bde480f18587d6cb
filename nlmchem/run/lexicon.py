"""Which lexicon a step of a run reads."""

from __future__ import annotations

from collections.abc import Iterable

from sieves.lexicon.options import LexiconOptions, YearOptions


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
