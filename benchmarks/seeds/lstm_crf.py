"""A bidirectional LSTM with a CRF layer (Lample et al. 2016) over words and letters, for acronym identification.

    python -m benchmarks.seeds.lstm_crf --data ../shared/data [--epochs 3]

Trained on the training part of SciAI and scored on its development part after each epoch, beside the rules that ship.
Nothing that is trained here ships. Time: 15 minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from corpora.datasets.acronyms import read_sciai
from corpora.datasets.corpus_files import listing
from corpora.datasets.samples import AcronymSentence
from corpora.reporting import log
from nlmchem.abbreviations.identification import identify
from nlmchem.evaluation.abbreviations import score_identification

PARTS = ("train.csv.gz", "dev.json.gz")
WORDS, LETTERS, HIDDEN = 100, 30, 100
BATCH, RATE, DROP = 64, 3e-3, 0.5
RARE = 2
"""A word of fewer training sentences is unknown."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has acronyms/")
    parser.add_argument("--epochs", type=int, default=3)
    given = parser.parse_args()
    folder = given.data / "acronyms" / "sciai"
    train, test = (list(read_sciai({"sentences": listing(str(folder / name))}, log)) for name in PARTS)
    gold = {one.id: one.labels for one in test}
    print("row\tF short\tF long\tF of the means", flush=True)
    show("rules", gold, {one.id: tuple(identify(one.tokens)) for one in test})
    for epoch, labels in enumerate(tagged(train, test, given.epochs), 1):
        show(f"LSTM-CRF, {epoch} epochs", gold, labels)


def show(name: str, gold: Mapping[str, tuple[str, ...]], predicted: Mapping[str, tuple[str, ...]]) -> None:
    whole = score_identification(gold, predicted)
    print(f"{name}\t{whole.short.f1:.4f}\t{whole.long.f1:.4f}\t{whole.f1_of_means:.4f}", flush=True)


class Tagger(nn.Module):
    """Scores of the labels of each token, and of the transitions between them."""

    def __init__(self, words: int, letters: int, labels: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WORDS, padding_idx=0)
        self.letters = nn.Embedding(letters, LETTERS, padding_idx=0)
        self.spelling = nn.Conv1d(LETTERS, LETTERS, 3, padding=1)
        self.drop = nn.Dropout(DROP)
        self.lstm = nn.LSTM(WORDS + LETTERS, HIDDEN, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * HIDDEN, labels)
        self.moves = nn.Parameter(torch.zeros(labels, labels))

    def scores(self, words: Tensor, letters: Tensor, lengths: Tensor) -> Tensor:
        """(sentences, tokens, labels)."""
        size, tokens, width = letters.shape
        spelled = (
            self.spelling(self.letters(letters.view(-1, width)).transpose(1, 2)).max(2).values.view(size, tokens, -1)
        )
        values = self.drop(torch.cat([self.words(words), spelled], 2))
        packed = nn.utils.rnn.pack_padded_sequence(values, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=tokens)
        result: Tensor = self.out(self.drop(states))
        return result

    def loss(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """The mean negative log-likelihood of the gold labels."""
        alpha = scores[:, 0]
        chosen = scores.gather(2, gold[:, :, None]).squeeze(2)
        path = chosen[:, 0]
        for step in range(1, scores.shape[1]):
            further = torch.logsumexp(alpha[:, :, None] + self.moves, 1) + scores[:, step]
            alpha = torch.where(mask[:, step, None], further, alpha)
            move = self.moves[gold[:, step - 1], gold[:, step]] + chosen[:, step]
            path = path + torch.where(mask[:, step], move, torch.zeros_like(move))
        return (torch.logsumexp(alpha, 1) - path).mean()

    def decode(self, scores: Tensor) -> list[int]:
        """The best labels of one sentence (Viterbi)."""
        best, back = scores[0], []
        for step in range(1, len(scores)):
            values, places = (best[:, None] + self.moves).max(0)
            best = values + scores[step]
            back.append(places)
        path = [int(best.argmax())]
        for places in reversed(back):
            path.append(int(places[path[-1]]))
        return path[::-1]


class Codes:
    """Numbers of words, letters and labels, made from the training sentences."""

    def __init__(self, train: Sequence[AcronymSentence]) -> None:
        counted = Counter(token.lower() for one in train for token in one.tokens)
        self.words = {word: at for at, word in enumerate((w for w, n in counted.items() if n >= RARE), 2)}
        self.letters = {
            letter: at for at, letter in enumerate(sorted({c for one in train for t in one.tokens for c in t}), 2)
        }
        self.labels = sorted({label for one in train for label in one.labels})

    def batch(self, sentences: Sequence[AcronymSentence]) -> tuple[Tensor, Tensor, Tensor]:
        """Words, letters and lengths of sentences."""
        longest = max(len(one.tokens) for one in sentences)
        width = min(20, max(len(token) for one in sentences for token in one.tokens))
        words = torch.zeros(len(sentences), longest, dtype=torch.long)
        letters = torch.zeros(len(sentences), longest, width, dtype=torch.long)
        for row, one in enumerate(sentences):
            words[row, : len(one.tokens)] = torch.tensor([self.words.get(token.lower(), 1) for token in one.tokens])
            for column, token in enumerate(one.tokens):
                codes = [self.letters.get(letter, 1) for letter in token[:width]]
                letters[row, column, : len(codes)] = torch.tensor(codes)
        return words, letters, torch.tensor([len(one.tokens) for one in sentences])

    def gold(self, sentences: Sequence[AcronymSentence]) -> tuple[Tensor, Tensor]:
        """Labels, and which of them are no padding."""
        longest = max(len(one.tokens) for one in sentences)
        gold = torch.zeros(len(sentences), longest, dtype=torch.long)
        mask = torch.zeros(len(sentences), longest, dtype=torch.bool)
        for row, one in enumerate(sentences):
            gold[row, : len(one.tokens)] = torch.tensor([self.labels.index(label) for label in one.labels])
            mask[row, : len(one.tokens)] = True
        return gold, mask


def tagged(
    train: Sequence[AcronymSentence], test: Sequence[AcronymSentence], epochs: int, seed: int = 0
) -> Iterator[dict[str, tuple[str, ...]]]:
    """The labels of the test sentences after each epoch of a tagger that learns from the training sentences."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    codes = Codes(train)
    model = Tagger(len(codes.words) + 2, len(codes.letters) + 2, len(codes.labels))
    optimizer: Any = torch.optim.Adam(model.parameters(), RATE)
    order = sorted(train, key=lambda one: len(one.tokens))
    batches = [order[begin : begin + BATCH] for begin in range(0, len(order), BATCH)]
    for epoch in range(epochs):
        chance.shuffle(batches)
        model.train()
        total = 0.0
        for own in batches:
            loss = model.loss(model.scores(*codes.batch(own)), *codes.gold(own))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch + 1} of {epochs}: loss {total / len(batches):.4f}", file=sys.stderr, flush=True)
        yield labelled(model, codes, test)


def labelled(model: Tagger, codes: Codes, test: Sequence[AcronymSentence]) -> dict[str, tuple[str, ...]]:
    """The best labels of the test sentences."""
    model.eval()
    order = sorted(test, key=lambda one: len(one.tokens))
    found = {}
    with torch.inference_mode():
        for begin in range(0, len(order), BATCH):
            own = order[begin : begin + BATCH]
            for one, scores in zip(own, model.scores(*codes.batch(own)), strict=True):
                path = model.decode(scores[: len(one.tokens)])
                found[one.id] = tuple(codes.labels[label] for label in path)
    return found


if __name__ == "__main__":
    main()
