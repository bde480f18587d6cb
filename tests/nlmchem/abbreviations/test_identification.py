"""Acronym identification in tokenized sentences."""

from __future__ import annotations

from nlmchem.abbreviations.identification import identify, looks_like_acronym


def test_definitions_and_other_acronyms_are_labelled() -> None:
    sentence = "The nerve growth factor ( NGF ) is like BDNF in part II ."
    tokens = sentence.split()
    assert identify(tokens) == ["O", "B-long", "I-long", "I-long", "O", "B-short", "O", "O", "O", "B-short"] + ["O"] * 4


def test_acronyms_are_recognised_by_their_form() -> None:
    assert all(map(looks_like_acronym, ("GANs", "IoT", "mRNA", "H2O", "R&D")))
    assert not any(map(looks_like_acronym, ("VII", "DeepMind", "the", "X", "")))
