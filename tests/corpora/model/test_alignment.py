"""The comparison of the texts of two files."""

from __future__ import annotations

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.model.alignment import DocumentLayout, differences, layout, pairs


def text(name: str, *passages: str, key: str | None = None) -> DocumentLayout:
    """A document whose passages follow each other with one character between."""
    placed = []
    offset = 0
    for passage in passages:
        placed.append((offset, passage))
        offset += len(passage) + 1
    return DocumentLayout(name, key or name, tuple(placed))


def sentences(left: list[DocumentLayout], right: list[DocumentLayout]) -> list[str]:
    return [str(difference) for difference in differences(left, right, ("gold", "run"))]


def test_the_same_text_has_no_differences() -> None:
    assert (
        sentences([text("1", "Zinc", "We saw zinc."), text("2")], [text("2"), text("1", "Zinc", "We saw zinc.")]) == []
    )


def test_documents_on_one_side_only_are_differences() -> None:
    assert sentences([text("1"), text("2")], [text("2"), text("3")]) == [
        "document '1': is not in run",
        "document '3': is not in gold",
    ]


def test_a_document_that_occurs_twice_is_a_difference() -> None:
    assert sentences([text("1")], [text("1"), text("1")]) == [
        "document '1': occurs 2 times in run",
        "document '1': is not in gold",
    ]


def test_a_different_text_is_reported_with_its_position() -> None:
    [sentence] = sentences([text("1", "Zinc", "copper and zinc")], [text("1", "Zinc", "copper\u00a0and zinc")])
    assert sentence == (
        "document '1', passage 2: the texts differ from character 6: "
        "'copper and zinc' in gold, 'copper\\xa0and zinc' in run"
    )


def test_a_shorter_text_is_reported_with_its_end() -> None:
    [sentence] = sentences([text("1", "Zinc and copper")], [text("1", "Zinc and")])
    assert "differ from character 8" in sentence
    assert "its end in run" in sentence


def test_a_different_offset_is_a_difference() -> None:
    moved = DocumentLayout("1", "1", ((0, "Zinc"), (6, "copper")))
    assert sentences([text("1", "Zinc", "copper")], [moved]) == [
        "document '1', passage 2: begins at offset 5 in gold, at 6 in run"
    ]


def test_only_the_missing_passage_is_a_difference() -> None:
    whole = text("1", "Zinc", "copper", "iron")
    less = DocumentLayout("1", "1", (whole.passages[0], whole.passages[2]))
    assert sentences([whole], [less]) == [
        "document '1': has 3 passages in gold, 2 in run",
        "document '1', passage 2: the passage at offset 5, 'copper', is not in run",
    ]
    assert sentences([less], [whole])[1] == "document '1', passage 2: the passage at offset 5, 'copper', is not in gold"


def test_every_difference_is_listed() -> None:
    left = [text(str(number), "abc", "def") for number in range(20)]
    right = [text(str(number), "abx", "dex") for number in range(20)]
    assert len(sentences(left, right)) == 40


# -- joining ------------------------------------------------------------------------------------


def test_ids_join_first_then_keys() -> None:
    left = [text("PMC12", key="12"), text("99", key="99")]
    right = [text("99", key="99"), text("article-12", key="12")]
    assert pairs(left, right) == [(0, 1), (1, 0)]


def test_keys_that_are_not_unique_do_not_join() -> None:
    left = [text("a", key="12")]
    right = [text("b", key="12"), text("c", key="12")]
    assert pairs(left, right) == [(0, None), (None, 0), (None, 1)]


def test_layout_of_a_document() -> None:
    document = BioCDocument()
    document.id = "PMC77"
    document.infons["article-id_pmc"] = "PMC77"
    passage = BioCPassage()
    passage.offset, passage.text = 3, "Zinc"
    document.add_passage(passage)
    assert layout(document) == DocumentLayout("PMC77", "77", ((3, "Zinc"),))


@pytest.mark.parametrize("count", [0, 1])
def test_a_side_without_documents_differs_in_every_document(count: int) -> None:
    assert len(sentences([text("1")] * count, [text("1")])) == 1 - count
