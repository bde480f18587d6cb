"""What this detector does beyond Ab3P, item by item, so that the gain of each can be measured.

`benchmarks/abbreviations.py` switches each off in turn; docs/abbreviations.md has the table.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ALL", "NONE", "Addition"]


class Addition(StrEnum):
    """One departure from Sohn et al. 2008."""

    # Enum's own hash is Python code, and membership is asked for thousands of times an article.
    __hash__ = str.__hash__

    # Where candidates come from.
    ATTACHED = "an opening bracket without a blank before it: `CD40 ligand(CD40L)`"
    PIECES = "a short form beside other things in its bracket: `(blood-brain barrier, BBB)`, `(EC 1.1.1.1; LDH)`"
    REMARKS = "a short form with a remark behind it in its bracket: `(HSP family)`, `(LPS: 1 mg)`, `(CaM [4])`"
    INTRODUCED = "words before the short form: `(hereafter DHA)`, `(abbreviated as DHA)`"
    WHOLE = "a long form with commas in its bracket: `BTEX (benzene, toluene, ethylbenzene and xylene)`"
    PENULTIMATE = "a noun between short form and bracket: `EMLA cream (eutectic mixture of local anesthetics)`"
    APPOSITION = "`green fluorescent protein, GFP,`, `..., or GFP,`, `..., hereafter GFP`"
    EQUATION = "`GFP = green fluorescent protein`"
    LISTS = "the lists of abbreviations that articles carry: `Abbreviations: DHA, docosahexaenoic acid; ...`"
    # How a short form is aligned with a long form.
    GREEK = "names of Greek letters against the letters: `tumour necrosis factor α (TNF-alpha)`"
    NUMBERS = "number words, ordinals and Roman numerals: `two-dimensional (2D)`"
    SUFFIX = "a number or `p` of a gene's name that the long form does not say: `poly(A) polymerase (Pap1)`"
    ROTATED = "what is said first stands last, as index: `tidal volume (V(T))`, `corrected QT (QTc)`"
    FORMULA = "numbers inside a formula: `nitrous oxide (N2O)`"
    HYDROXY = "OH for hydroxy: `8-hydroxydeoxyguanosine (8-OHdG)`"
    CONCENTRATION = "square brackets for a concentration: `intracellular calcium concentration ([Ca2+]i)`"
    WIDE = "more words skipped: `transporter associated with antigen processing (TAP)`"
    ONE_LETTER = "any known word for its first letter, in an article's enumeration: `genioglossus (G)`"
    # Where a long form begins.
    TRIM = "quotes, slashes and dashes at the long form's ends"
    PREFIX = "`anti-`, `non-` and names of constructs before the long form's first letter"
    FUNCTION_WORDS = "no long form begins with an article, a preposition or a conjunction"
    ONE_MORE = "one more word in front: `type 1 ...`, `1, 3-...`, `protein phosphatase 2A (PP2A)`"
    # What is no definition.
    SENTENCE = "no long form crosses the end of a sentence"
    VERBS = "no long form holds a finite verb or a relative pronoun"
    CONTAINED = "no long form is one token that holds the short form: `Ras (H-Ras)`"
    PLAIN_WORD = "no short form is an ordinary word: `(iron)`, `(Japan)`"
    NOISE = "web addresses, figure numbers, other spellings of the short form, words behind a list: `(Fig. 1)`"


ALL: frozenset[Addition] = frozenset(Addition)
NONE: frozenset[Addition] = frozenset()
