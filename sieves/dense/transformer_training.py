"""Trains a local transformer as an encoder of names by self-alignment (`sieves.dense.pairs`), as SapBERT."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError
from corpora.storage.atomic import replacing_folder, write_bytes
from sieves.dense.encoders import CARD, PIECES, TransformerEncoder, encoder_version, open_transformer
from sieves.dense.pairs import METHOD, Group, Held, Loss, batches, multi_similarity, recall, split, synonyms
from sieves.lexicon.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class TransformerSettings:
    """As `sieves.dense.training.DenseSettings`. `rate` and `decay` of AdamW are those of Liu et al. 2021.

    `candidates`: the most concepts whose names are compared with held-out names, because encoding all of MeSH with a
    transformer is slow. `bfloat16`: products of the model are in bfloat16; loss and weights are float32.
    """

    concepts: int = 64
    rate: float = 2e-5
    decay: float = 0.01
    minutes: float = 60.0
    steps: int | None = None
    held_out: float = 0.05
    seed: int = 0
    check_every: int = 50
    device: str = "cpu"
    candidates: int = 5_000
    bfloat16: bool = False


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
        loss = multi_similarity(unit, torch.tensor(labels, device=unit.device), Loss(margin=0.2))
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
