"""Trains vectors of character n-grams, as in the embedded encoder, by self-alignment (`sieves.dense.pairs`)."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError
from corpora.storage import owned_files
from corpora.storage.atomic import sha256_of, write_bytes
from sieves.dense.encoders import BagEncoder
from sieves.dense.ngrams import bags
from sieves.dense.pairs import METHOD, Loss, batches, multi_similarity, recall, split, synonyms
from sieves.lexicon.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class DenseSettings:
    """Settings of the training. It ends after `minutes` of wall-clock time or `steps` batches (None: no limit).

    `concepts`: the number in a batch. `held_out`: the share of the concepts with at least three names that give one
    name for validation. `alpha`, `beta`, `base` and `margin` of the loss are those of the papers.
    """

    buckets: int = 32_768
    width: int = 128
    concepts: int = 256
    rate: float = 0.005
    alpha: float = 2.0
    beta: float = 50.0
    base: float = 0.5
    margin: float = 0.1
    minutes: float = 5.0
    steps: int | None = None
    held_out: float = 0.05
    seed: int = 0
    check_every: int = 200


def train(
    lexicon: Lexicon,
    out: Path,
    settings: DenseSettings | None = None,
    report: Callable[[str], None] = print,
    names: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train on the names of a lexicon and of files (`sieves.dense.pairs.synonyms`).

    Writes weights (`out`, safetensors) and a card (`out` with .json), and returns the card: the sources, the settings
    and the recall of held-out names. While training runs, a checkpoint is stored beside `out`; a training that was
    killed continues from it. Raises `ConfigurationError` for wrong settings, a checkpoint of other settings, or a file
    of others in place of the card, `ResourceError` if there are no synonyms.
    """
    import torch
    from safetensors.torch import save

    settings = settings or DenseSettings()
    owned_files.check(out.with_suffix(".json"), None)
    loss_of = Loss(settings.alpha, settings.beta, settings.base, settings.margin)
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
        if (settings.steps is not None and steps >= settings.steps) or _over(begun, settings.minutes, steps):
            break
        grams, starts = bags(batch, settings.buckets)
        rows = torch.nn.functional.normalize(table(torch.from_numpy(grams), torch.from_numpy(starts)), dim=1)
        loss = multi_similarity(rows, torch.tensor(labels), loss_of)
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
    content = _stored(weights)
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


def _over(begun: float, minutes: float, steps: int) -> bool:
    """Whether the time is over. One step is always done, because untrained weights are not a model."""
    return steps > 0 and time.monotonic() - begun > minutes * 60


def _stored(weights: Any) -> bytes:
    from safetensors.torch import save

    return bytes(save({"ngrams": weights.contiguous()}))


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
