"""Edit distance finds misspellings and no other chemicals."""

from __future__ import annotations

import pytest

from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.edit_distance import EditDistance
from sieves.sieve import ArticleContext

NAMES = (
    "polyamides",
    "hydrogen cyanide",
    "doxorubicin",
    "triglycerides",
    "methyl ethers",
    "isopropyl beta-galactopyranoside",
    "thiogalactopyranoside",
    "alpha-cholestan-3-yl butyrate",
    "cycloartenol",
    "trimethyllysine",
    "glycine",
    "lysine",
    "aminocyclopentanecarboxylic acid",
    "cyclopropane",
    "cyclopentane",
    "petunidin 3-coumaroylrutinoside-5-glucoside",
)


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
        ("polyimides", None),  # imides are not amides
        ("hydrogen cyanamide", None),
        ("doxorubicinol", None),  # the alcohol is its metabolite
        ("cycloartanol", None),  # without the double bond
        ("methyl esters", None),
        ("isopropyl beta-thiogalactopyranoside", None),  # a word of another name, so it is no misspelling
        ("isopropyl β-galactopyranosyde", "isopropyl beta-galactopyranoside"),
        ("α-cholestan-3-yl methylbutyrate", None),
        ("trimethylglycine", None),  # what differs is a compound in both names
        ("trimethyllysin", "trimethyllysine"),
        ("aminocyclopropane carboxylic acid", None),
        ("aminocyclopentan carboxylic acid", "aminocyclopentanecarboxylic acid"),
        ("pelargonidin 3-coumaroylrutinoside-5-glucoside", None),  # alike, but for the part that has no common letters
    ],
)
def test_a_part_that_makes_another_chemical_is_not_a_misspelling(
    edit: EditDistance, text: str, name: str | None
) -> None:
    found = edit(text, ArticleContext(), lambda text, whole=False: None)
    assert [candidate.matched_name for candidate in found] == ([name] if name else [])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("docosahexanoic acid", "Docosahexaenoic Acid"),
        ("docosahexaenoikacid", "Docosahexaenoic Acid"),
        ("2-chloro-4-methyl-6-nitropyridin", "2-chloro-4-methyl-6-nitropyridine"),
        ("2-chloro-4-methyl-5-nitropyridine", None),  # another locant is another chemical
        ("etanol", "Ethanol"),
        ("etnl", None),  # too short
        ("xocosahexaenoic acid", None),  # another beginning: out of the block
        ("x" * 10_000, None),
        ("", None),
    ],
)
def test_edit_distance_finds_misspellings(lexicon: Lexicon, text: str, name: str | None) -> None:
    found = EditDistance("edit", lexicon)(text, ArticleContext(), lambda text, whole=False: None)
    assert [candidate.matched_name for candidate in found] == ([name] if name else [])
    assert all(candidate.score is not None and 0.9 <= candidate.score <= 1 for candidate in found)


def test_one_slip_in_a_word_is_a_misspelling_of_the_only_heading_near() -> None:
    with Lexicon.open() as lexicon:
        sieve = EditDistance("edit", lexicon)
        texts = ("asprin", "metforman", "ibuprophen", "warfrin", "glibenclamid", "methylen", "aspirin")
        answers = {text: sieve(text, ArticleContext(), lambda *_, **__: None) for text in texts}
    found = {text: [candidate.matched_name for candidate in candidates] for text, candidates in answers.items()}
    names = {"asprin": ["Aspirin"], "metforman": ["Metformin"], "ibuprophen": ["Ibuprofen"], "warfrin": ["Warfarin"]}
    # All names that begin with `glibenclamid` go on with `e`; those that begin with `methylen` with many letters.
    assert found == {"glibenclamid": ["Glibenclamide"], "methylen": [], "aspirin": []} | names
