"""Makes the vectors of word pieces that read sentences, `nlmchem/companions/senses/vectors.safetensors`.

    python -m benchmarks.retrain.sentence_vectors --base MINILM --data ../shared/data -o vectors.safetensors

MINILM is a local folder of all-MiniLM-L6-v2. Each word piece alone is read by it, its vector is reduced to the main
components, and frequent pieces get less weight (Model2Vec, Tulkens and van Dongen 2024). Then the vectors are fitted:
their mean over a text shall have the direction of the vector that MiniLM gives for the text. The texts are sentences of
the unlabelled articles and names of concepts in `names.tsv.gz`. No corpus with senses is used.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrain.inputs import checked, made_by, parser_of, report
from benchmarks.retrain.senses import INPUTS, licensed
from nlmchem.abbreviations.inventory import EMBEDDED, read_inventory
from nlmchem.companions.senses.names import read_names
from nlmchem.companions.senses.resolver import DEFAULT, NAMES
from nlmchem.companions.senses.vectors import write_vectors

SENTENCES, OF_ARTICLE, READ = 36_000, 5, 60_000
"""Sentences, of each article, from its first characters."""
LEAST_ARTICLES = 2
"""Articles that contain a name."""
PIECES, WIDTH = 16_000, 128
PASSES, BATCH, RATE = 4, 256, 2e-3
SMOOTHING = 1e-3
"""The weight of a piece is this, divided by the sum of this and its share of all pieces (SIF, Arora et al. 2017)."""
LONGEST = 96
"""Pieces of a text that are read."""
_BORDER = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\[])")

Floats = NDArray[np.float32]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    given = parsed(arguments)
    inputs = checked(given.data, given.inputs)
    texts = sentences(given.data, given.sentences) + names()
    report(f"{len(texts)} texts")
    tokenizer, model = opened(given.base)
    ids = [
        tokenizer(text, add_special_tokens=False, truncation=True, max_length=LONGEST)["input_ids"] for text in texts
    ]
    alone = read(model, [[tokenizer.cls_token_id, piece, tokenizer.sep_token_id] for piece in range(len(tokenizer))])
    whole = read(model, [[tokenizer.cls_token_id, *of_text, tokenizer.sep_token_id] for of_text in ids])
    counts = np.bincount(np.concatenate(ids).astype(np.int64), minlength=len(tokenizer))
    vectors, near = fitted(ids, unit(whole), weighted(alone, counts, main_components(unit(whole))))
    kept = most_frequent(tokenizer.convert_ids_to_tokens(range(len(tokenizer))), counts)
    write_vectors(given.out, [name for name, _ in kept], vectors[[row for _, row in kept]])
    report(json.dumps({**made_by("sentence_vectors", arguments, inputs, {str(given.base): "MINILM"}), "cosine": near}))


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "text/")
    parser.add_argument("--base", type=Path, required=True, help="the folder of all-MiniLM-L6-v2")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="sentences to read")
    return parser.parse_args(arguments)


def sentences(data: Path, number: int) -> list[str]:
    """Sentences of the articles with a stated licence, by a fixed seed."""
    chance, chosen = random.Random(0), list[str]()
    for row in licensed(data):
        of_article = [sentence for sentence in _BORDER.split(row["text"][:READ]) if 40 < len(sentence) < 300]
        chosen += chance.sample(of_article, min(OF_ARTICLE, len(of_article)))
    chance.shuffle(chosen)
    return chosen[:number]


def names() -> list[str]:
    """The names of concepts that several articles contain."""
    size = sum(len(senses) for _, senses in read_inventory(EMBEDDED).items())
    frequent = {name.long_form for name in read_names(DEFAULT / NAMES, size) if name.containing >= LEAST_ARTICLES}
    return sorted(frequent)


def opened(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    return AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()


def read(model: Any, rows: Sequence[Sequence[int]]) -> Floats:
    """The mean of the states of each row of pieces, (rows, width)."""
    import torch

    means = np.zeros((len(rows), model.config.hidden_size), dtype=np.float32)
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    with torch.inference_mode():
        for begin in range(0, len(order), 64):
            batch = order[begin : begin + 64]
            longest = max(len(rows[row]) for row in batch)
            pieces = torch.tensor([[*rows[row], *[0] * (longest - len(rows[row]))] for row in batch])
            mask = torch.tensor([[1] * len(rows[row]) + [0] * (longest - len(rows[row])) for row in batch])
            states = model(input_ids=pieces, attention_mask=mask).last_hidden_state * mask[..., None]
            means[batch] = (states.sum(1) / mask.sum(1, keepdim=True)).numpy()
    return means


def unit(rows: Floats) -> Floats:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def main_components(rows: Floats) -> tuple[Floats, Floats]:
    """The mean of rows, and their first `WIDTH` main components as (width of a row, `WIDTH`)."""
    mean = rows.mean(axis=0)
    centred = rows - mean
    _, components = np.linalg.eigh(centred.T @ centred)
    return mean, np.ascontiguousarray(components[:, ::-1][:, :WIDTH])


def weighted(
    alone: Floats, counts: NDArray[np.int64], base: tuple[Floats, Floats]
) -> tuple[Floats, tuple[Floats, Floats]]:
    """The vectors of pieces that were read alone, in main components, by their frequency."""
    shares = (counts + 1) / (counts + 1).sum()
    vectors = (alone - alone.mean(axis=0)) @ base[1] * (SMOOTHING / (SMOOTHING + shares))[:, None]
    return (vectors / np.linalg.norm(vectors, axis=1).mean()).astype(np.float32), base


def fitted(
    ids: Sequence[Sequence[int]], whole: Floats, start: tuple[Floats, tuple[Floats, Floats]]
) -> tuple[Floats, float]:
    """The fitted vectors, and their mean cosine with MiniLM's on texts that were left out (each fortieth)."""
    import torch

    torch.manual_seed(0)
    vectors, (mean, components) = start
    goal = torch.tensor(unit((whole - mean) @ components))
    bag = torch.nn.EmbeddingBag(*vectors.shape, mode="mean", sparse=True, _weight=torch.tensor(vectors))
    optimizer = torch.optim.SparseAdam(bag.parameters(), lr=RATE)
    some = [row for row, tokens in enumerate(ids) if tokens]
    held, rest = [row for row in some if row % 40 == 0], np.array([row for row in some if row % 40])
    chance = np.random.default_rng(0)

    def cosines(rows: Sequence[int] | NDArray[np.int64]) -> Any:
        begins = np.cumsum([0, *(len(ids[row]) for row in rows[:-1])])
        bags = bag(torch.tensor(np.concatenate([ids[row] for row in rows])), torch.tensor(begins))
        return torch.nn.functional.cosine_similarity(bags, goal[rows])

    for _ in range(PASSES):
        chance.shuffle(rest)
        for begin in range(0, len(rest), BATCH):
            loss = (1 - cosines(rest[begin : begin + BATCH])).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.inference_mode():
        near = float(cosines(held).mean())
    return bag.weight.detach().numpy(), near


def most_frequent(pieces: Sequence[str], counts: NDArray[np.int64]) -> list[tuple[str, int]]:
    """The names and rows of the most frequent pieces, and of all single characters, by name."""
    order = sorted(range(len(pieces)), key=lambda row: (len(pieces[row].removeprefix("##")) > 1, -counts[row], row))
    kept = [row for row in order if not pieces[row].startswith("[") and pieces[row].isascii()][:PIECES]
    return sorted((pieces[row], row) for row in kept)


if __name__ == "__main__":
    main()
