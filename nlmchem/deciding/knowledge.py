"""What is decided by knowledge alone: no chemicals out, suppliers out, and the boundaries of names.

Coordinated names (`linoleic and linolenic acids`) and divided words; parts beside a span (`coenzyme Q` + `(10)`,
`carbon` + ` black`) and words for classes; labels; joined names (`gemcitabine/cisplatin`); whole names of the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from bioc import BioCDocument

from corpora.model.document import Span
from nlmchem.deciding.meanings import Meanings, TextMeaning
from nlmchem.deciding.other_meanings import is_inside, label_stems, no_chemicals_in
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.rules.meanings import CELLS
from nlmchem.tagging.rules.notations import is_notation
from sieves.article import article_of
from sieves.cascade import Cascade
from sieves.chemistry.amino_acids import CODES
from sieves.chemistry.composites import ELLIPSIS_BEFORE, ENDINGS, LABEL, of_ellipsis
from sieves.chemistry.elements import ELEMENTS
from sieves.chemistry.variants import USE_TAIL, with_greek_letter, without_configuration
from sieves.lexicon.concepts import CHEMICAL_KIND
from sieves.lexicon.keys import plain
from sieves.lexicon.lexicon import Lexicon
from sieves.registry import facts


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
        senses = meanings.of_mentions(passages) if self._explain else {}
        for passage, kept in zip(passages, decided, strict=True) if self._explain else ():
            texts = [(before, passage.text_of(span), span) for before, span in kept]
            passage.spans = [replace(span, reasons=reasons(before, text, senses[text])) for before, text, span in texts]

    def meanings(self, document: BioCDocument, surfaces: Iterable[str]) -> Meanings:
        """What texts mean in an article. `surfaces`: the texts of its spans."""
        labels = label_stems(passage.text or "" for passage in document.passages)
        return Meanings(self.cascade, self._lexicon, article_of(document, surfaces), labels)

    def _decided(self, passage: PassageSpans, meanings: Meanings, marked: set[str]) -> Iterator[tuple[str, ScoredSpan]]:
        """The spans that stand, each with the text that the tagger marked."""
        text = passage.text
        elsewhere = passage.elsewhere = no_chemicals_in(text)
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
            if bare is None or names_cells(text, bare, meanings) or is_in_other_name(text, bare, meanings):
                continue
            for start, end in divided(text, bare, meanings):
                if not meanings.of(text[start:end]).is_no_chemical:
                    yield passage.text_of(span), replace(span, start=start, end=end)
        yield from ((passage.text_of(adjective), adjective) for adjective in waiting)


def reasons(marked: str, text: str, sense: TextMeaning) -> str:
    """Why a span stands, in words. `marked`: the text that the tagger marked."""
    whole = "" if marked == text else f"part of {marked!r}; "
    found = "no sieve has an answer"
    if sense.candidates:
        identifiers = ",".join(sense.candidates[0].identifiers)
        found = f"sieve {sense.sieve}: {identifiers} ({sense.kind or 'no tree numbers'})"
    return f"{whole}marked by the tagger; {found}"


# -- names that share a word, and divided words ------------------------------------------------

_PLACED = r"(?:(?:[mopαβγ]|\d(?:,\d){0,3})[-‐‑–])?"
"""The place of a group: `p-coumaric`, `α-linolenic`."""
_WITH_HEAD = re.compile(rf"{_PLACED}[a-z]+ic (acids?)")
_ADJECTIVES = re.compile(rf"(?:{_PLACED}[A-Za-z][a-z]{{2,}}ic(?:, and |, or |, | and | or |/))+$")
_ACID_FOLLOWS = re.compile(rf"(?:(?:, and |, or |, | and | or |/){_PLACED}[A-Za-z][a-z]+ic)+ acids?(?![^\W_])")
_WORD = re.compile(rf"{_PLACED}[A-Za-z][a-z]+")
_SERIES = re.compile(r"(?:n|ω|omega)[-‐‑–]\d ?(?:and|or|/|,) ?$", re.IGNORECASE)
_IN_SERIES = re.compile(r"(?:n|ω|omega)[-‐‑–]\d[ -]", re.IGNORECASE)
_DIVIDED_AFTER = re.compile(r"(?:[-‐]|\u00ad)\s?\n\s?[a-z]{2,}|\u00ad[a-z]{2,}")
_DIVIDED_BEFORE = re.compile(r"(?<![^\W_])[A-Za-z]{2,}(?:(?:[-‐]|\u00ad)\s?\n\s?|\u00ad)$")
_NEXT_LINE = re.compile(r"\n([a-z]{3,20})(?![^\W_])(?P<more>[^\n])?")
"""The next word of a name that goes on in the next line: `Sodium\\nchloride`."""
_CONFIGURATION = re.compile(r"(?<![^\s(\[])(?:[abg]|[Aa]lfa|[DL]{1,2}|[dl]{1,2}|D,L|rac|\((?:[RSEZ+±-]|\+/-)\))[-‐‑]$")
"""A Greek letter that is written as a Latin one, or a configuration, before a name: `a-tocopherol`, `DL-tyrosine`."""
_LABELS = rf"{LABEL.pattern}(?:(?:, (?:and |or )?| and | or |/){LABEL.pattern})+"
_FAMILY = re.compile(rf"(?P<head>[A-Za-z][a-z]{{4,}})s (?P<labels>{_LABELS})(?![\w-])")
_REACH = 60
"""Characters before a name in which its coordinated parts are searched for."""
_COORDINATION = re.compile(
    rf"(?:{_PLACED}[A-Za-z][a-z]{{2,}}ic(?:, and |, or |, | and | or |/))+[a-z]+ic acids?"
    r"|(?:n|ω|omega)[-‐‑–]\d ?(?:and|or|/|,) ?(?:n|ω|omega)?[-‐‑–]\d[ -].+"
    rf"|(?-i:{_FAMILY.pattern})",
    re.IGNORECASE,
)


def coordinated(text: str, span: Span, reached: int, meanings: Meanings) -> Span:
    """The span with the coordinated parts beside it: `linoleic and linolenic acids`, `prostaglandins E2 and F2alpha`,
    `2,4- and 2,6-dinitrotoluene`, `microcystin-LR and -RR`.

    Each part must be a chemical with the shared word. `reached`: the parts begin at this place at the earliest.
    """
    start, end = span
    family = _FAMILY.match(text, start)
    if family is not None and end <= family.end():
        head = family["head"][0].lower() + family["head"][1:]
        labels = LABEL.finditer(family["labels"])
        if all(meanings.is_known_chemical(f"{head} {label[0]}") for label in labels):
            return family.span()
    first = max(reached, start - _REACH)
    endings, places = ENDINGS.match(plain(text), start), ELLIPSIS_BEFORE.search(plain(text), first, start)
    for place in ((start, endings.end() if endings else 0), (places.start() if places else end, end)):
        listed = of_ellipsis(plain(text[slice(*place)])) if place[0] <= start and end <= place[1] else ()
        # MeSH may have one of the members by another name only: `microcystin-LR`.
        if listed and len(listed) <= 2 * sum(map(meanings.is_known_chemical, listed)):
            return place
    prefix = _CONFIGURATION.search(text, first, start)
    if prefix is not None and is_known_in_other_form(text[prefix.start() : end], meanings):
        return prefix.start(), end
    before = _ADJECTIVES.search(text, first, start) if _WITH_HEAD.fullmatch(text, start, end) else None
    if before is not None:
        for word in reversed(list(_WORD.finditer(text, *before.span()))):
            if word[0] in ("and", "or"):
                continue
            if not meanings.is_known_chemical(f"{word[0].lower()} acid"):
                break
            start = word.start()
    series = _SERIES.search(text, first, start) if _IN_SERIES.match(text, start, end) else None
    return (start if series is None else series.start()), end


def opens_acids(text: str, span: Span) -> bool:
    """Whether a span is an adjective that shares the word `acid` with a name after it: `nitric and sulfuric acid`."""
    return text[slice(*span)].endswith("ic") and _ACID_FOLLOWS.match(text, span[1]) is not None


def is_known_in_other_form(text: str, meanings: Meanings) -> bool:
    """Whether a text with a Greek letter, or without a configuration, is a chemical of the lexicon."""
    forms = (with_greek_letter(text), without_configuration(text))
    return any(form is not None and meanings.is_known_chemical(form) for form in forms)


def rejoined(text: str, span: Span, meanings: Meanings) -> Span:
    """The span with the rest of a name or word that the end of a line divides, where the whole is a chemical.

    `meto-\\nprolol` is one name; in `glucose-\\ninduced` the hyphen is a hyphen.
    """
    start, end = span
    following = _NEXT_LINE.match(text, end)
    # Lines with one word each are a list.
    is_text = following is not None and (following["more"] or (start and text[start - 1] != "\n"))
    if following is not None and is_text and meanings.is_known_chemical(text[start : following.end(1)]):
        return start, following.end(1)
    after = _DIVIDED_AFTER.match(text, end)
    before = _DIVIDED_BEFORE.search(text, max(0, start - _REACH), start)
    for first, last in ((start, after.end() if after else end), (before.start() if before else start, end)):
        if (first, last) != span and meanings.is_known_chemical(text[first:last]):
            return first, last
    return span


def is_coordination(text: str) -> bool:
    """Whether a text is a list of names with a shared word."""
    return _COORDINATION.fullmatch(text) is not None or bool(of_ellipsis(plain(text)))


def is_whole(text: str) -> bool:
    """Whether no part of a text is a name of its own: a notation, a list with a shared word, a form of an element."""
    return is_notation(text) or is_coordination(text) or _MATERIAL.fullmatch(text) is not None


def between(start: int, end: int, gaps: Sequence[Span]) -> list[Span]:
    """The parts of a span that these gaps divide."""
    return list(zip([start, *(last for _, last in gaps)], [*(first for first, _ in gaps), end], strict=True))


# -- words and signs beside a name, words for classes -------------------------------------------

_INDEX = re.compile(r"\(\d{1,2}\)(?![\w(-])")
_AFTER_CAPITAL = re.compile(r"(?:[A-Z]|[A-Z][a-z])$")
_MATERIAL = re.compile(
    r"(?:activated|active) (?:carbon|charcoal)|(?:glassy|vitreous) carbon|carbon black"
    r"|(?:black|red|violet|white|yellow) phosphorus|(?:very[ -])?(?:high|low)[ -]density lipoprotein[ -]cholesterol",
    re.IGNORECASE,
)
"""Forms of an element or a substance with a name of two words and more."""
_MATERIAL_WORDS = re.compile(r"carbon|charcoal|cholesterol|phosphorus", re.IGNORECASE)
_JOINTS = "-‐‑–/"
_SHORTEST_PART = 3
_LONGEST_REST = 34
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
_WORDS_BEHIND = re.compile(
    r"(?! [a-z]+ing (?!enzymes?(?!\w)))( [A-Za-z][a-z]{2,20})(?![^\W_])( [A-Za-z][a-z]{2,20})?(?![^\W_])"
)
"""Not the words of a description: `nitrogen fixing bacteria`. `Starch branching enzyme` is a name."""
PRECISE = 0.8
"""The least precision of a sieve that shows the names of a list."""
_COMMA = re.compile(r", (?:and |or )?")
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
    if second[0] - first[1] != 1 or text[first[1]] not in _JOINTS or min(map(len, parts)) < _SHORTEST_PART:
        return False
    # `silver/sulfide` are two; a hyphen joins an element to its salt.
    if any(part in CODES for part in parts) or (text[first[1]] == "/" and parts[0].lower() in _ELEMENT_NAMES):
        return False
    whole = text[first[0] : second[1]]
    sense = meanings.of(with_greek_letter(whole) or whole)
    # One identifier: not those of its parts (`folate/B12`).
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
        for material in _MATERIAL.finditer(text, max(0, start - _LONGEST_REST), end + _LONGEST_REST):
            first, last = material.span()
            at_bounds = not text[max(0, first - 1) : first].isalnum() and not text[last : last + 1].isalnum()
            if first <= start and end <= last and at_bounds:
                return first, last
    return span


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
    parts = between(start, end, commas)
    for first, last in parts:
        sense = meanings.of(text[first:last])
        is_sure = (facts(sense.sieve).precision or 0.0) >= PRECISE and sense.kind == CHEMICAL_KIND
        if last - first <= 1 or not is_sure or len(sense.candidates[0].identifiers) != 1:
            return []
    return parts


def names_cells(text: str, span: Span, meanings: Meanings) -> bool:
    """Whether a span is the code of cells, `the CHO line`: capitals and digits before `cells`, without a meaning.

    In the training parts of NLM-Chem, BC5CDR, BioRED and CHEMDNER two of 1,149 such words are marked.
    """
    return (
        CELLS.match(text, span[1]) is not None
        and _CODE.fullmatch(text, *span) is not None
        and not meanings.of(text[slice(*span)]).candidates
    )


def is_in_other_name(text: str, span: Span, meanings: Meanings) -> bool:
    """Whether a span is a label, or a part of a longer name that is no chemical: `water buffalo`, `cathepsin K`.

    Around a single letter any other kind counts. Around other spans only organisms and proteins count: mercury is
    marked in `mercury poisoning`.
    """
    start, end = span
    if text[start:end].rstrip("0123456789") in meanings.labels and text[end - 1].isdigit():
        return True
    before = _WORD_BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
    if end - start == 1:
        sense = meanings.of(text[before.start() : end]) if before is not None else TextMeaning()
        return sense.sieve == "exact" and sense.kind not in ("", CHEMICAL_KIND)
    after = _WORDS_BEHIND.match(text, end)
    ends = [] if after is None else [last for last in (after.end(1), after.end(2)) if last > 0]
    starts = [start] if before is None else [start, before.start()]
    longer = ((first, last) for first in starts for last in (end, *ends) if (first, last) != span)
    return any(meanings.is_organism_or_protein(text[slice(*place)]) for place in longer)


def _is_ion(word: str) -> bool:
    return word.lower() in _ELEMENT_NAMES or _ACID_RESTS.fullmatch(word.lower()) is not None


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
    if not base[-1].isalnum() or meanings.of(text[start:end]).is_trusted:
        return span
    return (start, label.start()) if meanings.is_known_chemical(base) or base in marked else span


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
    separators = tuple(match.span() for match in _SEPARATOR.finditer(text, start, end))
    if not separators or is_notation(text[start:end]) or meanings.of(text[start:end]).is_trusted:
        return [span]
    # At all slashes, at all separators, at each single one.
    slashes = tuple(separator for separator in separators if text[separator[0]] == "/")
    for gaps in dict.fromkeys([slashes, separators, *((separator,) for separator in separators)]):
        parts = between(start, end, gaps)
        if not 1 < len(parts) <= MOST_PARTS or not _can_stand_alone(text, parts):
            continue
        if all(meanings.is_known_chemical(text[first:last]) for first, last in parts):
            return parts
    return [span]


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


# -- whole names of the lexicon -----------------------------------------------------------------

_WORDS = r"[A-Za-z][a-z]{2,}(?:[ -][A-Za-z][a-z]{2,})*"
_WORDS_BEFORE, _WORDS_AFTER = re.compile(f"{_WORDS} "), re.compile(f" {_WORDS}")
"""The rest of a name. `K 4` is an amount of potassium."""
_STATE = re.compile(r"(?:dietary|free|liposomal|pegylated) ", re.IGNORECASE)
"""Words about how a chemical is taken or bound, although MeSH has such names."""


def whole_names(passage: PassageSpans, named: Sequence[Span], meanings: Meanings) -> list[ScoredSpan]:
    """The spans of a passage, each extended to the name of the lexicon that it begins or ends: `activated carbon`.

    `named`: the names of the lexicon in the passage. Annotators mark such a name whole. In the training parts of BC5CDR
    and BioRED, 670 names are longer than a chemical that ends them and is another concept, or that begins them; 26
    mentions are a part of such a name (`free fatty acids`). With the same concept at the end (`reduced glutathione`)
    both are frequent.
    """
    text = passage.text
    by_start = dict(named)
    by_end = {end: start for start, end in named}
    whole: list[ScoredSpan] = []
    reached = 0
    for at, span in enumerate(passage.spans):
        start, end = by_end.get(span.end, span.start), by_start.get(span.start, span.end)
        following = passage.spans[at + 1].start if at + 1 < len(passage.spans) else len(text)
        name = (start, span.end) if start < span.start else (span.start, end)
        is_longer = name[1] - name[0] > span.end - span.start and name[0] >= reached and name[1] <= following
        if is_longer and _is_part(text, name, (span.start, span.end), meanings):
            span = replace(span, start=name[0], end=name[1])
        reached = span.end
        whole.append(span)
    return whole


def is_whole_name(text: str, name: Span, meanings: Meanings) -> bool:
    """Whether a name without its first or its last word is a chemical, and it is not marked without it."""
    start, end = name
    first, last = text.find(" ", start, end), text.rfind(" ", start, end)
    return first > 0 and any(_is_part(text, name, part, meanings) for part in ((first + 1, end), (start, last)))


def _is_part(text: str, name: Span, part: Span, meanings: Meanings) -> bool:
    """Whether a name and a part of it, beside words, are chemicals, and the whole name is marked where it stands."""
    before, after = _WORDS_BEFORE.fullmatch(text, name[0], part[0]), _WORDS_AFTER.fullmatch(text, part[1], name[1])
    texts = [text[slice(*span)] for span in (name, part)]
    is_state = before is not None and _STATE.fullmatch(before[0]) is not None
    if (before is None and after is None) or is_state or not all(map(meanings.is_known_chemical, texts)):
        return False
    of_name, of_part = (meanings.of(known).candidates[0] for known in texts)
    # The word before can be about the state of the same chemical, and the word after about its use: `Evans Blue dye`.
    is_salt = after is not None and USE_TAIL.fullmatch(after[0]) is None
    return is_salt or of_name.identifiers != of_part.identifiers
