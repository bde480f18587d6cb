"""Tables of an article page: rows and cells from the text of a passage."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.model.sections import Part, PassageKind
from nlmchem.report.article import MOST_CELLS, grid, marked_grid
from nlmchem.report.marks import Mark

TABLE = Part(PassageKind.TABLE)


def texts(text: str, part: Part) -> tuple[list[list[str]], bool]:
    cells = grid(text, part)
    assert cells is not None
    rows, known = cells
    return [[text[start:end] for start, end in row] for row in rows], known


def test_line_ends_separate_rows_and_tabs_separate_cells() -> None:
    text = "Treatment\tZn\n\t41\nCdCl2\t38"
    assert texts(text, TABLE) == ([["Treatment", "Zn"], ["", "41"], ["CdCl2", "38"]], True)


def test_rows_of_the_source_are_used_if_the_text_has_none() -> None:
    text = "Treatment\tZn\t \tCdCl2\t38"
    rows = [["Treatment", "Zn"], ["CdCl2", "38"]]
    assert texts(text, Part(PassageKind.TABLE, 0, "", (2, 2))) == (rows, True)
    assert texts(text, TABLE) == ([["Treatment", "Zn", "CdCl2", "38"]], False)


def test_text_without_cells_and_huge_tables_are_no_grid() -> None:
    assert grid("Treatment", TABLE) is None
    assert grid("", TABLE) is None
    assert grid("\t" * MOST_CELLS, TABLE) is None


def test_a_mark_over_two_cells_has_one_id() -> None:
    text = "zinc\toxide\nx\ty"
    cells = grid(text, TABLE)
    assert cells is not None
    rows = marked_grid(100, text, [Mark(((100, 110),), {"class": "m"}, {"id": "m0"}, {"class": "m z"})], cells[0])
    assert [piece.elements for piece in rows[0][0]] == [({"class": "m", "id": "m0"},)]
    assert [piece.elements for piece in rows[0][1]] == [({"class": "m z"},)]
    assert rows[1][0][0].elements == ()


def test_a_mark_that_begins_at_a_separator_keeps_its_id() -> None:
    text = "a\tzinc"
    cells = grid(text, TABLE)
    assert cells is not None
    rows = marked_grid(0, text, [Mark(((1, 6),), {}, {"id": "m0"})], cells[0])
    assert rows[0][1][0].elements == ({"id": "m0"},)


@given(st.text("ab\t\n ", max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4))
@settings(max_examples=200)
def test_cells_contain_all_visible_text(text: str, spans: list[tuple[int, int]]) -> None:
    cells = grid(text, TABLE)
    if cells is None:
        return
    marks = [Mark((span,), {}, {"id": str(number)}) for number, span in enumerate(spans)]
    rows = marked_grid(0, text, marks, cells[0])
    shown = "".join(piece.text for row in rows for cell in row for piece in cell)
    assert shown.replace(" ", "") == "".join(text.split())
