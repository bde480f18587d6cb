"""Contexts in which a name does not mean a chemical.

The rules follow the guidelines of NLM-Chem (Islamaj et al. 2021, Scientific Data 8:91), which do not mark proteins and
enzymes, nor chemical names inside them. Texts are in plain characters (`sieves.lexicon.lexicon.plain`). The article
itself tells the meaning of the short forms that it defines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.lexicon.proteins import part_of_protein
from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds, in_token, lengths_by_first_token
from sieves.lexicon.keys import plain


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOT_IN_TEXT = _words(
    """
    acid acids alloy alloys anion anions biopolymer biopolymers cation cations dendrimer dendrimers electrolyte
    electrolytes exciton excitons fat fats ice ion ions metal metals micelle micelles nanogel nanogels oligonucleotide
    oligonucleotides oligopeptide oligopeptides oxide oxides peptide peptides polyelectrolyte polyelectrolytes polymer
    polymers polypeptide polypeptides proton protons
    """
)
"""Names of chemicals that have another meaning in most texts, or that the guidelines do not mark.

Words for states and mixtures (`electrolytes`, `micelles`) have 576 places in the 30 open articles of NLM-Chem, BC5CDR
and BioRED without their test parts, CHEMDNER (training, development) and DrugProt (development); two are marked.
"""

DECOYS = frozenset({"gold standard", "lipid peroxidation", "MDA-MB", "mm Hg", "nucleotide polymorphism", "Salt Lake"})
"""Terms that contain the name of a chemical but do not mean one."""

# The bracket in `NMDA) receptor`, `N-methyl-D-aspartate (NMDA) receptor`.
_BRACKET = re.compile(r" \([\w-]{1,12}\)|\)")
# The end of the text before a part of a longer name: `6-phosphate`, `N-acetyl-lysine`, `L-[...]`, `chloro-benzene`.
_LONGER_NAME = re.compile(
    r"(?:[\d')]|(?:^|[\W\d_])[^\W\d_]"
    r"|yl|oxy|oxo|hydro|chloro|fluoro|bromo|iodo|nitro|amino|thio|phospho|poly|deoxy)-$"
)
# `streptomycin sulfate` is one salt, so `sulfate` is not marked by itself.
_ACID_OF_SALT = re.compile(
    r"(?:acet|benzo|citr|fumar|lact|male|nitr|phosph|propion|succin|sulf|sulph|tartr)ates?"
    r"|(?:brom|chlor|iod|sulf)ides?|esters?"
)
_BASE_OF_SALT = re.compile(r"[a-z]{3}(?:ine|ium|yl|one|ene|cin|tin|oxil|olol|amil) $")
_BEFORE = 12
"""Characters before a name that are checked."""


def part_of_longer_name(text: str, start: int, end: int) -> bool:
    """Whether a span is part of the name of a protein, or of a chemical that is not in the lexicon."""
    before = text[max(0, start - _BEFORE) : start]
    if _LONGER_NAME.search(before):
        return True
    if _BASE_OF_SALT.search(before) and _ACID_OF_SALT.fullmatch(text, start, end):
        return True
    # `Ca(v)1.2`, `Fe(acac)3`: a bracket directly after a symbol continues a formula.
    if end - start <= 2 and text.startswith("(", end):
        return True
    bracket = _BRACKET.match(text, end)
    return part_of_protein(text, start, bracket.end() if bracket is not None else end)


Name = TypeVar("Name")
FEW = 256
"""First tokens of short forms that one expression searches for."""
_NOTHING = "(?!)"
"""Matches nowhere."""

SHORTEST = 2
"""Characters of the shortest short form that is used. An article also uses a single letter for other things."""


class ShortForms:
    """Short forms, and whether each means a chemical. A short form is looked at when a text has it, so few are."""

    def __init__(
        self, defined: Iterable[tuple[str, str]] = (), means: Callable[[str], bool | None] = lambda _: False
    ) -> None:
        """`defined`: short and long forms. `means`: whether a long form means a chemical; None if that is unknown.

        A short form without a long form of a known meaning is left out.
        """
        self._means = means
        self._longs: dict[str, dict[str, None]] = {}
        for short, long in defined:
            self._longs.setdefault(plain(short), {})[long] = None
        self._known: dict[str, bool | None] = {}
        self._lengths = lengths_by_first_token(short for short in self._longs if len(short) >= SHORTEST)
        firsts = sorted(self._lengths, key=len, reverse=True)
        # An expression tries all its parts at each place.
        expression = re.compile("|".join(map(re.escape, firsts)) or _NOTHING) if len(firsts) <= FEW else TOKEN
        self._first_tokens = expression

    def beside(
        self, text: str, names: Iterable[tuple[int, int, Name]], within: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[int, int, Name | bool]]:
        """The names (start, end, value, by start) and the short forms of a text, from left to right, without overlaps.

        Of a name and a short form at one place the longer counts, else the short form; its value is whether it means a
        chemical. `within`: for each character of the text, whether a span may begin there (None: at any character).
        """
        reached = 0
        spans: Iterator[tuple[int, int, Name | bool]] = merge(names, self._places(text), key=_precedence)
        for start, end, value in spans:
            if start >= reached and (within is None or within[start]):
                reached = end
                yield start, end, value

    def _places(self, text: str) -> Iterator[tuple[int, int, bool]]:
        """Start, end and meaning of the longest short form at each token."""
        for match in self._first_tokens.finditer(text):
            token = TOKEN.match(text, match.start())
            if token is None or in_token(text, token.start()):
                continue
            place = self._at(text, token.start(), token.group())
            if place is not None:
                yield token.start(), *place

    def _at(self, text: str, start: int, token: str) -> tuple[int, bool] | None:
        """The end of the longest short form at `start`, and whether it means a chemical; None if there is none.

        `token` is the token at `start`. A short form may have a plural s.
        """
        for first in dict.fromkeys((token, token.removesuffix("s"))):
            for length in self._lengths.get(first, ()):
                end = start + length
                if end > len(text):
                    # The text ends before a longer short form with the same first token.
                    continue
                short = text[start:end]
                ends = (end, end + 1) if text.startswith("s", end) else (end,)
                for last in ends if short in self._longs else ():
                    if at_word_bounds(text, start, last):
                        is_chemical = self._is_chemical(short)
                        if is_chemical is not None:
                            return last, is_chemical
        return None

    def _is_chemical(self, short: str) -> bool | None:
        """Whether one of the long forms means a chemical; None if nothing is known about any of them."""
        if short not in self._known:
            answers = [is_chemical for is_chemical in map(self._means, self._longs[short]) if is_chemical is not None]
            self._known[short] = any(answers) if answers else None
        return self._known[short]


def _precedence(span: tuple[int, int, object]) -> tuple[int, int, bool]:
    start, end, value = span
    return start, -end, not isinstance(value, bool)


NO_SHORT_FORMS = ShortForms()
