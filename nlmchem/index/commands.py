"""`nlmchem index list|suggest|explain` and `nlmchem train indexer`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.shared import annotated_argument, out_file, overwrite_option, seed_option
from corpora.errors import Argument, Text
from corpora.words.quantities import quantity
from indexing.terms.registry import IndexerOptions
from sieves.lexicon.options import YearOptions

TERM_COLUMNS = ("document", "pmid", "rank", "identifier", "entry_term", "score")
SUGGESTION_COLUMNS = ("document", "rank", "identifier", "entry_term", "score", "chosen")
NO_CONCEPTS = Text("no mention has a concept; annotate the article with ", Argument("steps", "tag,normalize"), " first")
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _row(cells: Iterable[str]) -> str:
    """Cells as a line; tabs, line breaks and backslashes are written as `\\t`, `\\n`, `\\r` and `\\\\`."""
    return "\t".join(cell.translate(_ESCAPES) for cell in cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexListOptions:
    annotated: tuple[str, ...] = annotated_argument()


def index_list(options: IndexListOptions, progress: Progress) -> Result:
    """List the index terms of annotated articles, best first: a TSV table with one line for each term."""
    from corpora.model.document import index_terms
    from corpora.model.metadata import article_ids
    from corpora.reading import read

    result = Result()

    def objects() -> Iterator[dict[str, Any]]:
        for document in read(options.annotated, report=progress):
            terms = [
                {"identifier": term.identifier, "entry_term": term.entry_term, "score": term.score}
                for term in index_terms(document)
            ]
            yield {"document": str(document.id), "pmid": article_ids(document).get("pmid"), "terms": terms}

    def rows() -> Iterator[str]:
        for article in objects():
            for rank, term in enumerate(article["terms"], 1):
                score = "" if term["score"] is None else f"{term['score']:.4f}"
                entry_term = term["entry_term"] or ""
                yield _row(
                    (article["document"], article["pmid"] or "", str(rank), term["identifier"], entry_term, score)
                )

    def lines() -> Iterator[str]:
        # The header is printed after the first article is read: an input that cannot be read prints nothing.
        first = next(table := rows(), None)
        yield "\t".join(TERM_COLUMNS)
        if first is None:
            result.notes.append("no index term was found; annotate the articles first, with the step index")
        else:
            yield first
            yield from table

    result.lines, result.objects = lines(), objects()
    return result


LIST = Command("index list", IndexListOptions, index_list, Call({"annotated": ["annotated/"]}, into="terms.tsv"))


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSuggestOptions:
    annotated: tuple[str, ...] = annotated_argument()
    number: int | None = option(None, "Number of concepts of each article.", short="n", minimum=1, default_text="all")
    indexing: IndexerOptions = group(IndexerOptions)
    source: YearOptions = group(YearOptions)


def index_suggest(options: IndexSuggestOptions, progress: Progress) -> Result:
    """List every concept that could be an index term, best first, with its score and whether the indexer chooses it.

    Scores of the embedded model are close to probabilities. Use the lexicon and the year that the articles were
    annotated with.
    """
    keys = ("identifier", "entry_term", "score", "chosen")

    def objects() -> Iterator[dict[str, Any]]:
        for explanation in _explanations(options, progress):
            terms = [{key: term[key] for key in keys} for term in explanation["candidates"][: options.number]]
            yield {**{key: explanation[key] for key in ("document", "indexer", "threshold")}, "terms": terms}

    def lines() -> Iterator[str]:
        yield "\t".join(SUGGESTION_COLUMNS)
        for article in objects():
            for rank, term in enumerate(article["terms"], 1):
                chosen = "yes" if term["chosen"] else "no"
                score = f"{term['score']:.4f}"
                yield _row((article["document"], str(rank), term["identifier"], term["entry_term"], score, chosen))

    return Result(objects=objects(), lines=lines())


SUGGEST = Command(
    "index suggest",
    IndexSuggestOptions,
    index_suggest,
    Call({"annotated": ["annotated/"], "number": 10}, into="candidates.tsv"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexExplainOptions:
    annotated: tuple[str, ...] = annotated_argument()
    indexing: IndexerOptions = group(IndexerOptions)
    source: YearOptions = group(YearOptions)
    reasons: int = option(5, "Number of features shown for each concept.", minimum=0)


def index_explain(options: IndexExplainOptions, progress: Progress) -> Result:
    """Show which concepts of an article become index terms, and what each feature adds to the log-odds.

    Use the lexicon and the year that the article was annotated with.
    """

    def lines() -> Iterator[str]:
        for article in _explanations(options, progress):
            base = "" if article["base"] is None else f", log-odds without features {article['base']:.4f}"
            yield f"{article['document']}: {article['indexer']}, lowest score {article['threshold']:.4f}{base}"
            for term in article["candidates"]:
                mark = "->" if term["chosen"] else "  "
                reasons = []
                for item in term["contributions"][: options.reasons]:
                    added = "" if item["contribution"] is None else f" ({item['contribution']:+.2f})"
                    reasons.append(f"{item['feature']} {item['value']:g}{added}")
                cells = f"{mark} {term['score']:.4f}", term["identifier"], term["entry_term"], "; ".join(reasons)
                yield "\t".join(cells)
            if not article["candidates"]:
                yield "no concept could be an index term"

    return Result(objects=_explanations(options, progress), lines=lines())


EXPLAIN = Command(
    "index explain", IndexExplainOptions, index_explain,
    Call({"annotated": ["annotated/guard-cells.xml"], "lexicon": "mesh.sqlite"}),
)  # fmt: skip


def _explanations(
    options: IndexSuggestOptions | IndexExplainOptions, progress: Progress
) -> Iterator[Mapping[str, Any]]:
    """All candidates of each article as plain data. An article whose mentions have no concepts is reported."""
    from corpora.model.document import mentions
    from corpora.reading import read
    from indexing.terms.registry import open_indexer

    with options.source.open(progress) as lexicon:
        indexer = open_indexer(options.indexing.indexer, lexicon, options.indexing.index_threshold)
        for document in read(options.annotated, report=progress):
            if not any(mention.identifiers for mention in mentions(document)):
                progress(Text(f"document {document.id!r}: ", NO_CONCEPTS))
            yield indexer.explain(document).as_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerTrainingOptions:
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
    from corpora.datasets.index_terms import read_gold_terms
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
