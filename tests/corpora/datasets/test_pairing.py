"""Word-in-context pairs: the four groups, their balance, spans and reproducibility."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.datasets import open_corpus
from corpora.datasets.context_pairs import dumps
from corpora.datasets.document_builder import article
from corpora.datasets.pairing import Contexts, pairs, shortens
from corpora.datasets.samples import GROUPS, ContextPair
from corpora.model.document import add_mention, set_identifiers


def whole(text: str) -> list[tuple[int, int]]:
    return [(0, len(text))]


def document_with(id: str, sentence: str, term: str, *identifiers: str) -> BioCDocument:
    document = article(id, [(sentence, None, "paragraph")])
    start = sentence.index(term)
    mention = add_mention(document.passages[0], [(start, start + len(term))], id="0", annotator="gold")
    set_identifiers(mention, identifiers)
    return document


CORPUS = [
    document_with("1", "The CD patients ate bread.", "CD", "MESH:D002446"),
    document_with("2", "The CD spectrum was flat.", "CD", "MESH:D002942"),
    document_with("3", "We saw CD in children.", "CD", "MESH:D002446"),
    document_with("4", "Here celiac disease was rare.", "celiac disease", "MESH:D002446"),
    document_with("5", "A cytoplasmic domain was cut.", "cytoplasmic domain", "MESH:D9"),
    document_with("6", "Old impotence was treated.", "impotence", "MESH:D007172"),
    document_with("7", "An erectile dysfunction was treated.", "erectile dysfunction", "MESH:D007172"),
    document_with("8", "Some impotence of statesmen.", "impotence", "MESH:D1"),
    document_with("9", "The hematoma grew.", "hematoma", "MESH:D006406"),
    document_with("10", "Two hematomas grew.", "hematomas", "MESH:D006406"),
    document_with("11", "One hepatomas line.", "hepatomas", "MESH:D008114"),
    document_with("12", "The hematome grew.", "hematome", "MESH:D006398"),
    document_with("15", "The hemathoma grew.", "hemathoma", "MESH:D006406"),
    document_with("13", "Two chemicals at once: PBS.", "PBS", "MESH:D1", "MESH:D2"),
    document_with("14", "Nothing known of XQ.", "XQ"),
]


def made(documents: list[BioCDocument], most: int = 500, seed: int = 0) -> list[ContextPair]:
    contexts = Contexts(whole, seed)
    for document in documents:
        contexts.add(document)
    return pairs(contexts, most)


def test_each_group_is_balanced_and_every_term_is_at_its_span() -> None:
    found = made(CORPUS)
    counts = Counter((pair.group, pair.same) for pair in found)
    for group in {pair.group for pair in found}:
        assert counts[group, True] == counts[group, False] > 0, group
    assert set(GROUPS) == {pair.group for pair in found}
    for pair in found:
        assert pair.sentence1[slice(*pair.span1)] == pair.term1
        assert pair.sentence2[slice(*pair.span2)] == pair.term2
        assert pair.sentence1 != pair.sentence2


def test_groups_contain_matching_pairs() -> None:
    found = {(pair.group, pair.same): {pair.term1, pair.term2} for pair in made(CORPUS)}
    assert found["term_identity", True] == {"CD"}
    assert found["abbreviations", True] == {"CD", "celiac disease"}
    assert "CD" in found["abbreviations", False]
    assert found["synonyms", True] == found["synonyms", False] == {"impotence", "erectile dysfunction"}
    assert found["label_similarity", True] == {"hematoma", "hemathoma"}
    assert found["label_similarity", False] == {"hematoma", "hematome"}


def test_mentions_with_several_concepts_or_none_are_not_used() -> None:
    terms = {term for pair in made(CORPUS) for term in (pair.term1, pair.term2)}
    assert terms.isdisjoint({"PBS", "XQ"})


def test_the_number_of_pairs_is_limited_and_the_seed_selects_them() -> None:
    many = [document_with(str(n), f"In case {n} the CD rose.", "CD", f"MESH:D{n % 12}") for n in range(48)]
    assert Counter(pair.same for pair in made(many, most=3)) == {True: 3, False: 3}
    assert made(many, most=3) == made(many, most=3)
    assert made(many, most=3, seed=1) != made(many, most=3, seed=2)


@pytest.mark.parametrize(
    ("short", "long", "does"),
    [
        ("CD", "celiac disease", True),
        ("STI", "Sexually Transmitted Infections", True),
        ("IL-2", "interleukin-like two", True),
        ("cd", "celiac disease", False),
        ("CD", "domain of cells", False),
        ("C", "celiac disease", False),
        ("CD", "cd", False),
    ],
)
def test_which_names_abbreviate_which(short: str, long: str, does: bool) -> None:
    assert shortens(short, long) is does


@pytest.mark.realdata
def test_pairs_of_a_real_corpus_are_written_and_read_back(shared_data: Path, tmp_path: Path) -> None:
    from nlmchem.tagging.tokenization.sentences import sentences

    contexts = Contexts(sentences)
    for document in open_corpus("bc5cdr", shared_data / "bc5cdr").read("train+dev"):
        contexts.add(document)
    found = pairs(contexts, 100)
    (tmp_path / "dev.json").write_bytes(dumps(found))
    assert list(open_corpus("biowic", tmp_path).read("dev")) == found
    assert len(found) > 100
