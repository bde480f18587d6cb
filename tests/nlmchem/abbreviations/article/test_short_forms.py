"""Where short forms occur: the same places as one regular expression of all of them, in linear time."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from nlmchem.abbreviations.article.short_forms import ShortFormFinder


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
