"""Measures word pieces per second of the tagging stage, the forward pass and the integer products, in one run.

    python -m benchmarks.speed.tagger MODEL ARTICLES [--number 8] [--threads 1] [--rounds 5]
        [--arithmetic float32,int8] [--window 256] [--budget 512]

ARTICLES: files that `nlmchem annotate` reads. All variants take turns, so other processes disturb them alike. Times are
CPU seconds of this process; the minimum and the median of the rounds are printed. `--window` and `--budget` (padded
word pieces in a batch) take several values, joined by commas. Stage: everything that `nlmchem annotate` does with a
model: word pieces, windows, batches, averages, decoding, rules, annotations. Bare: the forward pass over the same
batches. Products: the linear layers of the kernel at the shapes of the same batches and nothing else, which is the
limit of int8 arithmetic. Time: 1 to 5 minutes.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from statistics import median

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

import corpora
from corpora.model.passages import passage_text
from nlmchem.tagging.inference.scoring import BUDGET, TokenClassifier
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, set_threads
from nlmchem.tagging.tokenization.windows import Window, batches, pack
from nlmchem.tagging.training.scores import bare


@dataclass(slots=True)
class Timed:
    """Something that is measured, and its CPU seconds in each round."""

    name: str
    work: Callable[[], object]
    seconds: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("articles")
    parser.add_argument("--number", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--arithmetic", default="float32,int8")
    parser.add_argument("--window", default="")
    parser.add_argument("--budget", default=str(BUDGET))
    given = parser.parse_args()
    set_threads(given.threads)
    compare(given.model, given)


def compare(folder: Path, given: argparse.Namespace) -> None:
    """Measure all variants of the model in a folder, and print them."""
    documents = [bare(document) for document in islice(corpora.read(given.articles), given.number)]
    measured: list[Timed] = []
    counts = set()
    for arithmetic in given.arithmetic.split(","):
        model = load_model(folder, given.device, arithmetic)
        windows = [int(size) for size in given.window.split(",") if size] or [model.window]
        for window, budget in product(windows, map(int, given.budget.split(","))):
            sized = replace(model, window=window)
            prepared = prepare(sized, documents, budget)
            counts.add(sum(len(passage) for document in documents for passage in pieces_of(sized, document)))
            name = f"{arithmetic}, windows of {window}, batches of {budget}"
            measured.append(Timed(f"bare, {name}", lambda m=sized, p=prepared: run_bare(m, p)))
            measured.append(Timed(f"stage, {name}", lambda m=sized, b=budget: run_stage(m, b, documents)))
            if arithmetic == "int8":
                measured.append(Timed(f"products, {name}", lambda m=sized, p=prepared: run_products(m, p)))
    (pieces,) = counts
    for _ in range(given.rounds + 1):
        for measurement in measured:
            begun = time.process_time() if given.device == "cpu" and given.threads == 1 else time.perf_counter()
            measurement.work()
            ended = time.process_time() if given.device == "cpu" and given.threads == 1 else time.perf_counter()
            measurement.seconds.append(ended - begun)
    print(json.dumps({"pieces": pieces, "threads": given.threads, "rounds": given.rounds}))
    first = {measurement.name.partition(",")[0]: measurement for measurement in reversed(measured)}
    for measurement in measured:
        # The first round warms caches and is left out.
        seconds, reference = measurement.seconds[1:], first[measurement.name.partition(",")[0]].seconds[1:]
        ratios = [theirs / second for theirs, second in zip(reference, seconds, strict=True)]
        print(
            f"{measurement.name:52s} {pieces / min(seconds):7.0f} pieces/s at best, "
            f"{pieces / median(seconds):7.0f} median; "
            f"{min(reference) / min(seconds):.2f} ({median(ratios):.2f}) times the first"
        )


def pieces_of(model: TokenClassifier, document: BioCDocument) -> list[object]:
    return list(model.cutter([passage_text(passage) for passage in document.passages]))


def prepare(model: TokenClassifier, documents: Sequence[BioCDocument], budget: int) -> list[NDArray[np.int64]]:
    """The ids of the batches of the documents' windows, with padding."""
    windows = [window for document in documents for window in windows_of(model, document)]
    rows = []
    for batch in batches([len(window) for window in windows], budget):
        ids = np.full((len(batch.windows), batch.length), model.cutter.padding, dtype=np.int64)
        for row, number in enumerate(batch.windows):
            ids[row, : len(windows[number])] = windows[number].ids
        rows.append(ids)
    return rows


def windows_of(model: TokenClassifier, document: BioCDocument) -> list[Window]:
    texts = [passage_text(passage) for passage in document.passages]
    return pack(texts, model.cutter(texts), model.cutter, model.window)


def run_bare(model: TokenClassifier, prepared: Sequence[NDArray[np.int64]]) -> None:
    for ids in prepared:
        model.network(ids, (ids != model.cutter.padding).astype(np.int64))


def run_stage(model: TokenClassifier, budget: int, documents: Sequence[BioCDocument]) -> None:
    NeuralTagger([model], TaggerOptions(budget=budget))(copy.deepcopy(documents))


def run_products(model: TokenClassifier, prepared: Sequence[NDArray[np.int64]]) -> None:
    for ids in prepared:
        model.network.products(ids.size)


if __name__ == "__main__":
    main()
