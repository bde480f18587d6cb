"""Trains a tagger and a decision on corrected articles, and scores them on articles that they were not trained on.

Each article is tagged by the base, and by the model of its fold. The decision of a fold learns from the articles of the
other folds as the models of these folds tag them (stacked generalization, Wolpert 1992).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.document import add_mention, fresh_ids
from corpora.model.metadata import join_key
from corpora.reporting import Report, ignore
from corpora.storage.inputs import MANIFEST
from corpora.storage.owned_files import OwnedFolder
from corpora.words.quantities import quantity
from indexing.learning.crossfit import Positions, cross_fitted, parts_of
from nlmchem.companions.curation.selection import write_account
from nlmchem.deciding import training as deciding
from nlmchem.deciding.decision import DecisionModel, open_decision, write_model
from nlmchem.deciding.training import Tagged, tagged
from nlmchem.evaluation.articles import Side, article
from nlmchem.evaluation.comparison import Comparison, ScoringOptions, TrackTask, better_than, compare
from nlmchem.steps.tag import default_decision
from nlmchem.tagging.models.folders import GUIDELINES, folder_of, read_facts, version_of
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.training.data import TrainingCorpus, fold_of
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run
from nlmchem.tagging.training.scores import bare
from sieves.lexicon.lexicon import Lexicon

MADE_BY = "nlmchem curate learn"
BATCH = 2048
"""Word pieces in a batch: few articles should still make some dozens of steps."""
RATE = 1e-4
SEED = 7
DECISION = PurePosixPath("decision.json")
BEFORE, TAGGER, BOTH = "before", "tagger", "tagger and decision"
"""What is scored: the base with the decision that it has by default, the new tagger with the same decision, and the new
tagger with the new decision."""

ArticleSpans = tuple[tuple[int, int, int], ...]
"""The spans of an article: number of the passage, start and end in its text."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was trained, and the scores in cross-validation."""

    scores: Comparison | None
    """None if the time limit stopped the training."""
    tagger: Path | None = None
    decision: Path | None = None
    """None where the articles were too few for one."""
    recommended: str | None = None
    """`TAGGER` or `BOTH`, the one with the higher strict F of those that are better than before
    (`nlmchem.evaluation.comparison.BETTER`); None if none is better."""
    kept: str = ""
    """The name of the decision of `BEFORE` and `TAGGER`."""


def plan(
    base: Path,
    out: Path,
    target: Sequence[TrainingCorpus],
    replay: Sequence[TrainingCorpus],
    folds: int,
    passes: float,
    device: str = "cpu",
    minutes: float | None = None,
    rate: float = RATE,
    seed: int = SEED,
) -> TrainingPlan:
    """The training of a tagger on few articles: small batches, and the features and guidelines of its base.

    `passes`, `rate`, `minutes`: as `StageOptions` and `TaggerTraining` have them, `minutes` in minutes. Raises
    `ConfigurationError` and `ResourceError` for a base that cannot be used.
    """
    facts = read_facts(folder_of(str(base)))
    options = TaggerTraining(
        second=StageOptions(rate, passes, batch=BATCH),
        letter_case=bool(facts.get("letter_case")),
        gazetteer=bool(facts.get("gazetteer")),
        guidelines=tuple(facts.get(GUIDELINES, ())[1:]),
        device=device,
        seconds=None if minutes is None else minutes * 60,
    )
    return TrainingPlan(base, out, target, replay=replay, folds=folds, seeds=(seed,), options=options)


def learn(plan: TrainingPlan, lexicon: Lexicon, report: Report) -> Learnt:
    """Train on the target of a plan, with its folds and one seed. The same call continues a training that was stopped.

    Raises `ConfigurationError` for a folder of another training and for fewer articles than folds, and the errors of
    training.
    """
    folder = OwnedFolder(plan.out)
    gold = [document for corpus in plan.target for document in corpus.documents]
    numbers = fold_of(gold, plan.folds)
    fold = [numbers[join_key(document)] for document in gold]
    account = _claimed(folder, plan)
    outcome = run(replace(plan, whole=True), report)
    if not outcome.finished:
        return Learnt(None)

    def tagged_by(model: Path, held: Sequence[int]) -> list[Tagged]:
        choice = TaggerChoice((str(model),), device=plan.options.device)
        return list(tagged(deepcopy([gold[at] for at in held]), choice, lexicon))

    kept = default_decision(str(plan.base))
    everything = range(len(gold))
    before = tagged_by(plan.base, everything)
    # Each article is tagged by the model of its fold.
    by_article: dict[int, Tagged] = {}
    for number in sorted(set(fold)):
        held = [at for at, part in enumerate(fold) if part == number]
        by_article.update(zip(held, tagged_by(outcome.models[number], held), strict=True))
    after = [by_article[at] for at in everything]
    runs = {BEFORE: _decided(before, kept, lexicon), TAGGER: _decided(after, kept, lexicon)}
    labelled = list(deciding.label(_copies(after), lexicon))
    path = None
    # A threshold is chosen on the articles outside a fold.
    fewest = len(fold) - max(map(fold.count, fold))
    if fewest < 2:
        few = quantity(len(fold), "article is", "articles are")
        report(f"{few} too few for a decision of their own; it needs three, in three folds")
    else:
        options = deciding.DecisionOptions()
        options = replace(options, folds=min(options.folds, fewest))
        runs[BOTH] = _cross_fitted(labelled, fold, options)
        path = plan.out / DECISION
        card = {"made by": MADE_BY, "tagger 1": version_of(outcome.models[-1]), "lexicon": lexicon.version}
        with folder.staging() as part:
            write_model(part / DECISION, deciding.learn(labelled, options, card=card, report=report))
    scores = _scored(gold, runs)
    better = [at for at, run in enumerate(scores.results) if BEFORE in better_than(scores, "strict", at)]
    best = max(better, key=lambda at: scores.results[at].strict.score.f1, default=None)
    recommended = None if best is None else scores.results[best].name
    strict = {run.name: round(run.strict.score.f1, 4) for run in scores.results}
    write_account(folder, {**account, "strict F": strict, "recommended": recommended})
    return Learnt(scores, outcome.models[-1], path, recommended, kept)


def _claimed(folder: OwnedFolder, plan: TrainingPlan) -> dict[str, object]:
    """The account of the folder of a training. Raises `ConfigurationError` for that of another training."""
    # The sha256 of what the training depends on.
    dumps = registry.writable("biocxml").dumps
    digest = hashlib.sha256(json.dumps([plan.options.facts(), plan.folds, *plan.seeds]).encode())
    digest.update(version_of(folder_of(str(plan.base))).encode())
    for corpus in (*plan.target, *plan.replay):
        digest.update(f"{corpus.name} {len(corpus.documents)}".encode())
        for document in corpus.documents:
            digest.update(dumps(document, ignore))
    account: dict[str, object] = {"made_by": MADE_BY, "inputs": digest.hexdigest()}
    folder.check(MANIFEST, str(DECISION))
    try:
        former = json.loads((folder.path / MANIFEST).read_bytes())
    except FileNotFoundError:
        write_account(folder, account)
        return account
    if any(former.get(key) != value for key, value in account.items()):
        raise ConfigurationError(
            f"{folder.path} has a training on other articles or with other options; name a new folder"
        )
    return account


def _copies(articles: Iterable[Tagged]) -> Iterator[Tagged]:
    """The articles with lists of spans of their own, because decisions change them."""
    for document, passages, gold in articles:
        yield document, [replace(passage, spans=list(passage.spans)) for passage in passages], gold


def _decided(articles: Sequence[Tagged], name: str, lexicon: Lexicon) -> list[ArticleSpans]:
    """The spans of each article after a decision."""
    decide = open_decision(name, lexicon)
    decided = []
    for document, passages, _ in _copies(articles):
        decide(document, passages)
        decided.append(
            tuple((at, span.start, span.end) for at, passage in enumerate(passages) for span in passage.spans)
        )
    return decided


def _cross_fitted(
    articles: Sequence[deciding.Labelled], fold: Sequence[int], options: deciding.DecisionOptions
) -> list[ArticleSpans]:
    """The spans of each article after a decision that was trained on the articles of the other folds."""

    def decision(rest: Positions) -> DecisionModel:
        return deciding.learn([articles[at] for at in rest], options, report=ignore, calibrated=False)

    def chosen(model: DecisionModel, held: Positions) -> Iterator[ArticleSpans]:
        for features in (articles[at].features for at in held):
            yield tuple(features.spans[number] for number in model.choose(features).chosen)

    return cross_fitted(parts_of(fold), decision, chosen)


def _scored(gold: Sequence[BioCDocument], runs: dict[str, list[ArticleSpans]]) -> Comparison:
    """The scores of the spans of each run, each article with these mentions in place of its own."""

    def with_spans(document: BioCDocument, spans: ArticleSpans) -> BioCDocument:
        copy = bare(document)
        ids = fresh_ids(copy, "T")
        for at, start, end in spans:
            passage = copy.passages[at]
            add_mention(passage, [(passage.offset + start, passage.offset + end)], id=next(ids), annotator=None)
        return copy

    sides = [
        Side(name, tuple(article(with_spans(document, spans)) for document, spans in zip(gold, of_run, strict=True)))
        for name, of_run in runs.items()
    ]
    options = ScoringOptions(approximate=True)
    return compare(TrackTask.SPANS, Side("the corrected articles", tuple(map(article, gold))), sides, options, ignore)
