"""A whole training: stages, folds and seeds, each in a folder of its own; what is done is not done again.

Under OUT: `seed-7/first/` and `seed-7/all/` (or `seed-7/fold-0/`...), each with `model/` when it is trained and
`checkpoints/` while it is not; `scores.json` where there is something to score on.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.document import join_key
from corpora.reporting import Report, log
from nlmchem.tagging.models.loading import (
    Model,
    cased_vocabulary,
    cutter_of,
    load_model,
    longest_window,
    quiet_transformers,
    read_json,
)
from nlmchem.tagging.rules.post_processing import PostProcessing
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.tokenization.word_pieces import PieceCutter
from nlmchem.tagging.training.data import (
    Augment,
    Corpus,
    Example,
    augmented,
    examples,
    fold_of,
    without_mentions,
)
from nlmchem.tagging.training.leaks import leakage
from nlmchem.tagging.training.model_card import write_card
from nlmchem.tagging.training.options import StageOptions, TrainingOptions
from nlmchem.tagging.training.scores import ArticleScore, article_scores, as_json, strict_f
from nlmchem.tagging.training.stage import base_cutter, check_base, export, train_stage

__all__ = ["Outcome", "Plan", "run"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is trained on what. `folds` 0: once on all of the target. `only`: the folds to do (all by default)."""

    base: Path
    out: Path
    target: Sequence[Corpus]
    outside: Sequence[Corpus] = ()
    silver: Sequence[Corpus] = ()
    dev: Corpus | None = None
    folds: int = 0
    only: Sequence[int] = ()
    seeds: Sequence[int] = (7,)
    options: TrainingOptions = TrainingOptions()  # noqa: RUF009 - frozen
    augmenters: Sequence[Augment] = ()
    post_processing: PostProcessing = PostProcessing()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether all is trained, where the models lie, and the scores of all folds and seeds (None: none to score)."""

    finished: bool
    models: tuple[Path, ...]
    scores: dict[str, Any] | None


def run(plan: Plan, report: Report = log) -> Outcome:
    """Train what a plan asks for and is not there yet; write OUT/scores.json.

    Raises `ConfigurationError` and `ResourceError` before any training where something cannot be used.
    """
    quiet_transformers()
    check_base(plan.base)
    if not plan.target and not plan.outside:
        raise ConfigurationError("nothing to train on; name annotated articles by --corpus")
    if plan.folds == 1 or plan.folds < 0:
        raise ConfigurationError(f"--folds is {plan.folds}; give 2 or more, or leave it away")
    return _Run(plan, report).everything()


class _Run:
    """The state of a run: the plan, its clock, the models that are done."""

    def __init__(self, plan: Plan, report: Report) -> None:
        self._plan = plan
        self._report = report
        seconds = plan.options.seconds
        self._until = None if seconds is None else time.monotonic() + seconds
        config = read_json(plan.base / "config.json")
        cased = cased_vocabulary(config, {"letter_case": plan.options.letter_case})
        self._cutter: PieceCutter = cutter_of(base_cutter(plan.base), cased)
        self._window = min(plan.options.window, longest_window(config))
        self._models: list[Path] = []
        self._leaks = _leakage(plan)
        for sentence in self._leaks:
            report(sentence)

    def everything(self) -> Outcome:
        scores: dict[str, dict[str, ArticleScore]] = {}
        parts = self._parts()
        for seed in self._plan.seeds:
            options = replace(self._plan.options.seeded(seed), window=self._window)
            for name, held_out in parts:
                base = self._first(seed, name, held_out, options)
                model = None if base is None else self._second(seed, name, held_out, base, options)
                if model is None:
                    self._report("the time is over; the same command goes on from here")
                    return Outcome(False, tuple(self._models), None)
                self._models.append(model)
                if held_out:
                    scores[f"seed-{seed}/{name}"] = self._score(model, held_out, seed)
        return Outcome(True, tuple(self._models), self._write_scores(scores))

    def _parts(self) -> list[tuple[str, tuple[BioCDocument, ...]]]:
        """The name of each part and the articles that it is scored on and does not see."""
        documents = [document for corpus in self._plan.target for document in corpus.documents]
        if not self._plan.folds:
            return [("all", ())]
        fold = fold_of(documents, self._plan.folds)
        wanted = self._plan.only or range(self._plan.folds)
        return [
            (f"fold-{number}", tuple(document for document in documents if fold[join_key(document)] == number))
            for number in wanted
        ]

    def _first(self, seed: int, part: str, held_out: Sequence[BioCDocument], options: TrainingOptions) -> Path | None:
        """The base of the second stage: the given one, or what the outside corpora made of it.

        It is shared by the folds, unless text of the target is mixed into it.
        """
        plan = self._plan
        if not plan.outside:
            return plan.base
        own = options.negatives > 0 and plan.folds > 0
        folder = plan.out / f"seed-{seed}" / (f"first-{part}" if own else "first")
        given = lambda: self._examples(plan.outside, options) + self._negatives(held_out, options)  # noqa: E731
        return self._stage(plan.base, folder, given, plan.options.first, options, {"first": plan.outside})

    def _second(
        self, seed: int, part: str, held_out: Sequence[BioCDocument], base: Path, options: TrainingOptions
    ) -> Path | None:
        plan = self._plan
        if not plan.target:
            return base
        hidden = {id(document) for document in held_out}
        seen = [corpus.only(lambda document: id(document) not in hidden) for corpus in plan.target]
        more = [augmented(corpus, plan.augmenters, options.copies, seed) for corpus in seen if plan.augmenters]
        used = [*seen, *more, *plan.silver]
        stages: dict[str, Sequence[Corpus]] = {"first": plan.outside, "second": used}
        folder = plan.out / f"seed-{seed}" / part
        given = lambda: self._examples(used, options)  # noqa: E731
        return self._stage(base, folder, given, plan.options.second, options, stages, held_out, seed)

    def _stage(
        self,
        base: Path,
        folder: Path,
        given: Callable[[], list[Example]],
        stage: StageOptions,
        options: TrainingOptions,
        corpora: Mapping[str, Sequence[Corpus]],
        held_out: Sequence[BioCDocument] = (),
        seed: int = 0,
    ) -> Path | None:
        """The model of one stage: as it is there, or trained; None where the time was over first."""
        model = folder / "model"
        if model.is_dir():
            return model
        if self._until is not None and time.monotonic() >= self._until:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        learnt = given()
        self._report(f"{folder}: {len(learnt)} windows, {stage.passes:g} passes, seed {options.seed}")
        score = None if self._plan.dev is None else self._dev_score
        done = train_stage(base, folder / "checkpoints", learnt, stage, options, score, self._until)
        if not done.finished:
            return None
        facts = {"name": f"{self._plan.out.name}-{folder.name}", "trained": options.facts()}
        export(done.module.cpu(), base, model, options, facts)
        scores = as_json(self._score(model, held_out, seed)) if held_out else None
        write_card(model, str(self._plan.base.name), corpora, options.facts(), scores, self._leaks)
        shutil.rmtree(folder / "checkpoints", ignore_errors=True)
        self._report(f"{model}: {done.steps} steps in {time.monotonic() - begun:.0f} s")
        return model

    def _examples(self, corpora: Sequence[Corpus], options: TrainingOptions) -> list[Example]:
        return [
            example
            for corpus in corpora
            for example in examples(
                corpus.documents, self._cutter, options.scheme, self._window, corpus.weight, self._report
            )
        ]

    def _negatives(self, held_out: Sequence[BioCDocument], options: TrainingOptions) -> list[Example]:
        """A share of the target's windows in which nothing is marked, those of held-out articles excepted."""
        if not options.negatives:
            return []
        hidden = {id(document) for document in held_out}
        seen = [corpus.only(lambda document: id(document) not in hidden) for corpus in self._plan.target]
        empty = without_mentions(self._examples(seen, options))
        return random.Random(options.seed).sample(empty, round(options.negatives * len(empty)))

    def _dev_score(self, model: Model) -> float:
        assert self._plan.dev is not None
        value = strict_f(article_scores(self._tagger(model), self._plan.dev.documents))
        self._report(f"strict F on {self._plan.dev.name}: {value:.4f}")
        return value

    def _score(self, model: Path, held_out: Sequence[BioCDocument], seed: int) -> dict[str, ArticleScore]:
        """Score a model on articles that it has not seen, once: the answer is kept beside it."""
        place = model.parent / "scores.json"
        if place.is_file():
            return _read_scores(place)
        loaded = load_model(model, self._plan.options.device)
        scores = article_scores(self._tagger(loaded), list(held_out))
        place.write_text(json.dumps(as_json(scores), indent=1) + "\n", encoding="utf-8")
        self._report(f"{model.parent}: strict F {strict_f(scores):.4f} on {len(held_out)} articles")
        return scores

    def _tagger(self, model: Model) -> NeuralTagger:
        return NeuralTagger([model], TaggerOptions(post_processing=self._plan.post_processing))

    def _write_scores(self, scores: dict[str, dict[str, ArticleScore]]) -> dict[str, Any] | None:
        if not scores:
            return None
        pooled = {f"{part}/{key}": score for part, own in scores.items() for key, score in own.items()}
        told = {**as_json(pooled), "parts": {part: strict_f(own) for part, own in scores.items()}}
        place = self._plan.out / "scores.json"
        place.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        return told


def _leakage(plan: Plan) -> list[str]:
    """What is compared before any training: whatever is learnt from with whatever is scored on."""
    told = leakage([*plan.outside, *plan.target, *plan.silver], [plan.dev]) if plan.dev is not None else []
    # The folds of the target keep articles of one id together; what comes from elsewhere may hold copies of them.
    return told + (leakage([*plan.outside, *plan.silver], plan.target) if plan.folds else [])


def _read_scores(place: Path) -> dict[str, ArticleScore]:
    from nlmchem.evaluation.scores import Counts

    rows = read_json(place)["articles"]
    return {key: ArticleScore(Counts(*strict), Counts(*near)) for key, (strict, near) in rows.items()}
