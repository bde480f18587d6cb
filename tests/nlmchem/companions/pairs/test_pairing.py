"""Word-in-context pairs: the four groups, their balance, spans and reproducibility."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument

from corpora.datasets import open_corpus
from corpora.datasets.articles import article
from corpora.model.document import add_mention, set_identifiers
from nlmchem.companions.pairs.making import (
    KnownNames,
    LongFormNames,
    Occurrences,
    candidates,
    name_of,
    parts,
    select,
    shortens,
)
from nlmchem.companions.pairs.pair import ContextPair, clusters, dumps, dumps_lines, read_pairs


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


@dataclass
class Known:
    """A lexicon of two names, and a hierarchy of two concepts."""

    def concepts(self, name: str) -> frozenset[str]:
        return frozenset({"MESH:D007172"}) if name in ("impotence", "erectile dysfunction") else frozenset()

    def related(self, concept1: str, concept2: str) -> bool:
        return {concept1, concept2} == {"MESH:D006406", "MESH:D006398"}


class Unrelated(Known):
    """The same lexicon without hierarchy."""

    def related(self, concept1: str, concept2: str) -> bool:
        return False


UNRELATED = Unrelated()


def made(
    documents: list[BioCDocument], names: KnownNames = UNRELATED, seed: int = 0, **limits: Any
) -> list[ContextPair]:
    found = Occurrences(whole, seed)
    for document in documents:
        found.add(document)
    return select(candidates(found, names), **limits)


def kinds(found: list[ContextPair]) -> dict[tuple[str, bool | None], set[str]]:
    terms: dict[tuple[str, bool | None], set[str]] = {}
    for pair in found:
        terms.setdefault((pair.group, pair.same), set()).update((pair.term1, pair.term2))
    return terms


def test_each_group_is_balanced_and_every_term_is_at_its_span() -> None:
    found = made(CORPUS, Known())
    counts = Counter((pair.group, pair.same) for pair in found)
    for group in {pair.group for pair in found}:
        assert counts[group, True] == counts[group, False] > 0, group
    for pair in found:
        assert pair.fault is None
        assert pair.sentence1 != pair.sentence2
        assert pair.same is (pair.concepts[0] == pair.concepts[1])
    assert [pair.id for pair in found] == [str(number) for number in range(1, len(found) + 1)]


def test_groups_contain_matching_pairs() -> None:
    found = kinds(made(CORPUS, Known(), balanced=False))
    assert found["term_identity", True] == {"CD", "hematoma", "hematomas"}
    assert {"CD", "celiac disease"} <= found["abbreviations", True]
    assert "cytoplasmic domain" in found["abbreviations", False]
    assert found["synonyms", True] == found["synonyms", False] == {"impotence", "erectile dysfunction"}
    assert {"hematoma", "hemathoma"} <= found["label_similarity", True]


def test_a_broader_and_a_narrower_concept_make_no_pair() -> None:
    without = [pair.concepts for pair in made(CORPUS, Known(), balanced=False)]
    assert without
    assert all(set(pair) != {"MESH:D006406", "MESH:D006398"} for pair in without)
    assert any(set(pair.concepts) == {"MESH:D006406", "MESH:D006398"} for pair in made(CORPUS, balanced=False))


def test_mentions_with_several_concepts_or_none_are_not_used() -> None:
    terms = {term for pair in made(CORPUS, balanced=False) for term in (pair.term1, pair.term2)}
    assert terms.isdisjoint({"PBS", "XQ"})


def test_one_mention_of_a_sentence_is_used() -> None:
    document = document_with("1", "The CD and a hematoma.", "CD", "MESH:D002446")
    mention = add_mention(document.passages[0], [(13, 21)], id="1", annotator="gold")
    set_identifiers(mention, ["MESH:D006406"])
    found = Occurrences(whole)
    found.add(document)
    assert len([one for by_concept in found.found.values() for kept in by_concept.values() for one in kept]) == 1


def test_the_number_of_pairs_is_limited_and_the_seed_selects_them() -> None:
    many = [document_with(str(n), f"In case {n} the CD rose.", "CD", f"MESH:D{n % 12}") for n in range(48)]
    assert Counter(pair.same for pair in made(many, most=3, uses=9)) == {True: 3, False: 3}
    assert made(many, most=3, uses=9) == made(many, most=3, uses=9)
    assert made(many, most=3, uses=9, seed=1) != made(many, most=3, uses=9, seed=2)


def test_the_order_of_the_articles_does_not_change_the_pairs() -> None:
    many = [document_with(str(n), f"In case {n % 40} the CD rose.", "CD", f"MESH:D{n % 3}") for n in range(60)]
    assert made(many) == made(many[::-1])
    assert made(CORPUS) == made(CORPUS[::-1])


def test_a_sentence_and_a_pair_of_terms_are_used_up() -> None:
    many = [document_with(str(n), f"In case {n} the CD rose.", "CD", f"MESH:D{n % 3}") for n in range(30)]
    found = made(many, uses=2, balanced=False)
    assert len(found) == 2


def test_the_parts_share_no_sentence_and_no_pair_of_terms() -> None:
    many = [
        document_with(f"{name}{n}", f"In case {n} the {name} rose.", name, f"MESH:D{n % 2}")
        for name in ("zinc", "copper", "iron", "lead", "gold", "tin", "radon", "neon", "argon", "xenon")
        for n in range(4)
    ]
    found = Occurrences(whole)
    for document in many:
        found.add(document)
    made_parts = parts(candidates(found, UNRELATED), 2)
    seen: set[object] = set()
    for part in made_parts.values():
        assert part
        own = {one for pair in part for one in (pair.sentence1, pair.sentence2)}
        own |= {frozenset((name_of(pair.term1), name_of(pair.term2))) for pair in part}
        assert not own & seen
        seen |= own


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


def test_pairs_that_share_a_sentence_or_a_term_are_in_one_cluster() -> None:
    def pair(term1: str, term2: str, sentence1: str, sentence2: str) -> ContextPair:
        return ContextPair(term1, term2, sentence1, sentence2, (0, 1), (0, 1), "synonyms", True)

    found = clusters(
        [pair("a", "b", "s1", "s2"), pair("B", "c", "s3", "s4"), pair("d", "e", "s4", "s5"), pair("x", "y", "s6", "s7")]
    )
    assert found.tolist() == [0, 0, 0, 1]


def test_pairs_that_share_a_concept_are_in_one_cluster_if_this_is_asked_for() -> None:
    one = ContextPair("a", "b", "s1", "s2", (0, 1), (0, 1), "synonyms", True, concepts=("C1", "C1"))
    other = ContextPair("x", "y", "s3", "s4", (0, 1), (0, 1), "synonyms", False, concepts=("C2", "C1"))
    unknown = ContextPair("v", "w", "s5", "s6", (0, 1), (0, 1), "synonyms", False)
    assert clusters([one, other, unknown]).tolist() == [0, 1, 2]
    assert clusters([one, other, unknown], by_concept=True).tolist() == [0, 0, 1]


@pytest.mark.realdata
def test_pairs_of_a_real_corpus_are_written_and_read_back(shared_data: Path, tmp_path: Path) -> None:
    from nlmchem.tagging.tokenization.tokens import sentences

    contexts = Occurrences(sentences)
    for document in open_corpus("bc5cdr", shared_data / "bc5cdr").read("train+dev"):
        contexts.add(document)
    found = select(candidates(contexts, LongFormNames()), 100)
    (tmp_path / "pairs.jsonl").write_bytes(dumps_lines(found))
    assert read_pairs(str(tmp_path / "pairs.jsonl")) == found
    (tmp_path / "dev.json").write_bytes(dumps(found))
    kept = list(open_corpus("biowic", tmp_path).read("dev"))
    assert [(pair.term1, pair.span2, pair.same) for pair in kept] == [
        (pair.term1, pair.span2, pair.same) for pair in found
    ]
    assert len(found) > 100
