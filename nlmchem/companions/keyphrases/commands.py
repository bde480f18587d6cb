"""The commands of keyphrases, and how they print keyphrases and explanations.

`nlmchem keyphrases list|explain`, `nlmchem evaluate keyphrases` and `nlmchem train keyphrases`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import INCOMPLETE, LOOKING, Call, Command, CommandGroup, Progress, Result, record
from corpora.commands.options import argument, group, option
from corpora.commands.shared import inputs_argument, out_file, overwrite_option, seed_option
from corpora.errors import Argument, Text
from corpora.words.quantities import quantity

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.companions.keyphrases.keyphrase import Keyphrase
    from nlmchem.companions.keyphrases.model import KeyphraseRanker, PhraseExplanation


GROUP = CommandGroup("keyphrases", "List the keyphrases of articles, or explain them.", "list", heading=LOOKING)


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
        from nlmchem.companions.keyphrases.model import open_ranker

        return open_ranker(self.model, self.threshold, self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    inputs: tuple[str, ...] = inputs_argument()
    ranking: RankingOptions = group(RankingOptions)


def list_keyphrases(options: ListOptions, progress: Progress) -> Result:
    """List the keyphrases of articles, best first.

    Each line contains document, rank, score, phrase, its stem, and the number of occurrences. JSON also has the places.
    Keywords of the authors in the file are not used.
    """
    from corpora.model.metadata import is_english, word_counts
    from corpora.model.passages import passage_text

    ranker = options.ranking.open()

    def ranked(document: BioCDocument) -> list[Keyphrase]:
        keyphrases = ranker(document)
        if not any(map(passage_text, document.passages)):
            progress(f"document {document.id} has no keyphrases, because it has no text")
        elif not keyphrases:
            what = f"document {document.id} has no keyphrases with the lowest score; use "
            progress(Text(what, Argument("threshold"), " or ", Argument("number")))
        if not is_english(word_counts(document)):
            progress(f"document {document.id} does not look like English; its keyphrases may be wrong")
        return keyphrases

    return _of_articles(
        options.inputs,
        progress,
        lambda document: tsv_lines(str(document.id), ranked(document)),
        lambda document: as_object(str(document.id), ranked(document)),
        ["\t".join(COLUMNS)],
    )


LIST = Command(
    "keyphrases list", ListOptions, list_keyphrases, Call({"inputs": ["articles/"]}, "json", into="keyphrases.jsonl")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainKeyphrasesOptions:
    inputs: tuple[str, ...] = inputs_argument()
    ranking: RankingOptions = group(RankingOptions)
    candidates: int = option(30, "Number of candidates.", minimum=1)
    reasons: int = option(5, "Number of features for each candidate.", minimum=0)


def explain_keyphrases(options: ExplainKeyphrasesOptions, progress: Progress) -> Result:
    """Show which candidates become keyphrases, and the features behind their scores."""
    ranker = options.ranking.open()
    return _of_articles(
        options.inputs,
        progress,
        lambda document: explanation_as_text(ranker.explain(document), options.candidates, options.reasons),
        lambda document: explanation_as_object(ranker.explain(document)),
    )


EXPLAIN = Command(
    "keyphrases explain", ExplainKeyphrasesOptions, explain_keyphrases, Call({"inputs": ["article.nxml"]})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateKeyphrasesOptions:
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
    from nlmchem.companions.keyphrases.evaluation import read_keys
    from nlmchem.companions.keyphrases.model import write
    from nlmchem.companions.keyphrases.training import KeyphraseTraining, label, label_with, train

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


def _of_articles(
    sources: tuple[str, ...],
    progress: Progress,
    lines: Callable[[BioCDocument], Iterable[str]],
    value: Callable[[BioCDocument], Mapping[str, Any]],
    header: Sequence[str] = (),
) -> Result:
    """The result of all articles, one in memory at a time, as text and as JSON.

    Articles that cannot be read are reported and counted.
    """
    from corpora.reading import Fault, articles
    from corpora.storage.inputs import expand

    result = Result()

    def documents() -> Iterator[BioCDocument]:
        read, failed = 0, 0
        for item in articles(expand(sources), progress):
            if isinstance(item, Fault):
                progress(str(item))
                failed += 1
            else:
                read += 1
                yield item.document
        counts = f"{quantity(read, 'article')} read, {failed} failed"
        (result.problems if failed else result.notes).append(counts)
        if failed:
            result.exit_code = INCOMPLETE

    result.lines = chain(header, chain.from_iterable(map(lines, documents())))
    result.objects = map(value, documents())
    return result


COLUMNS = ("document", "rank", "score", "phrase", "stem", "occurrences")


def as_object(document: str, keyphrases: Sequence[Keyphrase]) -> dict[str, Any]:
    """For JSON: `{document, keyphrases: [{rank, score, phrase, stem, places: [[start, end]]}]}`.

    Scores have 4 decimals; places count code points from the start of the document.
    """
    phrases = [
        {
            "rank": keyphrase.rank,
            "score": None if keyphrase.score is None else round(keyphrase.score, 4),
            "phrase": keyphrase.phrase,
            "stem": keyphrase.stem,
            "places": [list(span) for span in keyphrase.places],
        }
        for keyphrase in keyphrases
    ]
    return {"document": document, "keyphrases": phrases}


def tsv_lines(document: str, keyphrases: Sequence[Keyphrase]) -> Iterator[str]:
    """One line for each keyphrase: the values of `COLUMNS`. Phrases have neither tabs nor line breaks."""
    name = " ".join(document.split())
    for keyphrase in keyphrases:
        score = "" if keyphrase.score is None else f"{keyphrase.score:.4f}"
        yield "\t".join(
            (name, str(keyphrase.rank), score, keyphrase.phrase, keyphrase.stem, str(len(keyphrase.places)))
        )


def explanation_as_object(explanation: PhraseExplanation) -> dict[str, Any]:
    """For JSON: `{document, version, threshold, number, base, candidates: [...]}`; numbers have 4 decimals."""
    return {
        "document": explanation.document,
        "version": explanation.version,
        "threshold": round(explanation.threshold, 4),
        "number": explanation.number,
        "base": round(explanation.base, 4),
        "candidates": [
            {
                "phrase": candidate.phrase,
                "stem": candidate.stem,
                "score": round(candidate.score, 4),
                "chosen": candidate.chosen,
                "contributions": [item.as_dict() for item in candidate.contributions],
            }
            for candidate in explanation.candidates
        ],
    }


def explanation_as_text(explanation: PhraseExplanation, candidates: int, reasons: int) -> Iterator[str]:
    """A line for the article and one for each of the best candidates, `->` for a chosen one, with the reasons."""
    chosen = (
        f"the first {explanation.number}"
        if explanation.number is not None
        else f"lowest score {explanation.threshold:.4f}"
    )
    yield f"{explanation.document}: {chosen}, log-odds without features {explanation.base:.4f}"
    for candidate in explanation.candidates[:candidates]:
        why = "; ".join(
            f"{item.feature} {item.value:.4g} ({item.contribution or 0.0:+.2f})"
            for item in candidate.contributions[:reasons]
        )
        yield f"{'->' if candidate.chosen else '  '} {candidate.score:.4f}\t{candidate.phrase}\t{why}"
    if not explanation.candidates:
        yield "the article has no phrase that can be a keyphrase"
