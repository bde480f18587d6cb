"""`nlmchem explain`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from corpora.commands.command import Call, Command, Progress, Result
from corpora.commands.options import argument, group, option
from corpora.commands.shared import read_text, text_option
from corpora.errors import Argument, ConfigurationError
from corpora.reporting import table_cell
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import NamesOptions

if TYPE_CHECKING:
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

    def lines() -> Iterator[str]:
        yield _HEADER
        for name, row in _rows(options, progress):
            probability = row.identifier_probability
            values = (
                row.text, f"{row.stands}/{row.places}", f"{row.score:.4f}", row.sieve, ",".join(row.identifiers),
                "" if probability is None else f"{probability:.4f}", row.kind, row.why, row.reasons, name,
            )  # fmt: skip
            yield f"{'->' if row.stands else '  '} " + "\t".join(table_cell(value) or "-" for value in values)

    objects = ({"document": name, **asdict(row)} for name, row in _rows(options, progress))
    return Result(objects=objects, lines=lines())


def _rows(options: ExplainOptions, progress: Progress) -> Iterator[tuple[str, ExplainedSpan]]:
    """The documents by name, each with its rows whose text contains the mention that was asked for."""
    from bioc import BioCDocument

    from corpora.formats.text import add_paragraphs
    from corpora.reading import read
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
        if (text := read_text(options.text)) is None:
            documents = read(options.article or (), report=progress)
        else:
            document = BioCDocument()
            document.id = "text"
            add_paragraphs(document, text)
            documents = iter([document])
        for document in documents:
            rows = [row for row in explainer(document) if wanted in row.text.casefold()]
            yield from ((str(document.id), row) for row in rows)
            if not rows:
                text = f" that contains {options.mention!r}" if options.mention else ""
                progress(f"{document.id}: no text was considered{text}")


EXPLAIN = Command("explain", ExplainOptions, explain, Call({"article": ["article.xml"], "mention": "aspirin"}))
