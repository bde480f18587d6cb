"""Windows contain all pieces of one article; batches have one length; sentences."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from nlmchem.tagging.tokenization.tokens import sentences
from nlmchem.tagging.tokenization.windows import batches, cut_at_sentences, pack, padded
from nlmchem.tagging.tokenization.word_pieces import STRETCH, PieceCutter

TEXT = st.text(alphabet=st.sampled_from("ab Z9.,\n()-+αΩ漢\u0301\u200b😀"), max_size=300)


def cutter() -> PieceCutter:
    """Letters one by one, as a tokenizer with many pieces a word."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s?\S"), "isolated")
    return PieceCutter(tokenizer, 1, 2, 0)


@given(st.lists(TEXT, max_size=6), st.sampled_from([16, 32, 64]))
def test_every_piece_is_in_a_window_and_no_window_is_too_long(texts: list[str], size: int) -> None:
    cut = cutter()
    encoded = cut(texts)
    seen = [np.zeros(len(own), dtype=int) for own in encoded]
    for window in pack(texts, encoded, cut, size):
        assert 0 < len(window) <= size
        for part in window.parts:
            seen[part.passage][part.first : part.last] += 1
            shown = window.ids[part.at : part.at + part.last - part.first]
            assert (shown == encoded[part.passage].ids[part.first : part.last]).all()
    for own, counts in zip(encoded, seen, strict=True):
        assert (counts >= 1).all() if len(own) else True
        assert (counts == 1).all() if len(own) + 2 <= size else True


@given(TEXT)
def test_pieces_have_the_offsets_of_their_text(text: str) -> None:
    (encoded,) = cutter()([text])
    for start, end in zip(encoded.starts, encoded.ends, strict=True):
        assert 0 <= start <= end <= len(text)
        assert text[start:end].strip() == text[start:end]
    covered = {place for start, end in zip(encoded.starts, encoded.ends, strict=True) for place in range(start, end)}
    assert all(place in covered for place, letter in enumerate(text) if not letter.isspace())


@given(st.lists(st.integers(1, 300), max_size=60), st.sampled_from([16, 256, 4096]))
def test_a_batch_has_one_padded_length_and_the_longest_come_first(lengths: list[int], budget: int) -> None:
    made = batches(lengths, budget)
    assert sorted(number for batch in made for number in batch.windows) == list(range(len(lengths)))
    assert [batch.length for batch in made] == sorted((batch.length for batch in made), reverse=True)
    for batch in made:
        assert all(padded(lengths[number]) == batch.length for number in batch.windows)
        assert len({lengths[number] == batch.length for number in batch.windows}) == 1
        assert len(batch.windows) == 1 or len(batch.windows) * batch.length <= budget


def test_a_long_passage_is_cut_at_sentences_into_similar_lengths() -> None:
    text = "Aaaa aaaa aaaaa. " * 20
    cut = cutter()
    encoded = cut([text])
    (sentence,) = {len(pieces) for pieces in cut(["Aaaa aaaa aaaaa."])}
    parts = [part for window in pack([text], encoded, cut, 64) for part in window.parts]
    assert [(part.last - part.first) // sentence for part in parts] == [4, 4, 4, 4, 4]
    for before, after in pairwise(parts):
        assert before.last == after.first
        assert text[encoded[0].starts[after.first]] == "A"


def test_a_sentence_longer_than_a_window_has_overlapping_windows_of_its_own() -> None:
    text = "Aa. A" + "a" * 99 + ". Aa. Aa."
    cut = cutter()
    parts = [part for window in pack([text], cut([text]), cut, 48) for part in window.parts]
    places = [(part.first, part.last) for part in parts]
    assert (places[0], places[-1]) == ((0, 3), (104, 110))
    assert all(before[0] < after[0] < before[1] for before, after in pairwise(places[1:-1]))


@given(st.lists(st.integers(1, 20), min_size=1, max_size=30), st.integers(20, 60))
def test_no_cut_needs_fewer_windows_and_none_of_as_many_has_a_shorter_longest(
    lengths: list[int], capacity: int
) -> None:
    starts = [0, *accumulate(lengths[:-1])]
    parts = cut_at_sentences(sum(lengths), starts, capacity)
    assert [place for part in parts for place in range(*part)] == list(range(sum(lengths)))
    assert {first for first, _ in parts} <= set(starts)
    longest = max(last - first for first, last in parts)
    assert longest <= capacity
    if longest > max(lengths):
        # With a lower limit, sentences from left to right fill more windows.
        filled, windows = 0, 1
        for length in lengths:
            windows, filled = (windows, filled + length) if filled + length < longest else (windows + 1, length)
        assert windows > len(parts)


def test_long_texts_are_tokenized_in_parts_with_the_same_result() -> None:
    text = "abc Zab9 " * 6000 + "a"
    assert len(text) > 2 * STRETCH
    (encoded,) = cutter()([text])
    assert len(encoded) == len(text.replace(" ", ""))
    assert all(text[s:e].strip() for s, e in zip(encoded.starts.tolist(), encoded.ends.tolist(), strict=True))


def test_pieces_of_a_word_are_glued_and_letters_and_digits_are_separate_words() -> None:
    (encoded,) = cutter()(["Ser326 β-ab"])
    assert [bool(flag) for flag in encoded.glued] == [False, True, True, False, True, True, False, False, False, True]


@given(TEXT)
def test_sentences_cover_all_text_except_blanks_in_order(text: str) -> None:
    found = sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in found) == "".join(text.split())
    reached = 0
    for start, end in found:
        assert reached <= start < end
        reached = end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. It fell.", ["It rose.", "It fell."]),
        ("We saw it (Fig. 3). E. coli grew at 3.5 mM.", ["We saw it (Fig. 3).", "E. coli grew at 3.5 mM."]),
        ("Given i.v. Then not.", ["Given i.v. Then not."]),
        ("Smith et al. Nature 2001", ["Smith et al. Nature 2001"]),
        ('Was it? "Yes." It was!', ["Was it?", '"Yes."', "It was!"]),
        ("Title\nText follows", ["Title", "Text follows"]),
        ("ends here", ["ends here"]),
        (" \n ", []),
    ],
)
def test_sentences_end_at_the_expected_places(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@pytest.mark.parametrize("unit", ["..[111 112 113 114 115 116 117 118] ", ".", "a.", "(((", " \n", ". \"'"])
def test_repetitive_texts_are_split_in_linear_time(unit: str) -> None:
    """How its time grows: benchmarks/speed/linear_time.py."""
    text = unit * 20_000
    found = sentences(text)
    assert "".join(text[start:end] for start, end in found).replace(" ", "").replace("\n", "") == "".join(text.split())
