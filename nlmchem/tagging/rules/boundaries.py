"""Exact boundaries of mentions: spaces, brackets, hyphens, charges, missing words; and spans that are not names.

The rules follow the guidelines of NLM-Chem (Islamaj et al. 2021, Scientific Data 8:91): a charge belongs to its
ion, a hyphen that joins a name to another word does not belong to the name, and brackets come in pairs.

Completed and rejected names follow counts in the 30 open NLM-Chem articles: 29 of 33 occurrences of `amino acid` are
marked, none of 51 initials of a genus (`E. coli`), none of 17 `C-` or `N-terminal`, and two of 11,198 numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpora.model.document import Span
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.tokenization.tokens import CLOSING, PAIRS, is_balanced, unpaired
from sieves.chemistry.amino_acids import CODES
from sieves.chemistry.elements import ELEMENTS, MULTIVALENT
from sieves.chemistry.formulae import ANIONS, OXYANIONS

LONGEST = 500
"""Characters. The brackets of longer spans are not checked, because no real name is that long."""
RESIDUES = "|".join(CODES)
"""Three-letter names of amino acids, as part of a regular expression. Sec is left out: `Sec61` is a protein."""

# Punctuation at the edges of a name belongs to the sentence, and so does a dash before it.
_EDGE_BEFORE = frozenset(' \t\n\r\u00a0,.;:!?/=-–—"“”<>')
_EDGE_AFTER = frozenset(' \t\n\r\u00a0,.;:!?/=–—"“”<>')
_LAST_WORD = re.compile(r" (?:and|as|at|by|do|for|in|is|of|on|or|the|to|was|were|with)$")
_NO_NAME = re.compile(
    r"(?:lg|log|p)?(?:[EILT][CD]|GI|OD|CC)_?\d{2,3}s?|[kmnµμ]g|[mµμ][lL]|[mnpµμ]M|[mnpµμ]mol|IU|ppm|rpm"
    # Saturations, pressures and uptakes of gases.
    r"|(?:Et|Fi|Pa|Pv|S[apv]|et)C?O2|VC?O2(?:max|peak)|VCO2"
    # Names of genes by their locus: Zm00001d002489, AT5G12345. Compound codes have only one run of digits.
    r"|(?:[A-Za-z]{1,6}_?)?[A-Za-z]{1,6}\d{1,5}[A-Za-z]\d{5,6}"
)
# A component of a solution, followed by its amount: `NaCl 126, KCl 2.5, HEPES 10 (in mM)`. Only metals of buffers,
# because with all metals `VEGF 165` would be a salt of vanadium.
_AMOUNT = re.compile(
    r"(?:(?:Na|K|Mg|Ca|Cs|Li|Zn|Mn)\d?(?:[A-Z(][A-Za-z0-9()]*|-?[AG]TP)|HEPES|EGTA|EDTA|MES|MOPS|(?:D-)?[Gg]lucose|[Ss]ucrose)"
    r"( \d{1,3}(?:\.\d+)?)"
)
# Normal and molar: `1 N HCl`, `6N NaOH`, `0.5 M Tris`.
_UNIT = re.compile(r"(?P<number>\d+(?:\.\d+)? ?)?(?:[NM]|[hkM]?Pa)[  ](?=[A-Z(\[]|[a-z]{4})")
_NUMBER_BEFORE = re.compile(r"(?<![\w-])\d+(?:\.\d+)?[  -]?$")
_BRACKETS = re.compile(r"\([^()\s]{1,20}\)")
_ION = re.compile(r"(?:[A-Z][a-z]?\d{0,2})+")
_PLUS = re.compile(r"[ ]?(?:\d{0,1}\+{1,3}|\(\d?\+\))(?![\w+])")
_MINUS = re.compile(r"(?:\d?[-−–])(?![\w-])")
# Some publishers put a space before a superscript charge. After a metal or an anion it is always a charge.
_RAISED = re.compile(r" (?:\d[-−–+]|[-−–])(?![\w+-])")
_RESTS = re.compile("|".join(OXYANIONS))
_METALS = re.compile("|".join(MULTIVALENT))
# The part after `PI` in `PI(4,5)P2`.
_POSITIONS = re.compile(r"\(\d'?(?:,\d'?){0,5}\)[A-Z]\w{0,3}(?!\w)")
_FORMULA = r"(?:[A-Z][a-z]?\d{0,2}|\((?:[A-Z][a-z]?\d{0,2}){1,4}\)\d{1,2}){1,8}(?: ?\d?[-−–+])?"
# Some publishers put a blank before an index: `N 2 , O 2`.
_SPACED = r"[A-Z][a-z]? \d(?: ?[A-Z][a-z]?(?: \d)?){0,4}"
_FORMULAE = re.compile(rf"{_FORMULA}(?:(?:, and |, | and |/|>){_FORMULA})+")
_SPACED_FORMULAE = re.compile(rf"{_SPACED}(?:(?: ?, and | ?, | and |/){_SPACED})+")
# A formula such as `Ca10(PO4)6(OH)2`, of which models often mark only a part.
_ELEMENT = rf"(?:{'|'.join(sorted(ELEMENTS, key=len, reverse=True))})\d{{0,2}}"
_GROUP = rf"\((?:{_ELEMENT}){{1,6}}\)\d{{1,2}}"
_WITH_GROUP = re.compile(rf"(?<![\w)])(?:{_ELEMENT}){{0,6}}{_GROUP}(?:{_ELEMENT}|{_GROUP}){{0,6}}(?![\w(])")
# A word that is divided at the end of a line continues: `metho-\ntrexate`.
_CELLS = re.compile(r"(?:[^\t\n]|(?<=[-‐\u00ad])\n(?=[a-z]))+")
_PH = re.compile(r",? ?\(?pH(?: ?[=:]? ?\d+(?:\.\d+)?)?\)?$")
# The numbers of references after a word: `aspirin1,2`, `glucose12`.
_CITATIONS = re.compile(r"(?<=[a-z]{5})\d{1,3}(?:[,–-]\d{1,3})*$")
# Without `S` and `H` (`S- and N-containing`) and `BH4` (tetrahydrobiopterin), where the hyphen is not a charge.
_CHARGED = [formula for formula, anion in ANIONS.items() if anion.ion and formula not in ("S", "H", "BH4")]
_ANIONS = re.compile("|".join(map(re.escape, _CHARGED)))
_IN_SMALL_LETTERS = re.compile(r"[a-z]{5}$")
_HYPHENS = "-‐‑"
_WORD_BEFORE = re.compile(r"[^\W\d_A-Z]{4}$")
_LONGEST_WORD = 30
_OPENING_WORDS = frozenset({"Am", "As", "At", "Be", "He", "I", "In", "No"})
_NEXT_WORD = re.compile(r" (?!(?:and|or) [A-Z][a-z](?!\w))(?:[a-z(]|\d|[A-Z][a-z]{2})")
_BEFORE_SENTENCE = re.compile(r"(?:^|[.!?:;]) *$")
_RESIDUES = frozenset(RESIDUES.lower().split("|")) | {"sec"}


def trim(text: str, span: Span) -> Span | None:
    """The span without spaces and unpaired brackets at its edges; None if nothing is left.

    If a bracket opens inside the span and closes directly after it, the closing bracket is added.
    """
    start, end = span
    while True:
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start == end:
            return None
        if end - start > LONGEST:
            return start, end
        opened, closed = unpaired(text[start:end])
        if opened and end < len(text) and text[end] == PAIRS[text[start + opened[-1]]]:
            end += 1
        elif opened and opened[0] == 0:
            start += 1
        elif (*closed[-1:], *opened[-1:]).count(end - start - 1):
            end -= 1
        elif closed and closed[0] == 0:
            start += 1
        else:
            return start, end


def repair(text: str, span: Span) -> Span | None:
    """The span with corrected edges: without punctuation, joining hyphens and a final `and`, but with charges.

    None if no letter or digit is left, or if it is a measure, a unit (`IC50`, `mg`) or the locus of a gene.
    """
    trimmed = trim(text, span)
    if trimmed is None:
        return None
    start, end = trimmed
    if end - start <= _LONGEST_WORD:
        # A formula with bracketed groups that contains the span.
        for formula in _WITH_GROUP.finditer(text, max(0, start - _LONGEST_WORD), end + _LONGEST_WORD):
            if formula.start() <= start and end <= formula.end():
                return formula.span()
    start, end = _whole_word(text, start, end)
    while start < end and text[start] in _EDGE_BEFORE:
        start += 1
    while end > start and (text[end - 1] in _EDGE_AFTER or _joins(text, end)):
        end -= 1
    unit = _UNIT.match(text, start, end)
    if unit is not None and (unit["number"] or _NUMBER_BEFORE.search(text, max(0, start - 8), start)):
        start = unit.end()
    amount = _AMOUNT.fullmatch(text, start, end)
    if amount is not None:
        end = amount.start(1)
    for tail in (_PH, _CITATIONS):
        rest = tail.search(text, start, end)
        if rest is not None and rest.start() > start:
            end = rest.start()
    last = _LAST_WORD.search(text, max(start, end - 6), end)
    if last is not None:
        end = last.start()
    if not any(map(str.isalnum, text[start:end])) or _NO_NAME.fullmatch(text, start, end):
        return None
    numbered = _POSITIONS.match(text, end)
    return trim(text, (start, numbered.end() if numbered is not None else with_charge(text, start, end)))


def listed(text: str, span: Span) -> list[Span]:
    """The span, or the formulae of a span that is a list of formulae: `Na+ and SO4 2-`.

    A span is also cut at the end of a table cell or of a line.
    """
    spans: list[Span] = []
    for cell in _CELLS.finditer(text, *span):
        for formulae, formula in ((_FORMULAE, _FORMULA), (_SPACED_FORMULAE, _SPACED)):
            if formulae.fullmatch(text, *cell.span()):
                spans += [match.span() for match in re.compile(formula).finditer(text, *cell.span())]
                break
        else:
            spans.append(cell.span())
    return spans


def joined_by_brackets(text: str, end: int, start: int) -> bool:
    """Whether only a bracket without spaces is between two spans: `PI` and `P2` of `PI(4,5)P2`."""
    return start - end <= 22 and _BRACKETS.fullmatch(text, end, start) is not None


def opens_sentence(text: str, span: Span) -> bool:
    """Whether a span is a symbol that is also an English word, at the start of a sentence and before another word.

    `As` means arsenic in many articles, but rarely at this position. The vote marks it there all the same.
    """
    start, end = span
    if text[start:end] not in _OPENING_WORDS or not _NEXT_WORD.match(text, end):
        return False
    return _BEFORE_SENTENCE.search(text[max(0, start - 3) : start]) is not None


def _whole_word(text: str, start: int, end: int) -> Span:
    """The span with the rest of a word that it cuts between letters and digits: `BKM120` instead of `BKM`.

    An amino acid and its position in a sequence are not joined (`Ser326`, `326Cys`). NLM-Chem cuts words in no other
    case.
    """
    is_word = _IN_SMALL_LETTERS.search(text, start, end) is not None
    if (
        not is_word
        and end < len(text)
        and text[end].isdigit()
        and text[end - 1].isalpha()
        and not _is_residue(text, start, end)
    ):
        end += _rest(text[end : end + _LONGEST_WORD])
    if start and text[start - 1].isdigit() and text[start].isalpha() and not _is_residue(text, start, end):
        start -= _rest(text[max(0, start - _LONGEST_WORD) : start][::-1])
    return start, end


def _rest(text: str) -> int:
    """The number of letters and digits at the start of a text; 0 if there are `_LONGEST_WORD`: no word is that long."""
    length = next((at for at, letter in enumerate(text) if not letter.isalnum()), len(text))
    return 0 if length == _LONGEST_WORD else length


def _is_residue(text: str, start: int, end: int) -> bool:
    # Checks the letters at both ends: `Arg-Glu12` ends with a residue, `326Cys-peptide` begins with one.
    letters = re.findall(r"[^\W\d_]+", text[start:end])
    return bool(letters) and (letters[0].lower() in _RESIDUES or letters[-1].lower() in _RESIDUES)


def _joins(text: str, end: int) -> bool:
    """Whether the last character before `end` is a hyphen and not a charge.

    A word follows it (`Cl-induced`), or it is a suspended hyphen in a list
    (`auxin-, ethylene- and jasmonate-responsive`).
    """
    if text[end - 1] not in _HYPHENS:
        return False
    return (end < len(text) and text[end].isalnum()) or _WORD_BEFORE.search(text, max(0, end - 5), end - 1) is not None


def with_charge(text: str, start: int, end: int) -> int:
    """The end of a span, extended by the charge after a formula (`Ca2` + `+`, `Cl` + `-`, `SO4` + ` 2-`)."""
    if not _ION.fullmatch(text, start, end):
        return end
    raised = _RAISED.match(text, end)
    if raised is not None and (_RESTS if "+" not in raised[0] else _METALS).fullmatch(text, start, end):
        return raised.end()
    plus = _PLUS.match(text, end)
    if plus is not None and not text[end].isspace():
        return plus.end()
    minus = _MINUS.match(text, end)
    return minus.end() if minus is not None and _ANIONS.fullmatch(text, start, end) else end


_HEADS = re.compile(r" acids?\b")
_COLOUR = re.compile(r" (?:Black|Blue|Green|Orange|Red|Violet|Yellow)\b")
# `MK` + `-801`, `Triton X` + `-100`.
_CODE = re.compile(r"-\d{2,5}[A-Za-z]?(?!\w)")
_CAPITALS = re.compile(r"(?:.* )?[A-Z]{1,5}")
_HYDROXY = re.compile(r"(?:1α?,)?(?:24,)?25\(OH\)2?$")
_BEFORE = {
    "saline": re.compile(r"(?:[Pp]hosphate|[Tt]ris|[Cc]itrate|HEPES)[ -]buffered $"),
    **dict.fromkeys(("D", "D2", "D3"), _HYDROXY),
}
_BUFFER = re.compile(r"[ -]buffered saline\b")
_HALOGENATED = re.compile(r"(?<![\w-])(?i:[a-z]*(?:brom|chlor|fluor|iod)inated) $")
_HYDROCARBONS = re.compile(r"(?:[Aa]lkane|[Aa]lkene|[Hh]ydrocarbon|[Oo]lefin|[Pp]araffin)s?")
# With halogens these are no hydrocarbons: `chlorinated paraffins`. Fluorinated alcohols are alcohols.
_COLD = re.compile(r"ice[ -]cold ")
# Adjectives that form the name of a class only with their noun: `heavy metals`, `hydroxyl radical`.
_QUALIFIERS = {
    "free": (re.compile(r"[ -]radicals?\b"),),
    "heavy": (re.compile(r" metals?\b"),),
    "hydroxyl": (re.compile(r" radicals?\b"),),
    "inorganic": (re.compile(r" (?:arsenic|phosphates?|phosphorus|polyphosphates?|pyrophosphate|sulfate)\b"),),
    "superoxide": (re.compile(r" (?:anion radical|anion|radical)s?\b"),),
}
_ALONE = frozenset(
    ("amino", "carboxyl", "fatty", "free", "heavy", "inorganic", "low", "organic", "saturated", "soluble", "total")
)
# The first member of `mono- and disaccharides`, `o- and p-cresol`. `DI` and `TRI` are short forms.
_MULTIPLES = re.compile(
    r"(?:[Mm]ono|[Dd]i|[Tt]ri|[Tt]etra|[Pp]enta|[Hh]exa|[Oo]ligo|[Pp]oly)[-‐‑]?|[mnop][-‐‑]|[αβγδ][-‐‑]?"
)
# Companies, a type of mask, antigens of a virus, glutathione peroxidase.
_OTHERS = re.compile(r"Waters|Qiagen|N95|HB[ces]?A[bg]|GSH-P[Xx]")
# `CAPS-Myc-His` is a tagged protein; `Arg-His` is not.
_TAGGED = re.compile(rf"(?<![A-Za-z])(?!(?:{RESIDUES})-)\w+-$")
_LETTER = re.compile(r"[A-Z]")
# A part of `S(c)O(2)`, a saturation.
_GAS = re.compile(r"C?O(?:2|\(2\))")
# A line of cells and not a formula, which has all atoms of an element in one place: `C(2)C(12)`, `H1H2`.
_REPEATED = re.compile(r"(?:([A-Z][a-z]?)\(?\d{1,2}\)?\1\(?\d{1,2}\)?)")
# The number of an oxidation state, of a channel or of an experiment: `DMA(V)`, `K(V)`.
_OXIDIZED = re.compile(r"\w\([IV]\)")
_NO_SYMBOL = re.compile(r"\. [a-z]{3,}|[-‐‑](?:box|lobe|loop|rich|ring|stack|tail|tag|termin|DNA)")


def completed(text: str, span: Span) -> Span:
    """The span, extended by neighbouring words that belong to the name.

    `amino` + ` acids`, `free` + ` radicals`, `Nile` + ` Red`, `MK` + `-801`, `phosphate-buffered ` + `saline`.
    """
    start, end = span
    cold = _COLD.match(text, start, end)
    start = cold.end() if cold is not None else start
    name = text[start:end]
    if name in _BEFORE:
        before = _BEFORE[name].search(text, max(0, start - 20), start)
        return (before.start() if before is not None else start), end
    halogenated = _HALOGENATED.search(text, max(0, start - 25), start) if _HYDROCARBONS.fullmatch(name) else None
    start = start if halogenated is None else halogenated.start()
    if not name[-1:].isalpha():
        return start, end
    following = [_HEADS, _COLOUR, _BUFFER, *_QUALIFIERS.get(name.lower(), ())]
    if len(name) > 1 and _CAPITALS.fullmatch(name):
        following.append(_CODE)
    return start, max((match.end() for pattern in following if (match := pattern.match(text, end))), default=end)


def no_name(text: str, span: Span) -> bool:
    """Whether a span is a number, a single adjective, or a letter that is not a symbol in its context.

    Some frequent errors of models are rejected by name.
    """
    start, end = span
    name = text[start:end]
    if (
        not any(map(str.isalpha, name))
        or name.lower() in _ALONE
        or _MULTIPLES.fullmatch(name)
        or _OTHERS.fullmatch(name)
        or _REPEATED.fullmatch(name)
    ):
        return True
    if _UNIT.match(text, start) and name in ("M", "N") and _NUMBER_BEFORE.search(text, max(0, start - 8), start):
        return True
    if start and text[start - 1] == ")" and _GAS.fullmatch(name):
        return True
    if name == "His" and _TAGGED.search(text, max(0, start - 20), start):
        return True
    if name in ("I", "V") and _OXIDIZED.match(text, start - 2):
        return True
    return _LETTER.fullmatch(name) is not None and _NO_SYMBOL.match(text, end) is not None


# Brackets: each has its partner in the mention, or is not part of it. A bracket without partner stands where a model
# cut a word (`LIG)3` of `Fe(LIG)3`), joined two names (`retinol (vitamin A` before ` palmitate)`), or marked a part of
# a remark. In the first case the span grows to the whole word, in the second both names stay, otherwise the longer
# part.

_REACH = 60
"""Characters that a span may grow by to reach the partner of a bracket and the end of its word."""
_WORD_END = frozenset(" \t\n\r\u00a0,;")
_EDGE = frozenset(",;:-‐–")
_FEWEST = 2
"""Letters of a part that stays when a span is cut."""
_MULTIPLIED = re.compile(r"(?:bis|tris|tetrakis)$", re.IGNORECASE)
_DESCRIPTOR = re.compile(r"(?:[±+−–-]|[\d,;'′’αβRSEZrs]|cis|trans|rac|rel)+")
"""What stands in brackets at the start of a name: `(6S)-`, `(±)-`, `(2,3)-`. Other brackets there end another name."""


def balance(passage: PassageSpans) -> None:
    """Balance the brackets of the spans of a passage, in place. Spans do not grow into one another."""
    spans = sorted(passage.spans, key=lambda span: (span.start, span.end))
    kept: list[ScoredSpan] = []
    for at, span in enumerate(spans):
        before = kept[-1].end if kept else 0
        after = spans[at + 1].start if at + 1 < len(spans) else len(passage.text)
        free = min(before, span.start), max(after, span.end)
        for start, end in balanced(passage.text, (span.start, span.end), free):
            kept.append(replace(span, start=start, end=end))
    passage.spans = kept


def across_brackets(text: str, spans: Sequence[ScoredSpan]) -> list[ScoredSpan]:
    """The spans of a text, with one span for a name that a model divides at a bracket.

    The second has the partner of the bracket (`2,2′-azobis` + `2-methylpropionamidine) dihydrochloride`), or the first
    ends with a number of the groups in the brackets: `N,N'-methylenebis` + `acrylamide`.
    """
    whole: list[ScoredSpan] = []
    for span in spans:
        before, end = whole[-1] if whole else None, span.end
        if before and span.start - before.end == 1 and text[before.end] in PAIRS and end - before.start <= LONGEST:
            is_divided = bool(unpaired(text[span.start : end])[1])
            if not is_divided and _MULTIPLIED.search(text, before.start, before.end) and text[end : end + 1] in CLOSING:
                is_divided, end = True, end + 1
            if is_divided and is_balanced(text[before.start : end]):
                whole[-1] = replace(before, end=end, score=min(before.score, span.score))
                continue
        whole.append(span)
    return whole


def balanced(text: str, span: Span, free: Span) -> list[Span]:
    """The span with only paired brackets, or its parts that have only paired brackets. It may grow inside `free`."""
    start, end = span
    if end - start > LONGEST or is_balanced(text[start:end]):
        return [span]
    grown = _grown(text, span, free)
    parts = [grown] if grown is not None else _cut(text, span)
    return [part for part in parts if _letters(text, part) >= _FEWEST]


def _letters(text: str, span: Span) -> int:
    return sum(map(str.isalpha, text[slice(*span)]))


def _grown(text: str, span: Span, free: Span) -> Span | None:
    """The span with the partners of its brackets, if all are in the words that it cuts."""
    start, end = span
    _, closed = unpaired(text[start:end])
    first = _to_opening(text, start, start + closed[-1], free[0]) if closed else start
    if first is None:
        return None
    opened, _ = unpaired(text[first:end])
    last = _to_closing(text, end, first + opened[0], free[1]) if opened else end
    return (first, last) if last is not None and is_balanced(text[first:last]) else None


def _cut(text: str, span: Span) -> list[Span]:
    """The parts of the span without unpaired brackets.

    After a blank an opening bracket separates two names, and both stay. At other brackets the part with more letters
    stays.
    """
    start, end = span
    opened, closed = unpaired(text[start:end])
    if not (opened or closed):
        return [span]
    bracket = start + (closed or opened)[0]
    before, after = _stripped(text, start, bracket), _stripped(text, bracket + 1, end)
    if not closed and bracket > start and text[bracket - 1].isspace():
        return [*_cut(text, before), *_cut(text, after)]
    return _cut(text, max(before, after, key=lambda part: _letters(text, part)))


def _to_opening(text: str, start: int, closing: int, free: int) -> int | None:
    """The start of the word that has the partner of the bracket at `closing` before the span; None if there is none."""
    depth, partner = 1, None
    first = start
    while first > max(free, start - _REACH) and text[first - 1] not in _WORD_END:
        letter = text[first - 1]
        if letter in CLOSING:
            depth += 1
        elif letter in PAIRS:
            if depth == 0:
                break
            depth -= 1
            if depth == 0 and partner is None:
                partner = first - 1
        first -= 1
    if partner is None or depth:
        return None
    if first == partner and not _DESCRIPTOR.fullmatch(text, partner + 1, closing):
        return None
    return first


def _to_closing(text: str, end: int, opening: int, free: int) -> int | None:
    """The end of the partner of the bracket at `opening`, if it is in the same word after the span.

    After a blank, a bracket begins a remark (`ferrocene ((3)E1g)`), which is no part of the name.
    """
    if opening and text[opening - 1].isspace():
        return None
    depth = 1
    for at in range(end, min(free, end + _REACH)):
        letter = text[at]
        if letter in _WORD_END and depth == 1 and letter != ",":
            return None
        if letter in PAIRS:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
            if depth == 0:
                return at + 1 if CLOSING[letter] == text[opening] else None
    return None


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without blanks, commas and hyphens at its edges."""
    while start < end and (text[start].isspace() or text[start] in _EDGE):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in _EDGE):
        end -= 1
    return start, end
