"""Fits the early exit of the embedded tagger: the probe of `nlmchem.tagging.models.bert`.

    python -m benchmarks.retrain.early_exit --data ../shared/data -o early_exit.safetensors

The probe learns the probabilities of all layers from texts alone: unlabelled articles, which follow those of the silver
rounds in the order of silver.py (`--texts` takes others), and abstracts of training corpora, which have more names. A
quarter of them is kept aside. On it the margin is chosen: the smallest at which at most 0.2% of the pieces in mentions
leave. Prints what the exit changes there. Time: 2 minutes of one processor.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch.nn import functional

import corpora
from benchmarks.retrain.silver import write_texts
from corpora.model.passages import passage_text
from corpora.reporting import ignore
from corpora.storage.atomic import sha256_of
from nlmchem.tagging.inference.scoring import BUDGET
from nlmchem.tagging.kernel.arithmetic import INT8
from nlmchem.tagging.models.bert import IntegerBert, staying
from nlmchem.tagging.models.folders import DEFAULT, DEFAULT_WINDOW, FILE, folder_of, read_facts, read_json
from nlmchem.tagging.models.loading import bert_of, stored_parts
from nlmchem.tagging.models.weights import INNER, LAYERS, MARGIN, MODEL, PROBE, EarlyExit
from nlmchem.tagging.tokenization.windows import batches, pack
from nlmchem.tagging.tokenization.word_pieces import PieceCutter

AFTER_SILVER = 900
"""Articles of the silver rounds of the embedded tagger."""
WIDTH = 64
"""Numbers of the inner layer."""
PASSES, AT_ONCE, RATE = 5, 1024, 3e-3
ABSTRACTS = ("bc5cdr/BC5CDR_TrainDev.PubTator.gz", "biored/BioRED_TrainDev.PubTator.gz")
OF_EACH = 300
"""Abstracts of a corpus that are read."""
ASIDE = 4
"""One text in so many is kept aside."""
LOST = 0.002
"""The largest share of the pieces in mentions that may leave."""
MARGINS = np.arange(3, 10, 0.5)
TOGETHER = 64
"""Windows that are divided into batches."""

Floats = NDArray[np.float32]
Input = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Ids and mask of a batch."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tagger", default=DEFAULT)
    parser.add_argument("--texts", type=Path, help="read these articles instead of the texts of --data")
    parser.add_argument("--articles", type=int, default=24)
    parser.add_argument("--layers", type=int, default=2, help="layers that all pieces pass")
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    folder = folder_of(given.tagger)
    config = read_json(folder / "config.json")
    stored, cutter = stored_parts(folder, config, read_facts(folder))
    whole = bert_of(config, stored, "cpu", bool(cutter.cased), INT8)
    assert isinstance(whole, IntegerBert)
    texts = texts_of(given)
    others = list(batched(texts[::ASIDE], cutter))
    del texts[::ASIDE]
    known = list(batched(texts, cutter))
    probe = fitted(states_of(whole, known, given.layers), logits_of(whole, known))
    logits, expected = probed(probe, states_of(whole, others, given.layers)), logits_of(whole, others).argmax(1)
    lengths = [int(length) for _, mask in others for length in mask.sum(1)]
    margin = next(margin for margin in MARGINS if leaving(staying(logits, lengths, margin), expected) <= LOST)
    early = EarlyExit(given.layers, float(margin), probe)
    network = IntegerBert(config, stored, bool(cutter.cased), early)
    report(early, staying(logits, lengths, early.margin), logits_of(network, others).argmax(1), expected)
    facts = {LAYERS: str(given.layers), MARGIN: f"{margin:g}", MODEL: sha256_of(folder / FILE)}
    save_file(probe, given.out, facts)


def texts_of(given: argparse.Namespace) -> list[list[str]]:
    """The texts of the passages of each article."""
    with TemporaryDirectory() as folder:
        files = [given.texts] if given.texts else write_texts(given.data, Path(folder), AFTER_SILVER, given.articles)
        articles = [article for file in files for article in corpora.read(str(file))][: given.articles]
    for name in ABSTRACTS:
        articles += islice(corpora.read(str(given.data / name), report=ignore), OF_EACH)
    return [[passage_text(passage) for passage in article.passages] for article in articles]


def batched(articles: Sequence[Sequence[str]], cutter: PieceCutter) -> Iterator[Input]:
    """The windows of the articles, in batches."""
    windows = [window for texts in articles for window in pack(texts, cutter(texts), cutter, DEFAULT_WINDOW)]
    for at in range(0, len(windows), TOGETHER):
        some = windows[at : at + TOGETHER]
        for batch in batches([len(window) for window in some], BUDGET):
            ids = np.full((len(batch.windows), batch.length), cutter.padding, dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, number in enumerate(batch.windows):
                ids[row, : len(some[number])] = some[number].ids
                mask[row, : len(some[number])] = 1
            yield ids, mask


def states_of(network: IntegerBert, inputs: Sequence[Input], layers: int) -> Floats:
    """The states of all pieces after some layers."""
    return np.concatenate([network.states(ids, mask, layers)[mask > 0] for ids, mask in inputs])


def logits_of(network: IntegerBert, inputs: Sequence[Input]) -> Floats:
    """The logits of all pieces."""
    return np.concatenate([network(ids, mask)[mask > 0] for ids, mask in inputs])


def fitted(states: Floats, logits: Floats) -> dict[str, Floats]:
    """The weights of a probe from states to the probabilities of logits, by their cross-entropy."""
    given, wanted = torch.from_numpy(states), torch.from_numpy(logits).softmax(1)
    mean, spread = given.mean(0), given.std(0) + 1e-6
    given = (given - mean) / spread
    inner, probe = torch.nn.Linear(given.shape[1], WIDTH), torch.nn.Linear(WIDTH, wanted.shape[1])
    network = torch.nn.Sequential(inner, torch.nn.ReLU(), probe)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    order = [rows for _ in range(PASSES) for rows in torch.randperm(len(given)).split(AT_ONCE)]
    for number, rows in enumerate(order):
        optimizer.param_groups[0]["lr"] = RATE * (1 - number / len(order))
        loss = functional.cross_entropy(network(given[rows]), wanted[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        inner.weight.div_(spread)
        inner.bias.sub_(inner.weight @ mean)
    layers = {INNER: inner, PROBE: probe}
    return {f"{name}.{kind}": array.numpy() for name, own in layers.items() for kind, array in own.state_dict().items()}


def probed(probe: dict[str, Floats], states: Floats) -> Floats:
    """The logits of the probe, in float32."""
    inner = np.maximum(states @ probe[f"{INNER}.weight"].T + probe[f"{INNER}.bias"], 0)
    logits: Floats = inner @ probe[f"{PROBE}.weight"].T + probe[f"{PROBE}.bias"]
    return logits


def leaving(stays: NDArray[np.bool_], expected: NDArray[np.int64]) -> float:
    """The share of the pieces in mentions, by the labels of all layers, that leave; also prints it."""
    share = float((~stays)[expected > 0].mean())
    print(f"{stays.mean():.3f} of the pieces stay, {share:.4f} of those in mentions leave", flush=True)
    return share


def report(early: EarlyExit, stays: NDArray[np.bool_], labels: NDArray[np.int64], expected: NDArray[np.int64]) -> None:
    """Print what the exit changes, by the labels of all layers."""
    chemical = expected > 0
    print(
        f"margin {early.margin:g}: {len(stays)} pieces, {stays.mean():.3f} stay after {early.layers} layers; "
        f"{(labels != expected).sum()} labels changed, {chemical.sum()} are in mentions: "
        f"{(chemical & (labels == 0)).sum()} of them lost, {(chemical & ~stays).sum()} because they left; "
        f"{(~chemical & (labels > 0)).sum()} new",
        flush=True,
    )


if __name__ == "__main__":
    main()
