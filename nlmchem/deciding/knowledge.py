"""What is decided by knowledge alone: no chemicals out, joined names divided, labels trimmed, suppliers out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from bioc import BioCDocument

from corpora.model.document import Span
from nlmchem.deciding.coordination import coordinated, opens_acids, rejoined
from nlmchem.deciding.meanings import Meanings, TextMeaning
from nlmchem.deciding.other_meanings import no_chemicals_in
from nlmchem.deciding.parts_of_names import ends_other_name, members, names_cells, united, with_parts, without_class
from nlmchem.deciding.suppliers import is_inside
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.rules.notations import is_notation
from sieves.article import article_of
from sieves.cascade import Cascade
from sieves.chemistry.amino_acids import CODES
from sieves.lexicon.lexicon import Lexicon

BRANCHES = ("D06", "D08", "D12.776", "D27")
"""Hormones, enzymes and coenzymes, proteins, pharmacological actions. A concept with a tree number elsewhere (a steroid
hormone, a nucleotide coenzyme) is a chemical. Source: the identifiers that the annotators of the training and
development parts of NLM-Chem gave. 62 of 26,567 mentions have only such concepts, 31 of them one antibody
(docs/measurements/deciding.md)."""


class Knowledge:
    """Changes the spans of an article by what the lexicon has about them. It keeps nothing between articles."""

    def __init__(self, lexicon: Lexicon, explain: bool = False) -> None:
        """`explain`: whether the spans get reasons in words."""
        self._explain = explain
        self._lexicon = lexicon.undated()
        self.cascade = Cascade(self._lexicon)

    def __call__(self, document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
        """Change the spans of the passages of one article in place."""
        marked = {passage.text_of(span) for passage in passages for span in passage.spans}
        meanings = self.meanings(document, marked)
        decided = [list(self._decided(passage, meanings, marked)) for passage in passages]
        for passage, kept in zip(passages, decided, strict=True):
            passage.spans = [span for _, span in kept]
        if self._explain:
            senses = meanings.of_mentions(passages)
            for passage, kept in zip(passages, decided, strict=True):
                texts = [(before, passage.text_of(span), span) for before, span in kept]
                passage.spans = [
                    replace(span, reasons=reasons(before, text, senses[text])) for before, text, span in texts
                ]

    def meanings(self, document: BioCDocument, surfaces: Iterable[str]) -> Meanings:
        """What texts mean in an article. `surfaces`: the texts of its spans."""
        return Meanings(self.cascade, self._lexicon, article_of(document, surfaces))

    def _decided(self, passage: PassageSpans, meanings: Meanings, marked: set[str]) -> Iterator[tuple[str, ScoredSpan]]:
        """The spans that stand, each with the text that the tagger marked."""
        text = passage.text
        elsewhere = no_chemicals_in(text) if passage.spans else []
        reached = 0
        waiting: list[ScoredSpan] = []
        for span in united(text, passage.spans, meanings):
            place = (span.start, span.end)
            if place[0] < reached or is_inside(place, elsewhere):
                continue
            if opens_acids(text, place):
                waiting.append(span)
                continue
            place = rejoined(text, place, meanings)
            place = coordinated(text, place, reached, meanings)
            place = with_parts(text, trimmed(text, place, meanings, marked), meanings)
            reached = place[1]
            # The adjectives before `sulfuric acid` are a part of its span, or names of their own.
            for adjective in waiting:
                if adjective.end <= place[0]:
                    yield passage.text_of(adjective), adjective
            waiting.clear()
            bare = without_class(text, place)
            if bare is None or names_cells(text, bare, meanings) or ends_other_name(text, bare, meanings):
                continue
            for start, end in divided(text, bare, meanings):
                if not is_no_chemical(meanings.of(text[start:end])):
                    yield passage.text_of(span), replace(span, start=start, end=end)
        yield from ((passage.text_of(adjective), adjective) for adjective in waiting)


def reasons(marked: str, text: str, sense: TextMeaning) -> str:
    """Why a span stands, in words. `marked`: the text that the tagger marked."""
    whole = "" if marked == text else f"part of {marked!r}; "
    if not sense.candidates:
        return f"{whole}marked by the tagger; no sieve has an answer"
    identifiers = ",".join(sense.candidates[0].identifiers)
    return f"{whole}marked by the tagger; sieve {sense.sieve}: {identifiers} ({sense.kind or 'no tree numbers'})"


def is_no_chemical(sense: TextMeaning) -> bool:
    """Whether all concepts that a text can mean are only in `BRANCHES`."""
    return sense.only_in(BRANCHES)


# -- labels -------------------------------------------------------------------------------------

_ATOM = re.compile(r"([CNOHPS])\(\d{1,2}'?[a-z]?\)")
"""An atom and its position. In older abstracts `O(2)` and `N(2)` are molecules and `C(60)` is a fullerene."""
_MOLECULES = frozenset({"C(60)", "C(70)", "H(2)", "N(2)", "O(2)", "O(3)", "P(4)", "S(8)"})
_LABEL = re.compile(r"(?: \(?\d{1,3}(?:\.\d+)?[a-zA-Z]{0,2}\)?(?: ?[-–,] ?\d{1,3}[a-z]?)*| \([ivx]{1,4}\))$")
"""A number at the end: of a compound (`7b`), of a dose (`50`), of compounds (`7a-c`)."""


def trimmed(text: str, span: Span, meanings: Meanings, marked: Set[str]) -> Span:
    """The span without a label at its end. `marked`: the texts of the spans of the article.

    `C(12)` is a carbon atom, `derivatives 7b` are derivatives, `BKM120 50` is a code with its dose. A span is trimmed
    if the text without the label has a meaning that the text with it lacks, or is marked elsewhere in the article.
    """
    start, end = span
    if is_notation(text[start:end]):
        return span
    atom = _ATOM.fullmatch(text, start, end)
    if atom is not None:
        return span if atom[0] in _MOLECULES else atom.span(1)
    label = _LABEL.search(text, start, end)
    if label is None or label.start() == start:
        return span
    base = text[start : label.start()]
    if not base[-1].isalnum():
        return span
    if meanings.of(text[start:end]).is_trusted:
        return span
    if meanings.is_known_chemical(base) or base in marked:
        return start, label.start()
    return span


# -- joined names -------------------------------------------------------------------------------

MOST_PARTS = 4
_SEPARATOR = re.compile(r"(?<=[\w+)\]])(?:/|[-‐‑–])(?=[\w(\[])")
_HYPHEN = re.compile(r"[-‐‑–]")
_PREFIX = re.compile(
    r".*(?:[yi]l|oxy|oxo|o)|[a-z]?[\d,']+|poly|mono|di|tri|tetra|penta|hexa|hepta|octa|oligo|anti|iso|[A-Z]|Ac|Me|Et|Bz|Boc"
    r"|[a-z]{1,2}",
    re.IGNORECASE,
)
"""Parts that belong to the name after a hyphen: radicals, locants, multiples."""
_SUFFIX = re.compile(r"HCl|amine|amides?|[\d,']+|[IVX]+|[A-Za-z]|ol", re.IGNORECASE)
"""Parts that belong to the name before a hyphen."""
_CLASS = re.compile(r"(?:acid|anion|base|cation|ester|ion|lipid|metal|oxide|peptide|polymer|salt)s?", re.IGNORECASE)
"""Words for classes that have a part of their name before them: `bile salts/acids`, `lithium-ion`."""
_ISOTOPE = re.compile(r"\d{1,3}[A-Z][a-z]?|[A-Z][a-z]?\d{1,3}")
"""A labelled atom: `3H-thymidine` is one name."""


def divided(text: str, span: Span, meanings: Meanings) -> list[Span]:
    """The parts of a span that are names of their own, or the span itself: `gemcitabine/cisplatin`, `GSH-iron`.

    A span is divided if the lexicon does not have the whole, and has each part as a chemical. NLM-Chem marks few such
    names as one: about 60 of the 26,567 mentions of its training and development parts (docs/measurements/deciding.md).
    """
    start, end = span
    listed = members(text, span, meanings)
    if listed:
        return listed
    if _SEPARATOR.search(text, start, end) is None or is_notation(text[start:end]):
        return [span]
    if meanings.of(text[start:end]).is_trusted:
        return [span]
    for parts in _divisions(text, start, end):
        if all(meanings.is_known_chemical(text[first:last]) for first, last in parts):
            return parts
    return [span]


def _divisions(text: str, start: int, end: int) -> Iterator[list[Span]]:
    """The ways to divide a span: at all slashes, at all separators, at each single one."""
    places = [match.span() for match in _SEPARATOR.finditer(text, start, end)]
    slashes = [place for place in places if text[place[0]] == "/"]
    ways = [slashes, places, *([place] for place in places)]
    seen: set[tuple[Span, ...]] = set()
    for way in ways:
        if not way or len(way) >= MOST_PARTS or tuple(way) in seen:
            continue
        seen.add(tuple(way))
        parts = list(zip([start, *(last for _, last in way)], [*(first for first, _ in way), end], strict=True))
        if _can_stand_alone(text, parts):
            yield parts


def _can_stand_alone(text: str, parts: list[Span]) -> bool:
    """Whether no part is a prefix or a suffix of its neighbour, and the parts are no peptide."""
    words = [text[first:last] for first, last in parts]
    if all(code in CODES for word in words for code in _HYPHEN.split(word)) and any(
        _is_hyphen(text[last]) for _, last in parts[:-1]
    ):
        return False
    for at, (first, last) in enumerate(parts):
        word = text[first:last]
        if _CLASS.fullmatch(word):
            return False
        if at + 1 < len(parts) and _is_hyphen(text[last]) and (_PREFIX.fullmatch(word) or _ISOTOPE.fullmatch(word)):
            return False
        if at and _is_hyphen(text[first - 1]) and _SUFFIX.fullmatch(word):
            return False
    return all(len(word) > 1 for word in words) or max(map(len, words)) <= 2


def _is_hyphen(letter: str) -> bool:
    return _HYPHEN.fullmatch(letter) is not None
