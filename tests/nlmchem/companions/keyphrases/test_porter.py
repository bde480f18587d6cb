"""The Porter stemmer: the examples of the paper, and the departures of the author's program."""

from __future__ import annotations

import pytest

from nlmchem.companions.keyphrases.candidates import stem, stemmed, word_hash


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # Step 1
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed"), ("agreed", "agre"),
        ("plastered", "plaster"), ("bled", "bled"), ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"),
        ("troubled", "troubl"), ("sized", "size"), ("hopping", "hop"), ("falling", "fall"), ("hissing", "hiss"),
        ("fizzed", "fizz"), ("failing", "fail"), ("filing", "file"), ("happy", "happi"), ("sky", "sky"),
        # Steps 2 to 4
        ("relational", "relat"), ("conditional", "condit"), ("digitizer", "digit"), ("vietnamization", "vietnam"),
        ("sensibiliti", "sensibl"), ("triplicate", "triplic"), ("hopefulness", "hope"), ("electrical", "electr"),
        ("revival", "reviv"), ("replacement", "replac"), ("adoption", "adopt"), ("communism", "commun"),
        # Step 5
        ("probate", "probat"), ("rate", "rate"), ("cease", "ceas"), ("controll", "control"), ("roll", "roll"),
    ],
)  # fmt: skip
def test_the_examples_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("os", "os"),
        ("trekking", "trek"),
        ("immunologie", "immunologi"),
        ("possibly", "possibl"),
        ("methodology", "methodolog"),
        ("methodologies", "methodolog"),
    ],
)
def test_the_departures_of_the_program(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_phrases_are_stemmed_part_by_part() -> None:
    assert stemmed("Encoder/decoders of  Real-Time VIDEOS") == "encod/decod of real-time video"
    assert stemmed("β-Carotenes in H2O") == "β-caroten in h2o"
    assert stemmed("") == ""


def test_hashes_are_the_same_on_every_machine() -> None:
    assert word_hash("zinc") == 0x4D051980
