"""`nlmchem keyphrases list|explain`, `nlmchem evaluate keyphrases` and `nlmchem train keyphrases`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import INCOMPLETE, Call, Command, CommandGroup, Progress, Result, record
from corpora.commands.options import argument, group, option
from corpora.commands.shared import inputs_argument, out_file, overwrite_option, seed_option
from corpora.words.quantities import quantity

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.reporting import Report
    from nlmchem.companions.keyphrases.ranker import KeyphraseRanker

GROUP = CommandGroup("keyphrases", "List the keyphrases of articles, or explain them.", "list")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """Which phrases become keyphrases."""

    number: int | None = option(None, "Number of keyphrases.", short="n", metavar="N", default_text="by their scores")
    threshold: float | None = option(
        None, "Lowest score of a keyphrase, 0 to 1.", metavar="X", default_text="that of the model"
    )
    model: str = option("default", "default (the embedded model), or the path of a model (.json).", metavar="NAME")

    def open(self) -> KeyphraseRanker:
        """The ranker. Raises `ConfigurationError` and `ResourceError` as `open_ranker` does."""
        from nlmchem.companions.keyphrases.ranker import open_ranker

        return open_ranker(self.model, self.threshold, self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options of `nlmchem keyphrases list`."""

    inputs: tuple[str, ...] = inputs_argument()
    ranking: RankingOptions = group(RankingOptions)


def list_keyphrases(options: ListOptions, progress: Progress) -> Result:
    """List the keyphrases of articles, best first.

    Each line contains document, rank, score, phrase, its stem, and the number of occurrences. JSON also has the places.
    Keywords of the authors in the file are not used.
    """
    from nlmchem.companions.keyphrases.listing import COLUMNS, as_object, tsv_lines

    ranker = options.ranking.open()

    def lines(document: BioCDocument) -> Iterable[str]:
        keyphrases = ranker(document)
        _warn(document, bool(keyphrases), progress)
        return tsv_lines(str(document.id), keyphrases)

    def objects(document: BioCDocument) -> Iterable[Mapping[str, Any]]:
        keyphrases = ranker(document)
        _warn(document, bool(keyphrases), progress)
        return [as_object(str(document.id), keyphrases)]

    return _of_articles(options.inputs, progress, lines, objects, "\t".join(COLUMNS))


LIST = Command(
    "keyphrases list", ListOptions, list_keyphrases, Call({"inputs": ["articles/"]}, "json", into="keyphrases.jsonl")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainKeyphrasesOptions:
    """The options of `nlmchem keyphrases explain`."""

    inputs: tuple[str, ...] = inputs_argument()
    ranking: RankingOptions = group(RankingOptions)
    candidates: int = option(30, "Number of candidates.", minimum=1)
    reasons: int = option(5, "Number of features for each candidate.", minimum=0)


def explain_keyphrases(options: ExplainKeyphrasesOptions, progress: Progress) -> Result:
    """Show which candidates become keyphrases, and the features behind their scores."""
    from nlmchem.companions.keyphrases.listing import explanation_as_object, explanation_as_text

    ranker = options.ranking.open()
    return _of_articles(
        options.inputs,
        progress,
        lambda document: explanation_as_text(ranker.explain(document), options.candidates, options.reasons),
        lambda document: [explanation_as_object(ranker.explain(document))],
    )


EXPLAIN = Command(
    "keyphrases explain", ExplainKeyphrasesOptions, explain_keyphrases, Call({"inputs": ["article.nxml"]})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateKeyphrasesOptions:
    """The options of `nlmchem evaluate keyphrases`."""

    gold: str = argument(
        "Keys of people: JATS articles with keywords, a JSON file {id: [[variant, ...], ...]}, or a folder of such "
        "files with author, reader or combined in their names."
    )
    predicted: str = argument(
        "JSON output of `nlmchem keyphrases`, annotated articles, or JSON of keys.", metavar="PRED"
    )


def evaluate_keyphrases(options: EvaluateKeyphrasesOptions, progress: Progress) -> Result:
    """Score keyphrases by stemmed match with the first 5, 10, 15 and with all predictions.

    A key may have several accepted variants; it counts once. F of `macro` is that of mean precision and mean recall.
    """
    from nlmchem.companions.keyphrases import evaluation

    standard = evaluation.read_standard(options.gold, progress)
    predictions = evaluation.read_predictions(options.predicted, progress)
    evaluation.check(standard, predictions, progress)
    scores = evaluation.score(standard, predictions, (*evaluation.CUTOFFS, None))
    return record(evaluation.as_object(scores), *evaluation.as_text(scores), value=scores)


EVALUATE = Command(
    "evaluate keyphrases",
    EvaluateKeyphrasesOptions,
    evaluate_keyphrases,
    Call({"gold": "articles/", "predicted": "keyphrases.jsonl"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainKeyphrasesOptions:
    """The options of `nlmchem train keyphrases`."""

    inputs: tuple[str, ...] = inputs_argument()
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    keys: str | None = option(
        None,
        "Keyphrases by document id: JSON {id: [[variant, ...], ...]}.",
        metavar="FILE",
        default_text="the keywords in the articles",
    )
    trees: int = option(120, "Number of trees of the second stage.", minimum=1)
    folds: int = option(5, "Number of folds for the choice of the threshold.", minimum=2)
    seed: int = seed_option()


def train_keyphrases(options: TrainKeyphrasesOptions, progress: Progress) -> Result:
    """Train a model of keyphrases on articles and the keyphrases that people gave them.

    The keywords are the authors' keywords in JATS or PubMed XML, or a file of keys, for example from readers.
    """
    from corpora.extras import require
    from corpora.reading import read
    from nlmchem.companions.keyphrases import frequencies
    from nlmchem.companions.keyphrases.labels import label, label_with
    from nlmchem.companions.keyphrases.model import write
    from nlmchem.companions.keyphrases.semeval import read_keys
    from nlmchem.companions.keyphrases.training import KeyphraseTraining, train

    require("sklearn", extra="train", purpose="training a model of keyphrases")
    documents = read(options.inputs, report=progress)
    if options.keys is None:
        labelled = label(documents, progress)
    else:
        labelled = label_with(documents, read_keys(Path(options.keys)), progress)
    training = KeyphraseTraining(trees=options.trees, folds=options.folds, seed=options.seed)
    model = train(labelled, frequencies.read(), training, report=progress)
    out = options.out
    write(out, model)
    features = model.first.features
    return record(
        {**model.card, "threshold": model.threshold, "features": list(features)},
        f"{out}: {quantity(len(labelled), 'article')}, {quantity(len(features), 'feature')}, lowest "
        f"score {model.threshold:.4f}",
        files=(out,),
        value=model,
    )


TRAIN = Command(
    "train keyphrases",
    TrainKeyphrasesOptions,
    train_keyphrases,
    Call({"inputs": ["articles/"], "out": "model.json"}),
)


def _warn(document: BioCDocument, has_any: bool, report: Report) -> None:
    """Warn of an article without keyphrases, and of one in another language."""
    from corpora.errors import Argument, Text
    from corpora.model.metadata import is_english, word_counts
    from corpora.model.passages import passage_text

    if not any(map(passage_text, document.passages)):
        report(f"document {document.id} has no keyphrases, because it has no text")
    elif not has_any:
        what = f"document {document.id} has no keyphrases with the lowest score; use "
        report(Text(what, Argument("threshold"), " or ", Argument("number")))
    if not is_english(word_counts(document)):
        report(f"document {document.id} does not look like English; its keyphrases may be wrong")


def _of_articles(
    sources: tuple[str, ...],
    progress: Progress,
    lines: Callable[[BioCDocument], Iterable[str]],
    objects: Callable[[BioCDocument], Iterable[Mapping[str, Any]]],
    header: str | None = None,
) -> Result:
    """The result of all articles, one in memory at a time, as text and as JSON."""
    result = Result()

    def texts() -> Iterator[str]:
        if header is not None:
            yield header
        for document in _read(sources, result, progress):
            yield from lines(document)

    result.lines = texts()
    result.objects = (value for document in _read(sources, result, progress) for value in objects(document))
    return result


def _read(sources: tuple[str, ...], result: Result, progress: Progress) -> Iterator[BioCDocument]:
    """The articles; those that cannot be read are reported and counted."""
    from corpora.reading import Fault, articles
    from corpora.storage.inputs import expand

    read, failed = 0, 0
    for item in articles(expand(sources), progress):
        if isinstance(item, Fault):
            progress(str(item))
            failed += 1
            continue
        read += 1
        yield item.document
    counts = f"{quantity(read, 'article')} read, {failed} failed"
    if failed:
        result.problems.append(counts)
        result.exit_code = INCOMPLETE
    else:
        result.notes.append(counts)
