"""What the rest of an article says about a mention: chooses among concepts, and resolves mentions without an answer.

- Mentions beside each other, divided by a bracket only: `zinc iodide (ZnI)`, `ZnI (zinc iodide)`. Authors name a
  chemical twice in this way. The definitions of abbreviations (`nlmchem.abbreviations`) do not include formulae such as
  `ZnI`, which have no letters of the name.
- Of several concepts with the same name, the one that the article mentions by another name is chosen. A short form
  without a definition (`PS`, `Dex`) takes a concept that the article writes out. Common branches of the index tree are
  not used: measured, they are wrong as often as right.
- A formula, a code or a systematic name without an answer takes the concept of the name beside its bracket:
  `cisplatin (Pt(NH3)2Cl2)`.
- A misspelt surface takes the concept of the correct surface. An abbreviation without a definition takes the concept of
  the longer name that it abbreviates, if the article does not define another abbreviation for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType

from bioc import BioCDocument
from rapidfuzz.distance import Indel

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, defined_forms, mentions, mentions_of
from corpora.model.passages import passage_text
from corpora.model.short_forms import inferred_long_forms
from sieves.chemistry.elements import ELEMENTS
from sieves.lexicon.keys import digits, relaxed, tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.edit_distance import names_differ
from sieves.lookup.short_forms import FEWEST_ARTICLES
from sieves.registry import facts
from sieves.sieve import ArticleContext, SieveCandidate

Definitions = Mapping[str, tuple[str, ...]]
"""Short form -> long forms."""

SIEVE = "article"
"""The name in the evidence of candidates from other mentions of the article."""
ALIKE = 0.9
"""The least similarity of a misspelling: 1 less the insertions and deletions by characters of both texts."""
SHORTEST_MISSPELT = 6
_ABBREVIATION = re.compile(r"(?=.*[A-Z].*[A-Z])[A-Z][A-Za-z0-9-]{1,7}")
_START = re.compile(r"[A-Z][A-Za-z]{2,5}")
"""A short form that can be the beginning of a name: `Dex`, `TAC`."""
_BETWEEN = re.compile(r"\s?[(\[]\s?")
_AFTER = re.compile(r"\s?[)\]]")
_AFTER_SHORT_FORM = re.compile(r"\s?[)\]]|[:;,] ")
"""`(DEN)`, `(DEN: 10 mg/kg)`."""
_LISTED = re.compile(r"\s?(?:, ?(?:and |or )?|and |or |plus |with |[/+-])\s?|\s")
SHORTEST_FIRM = 6
"""Characters; a shorter text can be a short form with several meanings."""
_SHORT_FORM = re.compile(r"(?=.*[A-Z])[A-Za-z0-9-]{2,6}")
_LETTERS = re.compile(r"[A-Z][A-Za-z]{1,4}")
_ENDS_LIST = re.compile(r"(?:[^\s)],(?: and| or)?|/)\s?$")
"""What is before the last name of a list whose earlier members have no brackets of their own."""
_LONGEST_END = 8
_STRUCTURE = re.compile(
    rf"(?=.*[A-Z]\S*\d)(?:{'|'.join(sorted(ELEMENTS, key=len, reverse=True))}|Me|Et|Pr|Bu|Ph|Bz|Ac|[\d()\[\].,·+=-])+"
    r"|[A-Z]{1,5}[ -]?\d{2,7}[A-Za-z]?|(?=.*\d[\d,'′]*-)(?=.*[a-z]{4}).{15,}"
)
"""A formula with numbers, a code, or a systematic name: the structure of one compound."""


def article_of(document: BioCDocument, surfaces: Iterable[str] | None = None) -> ArticleContext:
    """The definitions, the surfaces and the inferred long forms of a document, for sieves.

    `surfaces`: the texts of spans that are not mentions yet, instead of the mentions; the inferred long forms are then
    left out.
    """
    longs: dict[str, dict[str, None]] = {}
    for short, long in defined_forms(document):
        longs.setdefault(tidy(short), {})[tidy(long)] = None
    shorts = {short: tuple(forms) for short, forms in longs.items()}
    if surfaces is not None:
        return ArticleContext(shorts, frozenset(map(tidy, surfaces)))
    inferred = {
        tidy(inference.short_form): (tidy(inference.long_form), inference.score)
        for inference in inferred_long_forms(document)
        if inference.articles >= FEWEST_ARTICLES
    }
    surfaces = frozenset(tidy(mention.text) for mention in mentions(document))
    passages = []
    for passage in document.passages:
        found = [mention for mention in mentions_of(passage) if mention.type == CHEMICAL and len(mention.spans) == 1]
        spans = [(start - passage.offset, end - passage.offset) for mention in found for start, end in mention.spans]
        passages.append((passage_text(passage), spans))
    return ArticleContext(shorts, surfaces, inferred, appositions(passages), names_before(passages))


# -- mentions beside each other ------------------------------------------------------------------


def appositions(passages: Iterable[tuple[str, Iterable[Span]]]) -> dict[str, tuple[str, ...]]:
    """For the text of each chemical in an apposition: the texts beside it, sorted. Both sides are entered.

    `passages`: the text of each passage, and the spans of its chemicals in this text.
    """
    beside: dict[str, set[str]] = {}
    for text, spans in passages:
        for before, after in pairwise(sorted(spans)):
            name, other = tidy(text[slice(*before)]), tidy(text[slice(*after)])
            in_brackets = _AFTER.match(text, after[1])
            if name != other and in_brackets and _BETWEEN.fullmatch(text, before[1], after[0]):
                beside.setdefault(name, set()).add(other)
                beside.setdefault(other, set()).add(name)
    return {name: tuple(sorted(others)) for name, others in beside.items()}


def names_before(passages: Iterable[tuple[str, Iterable[Span]]]) -> dict[str, tuple[str, ...]]:
    """For the text of each chemical that begins a bracket: the texts of the chemicals directly before the bracket.

    A name that ends a list is left out: in `methotrexate and leucovorin (MFL)` the bracket means the whole list. If the
    other members are no chemicals (`vitamins, minerals, and phytonutrients (VMP)`), it is left out unless it has the
    letters of the short form. So is a bracket with a list: `mycotoxins (AFB1, ZEN)`. `passages`: as in `appositions`.
    """
    before: dict[str, set[str]] = {}
    for text, spans in passages:
        in_order = sorted(spans)
        ends = [(len(text), len(text))]
        for previous, name, short, following in zip(
            [(0, 0), *in_order], in_order, in_order[1:], [*in_order[2:], *ends], strict=False
        ):
            if _LISTED.fullmatch(text, previous[1], name[0]) or _LISTED.fullmatch(text, short[1], following[0]):
                continue
            ends_list = _ENDS_LIST.search(text, max(0, name[0] - _LONGEST_END), name[0])
            if ends_list and not _in_order(text[slice(*short)], text[slice(*name)]):
                continue
            if _AFTER_SHORT_FORM.match(text, short[1]) and _BETWEEN.fullmatch(text, name[1], short[0]):
                before.setdefault(tidy(text[slice(*short)]), set()).add(tidy(text[slice(*name)]))
    return {short: tuple(sorted(names)) for short, names in before.items()}


# -- a choice among concepts ---------------------------------------------------------------------


def is_short_form(text: str) -> bool:
    """Whether a text looks like an abbreviation: two to six letters, digits and hyphens, with a capital."""
    return _SHORT_FORM.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class ClearSurfaces:
    """The unambiguous surfaces of an article, and their concepts."""

    firm: Mapping[str, SieveCandidate]
    concepts: frozenset[str]
    definitions: Definitions = field(default_factory=dict)

    def apposed(self, beside: Sequence[str], others: Iterable[SieveCandidate]) -> SieveCandidate | None:
        """The candidate with the concept of a name beside the text (`potassium iodide (KI)`); None if there is none.

        `beside`: the mentions beside the text (`appositions`). `others`: the candidates of all sieves,
        best first; where the first one is meant, the name beside it changes nothing.
        """
        meant = {self.firm[text].identifiers: text for text in reversed(beside) if text in self.firm}
        for number, other in enumerate(others if meant else ()):
            if other.identifiers in meant:
                return other if number == 0 else replace(other, via=other.via or meant[other.identifiers])
        return None

    def spelt_out(self, text: str, before: Sequence[str]) -> SieveCandidate | None:
        """The concept of the name before a short form in brackets that no definition explains: `ifosfamide (IFX)`.

        None for another text, and if the names have none or several concepts.
        """
        return self._beside(text, before) if is_short_form(text) else None

    def structure(
        self, text: str, beside: Sequence[str], preferred_name: Callable[[str], str | None]
    ) -> SieveCandidate | None:
        """The concept of the name that a bracket divides from the structure of a compound: `(Pt(NH3)2Cl2)`.

        None for another text. An element is no compound, and a concept whose preferred name is a plural is a class.
        """
        names = [name for name in beside if name.lower() not in ELEMENTS.values()]
        found = self._beside(text, names) if _STRUCTURE.fullmatch(text) else None
        is_class = found is not None and any((preferred_name(i) or "").endswith("s") for i in found.identifiers)
        return None if is_class else found

    def _beside(self, text: str, beside: Sequence[str]) -> SieveCandidate | None:
        names = [name for name in beside if name in self.firm]
        if len({self.firm[name].identifiers for name in names}) != 1:
            return None
        return replace(self.firm[names[0]], sieve=SIEVE, via=names[0], score=None)

    def settle(
        self, text: str, winning: Sequence[SieveCandidate], others: Iterable[SieveCandidate]
    ) -> SieveCandidate | None:
        """The candidate that the article supports, else the first of `winning`; None for a short form without support.

        `winning`: the candidates of the winning sieve, best first. `others`: those of all sieves, for cases of doubt.
        """
        first, sieve = winning[0], facts(winning[0].sieve)
        if len(winning) > 1 and sieve.same_name:
            return next(filter(self._names, winning), first)
        if not sieve.doubted or not is_short_form(text) or self._names(first):
            return first
        named = next((other for other in others if self._names(other)), None)
        if named is not None:
            return replace(named, sieve=SIEVE, via=self._surface(named))
        if not sieve.dropped:
            return first
        # Other terminologies have very many abbreviations; alone they are no evidence.
        return abbreviated(text, self.firm, self.definitions) or (None if _LETTERS.fullmatch(text) else first)

    def _names(self, candidate: SieveCandidate) -> bool:
        return self.concepts.issuperset(candidate.identifiers)

    def _surface(self, candidate: SieveCandidate) -> str:
        return min(text for text, known in self.firm.items() if set(candidate.identifiers) & set(known.identifiers))


def context_of(
    winning: Mapping[str, Sequence[SieveCandidate]], definitions: Definitions = MappingProxyType({})
) -> ClearSurfaces:
    """The context of an article, from the candidates of the winning sieve of each surface, and its definitions."""
    firm = {text: candidates[0] for text, candidates in winning.items() if _is_firm(text, candidates)}
    concepts = frozenset(id for candidate in firm.values() for id in candidate.identifiers)
    return ClearSurfaces(firm, concepts, definitions)


def _is_firm(text: str, candidates: Sequence[SieveCandidate]) -> bool:
    return (
        len(text) >= SHORTEST_FIRM
        and not is_short_form(text)
        and facts(candidates[0].sieve).firm
        and len({candidate.identifiers for candidate in candidates}) == 1
    )


# -- mentions without an answer ------------------------------------------------------------------


def continue_mention(
    text: str,
    resolved: Mapping[str, SieveCandidate],
    lexicon: Lexicon,
    definitions: Definitions = MappingProxyType({}),
) -> SieveCandidate | None:
    """The concept of the surface that a text misspells or abbreviates; None if there is none, or more than one.

    `resolved`: the surfaces of the article with an answer of a sieve.
    """
    key = relaxed(text)
    score, nearest = 0.0, ""
    for surface in sorted(resolved) if len(key) >= SHORTEST_MISSPELT else ():
        other = relaxed(surface)
        # Different locants and chain lengths are different chemicals.
        if digits(other) == digits(key):
            alike = Indel.normalized_similarity(key, other, score_cutoff=ALIKE)
            if alike >= ALIKE and alike > score and not names_differ(key, other, lexicon):
                score, nearest = alike, surface
    if score:
        return replace(resolved[nearest], sieve=SIEVE, score=score, via=nearest)
    return abbreviated(text, resolved, definitions)


def abbreviated(text: str, resolved: Mapping[str, SieveCandidate], definitions: Definitions) -> SieveCandidate | None:
    """The concept of the surfaces that a short form abbreviates; None without any, or if they have several concepts.

    A surface for which the article defines another short form is not abbreviated by its letters: `AbA` beside
    `abscisic acid (ABA)`.
    """
    surfaces = [surface for surface in sorted(resolved) if _begins(text, surface)] if _START.fullmatch(text) else []
    defined: set[str] = set()
    if not surfaces and _ABBREVIATION.fullmatch(text):
        surfaces = [surface for surface in sorted(resolved) if _abbreviates(text, surface)]
        others = (longs for short, longs in definitions.items() if text[: len(short)] != short[: len(text)])
        defined = {relaxed(long) for longs in others for long in longs}
    meanings = {resolved[surface].identifiers for surface in surfaces}
    surfaces = [surface for surface in surfaces if relaxed(surface) not in defined]
    if len(meanings) != 1 or not surfaces:
        return None
    return replace(resolved[surfaces[0]], sieve=SIEVE, score=None, via=surfaces[0])


def _in_order(short: str, name: str) -> bool:
    """Whether a name begins with the first letter of a short form, and has its letters and digits in their order."""
    letters, rest = relaxed(short), iter(relaxed(name))
    return relaxed(name)[:1] == letters[:1] and all(letter in rest for letter in letters)


def _begins(short: str, long: str) -> bool:
    """Whether a short form is the beginning of the first word of a name: `Dex`, dexamethasone."""
    word = long.partition(" ")[0]
    return word.isalpha() and len(word) >= 2 * len(short) and word.casefold().startswith(short.casefold())


def _abbreviates(short: str, long: str) -> bool:
    """Whether every letter and digit of a short form begins a part of the long one, in order.

    Parts are words, numbers, and the texts after hyphens and brackets. Letters inside a part count as well if the short
    form has the first letter of each earlier part.
    """
    letters = relaxed(short)
    if len(long) < 2 * len(letters) or not long[:1].isalpha():
        return False
    starts = [part[0].lower() for part in re.findall(r"[A-Za-z]+|\d+", long)]
    if len(starts) == len(letters) and starts == list(letters):
        return True
    return _within(letters, re.findall(r"[a-z]+|\d+", long.lower()))


def _within(letters: str, parts: list[str]) -> bool:
    """Whether a short form of at least three letters has the first letter of every part, and letters after these."""
    if len(letters) < 3 or len(parts) < 2 or len(parts) > len(letters):
        return False
    at = 0
    for part in parts:
        if at >= len(letters) or part[0] != letters[at]:
            return False
        at += 1
        reached = 1
        while at < len(letters):
            place = part.find(letters[at], reached)
            if place < 0:
                break
            at, reached = at + 1, place + 1
    return at == len(letters)
