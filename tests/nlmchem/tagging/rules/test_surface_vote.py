"""The occurrences of the surfaces that the vote counts."""

from __future__ import annotations

from nlmchem.tagging.rules.post_processing import occurrences
from nlmchem.tagging.tokenization.tokens import lengths_by_first_token


class Counted(set[str]):
    """Surfaces that count how often they are looked up."""

    looked_up = 0

    def __contains__(self, surface: object) -> bool:
        Counted.looked_up += 1
        return super().__contains__(surface)


def test_the_longest_surface_counts_and_occurrences_do_not_overlap() -> None:
    surfaces = {"zinc", "zinc oxide", "oxide ions"}
    found = list(occurrences("zinc oxide ions, zinc ions", surfaces, lengths_by_first_token(surfaces)))
    assert found == [(0, "zinc oxide"), (17, "zinc")]


def test_many_surfaces_with_one_first_token_need_one_look_up_at_each_place() -> None:
    numbers = []
    for number in (100, 1000):
        surfaces = Counted(f"zinc a{at:04}" for at in range(number))
        Counted.looked_up = 0
        found = list(occurrences("zinc a0001, zinc axxxx " * 50, surfaces, lengths_by_first_token(surfaces)))
        assert len(found) == 50
        numbers.append(Counted.looked_up)
    assert numbers[0] == numbers[1]
