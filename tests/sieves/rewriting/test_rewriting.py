"""What the sieves make of a text before they ask the lexicon."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieves import cascade
from sieves.chemistry import elements, formulae, lipids, peptides
from sieves.chemistry.residues import codes
from sieves.lexicon import further_names, gold, keys
from sieves.rewriting import composites, peeling, variants
from sieves.sieve import Article


@pytest.mark.parametrize(
    "module", [composites, elements, formulae, keys, lipids, peeling, peptides, variants, cascade, further_names, gold]
)
def test_the_examples_of_the_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("key", [keys.relaxed("17β-Œstradiol"), keys.relaxed("17beta-œstradiol")])
def test_greek_letters_and_accents_fold(key: str) -> None:
    assert key == "17betaœstradiol"


@given(st.text())
def test_a_relaxed_key_does_not_depend_on_case(text: str) -> None:
    assert keys.relaxed(text) == keys.relaxed(text.casefold())


@given(st.text(max_size=60))
def test_no_sieve_stumbles_over_any_text(text: str) -> None:
    for rewrite in (
        elements.ions,
        elements.isotopes,
        formulae.salts,
        lipids.shorthand,
        peeling.parent,
        peeling.bare,
        peeling.acids,
        peptides.protected,
        composites.splits,
        keys.plurals,
        variants.qualified,
        variants.renumbered,
        variants.reordered,
    ):
        assert len(list(rewrite(text))) < 200
    elements.label(text)
    keys.bag(text)
    list(codes(text, Article()))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Ca2+", "calcium ion"),
        ("Zn(2+)", "zinc ion"),
        ("Fe(III)", "ferric ion"),
        ("Na+", "sodium"),
        ("Cl-", "chlorides"),
        ("SO42-", "sulfates"),
        ("SO4 2-", "sulfates"),
        ("HCO3-", "bicarbonates"),
        ("NH4+", "ammonium"),
        ("Mg2", "magnesium ion"),
        ("H2", "hydrogen"),
        ("C", "carbon"),
        ("Pd", "palladium"),
    ],
)
def test_ions_and_elements(text: str, first: str) -> None:
    assert next(elements.ions(text)) == first


@pytest.mark.parametrize("text", ["", "IL-2", "Ca(v)1.2", "DHA", "CO-", "p53", "H3K4"])
def test_what_is_no_ion(text: str) -> None:
    assert list(elements.ions(text)) == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("13C", "carbon-13"),
        ("[3H]", "tritium"),
        ("125I", "iodine-125"),
        ("Co-60", "cobalt-60"),
        ("1H", "hydrogen"),
        ("(14)C", "carbon-14"),
        ("67Gallium", "gallium-67"),
        ("iodine-131", "iodine-131"),
    ],
)
def test_isotopes(text: str, first: str) -> None:
    assert next(elements.isotopes(text)) == first


@pytest.mark.parametrize("text", ["C-225", "P400", "S-1", "H5"])
def test_a_number_that_is_no_mass_of_the_element_makes_no_isotope(text: str) -> None:
    assert list(elements.isotopes(text)) == []


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
def test_what_is_no_code_of_a_protected_peptide(text: str) -> None:
    assert list(peptides.protected(text)) == []


@pytest.mark.parametrize("text", ["aniline derivative", "aniline derivatives 4a", "novel aniline analogues"])
def test_a_derivative_is_of_the_class_first(text: str) -> None:
    forms = list(peeling.bare(text))
    assert forms.index(next(form for form in forms if form.endswith("aniline compounds"))) < len(forms) - 1
    assert next(peeling.bare("aniline 4")) == "aniline"


def test_words_of_state_are_peeled() -> None:
    assert list(peeling.bare("dissolved oxygen")) == ["oxygen"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2-hydroxypalmitate", "2-hydroxyhexadecanoate"),
        ("palmitic acid", "hexadecanoic acid"),
        ("3-hydroxytetradecanoic acid", "3-hydroxymyristic acid"),
    ],
)
def test_trivial_and_systematic_stems_of_fatty_acids(text: str, name: str) -> None:
    assert name in list(peeling.acids(text))


@pytest.mark.parametrize("text", ["", "\t", "a\tb", "Ca²⁺ \u2010x", "naïve", "\x1c\x7f"])
def test_a_plain_text_has_one_blank_and_one_dash(text: str) -> None:
    assert len(keys.plain(text)) == len(text)
    assert not set(keys.plain(text)) & set("\t\u2010²")


@pytest.mark.parametrize("begins", [True, False])
def test_a_qualifying_word_is_tried_where_a_name_begins_so(begins: bool) -> None:
    assert bool(list(variants.qualified("BV6", lambda _: begins))) == begins
    assert list(variants.qualified("pain drugs", lambda _: begins)) == ["pain agents"]


@pytest.mark.parametrize("text", ["[3H]dopamine", "[(3)H]dopamine", "[(3)H]-dopamine"])
def test_labels(text: str) -> None:
    assert elements.label(text) == ("3H", "dopamine")


@pytest.mark.parametrize(
    ("text", "parents"),
    [
        ("sodium pyruvate", ["pyruvate"]),
        ("pyruvate sodium", ["pyruvate"]),
        ("potassium chloride", ["chloride"]),  # never the metal alone
    ],
)
def test_a_salt_is_peeled_to_its_parent_not_to_its_metal(text: str, parents: list[str]) -> None:
    assert list(peeling.parent(text)) == parents


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("p-nitrophenol", "4-nitrophenol"),
        ("4-nitrophenol", "p-nitrophenol"),
        ("ortho-toluidine", "2-toluidine"),
        ("N-methyl-2-phenylindole", "1-methyl-2-phenylindole"),
        ("2,3,5-triphenyltetrazolium", "triphenyltetrazolium"),
    ],
)
def test_locants(text: str, name: str) -> None:
    assert name in list(variants.renumbered(text))


@pytest.mark.parametrize("text", ["N,N-dimethylaniline", "ethanol", "C4-body"])
def test_what_has_no_other_locants(text: str) -> None:
    assert list(variants.renumbered(text)) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NaCl", "sodium chloride"),
        ("FeCl3", "ferric chloride"),
        ("CaCl2·2H2O", "calcium chloride"),
        ("CaCl2∙2H2O", "calcium chloride"),
        ("CaCl2 ⋅ 2H2O", "calcium chloride"),
        ("(NH4)2SO4", "ammonium sulfate"),
        ("CuSO4", "cupric sulfate"),
        ("H2O2", "hydrogen peroxide"),
        ("SiO2", "silicon dioxide"),
        ("K2CO3", "potassium carbonate"),
        ("Na2HPO4·12H2O", "sodium phosphate, dibasic"),
        ("Mg(NO3)2", "magnesium nitrate"),
    ],
)
def test_formulae(text: str, name: str) -> None:
    assert name in formulae.salts(text)


@pytest.mark.parametrize(
    ("text", "others", "names"),
    [
        ("Arg", [], ["arginine"]),
        ("Arg-12", [], ["arginine"]),
        ("Ser473", [], ["serine"]),
        ("S473", [], []),
        ("S473", ["T308"], ["serine"]),
        ("S473", ["Tyr"], ["serine"]),
        ("ARG", [], []),
        ("ARG", ["Lys", "Glu"], ["arginine"]),
        ("C16", ["C16", "wine"], []),
        ("S", [], []),
        ("S4", [], []),
    ],
)
def test_amino_acid_codes_count_where_the_context_says_so(text: str, others: list[str], names: list[str]) -> None:
    assert list(codes(text, Article(surfaces=frozenset(others)))) == names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("vitamins A, C and E", ("vitamin A", "vitamin C", "vitamin E")),
        ("omega-3 and -6 fatty acids", ("omega-3 fatty acids", "omega-6 fatty acids")),
        ("docosahexaenoic and eicosapentaenoic acids", ("docosahexaenoic acids", "eicosapentaenoic acids")),
        ("n-3 and n-6 fatty acids", ("n-3 fatty acids", "n-6 fatty acids")),
        ("NaCl/Tris", ("NaCl", "Tris")),
        ("gemcitabine-oxaliplatin", ("gemcitabine", "oxaliplatin")),
    ],
)
def test_composites(text: str, parts: tuple[str, ...]) -> None:
    assert parts in list(composites.splits(text))
