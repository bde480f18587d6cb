"""The search for alignments, compared with an exhaustive search."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import given, settings
from hypothesis import strategies as st

from nlmchem.abbreviations.ab3p.alignment import STRATEGIES, Strategy, align, first_letters
from nlmchem.abbreviations.ab3p.candidates import MatchingCharacter, TokenWindow


def window(text: str) -> TokenWindow:
    return TokenWindow.between(text, 0, len(text)) or TokenWindow([], [])


def plainly(characters: str, where: TokenWindow, strategy: Strategy) -> MatchingCharacter | None:
    """Try all alignments from right to left, nearest first, and return the first one that the strategy accepts."""
    for hits in product(*(where.hits(character) for character in reversed(characters))):
        ordered = hits[::-1]
        positions = [hit.position for hit in ordered]
        increasing = all(left < right for left, right in pairwise(positions))
        if increasing and passes(ordered, where, strategy):
            return ordered[0]
    return None


def passes(hits: tuple[MatchingCharacter, ...], where: TokenWindow, strategy: Strategy) -> bool:
    tokens = [hit.token for hit in hits] + [len(where.tokens)]
    gaps = [max(0, right - left - 1) for left, right in pairwise(tokens)]
    skipped = [t for left, right in pairwise(tokens) for t in range(left + 1, right)]
    begun = {hit.token for hit in hits if hit.start}
    return (
        hits[0].start
        and max(gaps) <= strategy.gap
        and max(gaps) >= strategy.widest
        and (not strategy.starts or all(hit.start for hit in hits))
        and (not strategy.stops or all(where.is_stop(token) for token in skipped))
        and (not strategy.words or all(hit.first or where.ends_in_word(hit) for hit in hits))
        and (not strategy.begun or all(hit.token in begun for hit in hits))
        and (not strategy.behind_mark or any(hit.start and not hit.first for hit in hits))
        and (not strategy.inside or any(not hit.start for hit in hits))
        and (not strategy.touching or any(b.position == a.position + 1 for a, b in pairwise(hits)))
    )


WORDS = st.lists(st.text("ab-t", min_size=1, max_size=5) | st.sampled_from(["the", "of", "bat", "acid"]), max_size=5)


@settings(max_examples=150, deadline=None)
@given(words=WORDS, characters=st.text("abt", min_size=1, max_size=4), name=st.sampled_from(sorted(STRATEGIES)))
def test_the_search_finds_the_same_alignment_as_exhaustive_search(words: list[str], characters: str, name: str) -> None:
    where = window(" ".join(words))
    assert align(characters, where, STRATEGIES[name]) == plainly(characters, where, STRATEGIES[name])


def test_first_letters_are_those_of_the_last_tokens() -> None:
    where = window("the grey rat brain")
    assert first_letters("grb", where) == MatchingCharacter(4, 1, True, True)
    assert first_letters("gb", where) is None
    assert first_letters("xtgrb", where) is None


def test_a_hard_alignment_ends_in_bounded_time() -> None:
    where = window(" ".join(["a" * 35] * 10))
    assert align("a" * 40, where, STRATEGIES["AnyLet"]) is not None
    assert align("a" * 40 + "b", where, STRATEGIES["AnyLet"]) is None
