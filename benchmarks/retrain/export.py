"""Converts a trained model to the shipped form: int8 weights; reports size and agreement with float weights.

python -m benchmarks.retrain.export --model RUNS/averaged --data ../shared/data --out RUNS/model
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from bioc import BioCDocument

from benchmarks.retrain.sources import documents
from corpora.model.document import mentions
from corpora.storage.owned_files import OwnedFolder
from nlmchem.tagging.inference.scoring import TokenClassifier
from nlmchem.tagging.models.folders import read_json, version_of
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tagger import NeuralTagger
from nlmchem.tagging.training.folders import CARD_FILE, store
from nlmchem.tagging.training.scores import bare

LIMIT = 25_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first", type=Path, help="the model of the first stage; its data is added to the card")
    parser.add_argument("--articles", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(given.threads)
    size = store(given.model, given.out, name="default")
    finish_card(given.out / CARD_FILE, given.first)
    articles = documents(given.data, "open")[: given.articles]
    exact = tagged(load_model(given.model), articles)
    stored = tagged(load_model(given.out), articles)
    agreement = round(2 * len(exact & stored) / max(1, len(exact) + len(stored)), 4)
    print(json.dumps({"bytes": size, "fits": size <= LIMIT, "agreement_f": agreement}))


def finish_card(card: Path, first: Path | None) -> None:
    """Add to the card of the last stage: the data of the first stage, and how the weights are stored."""
    text = card.read_text("utf-8")
    if first is not None:
        rows = [row for row in (first / CARD_FILE).read_text("utf-8").splitlines() if row.startswith("| first |")]
        text = text.replace("| second |", "\n".join([*rows, "| second |"]), 1)
    pieces = read_json(card.parent / "config.json")["vocab_size"]
    text = re.sub("Base model: .*", f"Base model: all-MiniLM-L6-v2, {pieces:,} word pieces (NOTICE)", text, count=1)
    text = text.replace("- sha256 of weights", "- sha256 of weights before they were stored as int8")
    stored = f"""
## Stored

Matrices as int8 with one scale per row (`nlmchem.tagging.models.weights`).
sha256 of all files that determine scores: `{version_of(card.parent)}`.
Expected quality: docs/measurements/tagger.md.
"""
    OwnedFolder(card.parent).write_text(PurePosixPath(card.name), text + stored)


def tagged(model: TokenClassifier, documents: list[BioCDocument]) -> set[tuple[str, tuple]]:
    copies = [bare(document) for document in documents]
    NeuralTagger([model])(copies)
    return {(document.id, mention.spans) for document in copies for mention in mentions(document)}


if __name__ == "__main__":
    main()
