"""Edit distance: what is a misspelling, and what is another chemical."""

from __future__ import annotations

import pytest

from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.edit_distance import EditDistance
from sieves.sieve import Article

NAMES = ("polyamides", "hydrogen cyanide", "doxorubicin", "triglycerides", "methyl ethers")


@pytest.fixture(scope="module")
def edit(tmp_path_factory: pytest.TempPathFactory) -> EditDistance:
    path = tmp_path_factory.mktemp("fuzzy") / "names.tsv"
    path.write_text("".join(f"MESH:D{n:06}\t{name}\t\n" for n, name in enumerate(NAMES, 1)), "utf-8")
    return EditDistance("edit", Lexicon.open(path))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("triglicerides", "triglycerides"),
        ("doxorubicine", "doxorubicin"),
        ("polyimides", None),  # imides are no amides
        ("hydrogen cyanamide", None),
        ("doxorubicinol", None),  # the alcohol is its metabolite
        ("methyl esters", None),
    ],
)
def test_a_part_that_makes_another_chemical_is_not_a_misspelling(
    edit: EditDistance, text: str, name: str | None
) -> None:
    found = edit(text, Article(), lambda text, whole=False: None)
    assert [candidate.matched_name for candidate in found] == ([name] if name else [])
