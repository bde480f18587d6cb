"""Names are peeled, split and written in another way before they are looked up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieves.chemistry import composites, variants
from sieves.lexicon import keys


def test_stereo_prefixes_may_be_a_list() -> None:
    assert "valine" in list(variants.parent("D, L-valine"))


@pytest.mark.parametrize("key", [keys.relaxed("17β-Œstradiol"), keys.relaxed("17beta-œstradiol")])
def test_greek_letters_and_accents_fold(key: str) -> None:
    assert key == "17betaœstradiol"


@given(st.text())
def test_a_relaxed_key_does_not_depend_on_case(text: str) -> None:
    assert keys.relaxed(text) == keys.relaxed(text.casefold())


@pytest.mark.parametrize("text", ["aniline derivative", "aniline derivatives 4a", "novel aniline analogues"])
def test_a_derivative_is_looked_up_as_a_class_first(text: str) -> None:
    forms = list(variants.bare(text))
    assert forms.index(next(form for form in forms if form.endswith("aniline compounds"))) < len(forms) - 1
    assert next(variants.bare("aniline 4")) == "aniline"


def test_a_code_keeps_its_oxidation_state() -> None:
    assert list(variants.bare("DMA(V)")) == []
    assert list(variants.bare("arsenic (III)")) == ["arsenic"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("dissolved oxygen", "oxygen"),
        ("very-long-chain fatty acid", "fatty acid"),
        ("Laemmli sample buffer", "Laemmli buffer"),
        ("Freund's complete adjuvant", "Freund's adjuvant"),
        ("Alexa Fluor® 594", "Alexa 594"),
        ("glassy carbon", "carbon"),
        ("mesoporous silica", "silica"),
    ],
)
def test_words_of_state_and_kind_are_peeled(text: str, name: str) -> None:
    assert name in list(variants.bare(text))


@pytest.mark.parametrize(
    ("text", "name"), [("albendazol", "albendazole"), ("phenolate", "phenol"), ("glucose-6-P", "glucose-6-phosphate")]
)
def test_other_endings(text: str, name: str) -> None:
    assert name in list(variants.acids(text))


def test_a_group_is_no_form_of_an_element() -> None:
    assert list(variants.acids("carbonyl")) == ["carbonyle"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2-hydroxypalmitate", "2-hydroxyhexadecanoate"),
        ("palmitic acid", "hexadecanoic acid"),
        ("3-hydroxytetradecanoic acid", "3-hydroxymyristic acid"),
    ],
)
def test_trivial_and_systematic_stems_of_fatty_acids(text: str, name: str) -> None:
    assert name in list(variants.acids(text))


@pytest.mark.parametrize("text", ["", "\t", "a\tb", "Ca²⁺ \u2010x", "naïve", "\x1c\x7f"])
def test_plain_texts_have_one_kind_of_space_and_dash(text: str) -> None:
    assert len(keys.plain(text)) == len(text)
    assert not set(keys.plain(text)) & set("\t\u2010²")


@pytest.mark.parametrize("begins", [True, False])
def test_a_qualifying_word_is_added_where_a_name_begins_with_the_text(begins: bool) -> None:
    assert bool(list(variants.qualified("BV6", lambda _: begins))) == begins
    assert list(variants.qualified("pain drugs", lambda _: begins)) == ["pain agents"]


@pytest.mark.parametrize(
    ("text", "parents"),
    [
        ("sodium pyruvate", ["pyruvate"]),
        ("pyruvate sodium", ["pyruvate"]),
        ("potassium chloride", ["chloride"]),  # never the metal alone
        ("potassium cation", []),  # no class of ions
        ("Na2GTP", ["GTP"]),
        ("disodium pyruvate", ["sodium pyruvate", "pyruvate"]),
        ("sodium pyruvate, dibasic", ["sodium pyruvate", "pyruvate, dibasic", "pyruvate"]),
        ("N-acetyl-D-valine", ["N-acetyl-valine"]),
        ("17 alpha-ethinylestradiol", ["ethinylestradiol"]),
        ("Δ9-trans-tetrahydrocannabinol", ["Δ9-tetrahydrocannabinol"]),
    ],
)
def test_a_salt_is_peeled_to_its_parent_not_to_its_metal(text: str, parents: list[str]) -> None:
    assert list(variants.parent(text)) == parents


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("p-nitrophenol", "4-nitrophenol"),
        ("4-nitrophenol", "p-nitrophenol"),
        ("ortho-toluidine", "2-toluidine"),
        ("N-methyl-2-phenylindole", "1-methyl-2-phenylindole"),
        ("2,3,5-triphenyltetrazolium", "triphenyltetrazolium"),
        ("alfa-tocopherol", "alpha-tocopherol"),
        ("active carbon", "activated carbon"),
    ],
)
def test_locants_have_two_notations(text: str, name: str) -> None:
    assert name in list(variants.renumbered(text))


@pytest.mark.parametrize("text", ["N,N-dimethylaniline", "ethanol", "C4-body", "alfa", "active carbonyl"])
def test_names_without_other_locants(text: str) -> None:
    assert list(variants.renumbered(text)) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("vitamins A, C and E", ("vitamin A", "vitamin C", "vitamin E")),
        ("omega-3 and -6 fatty acids", ("omega-3 fatty acids", "omega-6 fatty acids")),
        ("docosahexaenoic and eicosapentaenoic acids", ("docosahexaenoic acids", "eicosapentaenoic acids")),
        ("n-3 and n-6 fatty acids", ("n-3 fatty acids", "n-6 fatty acids")),
        ("NaCl/Tris", ("NaCl", "Tris")),
        ("gemcitabine-oxaliplatin", ("gemcitabine", "oxaliplatin")),
        ("phosphate-buffered formalin", ("phosphate", "formalin")),
        ("Mg2+-ATP", ("Mg2+", "ATP")),
    ],
)
def test_composites_are_split(text: str, parts: tuple[str, ...]) -> None:
    assert parts in list(composites.splits(text))
