"""What a gate in front of the tagger could skip: sentences whose words were never part of a chemical mention.

    python benchmarks/tagging/sentence_gate.py --data ../shared/data [--least 5]

Words are counted in BC5CDR (training and development), CHEMDNER (training and development) and DrugProt. A sentence
of the 30 NLM-Chem articles is skipped when each of its words occurs at least `--least` times there and never in a
mention. Prints the share of characters in sentences without a gold mention (the most that any gate could skip), the
share that this gate skips, the share of gold mentions that it loses, and the share of text that repeats a passage of
the same article. Time: 2 minutes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.datasets import open_corpus
from corpora.model.document import mentions
from corpora.model.passages import passage_text
from nlmchem.tagging.tokenization.sentences import sentences
from nlmchem.tagging.tokenization.tokens import TOKEN

OUTSIDE = ("bc5cdr", "chemdner", "drugprot")
HELD_OUT = ("test", "evaluation")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--least", type=int, default=5)
    given = parser.parse_args()
    words, inside = Counter[str](), set[str]()
    for name in OUTSIDE:
        corpus = open_corpus(name, given.data / name)
        for split in corpus.splits:
            if split not in HELD_OUT:
                count(corpus.read(split, lambda note: None), words, inside)
    harmless = {word for word, number in words.items() if number >= given.least and word not in inside}
    total = empty = skipped = found = lost = repeated = 0
    for document in corpora.read(given.data / "nlmchem" / "bioc"):
        spans = [span for mention in mentions(document) for span in mention.spans]
        seen: set[str] = set()
        for passage in document.passages:
            text = passage_text(passage)
            repeated += len(text) if text in seen else 0
            seen.add(text)
            for start, end in sentences(text):
                held = [s for s in spans if passage.offset + start <= s[0] < passage.offset + end]
                gated = all(word.casefold() in harmless for word in TOKEN.findall(text[start:end]))
                total += end - start
                empty += 0 if held else end - start
                skipped += end - start if gated else 0
                found += len(held)
                lost += len(held) if gated else 0
    print(
        f"{total} characters; {empty / total:.3f} in sentences without a mention; the gate skips {skipped / total:.3f} "
        f"and loses {lost} of {found} mentions ({lost / found:.4f}); repeated passages: {repeated / total:.4f}"
    )


def count(documents: Iterable[BioCDocument], words: Counter[str], inside: set[str]) -> None:
    """Count the words of some articles, and collect those that are part of mentions."""
    for document in documents:
        for passage in document.passages:
            words.update(word.casefold() for word in TOKEN.findall(passage_text(passage)))
        for mention in mentions(document):
            inside |= {word.casefold() for word in TOKEN.findall(mention.text)}


if __name__ == "__main__":
    main()
