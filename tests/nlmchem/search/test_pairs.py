"""Pairs of concepts: the most frequent ones are found without counting all."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

import corpora
from corpora.commands.command import Logged
from corpora.datasets.articles import article
from corpora.model.document import add_mention, set_identifiers
from nlmchem.search import store
from nlmchem.search.queries import ConceptPairs


@pytest.mark.parametrize("most", [0, 1, 5, 1000])
def test_the_pairs_of_most_articles_are_those_of_a_count_of_all(tmp_path: Path, most: int) -> None:
    chance, counts = random.Random(most), dict[tuple[str, str], int]()
    documents = []
    for number in range(40):
        named = sorted({f"MESH:D{int(30 * chance.random() ** 2):06}" for _ in range(6)})
        for pair in combinations(named, 2):
            counts[pair] = counts.get(pair, 0) + 1
        # One sentence each.
        document = article(str(number), [("Water. " * len(named), "ABSTRACT", "abstract")])
        for place, identifier in enumerate(named):
            spans = [(7 * place, 7 * place + 5)]
            set_identifiers(add_mention(document.passages[0], spans, id=str(place), annotator="a"), [identifier])
        documents.append(document)
    corpora.write(documents, tmp_path / "run.xml")
    expected = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    with store.open_index(str(tmp_path / "run.xml"), Logged()) as database:
        pairs = ConceptPairs(database)
        found = pairs.in_articles(most)
        assert pairs.in_sentences(most) == []
    assert [((pair.first, pair.second), pair.articles) for pair in found] == expected
    assert {pair.sentences for pair in found} <= {0}
