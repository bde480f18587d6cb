"""The additions of this detector to Ab3P. Each can be switched off, so that its gain can be measured.

`benchmarks/scores/abbreviations.py` measures each of them; docs/measurements/abbreviations.md has the table.
"""

from __future__ import annotations

from enum import StrEnum


class Addition(StrEnum):
    """One difference to Sohn et al. 2008."""

    # The hash of Enum is slow Python code, and membership is tested thousands of times per article.
    __hash__ = str.__hash__

    # Sources of candidates.
    ATTACHED = "an opening bracket without a space before it: `CD40 ligand(CD40L)`"
    PIECES = "a short form with other text in its bracket: `(blood-brain barrier, BBB)`, `(EC 1.1.1.1; LDH)`"
    REMARKS = "a short form with a remark after it in its bracket: `(HSP family)`, `(LPS: 1 mg)`, `(CaM [4])`"
    INTRODUCED = "words before the short form: `(hereafter DHA)`, `(abbreviated as DHA)`"
    WHOLE = "a long form with commas in its bracket: `BTEX (benzene, toluene, ethylbenzene and xylene)`"
    PENULTIMATE = "a noun between short form and bracket: `EMLA cream (eutectic mixture of local anesthetics)`"
    APPOSITION = "`green fluorescent protein, GFP,`, `..., or GFP,`, `..., hereafter GFP`"
    DENOTED = "`decision fusion, denoted by DF`, `..., herein referred to as DF`"
    EQUATION = "`GFP = green fluorescent protein`"
    LISTS = "lists of abbreviations: `Abbreviations: DHA, docosahexaenoic acid; ...`"
    # Alignment of a short form with a long form.
    GREEK = "names of Greek letters match the letters: `tumour necrosis factor α (TNF-alpha)`"
    NUMBERS = "number words, ordinals and Roman numerals: `two-dimensional (2D)`"
    SUFFIX = "a number or `p` in the name of a gene that is not in the long form: `poly(A) polymerase (Pap1)`"
    ROTATED = (
        "the first word of the long form is the index of the short form: `tidal volume (V(T))`, `corrected QT (QTc)`"
    )
    FORMULA = "numbers inside a formula: `nitrous oxide (N2O)`"
    REPEATED = "a number repeats a letter: `asynchronous advantage actor critic (A3C)`"
    HYDROXY = "OH for hydroxy: `8-hydroxydeoxyguanosine (8-OHdG)`"
    CONCENTRATION = "square brackets for a concentration: `intracellular calcium concentration ([Ca2+]i)`"
    WIDE = "more words skipped: `transporter associated with antigen processing (TAP)`"
    ONE_LETTER = "any known word for its first letter, in an article's enumeration: `genioglossus (G)`"
    # The start of a long form.
    TRIM = "quotes, slashes and dashes at the ends of the long form are removed"
    PREFIX = "`anti-`, `non-` and names of constructs before the first letter of the long form are removed"
    FUNCTION_WORDS = "no long form begins with an article, a preposition or a conjunction"
    ONE_MORE = "one more word at the start: `type 1 ...`, `1, 3-...`, `protein phosphatase 2A (PP2A)`"
    # Rejected definitions.
    SENTENCE = "no long form crosses the end of a sentence"
    VERBS = "no long form contains a finite verb or a relative pronoun"
    CONTAINED = "no long form is one token that contains the short form: `Ras (H-Ras)`"
    PLAIN_WORD = "no short form is an ordinary word: `(iron)`, `(Japan)`"
    NOISE = "web addresses, figure numbers, other spellings of the short form, words after a list: `(Fig. 1)`"


ALL: frozenset[Addition] = frozenset(Addition)
NONE: frozenset[Addition] = frozenset()
