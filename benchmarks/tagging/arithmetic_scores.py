"""Labels, spans and strict F of a model in float32 and in int8, on gold corpora.

    python benchmarks/tagging/arithmetic_scores.py --data ../shared/data [--model default] [--only nlmchem,bc5cdr]

`nlmchem`: the 30 open NLM-Chem articles. The embedded model was trained on them, so its F there is not that of unseen
articles. `bc5cdr`: the test part. `chemdner`: the evaluation part of CHEMDNER. The steps are abbreviate and tag, with
the default rules. Labels: word pieces whose likeliest label is equal. Spans: those in both results, of those in either.
`--window` takes several lengths, joined by commas. All lines of a corpus are compared with its first line.
Time: 15 minutes on two quiet cores.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from bioc import BioCDocument

import corpora
from corpora.datasets import open_corpus
from corpora.model.document import mentions
from corpora.model.passages import passage_text
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.tagging.inference.scoring import TokenClassifier
from nlmchem.tagging.models.folders import folder_of
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, set_threads
from nlmchem.tagging.training.scores import bare

CHUNK = 8
Span = tuple[int, int, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="default")
    parser.add_argument("--only", default="nlmchem,bc5cdr,chemdner")
    parser.add_argument("--window", default="")
    parser.add_argument("--arithmetic", default="float32,int8")
    parser.add_argument("--most", type=int, help="documents of each corpus; default: all")
    given = parser.parse_args()
    set_threads(1)
    loaded = [(name, load_model(folder_of(given.model), arithmetic=name)) for name in given.arithmetic.split(",")]
    for corpus in given.only.split(","):
        gold = list(documents(given.data, corpus))[: given.most]
        wanted = spans(gold)
        first: tuple[np.ndarray, set[Span]] | None = None
        for (name, model), window in product(loaded, given.window.split(",")):
            sized = replace(model, window=int(window)) if window else model
            begun = time.process_time()
            found, labels = tagged(sized, gold)
            spent = time.process_time() - begun
            first = first or (labels, found)
            right = len(found & wanted)
            print(
                f"{corpus:9s} {name:8s} window {sized.window}: P {right / len(found):.4f} R {right / len(wanted):.4f} "
                f"F {2 * right / (len(found) + len(wanted)):.4f}; "
                f"labels equal {np.mean(first[0] == labels):.5f} of {len(labels)}; "
                f"spans equal {len(found & first[1])} of {len(found | first[1])}; {spent:.0f} CPU s",
                flush=True,
            )


def documents(data: Path, corpus: str) -> Iterator[BioCDocument]:
    if corpus == "nlmchem":
        yield from corpora.read(data / "nlmchem" / "bioc")
    else:
        yield from open_corpus(corpus, data / corpus).read("test", lambda note: None)


def spans(articles: Sequence[BioCDocument]) -> set[Span]:
    return {
        (number, start, end)
        for number, article in enumerate(articles)
        for mention in mentions(article)
        for start, end in mention.spans
    }


def tagged(model: TokenClassifier, gold: Sequence[BioCDocument]) -> tuple[set[Span], np.ndarray]:
    """The spans that the stage marks, and the likeliest label of each word piece."""
    copies = [bare(copy.deepcopy(document)) for document in gold]
    abbreviate, tag = AbbreviationStage(), NeuralTagger([model], TaggerOptions())
    labels: list[np.ndarray] = []
    for at in range(0, len(copies), CHUNK):
        chunk = copies[at : at + CHUNK]
        scored, _ = model.score([[passage_text(passage) for passage in document.passages] for document in chunk])
        labels += [passage.probabilities.argmax(axis=1) for own in scored for passage in own]
        abbreviate(chunk)
        tag(chunk)
    return spans(copies), np.concatenate(labels)


if __name__ == "__main__":
    main()
