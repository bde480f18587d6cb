"""Codes of protected peptides become names."""

from __future__ import annotations

import pytest

from sieves.chemistry import peptides


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Z-VAD-FMK", "benzyloxycarbonyl-valyl-alanyl-aspartyl fluoromethyl ketone"),
        ("zVAD-fmk", "benzyloxycarbonyl-valyl-alanyl-aspartyl fluoromethyl ketone"),
        ("Ac-DEVD-pNA", "acetyl-aspartyl-glutamyl-valyl-aspartic acid p-nitroanilide"),
        ("Ac-YVAD-CHO", "acetyl-tyrosyl-valyl-alanyl-aspartal"),
        ("Suc-LLVY-AMC", "succinyl-leucyl-leucyl-valyl-tyrosyl 7-amino-4-methylcoumarin"),
    ],
)
def test_codes_of_protected_peptides_are_written_out(text: str, name: str) -> None:
    assert name in list(peptides.protected(text))


@pytest.mark.parametrize("text", ["DEVD", "Ac-devd-pNA", "Ac-DEVD", "Ac-DXVD-pNA", "Z-DNA"])
def test_other_texts_are_no_codes(text: str) -> None:
    assert list(peptides.protected(text)) == []
