"""`nlmchem abbreviations`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import option
from corpora.commands.progress import Progress
from corpora.commands.result import INCOMPLETE, Result
from corpora.commands.shared import inputs_argument
from corpora.errors import Argument, OptionError
from corpora.words.quantities import quantity
from nlmchem.abbreviations.undefined import encoder_option


@dataclass(frozen=True, slots=True, kw_only=True)
class AbbreviationOptions:
    """The options of `nlmchem abbreviations`."""

    inputs: tuple[str, ...] = inputs_argument()
    undefined: bool = option(False, "List what short forms probably mean that articles do not define.")
    dictionary: str | None = option(
        None,
        "Dictionary for `undefined`: default, the folder of `nlmchem train senses`, or a file of `nlmchem corpora "
        "dictionary`.",
        metavar="NAME_OR_PATH",
        default_text="default, the embedded one",
    )
    threshold: float | None = option(
        None, "Lowest probability of a sense for `undefined`.", minimum=0, maximum=1, default_text="0.8"
    )
    encoder: str | None = encoder_option()


def abbreviations(options: AbbreviationOptions, progress: Progress) -> Result:
    """List the abbreviations that articles define.

    Each line contains document, short form, long form, strategy, score and offsets. With `undefined`, each line has an
    undefined short form, its most probable long form in a dictionary, its probability, its first place, the number of
    its places, and the next long forms.
    """
    return _undefined(options, progress) if options.undefined else _defined(options, progress)


def _defined(options: AbbreviationOptions, progress: Progress) -> Result:
    from nlmchem.abbreviations.article.output import COLUMNS, listed

    given = {"dictionary": options.dictionary, "threshold": options.threshold, "encoder": options.encoder}
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                name, "needs ", Argument("undefined", True), "; add it, or leave ", Argument(name), " out"
            )
    result = Result()

    def lines() -> Iterator[str]:
        yield "\t".join(COLUMNS)
        for row in rows():
            yield "\t".join(row.cells)

    def rows() -> Iterator[Any]:
        articles, failed = 0, 0
        for article in listed(options.inputs, progress):
            articles, failed = articles + article.articles, failed + article.failed
            yield from article.rows
        _count(result, f"{quantity(articles, 'article')} read, {failed} failed", failed)

    result.lines, result.objects = lines(), (row.fields for row in rows())
    return result


def _undefined(options: AbbreviationOptions, progress: Progress) -> Result:
    from nlmchem.abbreviations.undefined import Expanded, SenseQuery, sense_source

    source = sense_source()
    query = SenseQuery(options.dictionary, options.threshold, options.encoder)
    answers = source.answers(options.inputs, query, progress)
    result = Result()

    def articles() -> Iterator[Expanded]:
        whole = Expanded()
        for article in answers:
            yield article
            counted = {name: getattr(whole, name) + getattr(article, name) for name in Expanded.COUNTS}
            whole = replace(whole, **counted)
        counts = (
            f"{quantity(whole.articles, 'article')} read, {whole.failed} failed; "
            f"{quantity(whole.undefined, 'undefined short form')}, "
        )
        _count(result, f"{counts}{whole.known} in the dictionary, {whole.answered} with a sense", whole.failed)

    def lines() -> Iterator[str]:
        yield "\t".join(source.columns)
        for article in articles():
            yield from article.lines

    def objects() -> Iterator[Mapping[str, Any]]:
        for article in articles():
            yield from article.objects

    result.lines, result.objects = lines(), objects()
    return result


def _count(result: Result, sentence: str, failed: int) -> None:
    result.notes.append(sentence)
    if failed:
        result.exit_code = INCOMPLETE


ABBREVIATIONS = Command(
    "abbreviations",
    AbbreviationOptions,
    abbreviations,
    Call({"inputs": ["articles/"]}, "json", into="abbreviations.jsonl"),
)
