"""Words and signs beside a name that belong to it, and words for classes that are no names of their own.

`coenzyme Q` + `(10)`, `carbon` + ` black`; `salt` in `the sodium salt of fluorescein`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpora.model.document import Span
from nlmchem.deciding.coordination import is_coordination
from nlmchem.deciding.meanings import Meanings, TextMeaning
from nlmchem.tagging.inference.spans import ScoredSpan
from nlmchem.tagging.rules.notations import is_notation
from sieves.chemistry.amino_acids import CODES
from sieves.chemistry.elements import ELEMENTS
from sieves.chemistry.variants import with_greek_letter
from sieves.lexicon.concepts import CHEMICAL_KIND
from sieves.registry import facts

_INDEX = re.compile(r"\(\d{1,2}\)(?![\w(-])")
_AFTER_CAPITAL = re.compile(r"(?:[A-Z]|[A-Z][a-z])$")
_MATERIAL = re.compile(
    r"(?:activated|active) (?:carbon|charcoal)|(?:glassy|vitreous) carbon|carbon black"
    r"|(?:black|red|violet|white|yellow) phosphorus",
    re.IGNORECASE,
)
"""Forms of an element with a name of two words."""
_MATERIAL_WORDS = re.compile(r"carbon|charcoal|phosphorus", re.IGNORECASE)
_JOINTS = "-‐‑–/"
_SHORTEST_PART = 3
_LONGEST_WORD = 10
_SALT = re.compile(r"salts?")
_WITH_SALT = re.compile(r"(?P<part>\S+) salts?")
_OF = re.compile(r" of (?=\w)")
_ELEMENT_NAMES = frozenset(ELEMENTS.values())
_ACID_RESTS = re.compile(
    r"(?:di|hemi|mono|tri)?(?:acetate|citrate|hydrobromide|hydrochloride|mesylate|(?:di)?hydrate|sul(?:f|ph)ate|tartrate"
    r"|tosylate|trifluoroacetate)"
)
"""The acids of salts of drugs. Others form names of classes, which are marked whole: `trifluoroborate salts`."""
_LONGEST_BEFORE = 30
_WORD_BEFORE = re.compile(r"[^\W\d_]+ $")
PRECISE = 0.8
"""The least precision of a sieve that shows the names of a list."""
_COMMA = re.compile(r", (?:and |or )?")
_CELLS = re.compile(r" (?:cells?|(?:cell )?lines?)(?![\w-])")
_CODE = re.compile(r"[A-Z][A-Z\d-]{1,7}")


def united(text: str, spans: Sequence[ScoredSpan], meanings: Meanings) -> Iterator[ScoredSpan]:
    """The spans; two that only a hyphen or a slash divides are one if the whole is a chemical: `alfa` + `tocopherol`.

    Annotators marked 24 such names as one and six as two (the 30 open articles of NLM-Chem, BC5CDR without its test
    part, the development part of DrugProt); in CHEMDNER, 15 and 26. Residues are marked one by one (`Cys/Cys`).
    """
    last: ScoredSpan | None = None
    for span in spans:
        if last is not None and _is_one_name(text, (last.start, last.end), (span.start, span.end), meanings):
            last = replace(last, end=span.end, score=max(last.score, span.score))
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _is_one_name(text: str, first: Span, second: Span, meanings: Meanings) -> bool:
    parts = (text[slice(*first)], text[slice(*second)])
    whole = text[first[0] : second[1]]
    return (
        second[0] - first[1] == 1
        and text[first[1]] in _JOINTS
        and min(map(len, parts)) >= _SHORTEST_PART
        and not any(part in CODES for part in parts)
        # `silver/sulfide` are two; a hyphen joins an element to its salt.
        and not (text[first[1]] == "/" and parts[0].lower() in _ELEMENT_NAMES)
        and _is_one_concept(meanings.of(with_greek_letter(whole) or whole))
    )


def _is_one_concept(sense: TextMeaning) -> bool:
    """Whether a text means a chemical with one identifier: not that of its parts (`folate/B12`)."""
    return sense.is_known_chemical and len(sense.candidates[0].identifiers) == 1


def with_parts(text: str, span: Span, meanings: Meanings) -> Span:
    """The span with the number in brackets and the word that belong to its name."""
    start, end = span
    index = _INDEX.match(text, end)
    if (
        index is not None
        and _AFTER_CAPITAL.search(text, start, end)
        and meanings.is_known_chemical(text[start : index.end()])
    ):
        return start, index.end()
    if _MATERIAL_WORDS.fullmatch(text, start, end):
        for material in _MATERIAL.finditer(text, max(0, start - _LONGEST_WORD), end + _LONGEST_WORD):
            if material.start() <= start and end <= material.end() and _at_bounds(text, *material.span()):
                return material.span()
    return span


def is_material(text: str) -> bool:
    """Whether a text is a form of an element with a name of two words: `carbon black`."""
    return _MATERIAL.fullmatch(text) is not None


def without_class(text: str, span: Span) -> Span | None:
    """The span without the word `salt` after the name of a part of it; None if it is this word beside such a name.

    Annotators of NLM-Chem and CHEMDNER mark `sodium` in `the sodium salt of fluorescein`, and mark `salt` where it
    stands alone (`salt stress`).
    """
    start, end = span
    if _SALT.fullmatch(text, start, end):
        before = _WORD_BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
        is_part = before is not None and _is_ion(before[0].strip())
        return None if is_part or _OF.match(text, end) else span
    salt = _WITH_SALT.fullmatch(text, start, end)
    return salt.span("part") if salt is not None and _is_ion(salt["part"]) else span


def members(text: str, span: Span, meanings: Meanings) -> list[Span]:
    """The names of a list that was marked as one, `25(OH)D, 25-OH-D3`; empty if it is no list, or shares a word."""
    start, end = span
    commas = [comma.span() for comma in _COMMA.finditer(text, start, end)]
    if not commas or is_notation(text[start:end]) or is_coordination(text[start:end]):
        return []
    parts = list(zip([start, *(last for _, last in commas)], [*(first for first, _ in commas), end], strict=True))
    are_names = all(last - first > 1 and _is_name(meanings.of(text[first:last])) for first, last in parts)
    return parts if are_names else []


def _is_name(sense: TextMeaning) -> bool:
    """Whether a text means one chemical by a sieve that is mostly right."""
    is_sure = (facts(sense.sieve).precision or 0.0) >= PRECISE
    return is_sure and sense.kind == CHEMICAL_KIND and len(sense.candidates[0].identifiers) == 1


def names_cells(text: str, span: Span, meanings: Meanings) -> bool:
    """Whether a span is the code of cells, `the CHO line`: capitals and digits before `cells`, without a meaning.

    In the training parts of NLM-Chem, BC5CDR, BioRED and CHEMDNER two of 1,149 such words are marked.
    """
    return (
        _CELLS.match(text, span[1]) is not None
        and _CODE.fullmatch(text, *span) is not None
        and not meanings.of(text[slice(*span)]).candidates
    )


def ends_other_name(text: str, span: Span, meanings: Meanings) -> bool:
    """Whether a single letter ends a name of the lexicon that is no chemical: `cathepsin K`, `protein C`."""
    start, end = span
    if end - start > 1:
        return False
    before = _WORD_BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
    if before is None:
        return False
    sense = meanings.of(text[before.start() : end])
    return sense.sieve == "exact" and sense.kind not in ("", CHEMICAL_KIND)


def _is_ion(word: str) -> bool:
    return word.lower() in _ELEMENT_NAMES or _ACID_RESTS.fullmatch(word.lower()) is not None


def _at_bounds(text: str, start: int, end: int) -> bool:
    return not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum()
