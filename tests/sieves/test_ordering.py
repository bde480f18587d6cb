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
    rows = {row[0]: row for row in cells if len(row) == 9 and SIEVES.get(row[0]) is not None}
    for name, row in rows.items():
        # The corpora with texts: BC5CDR test, BioRED test, 30 articles.
        answered = [tuple(map(int, row[at].split(" of "))) for at in (1, 3, 7) if row[at] != "-"]
        right, number = (sum(counts) for counts in zip(*answered, strict=True))
        assert facts(name).precision == round((right + 1) / (number + 2), 2), name
    # These answer with other lexicons and steps only.
    assert set(DEFAULT_ORDER) - set(rows) == {"expanded", "external", "inferred"}


def test_each_sieve_has_words_for_readers_of_pages() -> None:
    assert [name for name in (*SIEVES.names(), "article", "dense") if not facts(name).words] == []
