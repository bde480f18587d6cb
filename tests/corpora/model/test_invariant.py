"""Offsets in other units: the texts of the annotations show the unit, which is reported, and corrected on demand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCSentence

from corpora.errors import OptionError
from corpora.model.invariant import agreed_unit, check, settle
from corpora.storage.members import Selection
from corpora.words.quantities import UNITS

Count = Callable[[str], int]
TEXTS = ("Größe 𝛼 zinc", "We gave β-carotene 𝛼 and zinc.\nThen zinc\nand lead.")
NAMES = ((0, "zinc"), (1, "β-carotene"), (1, "zinc"), (1, "lead"))


def code_points(text: str) -> int:
    return len(text)


def in_bytes(text: str) -> int:
    return len(text.encode())


def in_utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def two_for_a_line_end(text: str) -> int:
    return len(text) + text.count("\n")


def passage(text: str, offset: int) -> BioCPassage:
    made = BioCPassage()
    made.text, made.offset = text, offset
    return made


def mark(holder: BioCPassage | BioCSentence | BioCDocument, id: str, text: str, start: int, length: int) -> None:
    made = BioCAnnotation()
    made.id, made.text, made.infons = id, text, {"type": "Chemical"}
    made.add_location(BioCLocation(start, length))
    holder.add_annotation(made)


def counted(count: Count, whole: bool = False, at_document: bool = False, gap: str = "\n") -> BioCDocument:
    """A document whose offsets are from `count`: from the passage's offset, or (`whole`) from the start of the text."""
    document = BioCDocument()
    document.id = "7"
    document.passages = [passage(TEXTS[0], 0), passage(TEXTS[1], len(TEXTS[0]) + len(gap))]
    for number, (at, name) in enumerate(NAMES):
        holder = document.passages[at]
        before = TEXTS[at][: TEXTS[at].rindex(name)]
        base = count(TEXTS[0] + gap) * at if whole else holder.offset
        mark(document if at_document else holder, str(number), name, base + count(before), count(name))
    return document


CASES = [
    ("bytes", counted(in_bytes)),
    ("bytes", counted(in_bytes, whole=True)),
    ("bytes", counted(in_bytes, whole=True, at_document=True)),
    ("utf16", counted(in_utf16)),
    ("utf16", counted(in_utf16, whole=True)),
    ("crlf", counted(two_for_a_line_end, whole=True)),
    ("crlf", counted(two_for_a_line_end)),
]


@pytest.mark.parametrize(("unit", "document"), CASES)
def test_a_unit_in_which_all_annotations_agree_is_reported_once_and_nothing_changes(
    unit: str, document: BioCDocument
) -> None:
    before, messages = str(document), list[str]()
    assert settle(document, messages.append) == check(document) != []
    (sentence,) = messages
    assert sentence.startswith("document '7': ")
    assert sentence.endswith(f'kept unchanged; to correct them, convert the file with offsets="{unit}"')
    assert str(document) == before


@pytest.mark.parametrize(("unit", "document"), CASES)
def test_the_offsets_are_corrected_on_demand(unit: str, document: BioCDocument) -> None:
    messages: list[str] = []
    assert settle(document, messages.append, unit) == check(document) == []
    assert messages[0].startswith("document '7': offsets changed to code points: ")
    right = [spans_of(one) for one in counted(code_points).passages]
    if not document.annotations:
        assert [spans_of(one) for one in document.passages] == right


def spans_of(holder: BioCPassage) -> list[tuple[str, int, int]]:
    return [(one.text, one.locations[0].offset, one.locations[0].length) for one in holder.annotations]


def test_offsets_from_the_start_of_the_passage_or_the_sentence() -> None:
    document = counted(code_points)
    for one in document.passages:
        for annotation in one.annotations:
            annotation.locations[0].offset -= one.offset
    assert agreed_unit(document) == "passage"
    settle(document, print, "passage")
    assert spans_of(document.passages[1]) == spans_of(counted(code_points).passages[1])

    document = BioCDocument()
    document.id = "8"
    document.passages = [passage("It. We gave zinc.", 20)]
    sentence = BioCSentence()
    sentence.offset, sentence.text = 24, "We gave zinc."
    mark(sentence, "1", "zinc", 8, 4)
    document.passages[0].add_sentence(sentence)
    assert agreed_unit(document) == "passage"
    assert settle(document, print, "passage") == []
    assert sentence.annotations[0].locations[0].offset == 32


def test_line_ends_of_two_characters_that_count_one() -> None:
    document = BioCDocument()
    document.id = "9"
    document.passages = [passage("Zinc.", 0), passage("We gave\r\nlead.", 7)]
    mark(document.passages[1], "1", "lead", 14, 4)
    assert agreed_unit(document) == "crlf"
    assert settle(document, print, "crlf") == []
    assert document.passages[1].annotations[0].locations[0].offset == 16


def test_annotations_move_to_the_passage_of_their_text() -> None:
    document = counted(in_bytes, whole=True)
    document.passages[0].annotations += document.passages[1].annotations
    document.passages[1].annotations = []
    assert settle(document, print, "bytes") == []
    assert [len(one.annotations) for one in document.passages] == [1, 3]


def test_a_constant_shift_is_reported_with_its_size() -> None:
    document, messages = counted(code_points), list[str]()
    for one in document.passages:
        for annotation in one.annotations:
            annotation.locations[0].offset += 3
    assert len(settle(document, messages.append)) == 4
    assert messages == [
        "document '7': 4 of 4 annotations do not have their text at their offset; each has it 3 characters before "
        "it; kept unchanged; correct the offsets in the file"
    ]


def test_annotations_that_do_not_agree_are_reported_one_by_one() -> None:
    document, messages = counted(in_bytes), list[str]()
    mark(document.passages[0], "x", "lead", 0, 4)
    assert len(settle(document, messages.append)) == len(messages) == 5
    assert "annotation 'x': its text is 'lead', but the text at its location is 'Größ'; kept unchanged" in str(messages)
    settle(document, messages.append, "bytes")
    assert [one.annotation for one in check(document)] == ["x"], "what fits in the unit is corrected"


def test_right_offsets_are_not_touched_by_any_unit() -> None:
    for unit in UNITS:
        document = counted(code_points)
        before = str(document)
        assert settle(document, lambda sentence: pytest.fail(sentence), unit) == []
        assert str(document) == before


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(OptionError, match="offsets must be one of bytes, utf16, passage, crlf, not 'lines'"):
        Selection(offsets="lines")
