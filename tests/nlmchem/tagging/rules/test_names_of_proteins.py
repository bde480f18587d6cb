"""Chemicals in names of proteins."""

from __future__ import annotations

import doctest

import pytest

from nlmchem.tagging.rules import meanings
from nlmchem.tagging.rules.meanings import part_of_protein


def test_the_examples() -> None:
    assert doctest.testmod(meanings).failed == 0


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("Na+", "/K+-ATPase"),
        ("Na+", ",K+-ATPase"),
        ("Na+", "-K+-2Cl- cotransporter"),
        ("Cl−", "/HCO3− exchanger"),
        ("Na(+)", "/K(+)-ATPase"),
        ("sodium", "/glucose cotransporter"),
        ("calcium", "/calmodulin-dependent protein kinase II"),
        ("AMP", "-activated protein kinase"),
        ("ATP", "-binding cassette transporter"),
        ("ATP", "-sensitive K+ channels"),
        ("retinol", "-binding protein 4"),
        ("Leucine", " zippers"),
        ("NADPH", "-dependent oxidase"),
        ("dopamine", " D2 receptor"),
        ("adenosine", " A2A receptor"),
        ("Cu", "/Zn superoxide dismutase"),
        ("phenylalanine", " ammonia-lyase"),
        ("sodium", " iodide symporter"),
        ("NADPH", "-cytochrome P450 reductase"),
        ("hypoxanthine", "-guanine phosphoribosyltransferase"),
        ("fatty acid", " binding protein 4"),
        ("bile acid", " export pump"),
        ("chlorophyll", " a/b binding protein"),
        ("guanine", " nucleotide-binding protein"),
        ("potassium", " voltage-gated channel"),
        ("sterol", " regulatory element-binding protein"),
        # Names with locants, of which a tagger marks the beginning.
        ("fructose", "-1,6-bisphosphatase"),
        ("galactose", "-1-phosphate uridylyltransferase"),
        ("phosphatidylinositol", "-4,5-bisphosphate 3-kinase"),
        ("inositol", " 1,4,5-trisphosphate receptors"),
        ("inositol", " (1,4,5) trisphosphate receptor"),
        ("catechol", " 1,2-dioxygenase"),
        ("cholesterol", " 7-alpha-monooxygenase"),
        ("25-hydroxyvitamin D", "-1 alpha hydroxylase"),
        ("leukotriene", " A-4 hydrolase"),
        ("prostaglandin", " G/H synthase 2"),
        ("glutamate", "--cysteine ligase"),
        ("NAD", "(P)H dehydrogenase"),
        ("NAD(P)", "H:quinone oxidoreductase 1"),
        ("NAD(P)H", " quinone dehydrogenase"),
        ("NADH", ": ubiquinone oxidoreductase"),
        # Genes.
        ("ethylene", "-insensitive 2 (EIN2) was cloned"),
        ("ethylene", "-dependent gravitropism-deficient and yellow-green-like 3 gene"),
        ("ethylene", " insensitive 3 (ein3) mutants"),
        ("retinoic acid", "-inducible gene I (RIG-I)"),
        ("AUXIN", " RESISTANT 1 was cloned"),
        ("auxin", " response factors"),
        ("chlorophyll", " a/b-binding (CAB) proteins"),
        ("Chlorophyll a", "-b binding protein 12"),
        ("starch", " debranching enzymes"),
        ("Starch", " Branching Enzyme"),
    ],
)
def test_a_part_of_a_protein(name: str, following: str) -> None:
    assert part_of_protein(name + following, 0, len(name))


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("Na+", "/K+ ratio"),
        ("glucose", ", lactate dehydrogenase"),
        ("Ca2+", "-dependent release of insulin"),
        ("cAMP", "-dependent increase"),
        ("glibenclamide", "-sensitive K+ channels"),
        ("dexamethasone", "-induced protein kinase"),
        ("zinc", " and a kinase"),
        ("calcium", " activate kinases"),
        ("fatty acid", " binding to the protein"),
        ("iodide", " uptake by the symporter"),
        ("calcium", "-dependent activity of the kinase"),
        ("fructose", "-1,6-bisphosphate rose"),
        ("glucose", "-6-phosphate and a kinase"),
        ("NAD(P)", "H levels"),
        ("glutathione", ": reductase"),
        ("cisplatin", "-induced kidney injury (CKI)"),
        ("cisplatin", "-resistant cells (A2780)"),
        ("CISPLATIN", " RESISTANT CELLS"),
        ("chlorophyll a", "-b ratios"),
        ("starch", " degrading enzymes"),
    ],
)
def test_no_part_of_a_protein(name: str, following: str) -> None:
    assert not part_of_protein(name + following, 0, len(name))
