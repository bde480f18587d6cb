"""A small sentence encoder (all-MiniLM-L6-v2) for comparison rows, and its tuning with a triplet loss."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MARGIN = 0.2
BATCH, TRAINING_BATCH, LONGEST = 64, 16, 96
RATE = 5e-5
FROZEN = 4
"""The lower layers that keep their weights."""


class Encoder:
    """Texts as vectors of unit length: the mean of the vectors of their word pieces."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.model = AutoModel.from_pretrained(folder, local_files_only=True)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Vectors (texts, width)."""
        import torch

        self.model.eval()
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        found: list[Any] = [None] * len(texts)
        with torch.inference_mode():
            for begin in range(0, len(order), BATCH):
                own = order[begin : begin + BATCH]
                for index, vector in zip(own, self.vectors([texts[i] for i in own]).numpy(), strict=True):
                    found[index] = vector
        return np.array(found, dtype=np.float64)

    def vectors(self, texts: Sequence[str]) -> Any:
        """A tensor of vectors, with gradients if the model trains."""
        import torch

        batch = self.tokenizer(list(texts), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
        states = self.model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        return torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)


def tune(encoder: Encoder, triplets: Sequence[tuple[str, str, tuple[str, str]]], seed: int = 0) -> None:
    """Tune the upper layers for one epoch: the long form nearer to its sentence than two other senses, by a margin."""
    import torch

    torch.manual_seed(seed)
    layers = encoder.model.encoder.layer
    for parameter in encoder.model.parameters():
        parameter.requires_grad = False
    trained = [parameter for layer in layers[FROZEN:] for parameter in layer.parameters()]
    for parameter in trained:
        parameter.requires_grad = True
    optimizer = torch.optim.AdamW(trained, RATE)
    encoder.model.train()
    order = list(triplets)
    random.Random(seed).shuffle(order)
    steps = len(order) // TRAINING_BATCH
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - step / steps)
        own = order[step * TRAINING_BATCH : (step + 1) * TRAINING_BATCH]
        sentences = encoder.vectors([sentence for sentence, _, _ in own])
        longs = encoder.vectors([long for _, long, others in own for long in (long, *others)]).view(len(own), 3, -1)
        cosines = (longs * sentences[:, None, :]).sum(2)
        loss = torch.relu(MARGIN - cosines[:, :1] + cosines[:, 1:]).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} of {steps}: loss {loss.item():.4f}", file=sys.stderr, flush=True)
