"""The order of sieves is learned from gold mentions."""

from __future__ import annotations

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from sieves.cascade import DEFAULT_ORDER
from sieves.lexicon.lexicon import Lexicon
from sieves.ordering import learned_order, tally


def gold(text: str, identifier: str) -> BioCDocument:
    """An article with one mention."""
    passage = BioCPassage()
    passage.offset, passage.text = 0, text
    annotation = BioCAnnotation()
    annotation.id, annotation.text, annotation.infons = "0", text, {"type": "Chemical", "identifier": identifier}
    annotation.add_location(BioCLocation(0, len(text)))
    passage.add_annotation(annotation)
    document = BioCDocument()
    document.id = "d"
    document.add_passage(passage)
    return document


def test_the_more_precise_sieve_comes_first(lexicon: Lexicon) -> None:
    documents = [gold("Ca2+", "MESH:D000007")] * 20 + [gold("Ethanol", "MESH:D000001")] * 20
    rows, order = learned_order(documents, lexicon)
    known = {row.sieve: (row.answered, row.right) for row in rows}
    assert (known["exact"], known["ion"]) == ((20, 0), (20, 20))
    assert order.index("ion") < order.index("exact")
    assert sorted(order) == sorted(DEFAULT_ORDER)


def test_a_sieve_with_few_answers_keeps_its_place(lexicon: Lexicon) -> None:
    assert learned_order([gold("Ethanol", "MESH:D000001")], lexicon)[1] == DEFAULT_ORDER


def test_a_tally_counts_the_winning_sieve(lexicon: Lexicon) -> None:
    rows = {row.sieve: row for row in tally([gold("Ethanol", "MESH:D000002"), gold("wine", "MESH:D000002")], lexicon)}
    assert (rows["exact"].reached, rows["exact"].answered, rows["exact"].right) == (2, 1, 1)
    assert (rows["composite"].reached, rows["composite"].answered) == (1, 0)
