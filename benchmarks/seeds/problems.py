"""Acronyms in sentences with their candidates: the corpora that `graph_network` is measured on."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpora.datasets.registry import open_corpus
from corpora.datasets.samples import AcronymSample
from nlmchem.abbreviations.inventory import Inventory, InventorySense
from nlmchem.companions.senses.evaluation import SenseScores, score_senses
from nlmchem.companions.senses.resolver import Resolver
from nlmchem.companions.senses.sentences import candidates_of, decide

Floats = NDArray[np.float64]

CORPORA = {
    "sciad": ("sciad", "dev"),
    "uad": ("gladis", None),
    "gladis": ("gladis", "dev"),
}
"""The folder under acronyms/ and the part of each corpus."""
HEADER = ("corpus", "method", "accuracy", "interval", "SDU F", "interval", "GLADIS F", "interval", "overshadowed")


@dataclass(frozen=True, slots=True)
class Problem:
    """The samples of a corpus. `inventory`: the dictionary of the candidates; None for that of the corpus."""

    name: str
    samples: tuple[AcronymSample, ...]
    inventory: Inventory | None

    @property
    def candidates(self) -> list[tuple[InventorySense, ...]]:
        """The candidates of each sample."""
        return [candidates_of(sample, self.inventory) for sample in self.samples]

    def score(self, chosen: Sequence[int], draws: int) -> SenseScores:
        """The scores of the chosen candidates, one number for each sample. `draws`: bootstrap samples."""
        by_id = {id(sample): number for sample, number in zip(self.samples, chosen, strict=True)}
        return score_senses(decide(self.samples, self.inventory, lambda sample, _: (by_id[id(sample)], None)), draws)


def load(data: Path, names: Iterable[str], resolver: Resolver, most: int | None = None) -> list[Problem]:
    """The corpora. The candidates of GLADIS are those of the embedded dictionary, the others have their own.

    `most`: take a random sample of this size of each corpus.
    """
    found = []
    for name in names:
        folder, split = CORPORA[name]
        items = open_corpus(name.partition("-")[0], data / "acronyms" / folder).read(split)
        samples = [one for one in items if isinstance(one, AcronymSample) and one.long_form]
        if most is not None and most < len(samples):
            samples = random.Random(0).sample(samples, most)
        found.append(Problem(name, tuple(samples), resolver.inventory if name.startswith("gladis") else None))
    return found


def best(scores: Sequence[Floats | None]) -> list[int]:
    """The position of the highest score of each sample; of equal ones the first."""
    return [0 if own is None or not len(own) else int(np.argmax(np.round(own, 9))) for own in scores]


def row(corpus: str, method: str, scores: SenseScores) -> str:
    """A line of the table."""
    pairs = (
        (scores.accuracy, scores.accuracy_interval),
        (scores.sdu_f1, scores.sdu_interval),
        (scores.gladis_f1, scores.gladis_interval),
    )
    figures = [text for value, (low, high) in pairs for text in (f"{value:.3f}", f"{low:.3f}-{high:.3f}")]
    return "\t".join((corpus, method, *figures, f"{scores.overshadowed_accuracy:.3f}"))
