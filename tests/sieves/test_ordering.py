"""The order of sieves is learned from gold mentions."""

from __future__ import annotations

from pathlib import Path

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from sieves.cascade import DEFAULT_ORDER, Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.ordering import learned_order
from sieves.registry import SIEVES, facts


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


def test_a_learned_order_is_an_order_that_the_cascade_accepts(lexicon: Lexicon) -> None:
    order = learned_order([gold("Ethanol", "MESH:D000002")] * 20, lexicon)[1]
    found = Cascade(lexicon, ",".join(order)).resolve("Ethanol")
    assert found is not None
    assert found.identifiers == ("MESH:D000002",)


def test_the_precision_in_the_registry_is_that_of_the_measurements() -> None:
    page = Path(__file__).parents[2] / "docs" / "measurements" / "normalization.md"
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.read_text("utf-8").splitlines()]
    measured = 0
    for row in cells:
        if len(row) != 9 or SIEVES.get(row[0]) is None:
            continue
        answered = [(int(row[at]), row[at + 1]) for at in (2, 6) if row[at + 1] != "-"]
        right = sum(round(number * float(share)) for number, share in answered)
        expected = round((right + 1) / (sum(number for number, _ in answered) + 2), 2) if answered else None
        assert facts(row[0]).precision == expected, row[0]
        measured += 1
    assert measured == len(DEFAULT_ORDER)


def test_each_sieve_has_words_for_readers_of_pages() -> None:
    assert [name for name in (*SIEVES.names(), "article", "dense") if not facts(name).words] == []
