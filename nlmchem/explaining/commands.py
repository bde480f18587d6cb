"""`nlmchem explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from corpora.commands.command import Call, Command, Progress, Result
from corpora.commands.options import argument, group, option
from corpora.commands.shared import read_text, text_option
from corpora.errors import Argument, ConfigurationError
from corpora.reporting import table_cell
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import NamesOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.deciding.explanation import ExplainedSpan

_HEADER = "   text\tplaces\tscore\tsieve\tidentifiers\tprobability\tkind\twhy\tnumbers\tarticle"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """The options of `nlmchem explain`."""

    article: tuple[str, ...] | None = argument(
        "Articles: files, folders or archives.", default=None, metavar="ARTICLE..."
    )
    text: str | None = text_option()
    mention: str | None = option(None, "Show only texts that contain this text, in any case.")
    tagger: str = tagger_option()
    decision: str | None = option(
        None,
        "knowledge, learnt, or the path of a model (.json).",
        metavar="NAME",
        default_text="learnt with the embedded tagger, else knowledge",
    )
    source: NamesOptions = group(NamesOptions)


def explain(options: ExplainOptions, progress: Progress) -> Result:
    """Show which texts of an article become mentions, which do not, and why.

    Each row has: at how many places the text is a mention, of how many; score or probability; sieve; identifiers and
    the probability that they are right if the text is a chemical; kind; the reasons in words; the numbers behind them;
    the article.
    """
    if bool(options.article) == (options.text is not None):
        raise ConfigurationError("name the articles, or give a ", Argument("text"), ": one of the two")
    return Result(objects=_objects(options, progress), lines=_lines(options, progress))


def _objects(options: ExplainOptions, progress: Progress) -> Iterator[Mapping[str, Any]]:
    for name, row in _rows(options, progress):
        yield {"document": name, **asdict(row)}


def _lines(options: ExplainOptions, progress: Progress) -> Iterator[str]:
    yield _HEADER
    for name, row in _rows(options, progress):
        yield f"{'->' if row.stands else '  '} " + "\t".join(_cells(name, row))


def _rows(options: ExplainOptions, progress: Progress) -> Iterator[tuple[str, ExplainedSpan]]:
    """The documents by name, each with its rows whose text contains the mention that was asked for."""
    from nlmchem.abbreviations import AbbreviationStage
    from nlmchem.explaining.explainer import Explainer
    from nlmchem.run.plan import Configuration
    from nlmchem.run.step import Context

    plan = Configuration.of(
        lexicon=options.source.lexicon, names=options.source.names, tagger=options.tagger,
        decision=options.decision, steps=("tag",),
    ).parse()  # fmt: skip
    wanted = (options.mention or "").casefold()
    with closing(Context(plan.chosen)) as context:
        explainer = Explainer(plan.chosen[0].options, context, [AbbreviationStage()])
        for document in _documents(options, progress):
            rows = [row for row in explainer(document) if wanted in row.text.casefold()]
            yield from ((str(document.id), row) for row in rows)
            if not rows:
                text = f" that contains {options.mention!r}" if options.mention else ""
                progress(f"{document.id}: no text was considered{text}")


def _documents(options: ExplainOptions, progress: Progress) -> Iterator[BioCDocument]:
    from bioc import BioCDocument

    from corpora.formats.text import add_paragraphs
    from corpora.reading import read

    if (text := read_text(options.text)) is None:
        yield from read(options.article or (), report=progress)
        return
    document = BioCDocument()
    document.id = "text"
    add_paragraphs(document, text)
    yield document


def _cells(name: str, row: ExplainedSpan) -> Iterator[str]:
    values = (
        row.text,
        f"{row.stands}/{row.places}",
        f"{row.score:.4f}",
        row.sieve,
        ",".join(row.identifiers),
        "" if row.identifier_probability is None else f"{row.identifier_probability:.4f}",
        row.kind,
    )
    for value in (*values, row.why, row.reasons, name):
        yield table_cell(value) or "-"


EXPLAIN = Command("explain", ExplainOptions, explain, Call({"article": ["article.xml"], "mention": "aspirin"}))
