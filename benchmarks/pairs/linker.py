"""Examines the linking with word-in-context pairs: how often it gives the answer of the gold standard.

    python benchmarks/pairs/linker.py --data ../shared/data [--errors 20]

The pairs are made from the gold chemical mentions of NLM-Chem (30 articles) and BC5CDR (500 test abstracts): all pairs
of the four groups, with at most 8 mentions of a name with one concept, one mention of a sentence, and at most 20 pairs
with the same sentence or the same two terms. Pairs of a broader and a narrower concept are left out. The gold spans are
linked again by the sieves, with the abbreviations and the other mentions of their article. The linking answers "same"
if both mentions get the same identifiers, and "different" if they get others; without identifiers it has no answer,
which counts as wrong. Nothing is learned from the gold that is measured on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

import corpora
from corpora.datasets import open_corpus
from corpora.model.document import mentions, remove_mentions
from corpora.model.mesh_ids import mesh_ids
from corpora.pairs.occurrences import Occurrences
from corpora.pairs.pair import GROUPS, ContextPair
from corpora.pairs.selection import Limits, clusters, pairs
from nlmchem.abbreviations.article.stage import AbbreviationStage
from nlmchem.evaluation import bootstrap
from nlmchem.pairs.names import LexiconNames
from nlmchem.tagging.tokenization.sentences import sentences
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer, article_of

SETS = {"NLM-Chem": 2021, "BC5CDR test": 2021}
"""The corpora, and the year of the identifiers that the linking gives."""
LIMITS = Limits(most=None, uses=20, balanced=False)

Links = dict[tuple[str, int, str], frozenset[str]]
"""(document, offset, text) of a mention -> its identifiers; empty if it has none."""


def documents(data: Path, name: str) -> Iterator[BioCDocument]:
    """The gold articles of a set, with their chemical mentions only."""
    if name == "NLM-Chem":
        found = corpora.read([str(data / "nlmchem/bioc")])
    else:
        found = open_corpus("bc5cdr", data / "bc5cdr").read("test")
    for document in found:
        for type in {mention.type for mention in mentions(document, None)} - {"Chemical"}:
            remove_mentions(document, type)
        yield document


def linked(document: BioCDocument, normalizer: Normalizer) -> Links:
    """The identifiers that the linking gives to the gold spans of a document."""
    AbbreviationStage()([document])
    found = list(mentions(document))
    answers = normalizer.answers({tidy(mention.text) for mention in found}, article_of(document))
    links: Links = {}
    for mention in found:
        answer = answers.get(tidy(mention.text))
        given = frozenset(mesh_ids(answer.identifiers)) if answer else frozenset()
        links[str(document.id), mention.spans[0][0], mention.text] = given
    return links


def answer(pair: ContextPair, links: Links) -> bool | None:
    """Whether the linking gives both terms the same identifiers; None if one of them has none."""
    one, other = (
        links[document, place, term]
        for document, place, term in zip(pair.documents, pair.places, (pair.term1, pair.term2), strict=True)
    )
    return one == other if one and other else None


def print_table(name: str, made: Sequence[ContextPair], answers: Sequence[bool | None]) -> None:
    right = np.array([found == pair.same for pair, found in zip(made, answers, strict=True)], dtype=bool)
    silent = np.array([found is None for found in answers], dtype=bool)
    cluster = clusters(made)
    for group in ("all", *GROUPS):
        for same in (None, True, False):
            chosen = np.array([group in ("all", pair.group) and same in (None, pair.same) for pair in made], dtype=bool)
            if chosen.any():
                low, high = interval(right[chosen], cluster[chosen])
                label = {None: "both", True: "same", False: "different"}[same]
                print(
                    f"{name}\t{group}\t{label}\t{chosen.sum()}\t{right[chosen].mean():.4f}\t{low:.4f}-{high:.4f}\t"
                    f"{silent[chosen].mean():.4f}"
                )


def interval(right: NDArray[np.bool_], cluster: NDArray[np.int64]) -> tuple[float, float]:
    """The 95% interval of the accuracy, by a bootstrap of groups of pairs that share a sentence or a term."""
    _, own = np.unique(cluster, return_inverse=True)
    sizes, counts = np.bincount(own), np.bincount(own, weights=right)
    times = bootstrap.draw_documents(len(sizes), 2000, bootstrap.SEED)
    low, high = np.quantile((times @ counts) / np.maximum(times @ sizes, 1), [0.025, 0.975])
    return float(low), float(high)


def print_errors(made: Sequence[ContextPair], answers: Sequence[bool | None], links: Links, number: int) -> None:
    """The terms that are wrong most often, with their gold concepts and the given identifiers."""
    wrong: Counter[tuple[str, str, str]] = Counter()
    for pair, found in zip(made, answers, strict=True):
        if found != pair.same:
            sides = zip(pair.documents, pair.places, (pair.term1, pair.term2), pair.concepts, strict=True)
            for document, place, term, concept in sides:
                given = ",".join(sorted(links[document, place, term])) or "-"
                if given != concept.removeprefix("MESH:") and given != concept:
                    wrong[term, concept, given] += 1
    for (term, concept, given), times in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:number]:
        print(f"{times}\t{term}\t{concept}\t{given}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--errors", type=int, default=0, help="print this number of terms that are wrong most often")
    options = parser.parse_args()
    print("set\tgroup\tgold answer\tpairs\tright\t95% interval\tno link")
    for name, year in SETS.items():
        with Lexicon.open(None, year) as lexicon:
            normalizer, found, links = Normalizer(lexicon), Occurrences(sentences), Links()
            for document in documents(options.data, name):
                found.add(document)
                links |= linked(document, normalizer)
            made = pairs(found, LIMITS, LexiconNames(lexicon))
        answers = [answer(pair, links) for pair in made]
        print_table(name, made, answers)
        if options.errors:
            print_errors(made, answers, links, options.errors)


if __name__ == "__main__":
    main()
