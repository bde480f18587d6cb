"""Which lexicon a step of a run reads."""

from __future__ import annotations

from collections.abc import Iterable

from sieves.lexicon.options import LexiconOptions, NamesOptions, YearOptions

LexiconRead = tuple[str | None, int | None, tuple[str, ...]]
"""The file (None: the lexicon that comes with nlmchem), the year (None: its own), and the names of the user."""


def lexicon_read_by(options: object, of_run: Iterable[object]) -> LexiconRead:
    """The lexicon that a step reads.

    A step without these options reads the lexicon of the first step that has them, and a step without a year reads
    the year of the first step with the same file.
    """
    with_lexicon = [of_step for of_step in of_run if isinstance(of_step, LexiconOptions)]
    lexicon_options = options if isinstance(options, LexiconOptions) else next(iter(with_lexicon), LexiconOptions())
    names = lexicon_options.names if isinstance(lexicon_options, NamesOptions) else ()
    if isinstance(options, YearOptions):
        return options.lexicon, options.as_of, names
    years = (
        of_step.as_of
        for of_step in with_lexicon
        if isinstance(of_step, YearOptions) and of_step.lexicon == lexicon_options.lexicon
    )
    return lexicon_options.lexicon, next(years, None), names
