"""`nlmchem abbreviations`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from corpora.commands.command import Command
from corpora.commands.options import group, option
from corpora.commands.progress import Progress
from corpora.commands.result import INCOMPLETE, Result
from corpora.commands.shared import Inputs
from corpora.errors import Argument, OptionError
from nlmchem.abbreviations.undefined import SenseQuery, SentenceEncoder, sense_source


class _Listed(Protocol):
    """What was found in one article, as JSON values and as lines of a table."""

    @property
    def objects(self) -> tuple[Mapping[str, Any], ...]: ...
    @property
    def lines(self) -> tuple[str, ...]: ...

    def counts(self) -> Mapping[str, int]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AbbreviationOptions:
    """The options of `nlmchem abbreviations`."""

    articles: Inputs = group(Inputs)
    undefined: bool = option(False, "List what short forms probably mean that articles do not define.")
    dictionary: str | None = option(
        None,
        "Dictionary for --undefined: the folder of `nlmchem train senses`, or a file of `nlmchem corpora dictionary`.",
        metavar="PATH",
        default_text="embedded",
    )
    threshold: float | None = option(
        None, "Lowest probability of a sense for --undefined.", minimum=0, maximum=1, default_text="0.8"
    )
    sentences: SentenceEncoder = group(SentenceEncoder)


def list_abbreviations(options: AbbreviationOptions, progress: Progress) -> Result:
    """List the abbreviations that articles define.

    Each line contains document, short form, long form, strategy, score and offsets. With --undefined, each line has an
    undefined short form, its most probable long form in a dictionary, its probability, its first place, the number of
    its places, and the next long forms.
    """
    from nlmchem.abbreviations.article.output import COLUMNS, definitions

    inputs, encoder = options.articles.inputs, options.sentences.encoder
    if options.undefined:
        source = sense_source()
        query = SenseQuery(options.dictionary, options.threshold, encoder)
        return _result(source.columns, lambda: source.answers(inputs, query, progress))
    for name, value in (("dictionary", options.dictionary), ("threshold", options.threshold), ("encoder", encoder)):
        if value is not None:
            raise OptionError(name, "needs ", Argument("undefined"), "; add it, or leave ", Argument(name), " out")
    return _result(COLUMNS, lambda: definitions(inputs, progress))


ABBREVIATIONS = Command(
    "abbreviations",
    AbbreviationOptions,
    list_abbreviations,
    "nlmchem abbreviations articles/ --json > abbreviations.jsonl",
)


def _result(columns: tuple[str, ...], listed: Callable[[], Iterator[_Listed]]) -> Result:
    """The result of all articles, one in memory at a time."""
    result = Result()

    def lines() -> Iterator[str]:
        # What cannot be opened is reported before the header is printed.
        articles = listed()
        yield "\t".join(columns)
        for article in _counted(articles, result):
            yield from article.lines

    result.lines = lines()
    result.objects = (value for article in _counted(listed(), result) for value in article.objects)
    return result


def _counted(articles: Iterator[_Listed], result: Result) -> Iterator[_Listed]:
    """The same articles; their counts become a note of the result."""
    counts: Counter[str] = Counter(articles=0, failed=0)
    for article in articles:
        yield article
        counts.update(article.counts())
    sentence = f"{counts['articles']} articles read, {counts['failed']} failed"
    if "undefined" in counts:
        sentence += (
            f"; {counts['undefined']} undefined short forms, {counts['known']} in the dictionary, "
            f"{counts['answered']} with a sense"
        )
    if counts["failed"]:
        result.exit_code = INCOMPLETE
        result.problems.append(sentence)
    else:
        result.notes.append(sentence)
