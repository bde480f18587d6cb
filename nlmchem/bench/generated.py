"""Generated articles of the size of full texts, for measurements where no articles are at hand."""

from __future__ import annotations

import random
import re

from bioc import BioCDocument, BioCPassage

PASSAGES = 60
_SECTIONS = ("ABSTRACT", "INTRO", "METHODS", "RESULTS", "DISCUSS")
_CHEMICALS = (
    "glucose", "ethanol", "5-fluorouracil", "NaCl", "2,4-dinitrophenol", "Ca2+", "acetylcholine", "aspirin", "cadmium",
    "dimethyl sulfoxide (DMSO)", "γ-aminobutyric acid", "H2O2", "β-carotene", "ascorbic acid", "methotrexate", "ATP",
    "nitric oxide", "dopamine", "tris(hydroxymethyl)aminomethane", "KH2PO4", "lipopolysaccharide (LPS)", "DMSO", "LPS",
)  # fmt: skip
_GAP = re.compile(r"\b[CN]\b")
_SENTENCES = (
    "The animals were given C in water for N days, and their weight was measured every morning.",
    "Cells were grown in medium with C and C, washed twice, and counted under a microscope.",
    "No difference between the two groups was found (p = 0.N), although they were measured at the same time.",
    "The concentration of C rose N-fold after the treatment, whereas that of C did not change.",
    "As shown in Figure N, the response depends on the dose and on the age of the patients.",
    "Previous studies of this pathway have reported conflicting results, which may be explained by their methods.",
    "Samples were dissolved in C (N mM), filtered, and stored at -N degrees until they were analysed.",
)


def generated_article(number: int) -> BioCDocument:
    """Article `number`, always the same one: about 4,500 words in 60 passages."""
    chance = random.Random(number)
    document, offset = BioCDocument(), 0
    document.id = f"generated-{number}"
    # One format is for articles of PubMed only.
    document.infons["article-id_pmid"] = str(number)
    for position in range(PASSAGES):
        passage = BioCPassage()
        passage.text = " ".join(_sentence(chance) for _ in range(chance.randint(2, 8) if position else 1))
        passage.offset = offset
        passage.infons["section_type"] = _SECTIONS[position * len(_SECTIONS) // PASSAGES] if position else "TITLE"
        document.add_passage(passage)
        offset += len(passage.text) + 1
    return document


def _sentence(chance: random.Random) -> str:
    """One of the sentences. `C` alone stands for a chemical and `N` alone for a number."""

    def filled(gap: re.Match[str]) -> str:
        return chance.choice(_CHEMICALS) if gap[0] == "C" else str(chance.randint(2, 90))

    return _GAP.sub(filled, chance.choice(_SENTENCES))
