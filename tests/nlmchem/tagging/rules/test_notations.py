"""What the notation of a text shows to be a chemical."""

from __future__ import annotations

import re

import pytest
from marked_passages import marked, shown

from nlmchem.tagging.rules.notations import is_notation, mark_notations, notations


def noted(text: str) -> str:
    """A text with its notations between « and »."""
    for start, end in reversed(notations(text)):
        text = f"{text[:start]}«{text[start:end]}»{text[end:]}"
    return text


@pytest.mark.parametrize(
    "text",
    [
        # Stable isotopes; as a label of a figure `N15` is something else.
        "enriched in «15N» and «13C»; N15 and C13 are wells; 13C2 and 5-13C-glucose",
        "the δ15N values, 4-15N",
        "with [«14C»] and [«35S»], at 14C with a 35S promoter",
        # Metals with equal ligands.
        "«Ni(acac)2», «PdCl2(PPh3)2», «Pd2(dba)3» and «Al(HQLG)3»",
        "«[Ru(bpy)3]2+», «[Ru(phen)3](PF6)2» and «[Cr(pic)(3)]»",
        "«[Pt(NH3)2Cl(H2O)]+» and «[Ru(bpy)2(dppz)]2+», «[Cu(II)(phen)2]2+», [Fig(A)2] and [Cd] in [Re(see)]",
        "«K2[PtCl4]», «Na3[Co(NO2)6]» and «[AuCl4]-», the [NiFe]-hydrogenase, H[a], K2[b]",
        "Fe(III)2, Co(t)2, In(vivo)2, Ca(v)1, Na(v)1.7 and Zn(ABC)",
        # Oxidation states; a word behind them is no salt.
        "«Cr(VI)» accumulates, «lead(II)» outside and «Fe(II)» sites, «copper(II) acetate» and «Fe(III) oxides»",
        "K(V) and Ca(V) channels, V(I), Table(II), Cu(II)-ATSM",
        # Labels with places, and tracers.
        "«[methyl-3H]thymidine», «L-[1-13C]leucine», «S-adenosyl-L-[methyl-3H]methionine» and «[γ-32P]ATP»",
        "«[1,2-13C2]glucose», «[U-13C,U-15N]glutamine» and «(γ-32P)ATP» from [U-13C]-labelled cells, [2H]-enriched",
        "«177Lu-PSMA-617», «99mTc-PSMA-I&S» and «18F-FDG»-PET; «[68Ga]Ga-PSMA-11» PET/CT, «131I»-SPECT, «99mTc»-RBC",
        "quinazolin-4(3H)-one and pyrimidine-2,4(1H,3H)-dione, «13C»-DEPT, 35S-GFP, U-15N-PfD, [M-2H]2, [1-4]",
        # Grades of polymers, nucleotides with sulfur.
        "«PEG 4000», «poloxamer 188», «Carbopol 934P», «dextran 40» and «Tween 20», «macrogol 6000»",
        "PEG 400 mg, PEG 2000 Da, dextran 70 kDa, PEG 10%, poloxamer 20% and a life span 20",
        "«ATP-gamma-S», «GTPγS» and ATP-S",
        # Lipids with their chains.
        "«PC(16:0/18:1)», «PE(P-16:0/20:4)», «TG 54:3», «Cer(d18:1/24:0)» and «DG(16:0/18:1(9Z))»",
        "PC/PS (85:15), PE(70:30), PG 12:30 pm, a ratio of PA 10:1, SM 1:2",
        # Peptides of at least three amino acids, salts, arsenic.
        "«Glu-Lys-Val» and «Val-Pro-Pro», not Ala-Pro, Ac-Glu-Lys-Val or Gly-Gly-Gly-AMC",
        "the catalytic triad Ser-His-Asp, a triad (Cys-His-Asn)",
        "«EDC·HCl» and «H-Gly-OMe·HCl», not Tris-HCl",
        # Indexes with spaces; before a unit the number is an amount.
        "«NaHCO 3» , «CaCl 2» and «K 2 HPO 4» in «H 2 O»",
        "CO 2 was up; NaCl 2 mM, KCl 3, CaCl 2 mM, group A 1, YS 1 and BS 2, Fig 2 A and Table S 3",
        # Several metals; genes of plants have only capitals.
        "«CdSe»/«ZnS» dots, «PbTe», «GaAs» wafers, not CDS, PBS, SnS, CdSec or HgSO",
        "«LiCoO2», «CsPbBr3» and «La0.7Sr0.3MnO3», not WUS2, VWF8 or HoxA2",
        # Nutrients.
        "«N» uptake, «P» and «K» leaching, soil organic «C», available «P» and «K»",
        "cathepsin K concentration, protein C deficiency, N = 45, N. crassa uptake",
        # Rows of a table.
        "«Na», mmol/L\t139\n«K», mmol/L\t4.1\n«P» (mg/dL)\t3.4",
        "P (mg/dL) alone; Group K, 12 mg/L",
        "«DMA(V)», «MMA(III)» and «iAs», the DMA and MMA groups",
        # Lists of elements; two symbols may be initials.
        "«La», «Ce», «Pr» and «Nd», «K»/«Rb»/«Sr»/«Ba»",
        "«As» and Cd; Pb or «In»; As and Co, No and As; As or In",
        "«Nd» and «Sm»; «Rb»/«Sr»; «Sm»–«Nd» and «U»-«Pb» ages; Lu and Ma; La and Ta; Ca and Na",
        "the authors (La, Ma, Li), Ca and Na; Co, Mo, TLR",
        # Rare elements; `Sr` is also a gene of wheat.
        "«87Sr/86Sr», «Sr» isotopes, «Sr»/Ca ratios and «Sr»-doped glass; Sr31, Sr genes",
        "«rare earth elements» («REEs») and the «REE» pattern",
        "REE was measured at rest",
        # Labels of soil science.
        "«Ca».«Mg»-«P», «P»-fractions, «N»:«P» and «C»:«N»:«P»",
        "soil «Fe»-«P» and a low «C»/«N» ratio; C/N stretch, S:N, a P-type pump",
        "a Ca-P coating, C:N of fibres",
    ],
)
def test_notations_are_found_and_their_neighbours_are_not(text: str) -> None:
    assert noted(re.sub("[«»]", "", text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with «RuCl2(PPh3)3, Pd2(dba)3» as", "with «RuCl2(PPh3)3», «Pd2(dba)3» as"),
        ("soil «Ca.Mg-P» fell", "soil «Ca».«Mg»-«P» fell"),
        ("of «PC(16:0/18:1) and PE(18:0/20:4)» in", "of «PC(16:0/18:1)» and «PE(18:0/20:4)» in"),
        ("of «Zn(OAc)2 in Pd2(dba)3» in", "of «Zn(OAc)2 in Pd2(dba)3» in"),
    ],
)
def test_a_list_of_notations_is_divided(text: str, expected: str) -> None:
    passage = marked(text)
    mark_notations(passage, notations(passage.text))
    assert shown(passage) == expected


@pytest.mark.parametrize("text", ["Ni(acac)2", "[Ru(bpy)3]2+", "TG 54:3", "Val-Pro-Pro", "15N", "EDC·HCl"])
def test_a_notation_is_not_divided(text: str) -> None:
    assert is_notation(text)
