"""Trains the embedded encoder: self-alignment of the names of one concept (Liu et al. 2021, NAACL, "Self-Alignment
Pretraining for Biomedical Entity Representations").

Names of one concept are positives, the hardest names of other concepts in the batch negatives, by the
multi-similarity loss with its mining of hard pairs (Wang et al. 2019, CVPR). One concept in twenty gives one of its
names for validation: how often its other names are nearest to it.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpora.atomic import write_bytes
from sieves.dense_encoders import BagEncoder
from sieves.dense_ngrams import bags, spelled
from sieves.keys import relaxed
from sieves.lexicon import Lexicon

__all__ = ["Settings", "train"]


@dataclass(frozen=True, slots=True)
class Settings:
    """`minutes`: of wall clock, at most. Loss: alpha, beta, base and margin as in the papers."""

    buckets: int = 32_768
    width: int = 128
    concepts: int = 256
    rate: float = 0.005
    alpha: float = 2.0
    beta: float = 50.0
    base: float = 0.5
    margin: float = 0.1
    minutes: float = 5.0
    seed: int = 0
    check_every: int = 200


def train(lexicon: Lexicon, out: Path, settings: Settings | None = None, say: Callable[[str], None] = print) -> None:
    """Train on the names of a lexicon; writes weights (`out`, safetensors) and a card (`out` with .json).

    A checkpoint lies beside `out` while training runs; started again, it goes on from there.
    """
    import torch
    from safetensors.torch import load_file, save_file

    settings = settings or Settings()
    torch.manual_seed(settings.seed)
    training, held = _split(_groups(lexicon), settings.seed)
    say(f"{len(training):,} concepts with several names, {len(held):,} names held out")
    table = torch.nn.EmbeddingBag(settings.buckets, settings.width, mode="mean", sparse=True)
    torch.nn.init.normal_(table.weight, std=0.1)
    checkpoint = out.with_suffix(".checkpoint")
    if checkpoint.exists():
        table.load_state_dict(load_file(checkpoint))
    optimiser = torch.optim.Adagrad(table.parameters(), lr=settings.rate * 10)
    begun, steps, losses = time.monotonic(), 0, 0.0
    for batch, labels in _batches(training, settings):
        grams, starts = bags(batch, settings.buckets)
        rows = torch.nn.functional.normalize(table(torch.from_numpy(grams), torch.from_numpy(starts)), dim=1)
        loss = _multi_similarity(rows, torch.tensor(labels), settings)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        steps, losses = steps + 1, losses + float(loss.detach())
        if steps % settings.check_every == 0:
            say(f"step {steps}, {time.monotonic() - begun:.0f} s, loss {losses / settings.check_every:.4f}")
            losses = 0.0
            save_file(table.state_dict(), checkpoint)
        if time.monotonic() - begun > settings.minutes * 60:
            break
    weights = table.weight.detach().to(torch.float16)
    temporary = out.with_suffix(".new")
    save_file({"ngrams": weights.contiguous()}, temporary)
    content = temporary.read_bytes()
    write_bytes(out, content)
    temporary.unlink()
    checkpoint.unlink(missing_ok=True)
    recall = _recall(BagEncoder(weights.float().numpy(), ""), training, held)
    card = {
        "what": "character n-grams (2 to 5) hashed into buckets, their vectors averaged; cosine",
        "trained_on": {"lexicon": lexicon.version, **{k: lexicon.meta.get(k, "") for k in ("source", "year")}},
        "method": "self-alignment of synonyms, multi-similarity loss with online mining (Liu et al. 2021)",
        "settings": asdict(settings), "steps": steps, "sha256": hashlib.sha256(content).hexdigest(),
        "held_out_names": len(held), **recall,
    }  # fmt: skip
    write_bytes(out.with_suffix(".json"), (json.dumps(card, indent=1, sort_keys=True) + "\n").encode())
    say(json.dumps(recall))


Group = tuple[str, ...]


def _groups(lexicon: Lexicon) -> list[Group]:
    """The names of each chemical that has several, those that differ by more than case and punctuation."""
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for name, identifier in lexicon.names(distance=0):
        if "," not in identifier and 2 < len(name) < 120:
            names[identifier].setdefault(relaxed(name), name)
    return [tuple(found.values()) for _, found in sorted(names.items()) if len(found) > 1]


def _split(groups: Sequence[Group], seed: int) -> tuple[list[Group], list[tuple[int, str]]]:
    """Groups for training, and (group, name) held out of one group in twenty that has three names at least."""
    chance = random.Random(seed)
    training: list[Group] = []
    held: list[tuple[int, str]] = []
    for group in groups:
        if len(group) > 2 and chance.random() < 0.05:
            out = chance.randrange(len(group))
            held.append((len(training), group[out]))
            group = group[:out] + group[out + 1 :]
        training.append(group)
    return training, held


def _batches(groups: Sequence[Group], settings: Settings) -> Iterator[tuple[list[str], list[int]]]:
    """Endless batches: two names of each of so many concepts that stand side by side in the alphabet, or anywhere."""
    chance = random.Random(settings.seed)
    # Neighbours in the alphabet are hard negatives.
    near = sorted(range(len(groups)), key=lambda at: spelled(groups[at][0]))
    while True:
        half = settings.concepts // 2
        start = chance.randrange(max(1, len(near) - half))
        taken = {*near[start : start + half], *(chance.randrange(len(groups)) for _ in range(half))}
        names: list[str] = []
        labels: list[int] = []
        for at in sorted(taken):
            pair = chance.sample(groups[at], 2)
            names += pair
            labels += [at, at]
        yield names, labels


def _multi_similarity(rows: Any, labels: Any, settings: Settings) -> Any:
    """The loss of a batch of unit rows; pairs that are easy beyond the margin do not count."""
    import torch

    alike = rows @ rows.T
    same = labels[:, None] == labels[None, :]
    other = ~same
    same = same & ~torch.eye(len(labels), dtype=torch.bool)
    hardest_other = alike.masked_fill(~other, -2).max(dim=1, keepdim=True).values
    hardest_same = alike.masked_fill(~same, 2).min(dim=1, keepdim=True).values
    counted_same = same & (alike - settings.margin < hardest_other)
    counted_other = other & (alike + settings.margin > hardest_same)
    pull = torch.exp(-settings.alpha * (alike - settings.base)) * counted_same
    push = torch.exp(settings.beta * (alike - settings.base)) * counted_other
    return (torch.log1p(pull.sum(1)) / settings.alpha + torch.log1p(push.sum(1)) / settings.beta).mean()


def _recall(encoder: BagEncoder, groups: Sequence[Group], held: Sequence[tuple[int, str]]) -> dict[str, float]:
    """The share of held-out names whose concept is among the nearest 1 and 5 of all training names."""
    names = [name for group in groups for name in group]
    owner = np.array([at for at, group in enumerate(groups) for _ in group])
    keys = np.concatenate([encoder.encode(names[at : at + 4096]) for at in range(0, len(names), 4096)])
    hits = {1: 0, 5: 0}
    for start in range(0, len(held), 256):
        part = held[start : start + 256]
        scores = encoder.encode([name for _, name in part]) @ keys.T
        nearest = np.argpartition(-scores, 40, axis=1)[:, :40]
        for row, (wanted, _) in enumerate(part):
            order = nearest[row][np.argsort(-scores[row, nearest[row]], kind="stable")]
            ranked = list(dict.fromkeys(owner[order].tolist()))
            for size in hits:
                hits[size] += wanted in ranked[:size]
    return {f"recall_at_{size}": round(found / max(1, len(held)), 4) for size, found in hits.items()}
