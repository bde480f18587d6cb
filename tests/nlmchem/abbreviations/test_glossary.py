"""What a short form means at each place of an article, where it occurs, and texts with short forms expanded."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpora.model.document import Definition
from nlmchem.abbreviations import Expander, Glossary
from nlmchem.abbreviations.glossary import ShortFormFinder


def definition(short: str, long: str, start: int, score: float = 0.9) -> Definition:
    end = start + len(long)
    return Definition(short, long, (end + 2, end + 2 + len(short)), (start, end), "FirstLet", score)


def meaning(glossary: Glossary, short: str, offset: int | None = None) -> str | None:
    found = glossary.meaning(short, offset)
    return found.long_form if found else None


def test_a_definition_applies_before_and_after_its_position() -> None:
    glossary = Glossary.of([definition("PA", "palmitic acid", 100)])
    assert meaning(glossary, "PA", 0) == meaning(glossary, "PA", 500) == meaning(glossary, "PA") == "palmitic acid"
    assert meaning(glossary, "XX") is None


def test_the_best_scored_definition_wins_over_earlier_ones() -> None:
    weak, strong = definition("PA", "pulmonary arch", 10, 0.3), definition("PA", "palmitic acid", 100, 0.99)
    glossary = Glossary.of([strong, weak])
    assert meaning(glossary, "PA", 50) == "palmitic acid"
    assert glossary.definitions == (weak, strong), "the table has all of them, in the order of the text"


def test_an_earlier_definition_of_a_high_score_applies_until_the_next_one() -> None:
    glossary = Glossary.of(
        [definition("PE", "phenylephrine", 10, 0.98), definition("PE", "pulmonary embolism", 300, 0.99)]
    )
    assert [meaning(glossary, "PE", at) for at in (0, 299, 300)] == [
        "phenylephrine",
        "phenylephrine",
        "pulmonary embolism",
    ]


def test_of_equally_scored_ones_the_first_is_the_best() -> None:
    glossary = Glossary.of([definition("PA", "palmitic acid", 10), definition("PA", "pulmonary artery", 90)])
    assert meaning(glossary, "PA") == "palmitic acid"


def test_a_later_redefinition_applies_from_its_position() -> None:
    glossary = Glossary.of(
        [
            definition("PA", "palmitic acid", 10),
            definition("PA", "pulmonary artery", 200, 0.5),
            definition("PA", "palmitic acid", 400),
        ]
    )
    assert [meaning(glossary, "PA", at) for at in (0, 199, 200, 399, 400)] == [
        "palmitic acid",
        "palmitic acid",
        "pulmonary artery",
        "pulmonary artery",
        "palmitic acid",
    ]


def test_another_case_hyphen_or_number_is_not_a_redefinition() -> None:
    glossary = Glossary.of([definition("ffa", "free fatty acids", 10), definition("ffa", "Free-fatty acid", 90)])
    assert meaning(glossary, "ffa", 500) == "free fatty acids"


def test_short_forms_are_in_the_order_of_their_definitions() -> None:
    glossary = Glossary.of([definition("B", "beta", 50), definition("A", "alpha", 10), definition("B", "beta", 90)])
    assert list(glossary) == ["A", "B"]
    assert len(glossary) == 2
    assert "A" in glossary


def test_occurrences_are_whole_words_before_an_s_or_a_hyphen() -> None:
    text = "DHA, DHAs, DHA-rich, (DHA), anti-DHA; not DHAP, aDHA, DHA2 or dha"
    found = [text[a : b + 1] for _, (a, b) in ShortFormFinder(["DHA"]).occurrences(text)]
    assert found == ["DHA,", "DHAs", "DHA-", "DHA)", "DHA;"]


def test_a_single_letter_needs_spaces_around_it() -> None:
    text = "C was seen (C) at 37 C, not in C. elegans, vitamin-C, 5 C or C-terminal"
    assert [span[0] for _, span in ShortFormFinder(["C"]).occurrences(text)] == [0, text.index("(C)") + 1]


def test_the_longest_short_form_wins() -> None:
    assert [form for form, _ in ShortFormFinder(["TNF", "TNF-α"]).occurrences("TNF-α and TNF")] == ["TNF-α", "TNF"]


def by_one_expression(forms: set[str], text: str) -> list[tuple[str, tuple[int, int]]]:
    longer = sorted((form for form in forms if len(form) > 1), key=lambda form: (-len(form), form))
    single = sorted(form for form in forms if len(form) == 1)
    parts = []
    if longer:
        parts.append(rf"(?<![^\W_])({'|'.join(map(re.escape, longer))})(?=s?(?![^\W_]))")
    if single:
        parts.append(rf"(?<![^\s(])(?<!\d )(?<!° )({'|'.join(map(re.escape, single))})(?![^\s),;])")
    found = re.finditer("|".join(parts), text) if parts else ()
    return [(match[match.lastindex or 0], match.span(match.lastindex or 0)) for match in found]


letters = st.text("AaBs-_(]^ °1α", min_size=1, max_size=4)


@given(st.sets(letters, max_size=6), st.lists(letters | st.sampled_from(["; ", " ", "s "]), max_size=20).map("".join))
@example({"A", "AB", "ABs"}, "ABs A, A-B ABss 1 A (A) _AB")
@example({"(", "(A"}, "x (A) ( (A")
@example(set(), "A")
def test_short_forms_are_found_where_one_expression_finds_them(forms: set[str], text: str) -> None:
    assert list(ShortFormFinder(forms).occurrences(text)) == by_one_expression(forms, text)


class Counted(frozenset):  # type: ignore[type-arg]
    """Short forms that count how often they are looked up."""

    looked_up = 0

    def __contains__(self, form: object) -> bool:
        Counted.looked_up += 1
        return super().__contains__(form)


def test_more_short_forms_of_one_length_need_no_more_look_ups() -> None:
    numbers = []
    for number in (100, 1000):
        short_forms = ShortFormFinder(f"A{at:04}" for at in range(number))
        short_forms._forms = Counted(short_forms._forms)
        Counted.looked_up = 0
        assert len(list(short_forms.occurrences("A0001 AXXXX " * 50))) == 50
        numbers.append(Counted.looked_up)
    assert numbers[0] == numbers[1]


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
