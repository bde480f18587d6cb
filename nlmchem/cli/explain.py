"""`nlmchem explain`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from nlmchem.cli.shared import JsonLinesOption, LexiconOption
from nlmchem.commands.progress import warn
from nlmchem.run.step import Context

if TYPE_CHECKING:
    from nlmchem.deciding.explanation import ExplainedSpan

EXAMPLE = "Example: nlmchem explain article.xml --mention aspirin"
HEADER = "   text\tplaces\tscore\tsieve\tidentifiers\tprobability\tkind\twhy\tnumbers\tarticle"


def explain(
    article: Annotated[list[str], typer.Argument(metavar="ARTICLE...", help="Articles: files, folders or archives.")],
    mention: Annotated[str | None, typer.Option(help="Show only texts that contain this text, in any case.")] = None,
    tagger: Annotated[str, typer.Option("--tagger", "--taggers", help="Tagger, as in annotate.")] = "default",
    decision: Annotated[
        str | None,
        typer.Option(
            help="knowledge, learnt, or the path of a model (.json). Default: learnt with the embedded tagger, else "
            "knowledge."
        ),
    ] = None,
    lexicon: LexiconOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Show which texts of an article become mentions, which do not, and why.

    Each row has: at how many places the text is a mention, of how many; score or probability; sieve; identifiers and
    the probability that they are right if the text is a chemical; kind; the reasons in words; the numbers behind them;
    the article.
    """
    from corpora.reading import read
    from nlmchem.abbreviations import AbbreviationStage
    from nlmchem.api.explaining import Explainer
    from nlmchem.run.plan import Configuration

    plan = Configuration.of(lexicon=lexicon, tagger=tagger, decision=decision, steps=("tag",)).parse()
    with closing(Context(plan.chosen)) as context:
        explained = Explainer(plan.chosen[0].options, context, [AbbreviationStage()])
        if not as_json:
            print(HEADER)
        for document in read(article, report=warn):
            _print(str(document.id), explained(document), "" if mention is None else mention, as_json)


def _print(name: str, explained: Sequence[ExplainedSpan], mention: str, as_json: bool) -> None:
    """Print the rows whose text contains `mention`, in any case."""
    rows = [row for row in explained if mention.casefold() in row.text.casefold()]
    for row in rows:
        if as_json:
            print(json.dumps({"document": name, **asdict(row)}, ensure_ascii=False))
        else:
            print("->" if row.stands else "  ", "\t".join(_cells(name, row)))
    if not rows:
        warn(f"{name}: no text was considered" + (f" that contains {mention!r}" if mention else ""))


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
        # Texts of tables contain tabs.
        yield " ".join(value.split()) or "-"
