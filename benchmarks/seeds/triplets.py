"""A sentence encoder tuned with the triplet loss of AcroBERT (Chen et al. 2023: margin 0.2, two negatives).

    nlmchem corpora dictionary ../shared/data/text --corpus plain-text -o acronyms/ --samples
    python -m benchmarks.seeds.triplets --data ../shared/data --minilm MINILM --own acronyms/samples.jsonl

The upper layers of all-MiniLM-L6-v2 (a local folder) are tuned on 1,200 of our own samples. Its score of a long form is
the cosine with the sentence, with and without the logarithm of the popularity. Nothing that is trained here ships.
Time: 10 minutes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.seeds.problems import HEADER, Problem, best, load, row
from nlmchem.abbreviations.senses.features import CUT_OFF
from nlmchem.abbreviations.senses.resolver import open_resolver

MARGIN = 0.2
BATCH, TRAINING_BATCH, LONGEST = 64, 16, 96
RATE = 5e-5
FROZEN = 4
"""The lower layers that keep their weights."""
POPULARITY = 0.05
"""The weight of log popularity beside a cosine."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has acronyms/")
    parser.add_argument("--minilm", type=Path, required=True, help="a local folder of all-MiniLM-L6-v2")
    parser.add_argument("--own", type=Path, required=True, help="own samples, with their dictionary beside them")
    parser.add_argument("--tuned", type=int, default=1200, help="how many own samples")
    parser.add_argument("--corpora", default="uad,gladis", help="names joined by commas")
    parser.add_argument("--sentences", type=int, default=1500, help="a random sample of this size of each corpus")
    parser.add_argument("--draws", type=int, default=200, help="bootstrap samples")
    given = parser.parse_args()
    problems = load(given.data, given.corpora.split(","), open_resolver(), given.sentences)
    encoder = Encoder(given.minilm)
    tune(encoder, triplets(given.own, given.tuned))
    print("\t".join(HEADER), flush=True)
    for problem in problems:
        for name, scores in rows(problem, encoder).items():
            print(row(problem.name, name, problem.score(best(scores), given.draws)), flush=True)


def rows(problem: Problem, encoder: Encoder) -> dict[str, list[Any]]:
    """The cosines of each sample with its candidates, alone and with popularity."""
    candidates = [own[:CUT_OFF] for own in problem.candidates]
    sentences = encoder.encode([" ".join(sample.tokens) for sample in problem.samples])
    names = sorted({one.long_form for own in candidates for one in own})
    place = {long: number for number, long in enumerate(names)}
    longs = encoder.encode(names)
    alone: list[Any] = []
    popular: list[Any] = []
    for vector, own in zip(sentences, candidates, strict=True):
        near = longs[[place[one.long_form] for one in own]] @ vector if own else np.zeros(0)
        alone.append(near)
        popular.append(near + POPULARITY * np.log([one.articles for one in own]) if own else near)
    return {"MiniLM, triplets (AcroBERT)": alone, "the same and popularity": popular}


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


def triplets(samples: Path, number: int, seed: int = 0) -> list[tuple[str, str, tuple[str, str]]]:
    """Sentences with their long form and two other senses of the short form."""
    dictionary = json.loads((samples.parent / "dictionary.json").read_text("utf-8"))
    chance = random.Random(seed)
    lines = samples.read_text("utf-8").splitlines()
    chance.shuffle(lines)
    found = []
    for line in lines:
        value = json.loads(line)
        others = [long for long, _ in dictionary[value["short_term"]] if long != value["long_term"]]
        if others:
            pair = tuple(chance.choices(others, k=2))
            found.append((" ".join(value["tokens"]), value["long_term"], (pair[0], pair[1])))
        if len(found) == number:
            break
    return found


if __name__ == "__main__":
    main()
