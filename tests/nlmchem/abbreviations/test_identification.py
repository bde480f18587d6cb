"""Acronym identification in tokenized sentences."""

from __future__ import annotations

import pytest

from nlmchem.abbreviations.identification import identify, looks_like_acronym


def test_definitions_and_other_acronyms_are_labelled() -> None:
    sentence = "The nerve growth factor ( NGF ) is like BDNF in part II ."
    tokens = sentence.split()
    assert identify(tokens) == ["O", "B-long", "I-long", "I-long", "O", "B-short", "O", "O", "O", "B-short"] + ["O"] * 4


def test_acronyms_are_recognised_by_their_form() -> None:
    assert all(map(looks_like_acronym, ("GANs", "IoT", "mRNA", "H2O", "R&D")))
    assert not any(map(looks_like_acronym, ("VII", "DeepMind", "the", "X", "")))


@pytest.mark.parametrize(
    ("sentence", "acronyms"),
    [
        ("The TF - IDF of CC and IL", ["TF - IDF", "CC", "IL"]),
        ("An R - CNN and a 3D view in Table VII", ["R - CNN", "3D"]),
        ("We see A - B and 5 nm of XIV", []),
    ],
)
def test_joined_and_numbered_acronyms(sentence: str, acronyms: list[str]) -> None:
    tokens = sentence.split()
    found: list[str] = []
    for token, label in zip(tokens, identify(tokens), strict=True):
        if label == "B-short":
            found.append(token)
        elif label == "I-short":
            found[-1] += f" {token}"
    assert found == acronyms
