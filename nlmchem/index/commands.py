"""`nlmchem index suggest`, `nlmchem index explain` and `nlmchem train indexer`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import annotated_argument, out_file, overwrite_option, seed_option
from corpora.errors import Argument, Text
from corpora.words.quantities import quantity
from indexing.terms.options import IndexerOptions
from sieves.lexicon.options import YearOptions

NO_CONCEPTS = Text("no mention has a concept; annotate the article with ", Argument("steps", "tag,normalize"), " first")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSuggestOptions:
    """The options of `nlmchem index suggest`."""

    annotated: tuple[str, ...] = annotated_argument()
    number: int | None = option(None, "Number of concepts of each article.", short="n", minimum=1, default_text="all")
    indexing: IndexerOptions = group(IndexerOptions)
    source: YearOptions = group(YearOptions)


def index_suggest(options: IndexSuggestOptions, progress: Progress) -> Result:
    """List every concept that could be an index term, best first, with its score and whether the indexer chooses it.

    Scores of the embedded model are close to probabilities. Use the lexicon and the year that the articles were
    annotated with.
    """
    from indexing.terms.listing import SUGGESTED, suggestion, suggestion_lines

    def lines() -> Iterator[str]:
        yield "\t".join(SUGGESTED)
        for explanation in _explanations(options, progress):
            yield from suggestion_lines(explanation, options.number)

    objects = (suggestion(explanation, options.number) for explanation in _explanations(options, progress))
    return Result(objects=objects, lines=lines())


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexExplainOptions:
    """The options of `nlmchem index explain`."""

    annotated: tuple[str, ...] = annotated_argument()
    indexing: IndexerOptions = group(IndexerOptions)
    source: YearOptions = group(YearOptions)
    reasons: int = option(5, "Number of features shown for each concept.", minimum=0)


def index_explain(options: IndexExplainOptions, progress: Progress) -> Result:
    """Show which concepts of an article become index terms, and what each feature adds to the log-odds.

    Use the lexicon and the year that the article was annotated with.
    """

    def lines() -> Iterator[str]:
        for explanation in _explanations(options, progress):
            yield from _as_text(explanation, options.reasons)

    return Result(objects=_explanations(options, progress), lines=lines())


def _explanations(
    options: IndexSuggestOptions | IndexExplainOptions, progress: Progress
) -> Iterator[Mapping[str, Any]]:
    """All candidates of each article as plain data. An article whose mentions have no concepts is reported."""
    from corpora.model.document import mentions
    from corpora.reading import read
    from indexing.terms.listing import explain
    from indexing.terms.registry import open_indexer

    with options.source.open(progress) as lexicon:
        indexer = open_indexer(options.indexing.indexer, lexicon, options.indexing.index_threshold)
        for document in read(options.annotated, report=progress):
            if not any(mention.identifiers for mention in mentions(document)):
                progress(Text(f"document {document.id!r}: ", NO_CONCEPTS))
            yield explain(document, indexer)


def _as_text(explanation: Mapping[str, Any], reasons: int) -> Iterator[str]:
    base = "" if explanation["base"] is None else f", log-odds without features {explanation['base']:.4f}"
    yield f"{explanation['document']}: {explanation['indexer']}, lowest score {explanation['threshold']:.4f}{base}"
    for candidate in explanation["candidates"]:
        mark = "->" if candidate["chosen"] else "  "
        why = "; ".join(map(_reason, candidate["contributions"][:reasons]))
        yield f"{mark} {candidate['score']:.4f}\t{candidate['identifier']}\t{candidate['entry_term']}\t{why}"
    if not explanation["candidates"]:
        yield "no concept could be an index term"


def _reason(item: Mapping[str, Any]) -> str:
    added = "" if item["contribution"] is None else f" ({item['contribution']:+.2f})"
    return f"{item['feature']} {item['value']:g}{added}"


SUGGEST = Command(
    "index suggest",
    IndexSuggestOptions,
    index_suggest,
    Call({"annotated": ["annotated/"], "number": 10}, into="candidates.tsv"),
)
EXPLAIN = Command(
    "index explain", IndexExplainOptions, index_explain,
    Call({"annotated": ["annotated/guard-cells.xml"], "lexicon": "mesh.sqlite"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerTrainingOptions:
    """The options of `nlmchem train indexer`."""

    annotated: tuple[str, ...] = annotated_argument()
    gold: str = option(
        REQUIRED, "Their index terms: JSON lines with ids and chemicals, BioC, or MEDLINE citations.", metavar="PATH"
    )
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    source: YearOptions = group(YearOptions)
    folds: int = option(5, "Number of folds for the choice of regularisation and threshold.", minimum=2)
    seed: int = seed_option()


def train_indexer(options: IndexerTrainingOptions, progress: Progress) -> Result:
    """Train an indexer on annotated articles and the index terms that people gave them.

    The indexer learns with the errors of these annotations. Use the lexicon and the year that the articles were
    annotated with.
    """
    from corpora.datasets.gold_terms import read_gold_terms
    from corpora.extras import require
    from corpora.reading import read
    from indexing.terms.logistic import write_model
    from indexing.terms.training import IndexerTraining, label, train

    require("sklearn", extra="train", purpose="training an indexer")
    documents = read(options.annotated, report=progress)
    with options.source.open(progress) as lexicon:
        labelled = label(documents, read_gold_terms(options.gold, progress), lexicon, progress)
        card = {"gold": Path(options.gold).name, "lexicon": lexicon.version}
        settings = IndexerTraining(folds=options.folds, seed=options.seed)
        model = train(labelled, lexicon, settings, card=card, report=progress)
    out = options.out
    write_model(out, model)
    return record(
        {**model.card, "threshold": model.threshold, "features": list(model.features)},
        f"{out}: {quantity(len(labelled), 'article')}, {quantity(len(model.features), 'feature')}, "
        f"lowest score {model.threshold:.4f}",
        files=(out,),
        value=model,
    )


TRAIN = Command(
    "train indexer", IndexerTrainingOptions, train_indexer,
    Call({"annotated": ["annotated/"], "gold": "gold.jsonl", "out": "model.json", "lexicon": "mesh.sqlite"}),
)  # fmt: skip
