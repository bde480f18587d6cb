"""Small texts, by what was wrong in each kind: the mentions of the default pipeline and their identifiers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import nlmchem

Found = list[tuple[str, str]]


@pytest.fixture(scope="module")
def mentioned() -> Callable[[str], Found]:
    """The mentions of a text, each with its identifiers joined by `,`."""
    nlp = nlmchem.load()
    return lambda text: [(one.text, ",".join(one.identifiers)) for one in nlp(text).mentions]


LEAD, CADMIUM, COPPER = "MESH:D007854", "MESH:D002104", "MESH:D003300"
SODIUM, POTASSIUM, CO2 = "MESH:D012964", "MESH:D011188", "MESH:D002245"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bone lead was measured in workers exposed to lead.", [("lead", LEAD), ("lead", LEAD)]),
        ("Lead poisoning is common, and some factors lead to worse outcomes.", [("Lead", LEAD)]),
        ("Soils contained copper, lead and cadmium.", [("copper", COPPER), ("lead", LEAD), ("cadmium", CADMIUM)]),
        ("These findings lead us to conclude that the lead author was right.", []),
        ("The lead compound, a 12-lead ECG and lead II were studied.", []),
    ],
)
def test_lead_is_a_metal_by_its_neighbours(mentioned: Callable[[str], Found], text: str, expected: Found) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "none"),
    [
        ("Gold et al. showed this before.", "Gold"),
        ("3. Miller TK, Silver JA, Bush R. Outcomes of surgery. Lancet 1999;1:2-3.", "Silver"),
        ("The children of Copper Creek and Silver Lake took part.", "Copper"),
        ("The gold standard is biopsy.", "gold"),
        ("It was no silver bullet.", "silver"),
        ("The poet Enid Silver was born here.", "Silver"),
        ("We ran a Hypersil Gold column.", "Gold"),
    ],
)
def test_persons_places_and_idioms_are_no_chemicals(mentioned: Callable[[str], Found], text: str, none: str) -> None:
    assert none not in [found for found, _ in mentioned(text)]


def test_the_unit_of_a_solution_is_no_part_of_the_name(mentioned: Callable[[str], Found]) -> None:
    assert [text for text, _ in mentioned("It was hydrolysed in 2 N HCl and then 0.5 N NaOH.")] == ["HCl", "NaOH"]


@pytest.mark.parametrize(
    "text",
    [
        "The Na+/K+-ATPase was inhibited.",
        "The Na+/Ca2+ exchanger was inhibited.",
        "AMP-activated protein kinase was phosphorylated.",
        "The calcium-sensing receptor was deleted.",
        "It has a leucine zipper.",
        "Cu/Zn-SOD was induced.",
        "Glutamate-gated channels opened.",
    ],
)
def test_chemicals_in_names_of_proteins_are_not_marked(mentioned: Callable[[str], Found], text: str) -> None:
    assert mentioned(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Cardiac output (CO) fell, and CO stayed low. Then carbon monoxide (CO) was breathed; CO bound fast.",
            [("carbon monoxide", "MESH:D002248"), ("CO", "MESH:D002248"), ("CO", "MESH:D002248")],
        ),
        (
            "Rats breathed carbon dioxide (CO2). At 25% of the concentration (CO2) the CO2 bound.",
            [("carbon dioxide", CO2), ("CO2", CO2), ("CO2", CO2), ("CO2", CO2)],
        ),
        (
            "Linoleic acid (LA) was fed, and LA rose. The left atrium (LA) was dilated, and LA size was noted.",
            [("Linoleic acid", "MESH:D019787"), ("LA", "MESH:D019787"), ("LA", "MESH:D019787")],
        ),
        (
            "Palmitic acid (PA) was fed, and PA rose. Phosphatidic acid (PA) was assayed, and PA fell.",
            [
                ("Palmitic acid", "MESH:D019308"),
                ("PA", "MESH:D019308"),
                ("PA", "MESH:D019308"),
                ("Phosphatidic acid", "MESH:D010712"),
                ("PA", "MESH:D010712"),
                ("PA", "MESH:D010712"),
            ],
        ),
    ],
)
def test_a_short_form_means_what_was_defined_last(
    mentioned: Callable[[str], Found], text: str, expected: Found
) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EFFECT OF UREA AND COPPER ON THE LIVER", [("UREA", "MESH:D014508"), ("COPPER", COPPER)]),
        ("NO IBUPROFEN WAS GIVEN TO THE PATIENTS", [("IBUPROFEN", "MESH:D007052")]),
        ("URINARY LEAD AND CHRONIC DISEASE OF CHILDREN", [("LEAD", LEAD)]),
        ("NITRIC OXIDE (NO) IN THE HEART", [("NITRIC OXIDE", "MESH:D009569"), ("NO", "MESH:D009569")]),
    ],
)
def test_sentences_in_capitals_are_read_as_others(
    mentioned: Callable[[str], Found], text: str, expected: Found
) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Milk contained 134Cs and 90Sr.", [("134Cs", "MESH:C000614987"), ("90Sr", "MESH:C000615490")]),
        ("Serum vitamin A and E were low.", [("vitamin A and E", "MESH:D014801,MESH:D014810")]),
        ("Oral vit. D was given.", [("vit. D", "MESH:D014807")]),
        ("Mice drank copper(II) sulfate.", [("copper(II) sulfate", "MESH:D019327")]),
        ("The membranes held much 18:2n-6.", [("18:2n-6", "MESH:D019787")]),
        ("Plates held glycine-HCl.", [("glycine-HCl", "MESH:D005998")]),
        ("They took up L-[1-13C]leucine.", [("L-[1-13C]leucine", "MESH:D007930")]),
        ("It was fed with U-13C glucose.", [("U-13C glucose", "MESH:D005947")]),
        ("Roots take up Cr(VI) and Hg(II) outside.", [("Cr(VI)", "MESH:C074702"), ("Hg(II)", "MESH:D008628")]),
        ("Scans with 18F-FDG and 68Ga-DOTATATE.", [("18F-FDG", "MESH:D019788"), ("68Ga-DOTATATE", "MESH:C513399")]),
        ("He drank PEG 5000 daily.", [("PEG 5000", "MESH:D011092")]),
        ("ATPγS and GTP-gamma-S bind.", [("ATPγS", "MESH:C022571"), ("GTP-gamma-S", "MESH:D016244")]),
        ("The sample 33P was compared with P33.9O23.6.", [("33P", "MESH:C000615312")]),
        ("Serum: Na 141, K 4.0, Ca 2.2.", [("Na", "MESH:D012964"), ("K", "MESH:D011188"), ("Ca", "MESH:D002118")]),
    ],
)
def test_notations_are_marked_as_a_whole(mentioned: Callable[[str], Found], text: str, expected: Found) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is rich in oleic and stearic acids.", [("oleic and stearic acids", "MESH:D019301,MESH:C031183")]),
        ("Mono- and diglycerides were added.", [("Mono- and diglycerides", "MESH:D050178,MESH:D004075")]),
        ("Both n-3 and n-6 fatty acids fell.", [("n-3 and n-6 fatty acids", "MESH:D015525,MESH:D043371")]),
        ("Chronic and acetic acid use differ.", [("acetic acid", "MESH:D019342")]),
        (
            "Mono- and disaccharides, and o-, m- and p-cresol fell.",
            [
                ("Mono- and disaccharides", "MESH:D009005,MESH:D004187"),
                ("o-, m- and p-cresol", "MESH:C034047,MESH:C042041,MESH:C032538"),
            ],
        ),
        ("Air held m,p-xylene.", [("m,p-xylene", "MESH:C031285,MESH:C031286")]),
        (
            "Microcystin-LR, -RR and -YR were found in the lake.",
            [("Microcystin-LR, -RR and -YR", "MESH:C057862,MESH:C063855,MESH:C065685")],
        ),
        (
            "Ginsenosides Rg1, Rb1 and Re were pure.",
            [("Ginsenosides Rg1, Rb1 and Re", "MESH:C035054,MESH:C442759,MESH:C049864")],
        ),
    ],
)
def test_coordinated_names_share_their_last_word(mentioned: Callable[[str], Found], text: str, expected: Found) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He was given ateno-\nlol daily.", [("ateno-\nlol", "MESH:D001262")]),
        ("He was given ateno\u00ad\nlol daily.", [("ateno\u00ad\nlol", "MESH:D001262")]),
        ("The buffer was 50 mM HEPES pH7.4.", [("HEPES", "MESH:D006531")]),
        ("Calcium\ncarbonate was swallowed.", [("Calcium\ncarbonate", "MESH:D002119")]),
        ("sodium\npotassium\nchloride", [("sodium", SODIUM), ("potassium", POTASSIUM), ("chloride", "MESH:D002712")]),
        ("They breathed O 2 and N 2 .", [("O 2", "MESH:D010100"), ("N 2", "MESH:D009584")]),
    ],
)
def test_line_ends_and_ph_values(mentioned: Callable[[str], Found], text: str, expected: Found) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We added H<sub>2</sub>O<sub>2</sub> slowly.", [("H<sub>2</sub>O<sub>2</sub>", "MESH:D006861")]),
        ("Air with 5% CO$_2$ was used.", [("CO$_2$", "MESH:D002245")]),
        ("The rats ate &#946;-carotene daily.", [("&#946;-carotene", "MESH:D019207")]),
        ("The rats drank <i>N</i>-acetylcysteine.", [("<i>N</i>-acetylcysteine", "MESH:D000111")]),
    ],
)
def test_markup_is_no_part_of_a_name(mentioned: Callable[[str], Found], text: str, expected: Found) -> None:
    assert mentioned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Serum a-Tocopherol was low.", [("a-Tocopherol", "MESH:D024502")]),
        ("Rats ate DL-leucine and D-lysine.", [("DL-leucine", "MESH:D007930"), ("D-lysine", "MESH:D008239")]),
    ],
)
def test_a_letter_for_a_greek_one_or_for_the_configuration(
    mentioned: Callable[[str], Found], text: str, expected: Found
) -> None:
    assert mentioned(text) == expected


def test_what_is_given_is_a_drug_though_it_is_misspelt(mentioned: Callable[[str], Found]) -> None:
    assert mentioned("The child was given ibuprofin.") == [("ibuprofin", "MESH:D007052")]
    assert mentioned("The child was given paracletes.") == []


def test_a_word_at_the_start_of_a_sentence_is_no_element(mentioned: Callable[[str], Found]) -> None:
    assert mentioned("In 12 alloys, In and Zn were measured.") == [("In", "MESH:D007204"), ("Zn", "MESH:D015032")]
