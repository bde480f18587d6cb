"""Word pieces a second of the tagging stage against the bare forward pass over the same windows, in one run.

    python benchmarks/tagger_throughput.py MODEL [ARTICLES] [--threads 2] [--rounds 5]

ARTICLES: files that `nlmchem annotate` reads; without them, made-up articles of the size of full texts. Both sides
are measured in turns and the best round of each counts: other processes on the machine disturb both alike. The stage is
everything that `nlmchem annotate` does with a model: pieces, windows, batches, averages, decoding, rules, annotations.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import torch
from bioc import BioCDocument, BioCPassage

import corpora
from corpora.model.document import passage_text
from nlmchem.tagging.inference.scoring import BUDGET
from nlmchem.tagging.models.loading import Model, load_model
from nlmchem.tagging.rules.post_processing import PostProcessing
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, set_threads
from nlmchem.tagging.tokenization.batches import batches
from nlmchem.tagging.tokenization.windows import Window, pack
from nlmchem.tagging.training.scores import bare

WORDS = (
    "the", "of", "in", "rats", "were", "given", "glucose", "ethanol", "5-fluorouracil", "NaCl", "(2,4-dinitrophenol)",
    "cells", "with", "and", "Ca2+", "level",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("articles", nargs="?")
    parser.add_argument("--number", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    set_threads(given.threads)
    model = load_model(given.model, given.device)
    source = corpora.read(given.articles) if given.articles else map(made_up, range(given.number))
    documents = [bare(document) for document in islice(source, given.number)]
    prepared = prepare(model, documents)
    pieces = sum(part.last - part.first for _, windows in prepared for window in windows for part in window.parts)
    options = TaggerOptions(post_processing=PostProcessing())
    bare_seconds, stage_seconds = [], []
    for _ in range(given.rounds):
        bare_seconds.append(timed(lambda: run_bare(model, prepared)))
        copies = copy.deepcopy(documents)
        stage_seconds.append(timed(lambda: NeuralTagger([model], options)(copies)))  # noqa: B023
    told = {
        "pieces": pieces,
        "windows": sum(len(windows) for _, windows in prepared),
        "bare_pieces_per_s": round(pieces / min(bare_seconds)),
        "stage_pieces_per_s": round(pieces / min(stage_seconds)),
        "share": round(min(bare_seconds) / min(stage_seconds), 3),
    }
    print(json.dumps(told))


def prepare(model: Model, documents: Sequence[BioCDocument]) -> list[tuple[torch.Tensor, list[Window]]]:
    """The batches of the documents' windows, as tensors that are ready."""
    windows = [window for document in documents for window in windows_of(model, document)]
    found = []
    for batch in batches([len(window) for window in windows], BUDGET):
        members = [windows[number] for number in batch.windows]
        ids = torch.full((len(members), batch.length), model.cutter.padding)
        for row, window in enumerate(members):
            ids[row, : len(window)] = torch.from_numpy(window.ids)
        found.append((ids, members))
    return found


def windows_of(model: Model, document: BioCDocument) -> list[Window]:
    texts = [passage_text(passage) for passage in document.passages]
    return pack(texts, model.cutter(texts), model.cutter, model.window)


def run_bare(model: Model, prepared: Sequence[tuple[torch.Tensor, list[Window]]]) -> None:
    with torch.inference_mode():
        for ids, _ in prepared:
            model.network(ids.to(model.device), (ids != model.cutter.padding).long().to(model.device))
    if model.device != "cpu":
        torch.cuda.synchronize()


def timed(work: object) -> float:
    begun = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - begun


def made_up(number: int) -> BioCDocument:
    """An article of about 6,000 words."""
    chance = random.Random(number)
    document, offset = BioCDocument(), 0
    document.id = str(number)
    for _ in range(60):
        passage = BioCPassage()
        sentences = (" ".join(chance.choices(WORDS, k=chance.randint(8, 30))) for _ in range(5))
        passage.offset, passage.text = offset, ". ".join(sentences) + "."
        document.add_passage(passage)
        offset += len(passage.text) + 1
    return document


if __name__ == "__main__":
    main()
