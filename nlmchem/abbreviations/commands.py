"""`nlmchem abbreviations` and `nlmchem corpora dictionary`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from corpora.commands.command import INCOMPLETE, LOOKING, Call, Command, Progress, Result, record
from corpora.commands.options import group, option
from corpora.commands.shared import inputs_argument, out_folder, seed_option
from corpora.errors import Argument, OptionError
from corpora.tools.commands import CorpusInputs
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
    from nlmchem.abbreviations.stage import COLUMNS, as_line, listed

    given = {"dictionary": options.dictionary, "threshold": options.threshold, "encoder": options.encoder}
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                name, "needs ", Argument("undefined", True), "; add it, or leave ", Argument(name), " out"
            )
    result = Result()

    def rows() -> Iterator[dict[str, Any]]:
        read = failed = 0
        for definitions in listed(options.inputs, progress):
            read, failed = read + (definitions is not None), failed + (definitions is None)
            yield from definitions or ()
        _count(result, f"{quantity(read, 'article')} read, {failed} failed", failed)

    def lines() -> Iterator[str]:
        yield "\t".join(COLUMNS)
        yield from map(as_line, rows())

    result.lines, result.objects = lines(), rows()
    return result


def _undefined(options: AbbreviationOptions, progress: Progress) -> Result:
    from nlmchem.abbreviations.undefined import Expanded, SenseQuery, sense_source

    source = sense_source()
    query = SenseQuery(options.dictionary, options.threshold, options.encoder)
    answers = source.answers(options.inputs, query, progress)
    result = Result()

    def articles() -> Iterator[Expanded]:
        counts = dict.fromkeys(Expanded.COUNTS, 0)
        for article in answers:
            yield article
            counts = {name: count + getattr(article, name) for name, count in counts.items()}
        sentence = (
            f"{quantity(counts['articles'], 'article')} read, {counts['failed']} failed; "
            f"{quantity(counts['undefined'], 'undefined short form')}, {counts['known']} in the dictionary, "
            f"{counts['answered']} with a sense"
        )
        _count(result, sentence, counts["failed"])

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
    heading=LOOKING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryOptions:
    """The options of `nlmchem corpora dictionary`."""

    articles: CorpusInputs = group(CorpusInputs)
    out: Path = out_folder()
    samples: bool = option(False, "Also write samples for disambiguation.")
    linked: bool = option(
        False, "Read the pairs from mentions with identifiers: acronym and name of a concept in an article."
    )
    least: int = option(1, "Lowest number of articles that define a sense.", minimum=1)
    limit: int | None = option(None, "Stop after this number of articles.", minimum=1)
    seed: int = seed_option()


def corpora_dictionary(options: DictionaryOptions, progress: Progress) -> Result:
    """Make a dictionary of acronyms from the definitions in articles, with the frequency of each sense."""
    from nlmchem.abbreviations import define
    from nlmchem.abbreviations.dictionary import Detector, linked_pairs, make, observations
    from nlmchem.tagging.tokenization.tokens import sentences

    out = options.out
    articles = islice(options.articles.documents(progress), options.limit)
    detect: Detector = linked_pairs if options.linked else lambda document: define(document).definitions
    defined = progress.counted(observations(articles, detect, sentences if options.samples else None), "articles")
    summary = make(defined, out, options.samples, options.seed, options.least)
    text = (
        f"{quantity(summary.articles, 'article')} ({summary.defining} with definitions), "
        f"{quantity(summary.pairs, 'pair')}; "
        f"{quantity(summary.short_forms, 'short form')} with "
        f"{quantity(summary.long_forms, 'long form')} ({summary.merged} merged), "
        f"{summary.ambiguous} ambiguous; {quantity(summary.samples, 'sample')}; results in {out}"
    )
    return record({**asdict(summary), "out": str(out)}, text, files=(out,), value=summary)


DICTIONARY = Command(
    "corpora dictionary", DictionaryOptions, corpora_dictionary,
    Call({"inputs": ["articles/"], "out": "acronyms/", "samples": True}),
)  # fmt: skip
