"""The long form of a surface, and of short forms inside it."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.model.document import Definition
from nlmchem.abbreviations import Expander, Glossary


def expander(*pairs: tuple[str, str]) -> Expander:
    return Expander(
        Glossary.of(
            Definition(short, long, (1000 * n + 500, 1000 * n + 500 + len(short)), (1000 * n, 1000 * n + len(long)))
            for n, (short, long) in enumerate(pairs)
        )
    )


FATS = expander(("FFA", "free fatty acid"), ("DHA", "docosahexaenoic acid"), ("GSHs", "glutathiones"))


@pytest.mark.parametrize(
    ("surface", "long_form"),
    [
        ("FFA", "free fatty acid"),
        ("FFAs", "free fatty acids"),
        ("GSHs", "glutathiones"),
        ("GSH", "glutathione"),
        ("XYZ", None),
        ("DHA-rich oil", None),
        ("", None),
    ],
)
def test_the_long_form_is_inflected_like_the_surface(surface: str, long_form: str | None) -> None:
    assert FATS.long_form(surface) == long_form


@pytest.mark.parametrize(
    ("surface", "expanded"),
    [
        ("DHA-rich oil", "docosahexaenoic acid-rich oil"),
        ("GSH-MEE", "glutathione-MEE"),
        ("oil of FFAs and DHA", "oil of free fatty acids and docosahexaenoic acid"),
        ("FFA/DHA", "free fatty acid/docosahexaenoic acid"),
        ("DHA", "docosahexaenoic acid"),
    ],
)
def test_short_forms_inside_a_mention_are_expanded(surface: str, expanded: str) -> None:
    expansion = FATS.expand(surface)
    assert expansion is not None
    assert expansion.text == expanded


@pytest.mark.parametrize("surface", ["DHAP", "xDHA", "oil", "", "dha"])
def test_parts_of_words_are_not_short_forms(surface: str) -> None:
    assert FATS.expand(surface) is None


def test_offsets_are_mapped_back_to_the_original() -> None:
    surface = "a DHA-rich oil"
    expansion = FATS.expand(surface)
    assert expansion is not None
    assert expansion.text == "a docosahexaenoic acid-rich oil"
    rich = expansion.text.index("rich")
    start, end = expansion.origin(rich, rich + 4)
    assert surface[start:end] == "rich"
    acid = expansion.text.index("acid")
    start, end = expansion.origin(acid, acid + 9)
    assert surface[start:end] == "DHA-rich"
    assert [one.short_form for one in expansion.definitions] == ["DHA"]


def test_an_offset_outside_the_text_is_rejected() -> None:
    expansion = FATS.expand("DHA oil")
    assert expansion is not None
    for start, end in ((-1, 2), (3, 3), (0, 1000)):
        with pytest.raises(ValueError, match="no text at"):
            expansion.origin(start, end)


def test_the_meaning_depends_on_the_offset() -> None:
    two = expander(("PA", "palmitic acid"), ("PA", "pulmonary artery"))
    assert two.long_form("PA", 10) == "palmitic acid"
    assert two.long_form("PA", 1500) == "pulmonary artery"
    expansion = two.expand("x-PA", 1500)
    assert expansion is not None
    assert expansion.text == "x-pulmonary artery"


def test_an_expansion_can_be_pickled() -> None:
    expansion = FATS.expand("DHA oil")
    assert pickle.loads(pickle.dumps(expansion)) == expansion


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["FFA", "FFAs", "DHA", "oil", "-", " ", "😀", "é", "s", "(", "GSHs"]), max_size=8))
def test_pieces_cover_both_texts_completely(parts: list[str]) -> None:
    surface = "".join(parts)
    expansion = FATS.expand(surface)
    if expansion is None:
        return
    reached = back = 0
    for piece in expansion.pieces:
        assert piece.expanded[0] == reached
        assert piece.original[0] == back
        reached, back = piece.expanded[1], piece.original[1]
        if piece.definition is None:
            assert expansion.text[slice(*piece.expanded)] == surface[slice(*piece.original)]
    assert (reached, back) == (len(expansion.text), len(surface))
    assert expansion.origin(0, len(expansion.text)) == (0, len(surface))
