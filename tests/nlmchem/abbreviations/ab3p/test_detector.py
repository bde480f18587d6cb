"""Definitions in a string: first those of Ab3P, then those that Ab3P does not find."""

from __future__ import annotations

import pickle

import pytest

from nlmchem.abbreviations import detect


def pairs(text: str) -> list[tuple[str, str]]:
    return [(one.short_form, one.long_form) for one in detect(text)]


@pytest.mark.parametrize(
    ("text", "short_form", "long_form", "strategy"),
    [
        ("They ate palmitic acid (PA) daily.", "PA", "palmitic acid", "FirstLet"),
        ("The X-ray diffraction (XRD) pattern", "XRD", "X-ray diffraction", "FirstLetGen"),
        ("Several fish oil capsules (FOCs) broke.", "FOCs", "fish oil capsules", "FirstLetGenS"),
        ("an index of hardness (IH) was", "IH", "index of hardness", "FirstLetGenStp"),
        ("the total red cells (TC) sank", "TC", "total red cells", "FirstLetGenSkp"),
        ("with thiobarbital (TB) in it", "TB", "thiobarbital", "WithinWrdF"),
        ("and butylferrocene (BFe) gave", "BFe", "butylferrocene", "WithinWrdF"),
        ("their lutetium (Lu) content", "Lu", "lutetium", "ContLet"),
        ("a temperature (T) of", "T", "temperature", "FirstLetOneChSF"),
    ],
)
def test_each_strategy_of_ab3p_finds_its_kind_of_name(
    text: str, short_form: str, long_form: str, strategy: str
) -> None:
    found = [one for one in detect(text) if one.short_form == short_form]
    assert [(one.short_form, one.long_form) for one in found] == [(short_form, long_form)]
    assert found[0].strategy is not None
    assert found[0].strategy.startswith(strategy)


def test_two_stop_words_are_skipped_only_for_three_or_more_letters() -> None:
    assert pairs("the ratio of the height (RH) fell") == []
    assert pairs("the ratio of the red height (RRH) fell") == [("RRH", "ratio of the red height")]


def test_the_score_is_the_pseudo_precision_of_group_and_strategy() -> None:
    [found] = detect("palmitic acid (PA)")
    assert (found.strategy, found.score) == ("FirstLet", 0.99818)


def test_square_brackets_work_like_round_ones() -> None:
    assert pairs("We used bovine serum albumin [BSA] here.") == [("BSA", "bovine serum albumin")]


def test_a_long_form_with_its_own_short_form_defines_nothing() -> None:
    assert detect("a bottle coated with EA (EA-exposed mosquitoes)") == []
    (definition,) = detect("a bottle coated with ethacrynic acid (EA), exposed")
    assert (definition.short_form, definition.long_form) == ("EA", "ethacrynic acid")


def test_the_short_form_may_stand_before_the_bracket() -> None:
    assert pairs("We used BSA (bovine serum albumin) here.") == [("BSA", "bovine serum albumin")]


def test_a_short_form_before_the_bracket_needs_a_capital() -> None:
    assert pairs("We had bsa (bovine serum albumin) here.") == []


def test_the_content_of_a_bracket_is_cut_at_the_first_comma_or_semicolon() -> None:
    assert pairs("bovine serum albumin (BSA; 2 mg/ml) and sodium azide (SA, 1%)") == [
        ("BSA", "bovine serum albumin"),
        ("SA", "sodium azide"),
    ]


def test_the_long_form_begins_at_most_ten_tokens_before_the_bracket() -> None:
    filler = "x " * 9
    assert pairs(f"zinc {filler}(ZX)") == []


@pytest.mark.parametrize(
    "text",
    [
        "(see Table) in all mice (n = 20), aged (mean, 4 years)",
        "in many trials (Smith et al. 2001) and reviews (1999)",
        "a difference (P < 0.05) in proteins (p<0.01)",
        "as shown (Fig. 2) for the figures (Figs 1)",
        "numbers of events (e.g. none) in Japan (Tokyo)",
        "the iron (iron) in it",
        "a page at http://ratbase.example (RAT)",
        "the wild-type Ras (H-Ras) form",
        "measured using scale analysis (Acme, Carlsbad, CA) and using SPOT apps (CSIRO, USA)",
    ],
)
def test_remarks_are_not_definitions(text: str) -> None:
    assert pairs(text) == []


def test_list_markers_are_not_short_forms() -> None:
    text = "We measured (a) an area, and (b) bone, and (c) calcium."
    assert pairs(text) == []
    assert pairs("the area a1 (A1), the area a2 (A2)") == []


def test_a_single_letter_outside_a_list_may_be_a_short_form() -> None:
    assert pairs("of nitrogen (N) in soil") == [("N", "nitrogen")]


def test_a_citation_may_stand_between_long_and_short_form() -> None:
    assert pairs("the nerve growth factor [12] (NGF) and") == [("NGF", "nerve growth factor")]


def test_a_number_after_the_bracket_may_be_a_superscript_citation() -> None:
    assert pairs("the nerve growth factor (NGF)12,13 and") == [("NGF", "nerve growth factor")]
    assert pairs("in alpha helices (h)2 and") == []


def test_brackets_inside_a_word_belong_to_the_word() -> None:
    assert pairs("the poly(A) tail (PT) of") == [("PT", "poly(A) tail")]


def test_a_window_may_contain_an_earlier_bracket() -> None:
    text = "glutathione (GSH) peroxidase activity (GPA)"
    assert ("GSH", "glutathione") not in pairs(text)
    assert pairs("bovine serum (BS) albumin (BSA)")[0] == ("BS", "bovine serum")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("of gamma linolenic acid(GLA) in", ("GLA", "gamma linolenic acid")),
        ("all fats (free fatty acids, FFA) rose", ("FFA", "free fatty acids")),
        ("lactate dehydrogenase (EC 1.1.1.27; LDH)", ("LDH", "lactate dehydrogenase")),
        ("nerve growth factors (NGF family) act", ("NGF", "nerve growth factors")),
        ("nerve growth factors (NGF [12]) act", ("NGF", "nerve growth factors")),
        ("nerve growth factor (hereafter NGF)", ("NGF", "nerve growth factor")),
        ("nerve growth factor (abbreviated as NGF)", ("NGF", "nerve growth factor")),
        ("the ACE (age, creatinine, ejection fraction) score", ("ACE", "age, creatinine, ejection")),
        ("NGF protein (nerve growth factor)", ("NGF", "nerve growth factor")),
        ("Of nerve growth factor, NGF, little", ("NGF", "nerve growth factor")),
        ("of decision fusion, denoted by DF in this", ("DF", "decision fusion")),
        ("of nerve growth factor herein referred to as NGF", ("NGF", "nerve growth factor")),
        ("an active adaptive agent control (A3C)", ("A3C", "active adaptive agent control")),
        ("a fine active energy estimate (FA2E)", ("FA2E", "fine active energy estimate")),
        ("of palmitic acid, or PA, little", ("PA", "palmitic acid")),
        ("Bars: NGF = nerve growth factor; one", ("NGF", "nerve growth factor")),
        ("tumour necrosis factor α (TNF-alpha)", ("TNF-alpha", "tumour necrosis factor α")),
        ("by two-dimensional electrophoresis (2DE)", ("2DE", "two-dimensional electrophoresis")),
        ("the arterial pressure (P(a))", ("P(a)", "arterial pressure")),
        ("and beta interferon (IFN-beta)", ("IFN-beta", "beta interferon")),
        ("its dissociation constant (Kd)", ("Kd", "dissociation constant")),
        ("in heavy oxide (H2O)", ("H2O", "heavy oxide")),
        ("of 6-hydroxydopamine (6-OHDA)", ("6-OHDA", "6-hydroxydopamine")),
        (
            "the intracellular Zn2+ concentration ([Zn2+]i)",
            ("[Zn2+]i", "intracellular Zn2+ concentration"),
        ),
        ("with nerve growth factor (NGF12)", ("NGF12", "nerve growth factor")),
        ("an antigen linked over dog spleens (ADS)", ("ADS", "antigen linked over dog spleens")),
        ("in kidneys (K) of rats", ("K", "kidneys")),
        ('the "nerve growth factor" (NGF)', ("NGF", "nerve growth factor")),
        ("with anti-nerve growth factor (NGF)", ("NGF", "nerve growth factor")),
        ("a protein phosphatase 5A (PP5A)", ("PP5A", "protein phosphatase 5A")),
        ("and 1, 3-butanediol (Bu)", ("Bu", "1, 3-butanediol")),
    ],
)
def test_definitions_that_ab3p_does_not_find(text: str, expected: tuple[str, str]) -> None:
    found = pairs(text)
    assert any(short == expected[0] and long.startswith(expected[1]) for short, long in found)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("of the tumour outer membrane (TTOM)", "the tumour outer membrane"),
        ("It was in rat urine. Mice (RUM)", "rat urine. Mice"),
        ("what rat plasma was made of (RPM)", "rat plasma was made of"),
        ("the Xyz1 (Xyz1C) form", "Xyz1C"),
        ("bars of iodine rods of nickel (iron)", "iodine rods of nickel"),
        ("with an open mind, large brains (omlb)", "open mind, large brains"),
        ("at http://protein-maps.example (PME)", "http://protein-maps.example"),
        ("the iridium complex (II)", "iridium complex"),
    ],
)
def test_false_definitions_are_rejected(text: str, wrong: str) -> None:
    assert wrong not in [long for _, long in pairs(text)]


def test_non_ascii_letters_count_and_offsets_are_code_points() -> None:
    text = "😀 Die Körperkerntemperatur und der Blutdruck; β-Hydroxybuttersäure (βHBS) 😀 stieg."
    [found] = [one for one in detect(text) if one.short_form == "βHBS"]
    assert found.long_form == "β-Hydroxybuttersäure"
    assert text[slice(*found.short_span)] == "βHBS"
    assert text[slice(*found.long_span)] == "β-Hydroxybuttersäure"


@pytest.mark.parametrize(
    ("long_form", "short_form"),
    [
        ("N6-methyladenosine", "m6A"),
        ("N(6)-methyladenosine", "m(6)A"),
        ("5-methylcytosine", "m5C"),
        ("N1-methyladenosine", "m1A"),
        ("N7-methylguanosine", "m7G"),
        ("5-hydroxymethylcytosine", "hm5C"),
        ("N4-acetylcytidine", "ac4C"),
    ],
)
def test_the_place_of_a_group_may_follow_it_in_the_short_form(long_form: str, short_form: str) -> None:
    assert pairs(f"Sites of {long_form} ({short_form}) were mapped.") == [(short_form, long_form)]


def test_the_index_may_be_in_a_part_of_the_short_form() -> None:
    assert pairs("labile inorganic phosphate (L-Pi)") == [("L-Pi", "labile inorganic phosphate")]
    assert pairs("iron and aluminum phosphorus (Fe.Al-P)") == [("Fe.Al-P", "iron and aluminum phosphorus")]
    assert pairs("calcium and other phosphorus (Fe.Al-P)") == []


def test_a_formula_is_not_defined_by_letters_of_other_words() -> None:
    assert pairs("at ambient concentrations (CO2)") == []
    assert pairs("europium(III) chloride (EuCl3)") == [("EuCl3", "europium(III) chloride")]


def test_a_well_known_short_form_is_not_defined_by_loose_letters() -> None:
    assert pairs("in women's raised cholesterol (WHO)") == []
    assert pairs("the World Health Organization (WHO)") == [("WHO", "World Health Organization")]


@pytest.mark.parametrize(
    ("name", "short_form"),
    [
        ("2,3-bis-(2-methoxy-4-nitro-5-sulfophenyl)-2H-tetrazolium-5-carboxanilide", "XTT"),
        ("3-(4,5-dimethylthiazol-2-yl)-2,5-diphenyltetrazolium bromide", "MTT"),
        ("1,2-bis(2-aminophenoxy)ethane-N,N,N',N'-tetraacetic acid tetrakis(acetoxymethyl ester)", "BAPTA-AM"),
    ],
)
def test_a_short_form_before_a_systematic_name_needs_none_of_its_letters(name: str, short_form: str) -> None:
    assert pairs(f"The {short_form} ({name}) assay") == [(short_form, name)]
    assert pairs(f"The UPLC ({name}) assay") == []


def test_greek_letters_and_their_names_are_equivalent() -> None:
    assert pairs("transforming growth factor β (TGFB)") == [("TGFB", "transforming growth factor β")]
    assert pairs("transforming growth factor beta (TGF-β)") == [("TGF-β", "transforming growth factor beta")]


def test_the_offset_is_added_to_both_spans() -> None:
    [found] = detect("palmitic acid (PA)", offset=1000)
    assert (found.short_span, found.long_span) == ((1015, 1017), (1000, 1013))


def test_definitions_can_be_pickled() -> None:
    found = detect("palmitic acid (PA)")
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("text", ["", " ", "()", "[]", ")(", "((((", "))))", "(", "no brackets at all", "( )", "(A)"])
def test_text_without_definitions_gives_none(text: str) -> None:
    assert detect(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'Body mass index ("BMI") was read.',
        "Body mass index (‘BMI’) was read.",
        "Body mass index («BMI»; kg/m2) was read.",
        "Body mass index (“BMI,” hereafter) was read.",
        "Body mass index (hereafter “BMI”) was read.",
        "Body mass index (in the following “BMI”) was read.",
        'Body mass index, denoted as "BMI", was read.',
        '"BMI" (Body mass index) was read.',
        'The group ("Body mass index", "BMI") was read.',
        "Body mass index（BMI）was read.",
        "Body mass index ［BMI］ was read.",
    ],
)
def test_quotes_and_full_width_brackets_do_not_hide_a_definition(text: str) -> None:
    assert pairs(text) == [("BMI", "Body mass index")]


def test_quotes_that_are_part_of_a_remark_define_nothing() -> None:
    assert pairs('He called it a big mean idea ("sad") here.') == []


@pytest.mark.parametrize(
    ("text", "short_form", "long_form"),
    [
        ("N-methyl-D-aspartate (NMDA) receptor (NMDAR)", "NMDAR", "N-methyl-D-aspartate (NMDA) receptor"),
        ("N-methyl-D-aspartate (NMDA) receptors (NMDARs)", "NMDARs", "N-methyl-D-aspartate (NMDA) receptors"),
        ("NMDA (N-methyl-D-aspartate) receptor (NMDAR)", "NMDAR", "NMDA (N-methyl-D-aspartate) receptor"),
        ("tumor necrosis factor (TNF) receptor 1 (TNFR1)", "TNFR1", "tumor necrosis factor (TNF) receptor 1"),
        ("the estrogen receptor (ER) alpha (ERα)", "ERα", "estrogen receptor (ER) alpha"),
    ],
)
def test_a_short_form_may_extend_the_one_before_it(text: str, short_form: str, long_form: str) -> None:
    assert pairs(text)[-1] == (short_form, long_form)


def test_a_longer_short_form_needs_the_words_between_the_brackets() -> None:
    assert pairs("tumor necrosis factor (TNF) in blood (TNFR)") == [("TNF", "tumor necrosis factor")]
    assert pairs("tumor necrosis factor (TNF) of rats (TNF)") == [("TNF", "tumor necrosis factor")]


@pytest.mark.parametrize(
    ("name", "notation"),
    [
        ("hydrogen peroxide", "H2O2"),
        ("lead", "Pb"),
        ("Mercury", "Hg"),
        ("potassium iodide", "KI"),
        ("copper sulphate", "CuSO4"),
        ("lead nitrate", "Pb(NO3)2"),
        ("aluminium chloride", "AlCl3"),
        ("lead ions", "Pb2+"),
        ("superoxide anion", "O2−"),
        ("nitric acid", "HNO3"),
        ("carbon tetra-\nchloride", "CCl4"),
    ],
)
def test_a_formula_is_the_short_form_of_its_name(name: str, notation: str) -> None:
    assert pairs(f"They used {name} ({notation}) here.") == [(notation, name)]
    assert pairs(f"They used {notation} ({name}) here.") == [(notation, name)]


def test_a_formula_is_not_the_short_form_of_other_names() -> None:
    # Fe3+ is a kind of iron, and not the only one.
    assert pairs("lead was found (Hg), iron (Fe3+), children with lead in bones (Pb), sodium iodide (KI)") == []


@pytest.mark.parametrize("name", ["Pygopus2", "Pygopus 2"])
def test_the_name_of_a_gene_may_begin_with_a_common_word(name: str) -> None:
    assert pairs(f"against plants in the garden. {name} (Pygo2) is") == [("Pygo2", name)]
    assert pairs("We had two types (Type2) and many grouped 2 (Group1) here.") == []


@pytest.mark.parametrize(
    ("long_form", "short_form"),
    [
        ("dexa-\nmethasone", "DEX"),
        ("dexa\u00admethasone", "DEX"),
        ("cyclo-\n  phosphamide", "CPA"),
        ("low-\ndensity lipoprotein", "LDL"),
    ],
)
def test_a_line_break_may_divide_a_word(long_form: str, short_form: str) -> None:
    [definition] = detect(f"They used {long_form} ({short_form}) here.")
    assert (definition.short_form, definition.long_form) == (short_form, long_form)
