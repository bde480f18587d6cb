"""Training of encoders: groups of synonyms, batches, loss and recall.

The method is self-alignment (Liu et al. 2021, NAACL, "Self-Alignment Pretraining for Biomedical Entity
Representations"): names of one concept are positives, the hardest names of other concepts in the batch negatives, by
the multi-similarity loss with its mining of hard pairs (Wang et al. 2019, CVPR).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpora.errors import Argument, OptionError, ResourceError
from sieves.dense.encoders import Encoder
from sieves.dense.ngrams import spelled
from sieves.lexicon.further_names import read_names
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

METHOD = "self-alignment of synonyms, multi-similarity loss with online mining (Liu et al. 2021)"
LONGEST = 120
"""Characters; longer names are left out of training."""
NEAREST = 40
"""Nearest names among which the nearest five concepts are searched."""
PART = 4096

Group = tuple[str, ...]
"""The names of one concept."""
Held = tuple[int, str]
"""The number of a group, and a name of its concept that was taken out of it."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Alpha, beta and base of the multi-similarity loss, and the margin of its mining, as in the papers."""

    alpha: float = 2.0
    beta: float = 50.0
    base: float = 0.5
    margin: float = 0.1


def synonyms(lexicon: Lexicon, files: Sequence[Path] = ()) -> list[Group]:
    """The names of each chemical with several names that differ by more than case and punctuation.

    `files`: further names (`sieves.lexicon.further_names.read_names`), which are added to those of the same MeSH id.
    Raises `ResourceError` if a file cannot be read, or if no concept has two names.
    """
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for name, identifier in lexicon.names(distance=0):
        if "," not in identifier and 2 < len(name) < LONGEST:
            names[identifier].setdefault(relaxed(name), name)
    for path in files:
        for group in read_names(path):
            known = names[group.identifiers[0]]
            for name in group.names:
                if 2 < len(name) < LONGEST:
                    known.setdefault(relaxed(name), name)
    groups = [tuple(known.values()) for _, known in sorted(names.items()) if len(known) > 1]
    if not groups:
        raise ResourceError(
            "no concept has two names to train on; give a lexicon with synonyms, or files with ", Argument("names")
        )
    return groups


def split(groups: Sequence[Group], seed: int, share: float = 0.05) -> tuple[list[Group], list[Held]]:
    """Groups for training, and held-out names: one name of a share of the groups with at least three names.

    Raises `ConfigurationError` for a share outside 0..1.
    """
    if not 0 <= share < 1:
        raise OptionError("held_out", f"is {share:g}; give a number from 0 to 1")
    chance = random.Random(seed)
    training: list[Group] = []
    held: list[Held] = []
    for group in groups:
        if len(group) > 2 and chance.random() < share:
            out = chance.randrange(len(group))
            held.append((len(training), group[out]))
            group = group[:out] + group[out + 1 :]
        training.append(group)
    return training, held


def batches(groups: Sequence[Group], concepts: int, seed: int) -> Iterator[tuple[list[str], list[int]]]:
    """Endless batches: two names of each concept; half of the concepts are neighbours in the alphabet, half random."""
    chance = random.Random(seed)
    # Neighbours in the alphabet are hard negatives.
    near = sorted(range(len(groups)), key=lambda at: spelled(groups[at][0]))
    while True:
        half = max(1, concepts // 2)
        start = chance.randrange(max(1, len(near) - half))
        taken = {*near[start : start + half], *(chance.randrange(len(groups)) for _ in range(half))}
        names: list[str] = []
        labels: list[int] = []
        for at in sorted(taken):
            names += chance.sample(groups[at], 2)
            labels += [at, at]
        yield names, labels


def multi_similarity(rows: Any, labels: Any, loss: Loss) -> Any:
    """The loss (a torch scalar) of a batch of unit rows. Pairs that are easier than the margin do not count."""
    import torch

    alike = rows @ rows.T
    same = labels[:, None] == labels[None, :]
    other = ~same
    same = same & ~torch.eye(len(labels), dtype=torch.bool, device=same.device)
    hardest_other = alike.masked_fill(~other, -2).max(dim=1, keepdim=True).values
    hardest_same = alike.masked_fill(~same, 2).min(dim=1, keepdim=True).values
    counted_same = same & (alike - loss.margin < hardest_other)
    counted_other = other & (alike + loss.margin > hardest_same)
    pull = torch.exp(-loss.alpha * (alike - loss.base)) * counted_same
    push = torch.exp(loss.beta * (alike - loss.base)) * counted_other
    return (torch.log1p(pull.sum(1)) / loss.alpha + torch.log1p(push.sum(1)) / loss.beta).mean()


def recall(encoder: Encoder, groups: Sequence[Group], held: Sequence[Held]) -> dict[str, float]:
    """The share of held-out names whose concept is among the nearest 1 and 5 concepts of all groups."""
    names = [name for group in groups for name in group]
    owner = np.array([at for at, group in enumerate(groups) for _ in group])
    keys = np.concatenate([encoder.encode(names[at : at + PART]) for at in range(0, len(names), PART)])
    most = min(NEAREST, len(names) - 1)
    hits = {1: 0, 5: 0}
    for start in range(0, len(held), 256):
        part = held[start : start + 256]
        scores = encoder.encode([name for _, name in part]) @ keys.T
        nearest = np.argpartition(-scores, most, axis=1)[:, : most + 1]
        for row, (wanted, _) in enumerate(part):
            order = nearest[row][np.argsort(-scores[row, nearest[row]], kind="stable")]
            ranked = list(dict.fromkeys(owner[order].tolist()))
            for size in hits:
                hits[size] += wanted in ranked[:size]
    return {f"recall_at_{size}": round(number / max(1, len(held)), 4) for size, number in hits.items()}
