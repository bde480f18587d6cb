"""Training of encoders by self-alignment: vectors of character n-grams, as in the embedded encoder, and transformers.

The method is that of SapBERT (Liu et al. 2021, NAACL, "Self-Alignment Pretraining for Biomedical Entity
Representations"): names of one concept are positives, the hardest names of other concepts in the batch negatives, by
the multi-similarity loss with its mining of hard pairs (Wang et al. 2019, CVPR).
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from corpora.errors import Argument, ConfigurationError, OptionError, ResourceError
from corpora.storage import owned_files
from corpora.storage.atomic import replacing_folder, sha256_of, write_bytes
from sieves.dense.encoders import (
    CARD,
    PIECES,
    BagEncoder,
    Encoder,
    TransformerEncoder,
    bags,
    encoder_version,
    open_transformer,
    spelled,
)
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
class DenseSettings:
    """Settings of the training of n-grams."""

    buckets: int = 32_768
    width: int = 128
    concepts: int = 256
    """The number in a batch."""
    rate: float = 0.005
    alpha: float = 2.0
    beta: float = 50.0
    base: float = 0.5
    margin: float = 0.1
    """Of the loss, as `multi_similarity`."""
    minutes: float = 5.0
    """Wall-clock time."""
    steps: int | None = None
    """Batches; None: no limit."""
    held_out: float = 0.05
    """The share of the concepts with at least three names that give one name for validation."""
    seed: int = 0
    check_every: int = 200


@dataclass(frozen=True, slots=True)
class TransformerSettings:
    """Settings of the training of a transformer; as `DenseSettings`."""

    concepts: int = 64
    rate: float = 2e-5
    decay: float = 0.01
    """`rate` and `decay` of AdamW are those of Liu et al. 2021."""
    minutes: float = 60.0
    steps: int | None = None
    held_out: float = 0.05
    seed: int = 0
    check_every: int = 50
    device: str = "cpu"
    candidates: int = 5_000
    """The most concepts whose names are compared with held-out names: a transformer encodes all of MeSH slowly."""
    bfloat16: bool = False
    """Products of the model are in bfloat16; loss and weights are float32."""


# -- names, batches, loss and recall ------------------------------------------------------------


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
        for identifiers, of_group in read_names(path):
            known = names[identifiers[0]]
            for name in of_group:
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


def multi_similarity(
    rows: Any, labels: Any, margin: float, alpha: float = 2.0, beta: float = 50.0, base: float = 0.5
) -> Any:
    """The loss (a torch scalar) of a batch of unit rows. Pairs that are easier than the margin do not count.

    `alpha`, `beta` and `base` of the loss, and the margin of its mining, are those of the papers.
    """
    import torch

    alike = rows @ rows.T
    same = labels[:, None] == labels[None, :]
    other = ~same
    same = same & ~torch.eye(len(labels), dtype=torch.bool, device=same.device)
    hardest_other = alike.masked_fill(~other, -2).max(dim=1, keepdim=True).values
    hardest_same = alike.masked_fill(~same, 2).min(dim=1, keepdim=True).values
    counted_same = same & (alike - margin < hardest_other)
    counted_other = other & (alike + margin > hardest_same)
    pull = torch.exp(-alpha * (alike - base)) * counted_same
    push = torch.exp(beta * (alike - base)) * counted_other
    return (torch.log1p(pull.sum(1)) / alpha + torch.log1p(push.sum(1)) / beta).mean()


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


# -- character n-grams --------------------------------------------------------------------------


def train(
    lexicon: Lexicon,
    out: Path,
    settings: DenseSettings | None = None,
    report: Callable[[str], None] = print,
    names: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train on the names of a lexicon and of files (`synonyms`).

    Writes weights (`out`, safetensors) and a card (`out` with .json), and returns the card: the sources, the settings
    and the recall of held-out names. While training runs, a checkpoint is stored beside `out`; a training that was
    killed continues from it. Raises `ConfigurationError` for wrong settings, a checkpoint of other settings, or a file
    of others in place of the card, `ResourceError` if there are no synonyms.
    """
    import torch
    from safetensors.torch import save

    settings = settings or DenseSettings()
    owned_files.check(out.with_suffix(".json"), None)
    torch.manual_seed(settings.seed)
    torch.sparse.check_sparse_tensor_invariants.disable()
    training, held = split(synonyms(lexicon, names), settings.seed, settings.held_out)
    report(f"{len(training):,} concepts with several names, {len(held):,} names held out")
    table = torch.nn.EmbeddingBag(settings.buckets, settings.width, mode="mean", sparse=True)
    torch.nn.init.normal_(table.weight, std=0.1)
    checkpoint = out.with_suffix(".checkpoint")
    steps = _resume(table, checkpoint, settings, report)
    optimiser = torch.optim.Adagrad(table.parameters(), lr=settings.rate * 10)
    begun, losses = time.monotonic(), 0.0
    out.parent.mkdir(parents=True, exist_ok=True)
    for batch, labels in batches(training, settings.concepts, settings.seed + steps):
        if settings.steps is not None and steps >= settings.steps:
            break
        # One step is always done, because untrained weights are not a model.
        if steps > 0 and time.monotonic() - begun > settings.minutes * 60:
            break
        grams, starts = bags(batch, settings.buckets)
        rows = torch.nn.functional.normalize(table(torch.from_numpy(grams), torch.from_numpy(starts)), dim=1)
        loss = multi_similarity(
            rows, torch.tensor(labels), settings.margin, settings.alpha, settings.beta, settings.base
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        steps, losses = steps + 1, losses + float(loss.detach())
        if steps % settings.check_every == 0:
            report(f"step {steps}, {time.monotonic() - begun:.0f} s, loss {losses / settings.check_every:.4f}")
            losses = 0.0
            metadata = {"steps": str(steps), "settings": _kind(settings)}
            write_bytes(checkpoint, save(table.state_dict(), metadata))
    weights = table.weight.detach().to(torch.float16)
    content = bytes(save({"ngrams": weights.contiguous()}))
    card = {
        "what": "character n-grams (2 to 5) hashed into buckets, their vectors averaged; cosine",
        "trained_on": {
            "lexicon": lexicon.version, **{key: lexicon.meta.get(key, "") for key in ("source", "year")},
            "names": {path.name: sha256_of(path) for path in names},
        },
        "method": METHOD, "settings": asdict(settings), "steps": steps,
        "sha256": hashlib.sha256(content).hexdigest(), "held_out_names": len(held),
        **recall(BagEncoder(weights.float().numpy(), ""), training, held),
    }  # fmt: skip
    owned_files.write_bytes(out, content)
    owned_files.write_bytes(out.with_suffix(".json"), (json.dumps(card, indent=1, sort_keys=True) + "\n").encode())
    checkpoint.unlink(missing_ok=True)
    return card


def _kind(settings: DenseSettings) -> str:
    """The settings that must be equal to continue from a checkpoint."""
    return json.dumps(asdict(replace(settings, minutes=0.0, steps=None, check_every=0)), sort_keys=True)


def _resume(table: Any, checkpoint: Path, settings: DenseSettings, report: Callable[[str], None]) -> int:
    """Load the weights of a checkpoint and return its number of steps; 0 if there is none."""
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import load_file

    if not checkpoint.exists():
        return 0
    try:
        with safe_open(checkpoint, framework="pt") as stored:
            metadata = stored.metadata() or {}
        if metadata.get("settings") == _kind(settings):
            table.load_state_dict(load_file(checkpoint))
            report(f"continuing from step {metadata['steps']} of {checkpoint}")
            return int(metadata["steps"])
    except (OSError, SafetensorError) as error:
        raise broken_checkpoint(checkpoint, error) from error
    raise ConfigurationError(
        f"the checkpoint {checkpoint} belongs to a training with other options; remove it, or choose another ",
        Argument("out"),
    )


def broken_checkpoint(checkpoint: Path, error: Exception) -> ConfigurationError:
    """What is raised for a checkpoint that cannot be read."""
    reason = str(error).partition("\n")[0]
    return ConfigurationError(
        f"the checkpoint {checkpoint} is broken ({reason}); remove it and start the training anew"
    )


# -- transformers -------------------------------------------------------------------------------


def train_transformer(
    lexicon: Lexicon,
    base: Path,
    out: Path,
    settings: TransformerSettings | None = None,
    report: Callable[[str], None] = print,
    names: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train the model in the folder `base` on the names of a lexicon and of files. `base` is not changed.

    Writes the folder `out`, or nothing: weights (safetensors), configuration, tokenizer, and `card.json`, which is
    returned. The training ends after the steps or the minutes; there are no checkpoints. Raises `ConfigurationError` if
    `out` is not an empty or a new folder, `ResourceError` if there is no model.
    """
    import torch

    settings = settings or TransformerSettings()
    if out.is_file():
        raise ConfigurationError(f"{out} is a file; choose another ", Argument("out"))
    if out.exists() and any(out.iterdir()):
        raise ConfigurationError(f"the folder {out} is not empty; choose another ", Argument("out"))
    version = encoder_version(str(base))
    # Before the model is opened: layers that the base lacks (a pooler) get random weights.
    torch.manual_seed(settings.seed)
    tokenizer, model = open_transformer(base, settings.device)
    training, held = split(synonyms(lexicon, names), settings.seed, settings.held_out)
    report(f"{len(training):,} concepts with several names, {len(held):,} names held out")
    steps = _align(tokenizer, model, training, settings, report)
    groups, wanted = sample_concepts(training, held, settings)
    with replacing_folder(out) as part:
        model.save_pretrained(part, safe_serialization=True)
        tokenizer.save_pretrained(part)
        card = {
            "what": "a transformer's first vector of a name; cosine",
            "base": version, "method": METHOD, "settings": asdict(settings), "steps": steps,
            "trained_on": {"lexicon": lexicon.version, "names": [path.name for path in names]},
            "version": encoder_version(str(part)), "held_out_names": len(wanted), "candidate_concepts": len(groups),
            **recall(TransformerEncoder(part, device=settings.device), groups, wanted),
        }  # fmt: skip
        write_bytes(part / CARD, (json.dumps(card, indent=1, sort_keys=True) + "\n").encode())
    return card


def _align(
    tokenizer: Any, model: Any, groups: Sequence[Group], settings: TransformerSettings, report: Callable[[str], None]
) -> int:
    """Train in place; returns the number of steps."""
    import torch

    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=settings.decay)
    model.train()
    begun, steps, losses = time.monotonic(), 0, 0.0
    for names, labels in batches(groups, settings.concepts, settings.seed):
        if steps == settings.steps or (steps and time.monotonic() - begun > settings.minutes * 60):
            break
        pieces = tokenizer(names, padding=True, truncation=True, max_length=PIECES, return_tensors="pt")
        with torch.autocast(torch.device(settings.device).type, torch.bfloat16, enabled=settings.bfloat16):
            rows = model(**pieces.to(settings.device)).last_hidden_state[:, 0]
        unit = torch.nn.functional.normalize(rows.float(), dim=1)
        loss = multi_similarity(unit, torch.tensor(labels, device=unit.device), margin=0.2)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        steps, losses = steps + 1, losses + float(loss.detach())
        if steps % settings.check_every == 0:
            report(f"step {steps}, {time.monotonic() - begun:.0f} s, loss {losses / settings.check_every:.4f}")
            losses = 0.0
    model.eval()
    return steps


def sample_concepts(
    groups: Sequence[Group], held: Sequence[Held], settings: TransformerSettings
) -> tuple[list[Group], list[Held]]:
    """Concepts for the comparison: those of held-out names, and random others, up to `candidates`."""
    if len(groups) <= settings.candidates:
        return list(groups), list(held)
    chance = random.Random(settings.seed)
    wanted = sorted(chance.sample(range(len(held)), min(len(held), settings.candidates // 5)))
    taken = {held[at][0] for at in wanted}
    others = chance.sample([at for at in range(len(groups)) if at not in taken], settings.candidates - len(taken))
    order = {at: number for number, at in enumerate(sorted({*taken, *others}))}
    return [groups[at] for at in order], [(order[held[at][0]], held[at][1]) for at in wanted]
