"""A whole training: stages, folds and seeds, each in its own folder. Complete models are not trained again.

OUT has `seed-7/first/` and `seed-7/all/` (or `seed-7/fold-0/`, ...). Each of them has `model/` when it is trained and
`checkpoints/` while it is not. OUT also has `plan.json` (`plan.claim`), and `scores.json` if there are held-out
articles.
"""

from __future__ import annotations

import json
import operator
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from bioc import BioCDocument

from corpora.errors import DAMAGE, ResourceError, damage
from corpora.extras import require_device
from corpora.model.metadata import join_key
from corpora.reporting import Report, log
from corpora.storage.atomic import remove_leftovers, write_text
from corpora.storage.owned_files import OwnedFolder
from corpora.words.quantities import quantity
from nlmchem.evaluation.scores import Counts
from nlmchem.tagging.inference.scoring import Model
from nlmchem.tagging.models.folders import ANCESTORS, quiet_transformers, read_facts, read_json, version_of
from nlmchem.tagging.models.loading import cased_vocabulary, classes_of, cutter_of, longest_window, open_model
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.training.data import Example, TrainingCorpus, augmented, examples, fold_of
from nlmchem.tagging.training.folders import (
    CARD_FILE,
    base_folder,
    base_name,
    base_tokenizer,
    check_base,
    open_base,
    receives,
    write_card,
)
from nlmchem.tagging.training.plan import Cutoff, StageOptions, TaggerTraining, TrainingOutcome, TrainingPlan, claim
from nlmchem.tagging.training.processes import Processes, connected, is_first, of_first
from nlmchem.tagging.training.scores import ArticleScore, article_scores, as_json, strict_f
from nlmchem.tagging.training.stage import export, train_stage

SCORES = "scores.json"


def run(plan: TrainingPlan, report: Report = log) -> TrainingOutcome:
    """Train the models of a plan that are not complete yet, and write OUT/scores.json.

    `report` receives progress lines and notes. Where `torchrun` or `accelerate launch` started several processes, each
    calls this; the first one writes and reports, and the outcome of the others has no scores. Raises
    `ConfigurationError` and `ResourceError` before any training if the base model or a corpus cannot be used, or where
    OUT has files of others, or another training.
    """
    # The first process holds the lock of OUT for all.
    with OwnedFolder(plan.out) if is_first() else nullcontext() as out:
        if out is not None:
            out.check(SCORES)
        quiet_transformers()
        # The library would train on a CPU without a word.
        require_device(plan.options.device)
        check_base(plan.base)
        if out is not None:
            out.begin()
            claim(out, plan)
        with connected(plan.options.device) as processes:
            outcome = _Run(plan, of_first(report), processes).everything()
        if out is not None and outcome.scores is not None:
            out.write_text(PurePosixPath(SCORES), json.dumps(outcome.scores, indent=1) + "\n")
        return outcome


@dataclass(frozen=True, slots=True)
class _Job:
    """One stage to train: its folder, its base, its data and what the card says about them."""

    folder: Path
    base: Path
    examples: Callable[[], list[Example]]
    stage: StageOptions
    options: TaggerTraining
    corpora: Mapping[str, Sequence[TrainingCorpus]]
    held_out: Sequence[BioCDocument] = ()


class _Stopped(Exception):
    """The time limit was reached. Carries the name of the unfinished stage, its steps, and how many were planned."""

    def __init__(self, part: str, step: int = 0, steps: int = 0) -> None:
        super().__init__(part)
        self.part, self.step, self.steps = part, step, steps


class _Run:
    """The state of a run: the plan, its time limit, the models that are complete."""

    def __init__(self, plan: TrainingPlan, report: Report, processes: Processes) -> None:
        self._report = report
        self._processes = processes
        seconds = plan.options.seconds
        self._until = None if seconds is None else time.monotonic() + seconds
        self._base = base = processes.in_turn(lambda: open_base(plan.base, plan.out))
        # What the base receives, the models that are trained from it receive as well.
        letter_case = plan.options.letter_case or receives(base, "letter_case")
        gazetteer = plan.options.gazetteer or receives(base, "gazetteer")
        facts = {"letter_case": letter_case, "gazetteer": gazetteer}
        config = read_json(base / "config.json")
        self._window = min(plan.options.window, longest_window(config))
        options = replace(plan.options, window=self._window, letter_case=letter_case, gazetteer=gazetteer)
        self._plan = replace(plan, options=options)
        self._cutter = cutter_of(base_tokenizer(base), cased_vocabulary(config, facts), classes_of(facts))
        self._models: list[Path] = []
        self._started = False
        self._leakage = plan.leakage()
        for sentence in self._leakage:
            report(sentence)

    def everything(self) -> TrainingOutcome:
        scores: dict[str, dict[str, ArticleScore]] = {}
        # The name of each part and its held-out articles.
        documents = [document for corpus in self._plan.target for document in corpus.documents]
        fold = fold_of(documents, self._plan.folds) if self._plan.folds else {}
        parts = [
            (name, tuple(document for document in documents if f"fold-{fold.get(join_key(document))}" == name))
            for name in self._plan.parts
        ]
        try:
            for seed in self._plan.seeds:
                options = replace(self._plan.options, seed=seed)
                for name, held_out in parts:
                    base = self._first(options)
                    model = self._second(name, held_out, base, options)
                    self._models.append(model)
                    if held_out and self._processes.first:
                        scores[f"seed-{seed}/{name}"] = self._score(model, held_out)
        except _Stopped as stop:
            wanted = len(self._plan.seeds) * len(parts)
            cutoff = Cutoff(stop.part, stop.step, stop.steps, len(self._models), wanted)
            self._report(str(cutoff))
            return TrainingOutcome(tuple(self._models), None, cutoff)
        if not scores:
            return TrainingOutcome(tuple(self._models), None)
        pooled = {f"{part}/{key}": score for part, of_part in scores.items() for key, score in of_part.items()}
        parts_f = {part: strict_f(of_part) for part, of_part in scores.items()}
        return TrainingOutcome(tuple(self._models), {**as_json(pooled), "parts": parts_f})

    def _first(self, options: TaggerTraining) -> Path:
        """The base of the second stage: that of the plan, or the model of the first stage, which all folds share."""
        outside = self._plan.outside
        if not outside:
            return self._base
        folder = self._plan.out / f"seed-{options.seed}" / "first"
        data = partial(self._examples, outside, options)
        return self._train(_Job(folder, self._base, data, options.first, options, {"first": outside}))

    def _second(self, part: str, held_out: Sequence[BioCDocument], base: Path, options: TaggerTraining) -> Path:
        plan = self._plan
        if not plan.target:
            return base
        hidden = {id(document) for document in held_out}
        seen = [corpus.only(lambda document: id(document) not in hidden) for corpus in plan.target]
        copies = [augmented(corpus, plan.augmenters, options.copies, options.seed) for corpus in seen]
        used = [*seen, *(corpus for corpus in copies if corpus.documents), *plan.silver]
        folder = plan.out / f"seed-{options.seed}" / part
        stages: dict[str, Sequence[TrainingCorpus]] = {"first": plan.outside, "second": used, "replay": plan.replay}

        def data() -> list[Example]:
            return self._examples(used, options) + self._replayed(options)

        return self._train(_Job(folder, base, data, options.second, options, stages, held_out))

    def _train(self, job: _Job) -> Path:
        """The model of one stage: the one that is there, or a new one. Raises `_Stopped` at the time limit.

        The first stage of a run takes at least one step. Otherwise, with a limit shorter than the preparation, no run
        would come further than the one before.
        """
        model, part = job.folder / "model", f"{job.folder.parent.name}/{job.folder.name}"
        if model.is_dir():
            if self._processes.first:
                self._complete(job, model)
            return model
        if self._started and self._processes.after(self._until):
            raise _Stopped(part)
        self._started = True
        job.folder.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        data = job.examples()
        self._report(f"{part}: {quantity(len(data), 'window')}, {job.stage.passes:g} passes, seed {job.options.seed}")
        score = None if self._plan.dev is None else self._dev_score
        done = train_stage(
            job.base, job.folder / "checkpoints", data, job.stage, job.options, score, self._until, self._report,
            self._processes,
        )  # fmt: skip
        if not done.finished:
            raise _Stopped(part, done.step, done.steps)
        # Until here the others may read checkpoints, which are removed now; afterwards they read the model.
        self._processes.wait()
        if self._processes.first:
            # Of a copy of the base, the original counts.
            base = base_folder(self._plan.base) if job.base == self._base else job.base
            facts = {
                "name": f"{self._plan.out.name}-{job.folder.name}",
                "trained": job.options.facts(),
                ANCESTORS: [version_of(base), *read_facts(base).get(ANCESTORS, ())],
            }
            done.learner.module.cpu()
            export(done.learner, model, facts)
            self._complete(job, model)
            self._report(f"{part}: {quantity(done.step, 'step')} in {time.monotonic() - begun:.0f} s, model in {model}")
        self._processes.wait()
        return model

    def _complete(self, job: _Job, model: Path) -> None:
        """Write the card of a model and remove its checkpoints. A training that was killed may lack either."""
        for file in (model / CARD_FILE, job.folder / SCORES):
            remove_leftovers(file)
        if not (model / CARD_FILE).is_file():
            scores = as_json(self._score(model, job.held_out)) if job.held_out else None
            write_card(model, base_name(self._plan.base), job.corpora, job.options.facts(), scores, self._leakage)
        shutil.rmtree(job.folder / "checkpoints", ignore_errors=True)

    def _examples(self, corpora: Sequence[TrainingCorpus], options: TaggerTraining) -> list[Example]:
        """The windows of corpora. Those without guidelines of their own have the target's."""
        made: list[Example] = []
        for corpus in corpora:
            name = corpus.name.partition("/")[0]
            number = 1 + options.guidelines.index(name) if name in options.guidelines else 0
            cutter = replace(self._cutter, guidelines=number)
            made += examples(corpus.documents, cutter, self._window, corpus.weight, self._report)
        return made

    def _replayed(self, options: TaggerTraining) -> list[Example]:
        """A sample of the windows of an earlier training; all of them if there are fewer.

        Articles are drawn first, because all windows of the corpora take minutes to make.
        """
        order = random.Random(options.seed)
        articles = [(corpus, document) for corpus in self._plan.replay for document in corpus.documents]
        order.shuffle(articles)
        given: list[Example] = []
        for corpus, document in articles:
            if len(given) >= options.replayed:
                break
            given += self._examples([replace(corpus, documents=(document,))], options)
        return order.sample(given, min(options.replayed, len(given)))

    def _dev_score(self, model: Model) -> float:
        assert self._plan.dev is not None
        value = strict_f(article_scores(self._tagger(model), self._plan.dev.documents))
        self._report(f"strict F on {self._plan.dev.name}: {value:.4f}")
        return value

    def _score(self, model: Path, held_out: Sequence[BioCDocument]) -> dict[str, ArticleScore]:
        """Score a model on its held-out articles. The result is stored beside the model and computed only once."""
        place = model.parent / SCORES
        if place.is_file():
            try:
                rows = json.loads(place.read_bytes())["articles"]
                return {key: ArticleScore(_counts(strict), _counts(near)) for key, (strict, near) in rows.items()}
            except DAMAGE as error:
                raise ResourceError(
                    f"{place} is damaged ({damage(error)}); remove it, and run the same command again to score the "
                    "model"
                ) from error
        loaded = open_model(model, self._plan.options.device)
        scores = article_scores(self._tagger(loaded), list(held_out))
        write_text(place, json.dumps(as_json(scores), indent=1) + "\n")
        self._report(f"{model.parent}: strict F {strict_f(scores):.4f} on {quantity(len(held_out), 'article')}")
        return scores

    def _tagger(self, model: Model) -> NeuralTagger:
        return NeuralTagger([model], TaggerOptions(rules=self._plan.rules))


def _counts(row: Sequence[Any]) -> Counts:
    gold, found, predicted, right = map(operator.index, row)
    return Counts(gold, found, predicted, right)
