"""Windows contain all pieces of one article; batches have one length; sentences."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from nlmchem.tagging.tokenization.sentences import sentences
from nlmchem.tagging.tokenization.windows import batches, pack, padded
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


def test_neighbouring_windows_of_a_long_passage_overlap_and_begin_at_sentences() -> None:
    text = "Aaaa aaaa aaaaa. " * 20
    cut = cutter()
    encoded = cut([text])
    windows = pack([text], encoded, cut, 64)
    parts = [part for window in windows for part in window.parts]
    assert len(parts) > 2
    for before, after in pairwise(parts):
        assert before.first < after.first < before.last
        assert text[encoded[0].starts[after.first]] == "A"


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
