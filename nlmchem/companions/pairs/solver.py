"""Answers pairs: the same meaning or not, with a score and the reasons. Trains the logistic regression behind it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ConfigurationError, InputError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning import model_file
from indexing.learning.crossfit import folds, parts_of
from indexing.learning.linear import Flags, Floats, Linear, fit_linear, sigmoid
from nlmchem.companions.pairs.features import FEATURES, SENSES, PairFeatureMaker
from nlmchem.companions.pairs.pair import GROUPS, ContextPair, clusters, read_rows
from nlmchem.evaluation import bootstrap

EMBEDDED = Path(__file__).with_name("default.json")
"""The model that comes with the package; default.md beside it is its card."""
KIND = "pairs"
"""The kind of the model files, and the name of the regression in them."""
REASONS = 3
"""How many reasons an answer gets."""
PENALTY = 10.0
"""Of half the sum of squared weights of standardised features, against the sum of losses. Chosen for models that answer
pairs of the same source; for other sources, a higher one is better (docs/measurements/pairs.md)."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class PairModel:
    """A regression on the features of a pair; the probability is that of "same"."""

    linear: Linear
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    """The sha256 of the file."""

    def probabilities(self, values: Floats) -> Floats:
        """The probability of "same" of each row of `values` (pairs x features)."""
        return sigmoid(self.linear.contributions(values).sum(axis=-1) + self.linear.intercept)

    def reasons(self, values: Floats, facts: Mapping[str, str], same: bool) -> tuple[str, ...]:
        """The features that speak most for the answer, by what they add to the log-odds."""
        reasons = []
        added = self.linear.contributions(values)
        for at in np.argsort(-added if same else added, kind="stable")[:REASONS].tolist():
            if (added[at] > 0) == same and added[at]:
                name = self.linear.features[at]
                words = facts.get(name) if values[at] else None
                reasons.append(f"{words or f'{name} {values[at]:.3g}'} ({added[at]:+.2f})")
        return tuple(reasons)


def read_model(path: Path) -> PairModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    return PairModel(file.linear(KIND, FEATURES), file.card, file.version)


def write_model(path: Path, model: PairModel) -> None:
    """Write a model atomically. Numbers are rounded; the same model gives the same bytes."""
    model_file.write(path, KIND, model.card, {KIND: model.linear})


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The answer to the pair with this id."""

    id: str
    same: bool
    score: float
    """The probability of "same", 0..1."""
    reasons: tuple[str, ...]
    """The strongest first: a fact, or the name of a feature with its value, and what it adds to the log-odds."""

    def as_object(self) -> dict[str, Any]:
        """For JSON; `label` is 1 for "same"."""
        return {"id": self.id, "label": int(self.same), "score": self.score, "reasons": list(self.reasons)}


class Solver:
    """Answers pairs by their features and a logistic model. It keeps nothing from one pair to the next."""

    def __init__(self, features: PairFeatureMaker, model: PairModel | None = None) -> None:
        """`model`: None for the one that comes with the package; it needs a dictionary.

        Raises `ConfigurationError` if the model needs a feature that is not made, and `ResourceError` if the
        model of the package is damaged.
        """
        self._features = features
        self.model = model or read_model(EMBEDDED)
        missing = [name for name in self.model.linear.features if name not in features.features]
        if missing:
            off, default = Argument("dictionary", "off"), Argument("encoder", "default")
            remedy = ("leave out ", off) if missing[0] in SENSES else ("add ", default)
            raise ConfigurationError(f"the model was trained with the feature {missing[0]!r}; ", *remedy)

    def __call__(self, pairs: Iterable[ContextPair], report: Report = log) -> Iterator[PairAnswer]:
        """The answers. A pair with a term that is not at its span gets no answer and is reported."""
        for pair in pairs:
            if pair.fault is not None:
                report(f"pair {pair.id} has no answer: {pair.fault}; correct the span or the sentence")
                continue
            by_name, facts = self._features.of(pair)
            values = np.array([by_name[name] for name in self.model.linear.features])
            # Rounded first, so that the answer follows from the score as it is written.
            score = round(float(self.model.probabilities(values)), 4)
            same = score >= 0.5
            yield PairAnswer(pair.id, same, score, self.model.reasons(values, facts, same))


def usable(pairs: Sequence[ContextPair], report: Report = log) -> list[ContextPair]:
    """The pairs with an answer and with both terms at their spans. The others are reported."""
    answered = [pair for pair in pairs if pair.fault is None and pair.same is not None]
    if len(answered) < len(pairs):
        report(
            f"{len(pairs) - len(answered)} of {quantity(len(pairs), 'pair')} without an answer, or "
            "with a term that is not at its span"
        )
    return answered


def learn(
    pairs: Sequence[ContextPair],
    values: Floats,
    features: Sequence[str],
    seed: int = 0,
    card: dict[str, Any] | None = None,
    report: Report = log,
    sources: Sequence[str] = (),
    penalty: float = PENALTY,
) -> PairModel:
    """Train on all pairs. `values`, `features`: of `PairFeatureMaker`. `sources`: where each pair is from.

    The card gets the accuracy in cross-validation and, with several sources, where each is predicted from the others.
    Raises `ConfigurationError` if there are not both answers, or fewer than `FOLDS` independent groups of pairs.
    """
    same = np.array([bool(pair.same) for pair in pairs])
    if not 0 < same.sum() < len(same):
        raise ConfigurationError("the pairs need both answers, same and different; add pairs of the other answer")
    cluster = clusters(pairs, by_concept=True).tolist()
    if len(set(cluster)) < FOLDS:
        raise ConfigurationError(
            f"the pairs are in fewer than {FOLDS} groups without common sentences, terms or concepts; "
            "give more pairs to train on"
        )
    right = (cross_validate(values, same, features, cluster, seed, penalty) > 0.5) == same
    accuracy = float(right.mean())
    report(f"accuracy {accuracy:.4f} in {FOLDS}-fold cross-validation by common sentence, term or concept")
    facts = {**(card or {}), "pairs": len(pairs), "cross-validated accuracy": round(accuracy, 4)}
    if len(set(sources)) > 1:
        facts["accuracy by source"] = by_source(values, same, features, sources, penalty)
        shares = ", ".join(f"{name} {share:.4f}" for name, share in facts["accuracy by source"].items())
        report(f"accuracy where each source is predicted from the others: {shares}")
    return PairModel(fit_linear(values, same, features, penalty), facts)


def cross_validate(
    values: Floats,
    same: Flags,
    features: Sequence[str],
    groups: Sequence[Hashable],
    seed: int = 0,
    penalty: float = PENALTY,
) -> Floats:
    """The probability of "same" for each pair, by a model that was trained without its group of pairs."""
    return _held_out(values, same, features, folds(groups, FOLDS, seed), penalty)


def by_source(
    values: Floats, same: Flags, features: Sequence[str], sources: Sequence[str], penalty: float = PENALTY
) -> dict[str, float]:
    """The accuracy for the pairs of each source, by a model that was trained on the other sources."""
    parts = dict(zip(dict.fromkeys(sources), parts_of(sources), strict=True))
    right = (_held_out(values, same, features, parts.values(), penalty) > 0.5) == same
    return {name: round(float(right[of_source].mean()), 4) for name, of_source in parts.items()}


def _held_out(values: Floats, same: Flags, features: Sequence[str], parts: Iterable[Flags], penalty: float) -> Floats:
    """The probability of "same" for each pair, by a model that was trained without its part.

    It is the share of all pairs where the other parts have only one answer.
    """
    probabilities = np.full(len(same), float(same.mean()))
    for held in parts:
        rest = ~held
        if same[rest].any() and not same[rest].all():
            model = PairModel(fit_linear(values[rest], same[rest], features, penalty))
            probabilities[held] = model.probabilities(values[held])
    return probabilities


# -- scores of answers --------------------------------------------------------------------------

# Accuracy by group, as Rouhizadeh et al. 2024 (Scientific Data 11:455) score. Pairs that share a sentence or a term are
# not independent, so the bootstrap draws groups of such pairs (`clusters`).

ALL = "all"
"""The name of the row of all pairs."""

Answers = Mapping[str, bool]
"""The answers of a run by the ids of pairs. A pair without an answer counts as wrong."""
Bools = NDArray[np.bool_]


def read_answers(source: str) -> dict[str, bool]:
    """The answers of a file: JSON lines or a JSON list with `id` and `label` (0 or 1), such as those of the solver.

    A row without id gets its number, from 1. Raises `InputError` for a row without label, and for two answers to one
    pair.
    """
    answers: dict[str, bool] = {}
    for number, (row, place) in enumerate(read_rows(source), 1):
        if not isinstance(row, dict) or row.get("label") not in (0, 1, "0", "1"):
            raise InputError(f"{place}: an object with a label of 0 or 1 is expected; correct the row")
        id = str(row.get("id", number))
        if id in answers:
            raise InputError(f"{place}: a second answer to pair {id}; leave one of the answers out")
        answers[id] = row["label"] in (1, "1")
    return answers


def score(
    gold: Sequence[ContextPair],
    runs: Mapping[str, Answers],
    samples: int = bootstrap.SAMPLES,
    seed: int = bootstrap.SEED,
    report: Report = log,
) -> list[dict[str, Any]]:
    """The scores as JSON objects: one for each run, by group and for all pairs, then a paired test of each two runs.

    `samples` 0: no bootstrap. Raises `ConfigurationError` if a gold pair has no answer or there are no gold pairs, and
    if no pair of a run is in the gold standard.
    """
    if not gold:
        raise ConfigurationError("the gold standard has no pairs; give a file of pairs")
    unanswered = next((pair for pair in gold if pair.same is None), None)
    if unanswered is not None:
        raise ConfigurationError(f"pair {unanswered.id} of the gold standard has no label; give pairs with answers")
    cluster = clusters(gold)
    right: dict[str, Bools] = {}
    objects: list[dict[str, Any]] = []
    for name, answers in runs.items():
        _report_unmatched(gold, name, answers, report)
        right[name] = np.array([answers.get(pair.id) == pair.same for pair in gold], dtype=bool)
        objects.append({"run": name, "groups": _by_group(gold, answers, right[name], cluster, samples, seed)})
    for first, second in combinations(runs, 2):
        better, worse = int((right[first] & ~right[second]).sum()), int((right[second] & ~right[first]).sum())
        row = {
            "first": first,
            "second": second,
            "better": better,
            "worse": worse,
            "p": round(mcnemar(better, worse), 6),
        }
        if samples:
            drawn = _accuracies(np.stack([right[first], right[second]]), cluster, samples, seed)
            row["wins"] = round(float((drawn[:, 0] > drawn[:, 1]).mean()), 4)
        objects.append(row)
    return objects


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of McNemar's exact test: that of so uneven a division of the pairs on which the runs differ."""
    number, low = better + worse, min(better, worse)
    if not number:
        return 1.0
    tail = sum(math.comb(number, k) for k in range(low + 1))
    both_tails: float = 2 * tail / 2**number
    return min(1.0, both_tails)


def as_text(objects: Iterable[Mapping[str, Any]]) -> list[str]:
    """A table of all runs and groups, and a line for each paired test."""
    lines = ["run\tgroup\tpairs\taccuracy\t95% interval\tno answer"]
    for row in objects:
        for group, figures in row.get("groups", {}).items():
            limits = "-".join(f"{limit:.4f}" for limit in figures.get("interval", ()))
            lines.append(
                f"{row['run']}\t{group}\t{figures['pairs']}\t{figures['accuracy']:.4f}\t{limits}\t{figures['missing']}"
            )
        if "p" in row:
            wins = f"; {row['first']} is higher in {row['wins']:.1%} of the samples" if "wins" in row else ""
            lines.append(
                f"{row['first']} against {row['second']}: only the first is right in "
                f"{quantity(row['better'], 'pair')}, only the second in {row['worse']}; "
                f"McNemar's exact p = {row['p']:.4f}{wins}"
            )
    return lines


def _report_unmatched(gold: Sequence[ContextPair], name: str, answers: Answers, report: Report) -> None:
    ids = {pair.id for pair in gold}
    unknown = [id for id in answers if id not in ids]
    if unknown and len(unknown) == len(answers):
        raise ConfigurationError(
            f"the gold standard and the run {name} have no pair id in common; give answers to these pairs"
        )
    if unknown:
        to_pairs = quantity(len(unknown), "answer is to a pair", "answers are to pairs")
        report(f"{name}: {to_pairs} that the gold standard lacks, such as {unknown[0]}")
    missing = [pair.id for pair in gold if pair.id not in answers]
    if missing:
        report(f"{name}: {quantity(len(missing), 'pair')} without an answer, counted as wrong, such as {missing[0]}")


def _by_group(
    gold: Sequence[ContextPair], answers: Answers, right: Bools, cluster: NDArray[np.int64], samples: int, seed: int
) -> dict[str, dict[str, Any]]:
    """The figures of each group. `missing`: pairs without an answer."""
    given = np.array([pair.id in answers for pair in gold])
    group = np.array([pair.group for pair in gold])
    rows: dict[str, dict[str, Any]] = {}
    for name in (ALL, *GROUPS, *sorted(set(group.tolist()) - set(GROUPS))):
        chosen = np.ones(len(gold), dtype=bool) if name == ALL else group == name
        if not chosen.any():
            continue
        accuracy = int(right[chosen].sum()) / int(chosen.sum())
        missing = int((~given[chosen]).sum())
        rows[name] = {"pairs": int(chosen.sum()), "accuracy": round(accuracy, 4), "missing": missing}
        if samples:
            limits = bootstrap.interval(_accuracies(right[None, chosen], cluster[chosen], samples, seed)[:, 0])
            rows[name]["interval"] = [round(limits.low, 4), round(limits.high, 4)]
    return rows


def _accuracies(right: Bools, cluster: NDArray[np.int64], samples: int, seed: int) -> NDArray[np.float64]:
    """The accuracy of each run (rows of `right`) in each sample of groups of pairs: (samples x runs)."""
    _, renumbered = np.unique(cluster, return_inverse=True)
    number = int(renumbered.max(initial=-1)) + 1
    sizes = np.bincount(renumbered, minlength=number)
    counts = np.stack([np.bincount(renumbered, weights=row, minlength=number) for row in right], axis=1)
    times = bootstrap.draw_documents(number, samples, seed)
    accuracies: NDArray[np.float64] = (times @ counts) / np.maximum(times @ sizes, 1)[:, None]
    return accuracies
