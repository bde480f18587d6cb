"""The word lists in the package."""

from __future__ import annotations

from importlib.resources import files

from corpora.words.english import LINKING_WORDS, common_words, known_words, one_letter_words, stop_words


def test_the_word_list_has_words_with_counts_and_is_under_a_megabyte() -> None:
    path = files("corpora.words").joinpath("words.tsv")
    data = path.read_bytes()
    assert len(data) < 1_000_000
    for line in data.decode("ascii").splitlines():
        word, *counts = line.split("\t")
        assert word.isalpha()
        assert word.islower()
        assert 1 <= len(counts) <= 2
        assert all(map(str.isdecimal, counts))


def test_word_lists_contain_typical_words() -> None:
    assert {"acid", "phosphate", "cellular"} <= known_words()
    assert {"temperature", "nitrogen"} <= one_letter_words() <= known_words()
    assert {"of", "the", "between"} <= stop_words()
    assert not {"of", "the"} & one_letter_words()
    assert common_words() <= known_words()
    assert stop_words() >= LINKING_WORDS
