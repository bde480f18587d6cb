"""Names with the qualifying words of MeSH, and the headings above a name."""

from __future__ import annotations

import pytest

from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.names import NameLookup


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> NameLookup:
    path = tmp_path_factory.mktemp("names") / "names.tsv"
    listed = ("Alum Compounds", "PTP compound", "Oligopeptide", "BV6 peptide", "Ecstasy (Drug)", "Anti-Fungal Agents")
    path.write_text("".join(f"MESH:D{n:06}\t{name}\t\n" for n, name in enumerate(listed, 1)), "utf-8")
    return NameLookup(Lexicon.open(path))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("alum", "Alum Compounds"),
        ("BV6", "BV6 peptide"),
        ("ecstasy", "Ecstasy (Drug)"),
        ("antifungal drugs", "Anti-Fungal Agents"),
        ("ptp", "PTP compound"),
        ("Pt-P", None),  # a short text keeps its punctuation, whatever is added to it
        ("oligo", None),  # the word is a part of another name
    ],
)
def test_a_qualifying_word_is_a_word_beside_the_text(names: NameLookup, text: str, name: str | None) -> None:
    assert [match.name for match in names.qualified(text)] == ([name] if name else [])
