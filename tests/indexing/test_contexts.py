"""The words around mentions, as features."""

from __future__ import annotations

from collections.abc import Callable

from bioc import BioCDocument

from indexing.candidates import candidates_of
from indexing.contexts import SIZE, context_of, vectors

Article = Callable[..., BioCDocument]


def test_a_window_has_words_by_distance_pairs_and_words_at_any_distance() -> None:
    found = set(context_of(["from", "purchased"], ["(", "sigma"]))
    assert {"<0from", "<1purchased", ">0(", ">1sigma", "<<purchased from", ">>( sigma", "<>from (", "~sigma"} <= found


def test_other_chemicals_and_numbers_are_the_same_word_everywhere(article: Article) -> None:
    one = candidates_of(article([("METHODS", "5 mM zinc with rutin was added")]))
    other = candidates_of(article([("METHODS", "0.25 mM zinc with copper was added")]))
    of_zinc = [vectors(found)[[c.identifier for c in found.candidates].index("MESH:D015032")] for found in (one, other)]
    assert of_zinc[0] == of_zinc[1]


def test_values_are_means_over_windows_and_title_and_references_are_not_read(article: Article) -> None:
    found = candidates_of(
        article([("TITLE", "On zinc"), ("REF", "Of zinc"), ("RESULTS", "more zinc or"), ("METHODS", "zinc")])
    )
    (values,) = vectors(found)
    assert all(0 <= feature < SIZE for feature in values)
    assert min(values.values()) == 0.5
    (none,) = vectors(candidates_of(article([("TITLE", "On zinc"), ("REF", "Of zinc")])))
    assert none == {}
