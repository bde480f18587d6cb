"""What an article shows about its own texts, after all decisions: its definitions, and where it marks a text.

These rules run for all taggers and decisions. A short form is a mention where its long form is, or ends with, a
chemical, and no mention where its long form names something else. A text that is marked at most of its places is marked
at all of them, and so is the symbol of an element in a list with marked symbols.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from corpora.model.chemical import names_protein
from corpora.model.document import Definition, Span
from corpora.model.short_forms import Scopes, same_meaning
from corpora.words.english import plural, singular, word_counts
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.rules.meanings import CELLS, OF_PROTEINS, is_lead, part_of_protein
from nlmchem.tagging.rules.notations import symbol_lists
from nlmchem.tagging.rules.post_processing import Rules, occurrences
from nlmchem.tagging.tokenization.tokens import at_word_bounds, lengths_by_first_token
from sieves.chemistry.elements import ELEMENTS

Changes = dict[str, str]
"""Text -> why some of its places became mentions, or are none any more."""


def follow_article(
    passages: Sequence[PassageSpans], definitions: Iterable[Definition], rules: Rules | None = None
) -> Changes:
    """Change the spans of the passages of one article in place, and return why, in words.

    `rules` (None: all): definitions count with `abbreviations`, other places of a text with `vote`. With `proteins`,
    which follows NLM-Chem, short forms of chemicals with words before them are marked (`total cholesterol (TC)`), and
    chemicals in names of proteins are not.
    """
    rules = rules or Rules()
    changes = follow_definitions(passages, definitions, rules.proteins) if rules.abbreviations else {}
    return {**(mark_everywhere(passages, rules.proteins) if rules.vote else {}), **changes}


# -- definitions --------------------------------------------------------------------------------

_JOINS = re.compile(
    r"(?<![\w-])(?:against|and|by|containing|for|from|in|into|of|on|or|over|per|plus|than|to|under|using|versus|via|vs"
    r"|with|without)(?![\w-])|[+/&,;:±]|(?<![\w-])anti(?:$|[ -])|(?:iono|metabo)tropic|affinity|[-‐‑–]$",
    re.IGNORECASE,
)
"""What makes two things of a long form, so that the short form does not mean the chemical after it."""
_MEDIA = re.compile(r"(?:agar|broth|dextrose)s?", re.IGNORECASE)
"""Last words of names of culture media: `Mueller-Hinton agar`."""
_OTHER_HEADS = re.compile(
    r"(?:activity|area|assay|capacity|coefficient|deficiency|diet|diseases?|disorders?|factors?|genes?|groups?|index"
    r"|methods?|pathway|patients|proteins?|ratio|scale|score|study|syndromes?|system|test|therapy|time|toxicity"
    r"|treatment|trial|[a-z]{3,}ing)",
    re.IGNORECASE,
)
"""Last words of long forms that name no chemical, also with a chemical in them."""
_LIKE_CHEMICALS = re.compile(
    r"(?:\w*(?:am|an|at|en|id|in|it|ium|ol|on|os|ox|oid|yl)e?|acid|compound|dye|ester|extract|metal|oil|polymer|radical"
    r"|reagent|salt|species|starch|sugar|wax)s?"
)
"""Last words of long forms that may name chemicals although no span has them: `heterocyclic amines`."""
_LONGER_AFTER, _LONGER_BEFORE = re.compile(r"[-‐‑– ]\d['′]?(?:,\d['′]?)*[-‐‑–]"), re.compile(r"[\d'′)\]][-‐‑–]$")
"""What goes on beside a part of a longer name: `adenosine 5-monophosphate`, `AFB1-8,9-epoxide`."""
_NUMBER_AT_END = re.compile(r"(?:[ -](?:\d+|[IVX]+|[A-Zα-ω]))+$")
_WORD = re.compile(r"[^\W\d_]+")
_NO_SYMBOL = re.compile(r" ?[<>=≤≥≈]|[-‐‑– ]values?(?!\w)")
"""What follows another meaning of a single letter: `P < 0.05`, also in an article about phosphorus."""
SURE = 0.5
"""The least score of a long form that marks its short form everywhere."""
KNOWN = 30
"""Places of a word in 8,225 open articles from which it is an English word, and no rare name of a chemical."""


def follow_definitions(passages: Sequence[PassageSpans], definitions: Iterable[Definition], heads: bool) -> Changes:
    """Mark the short forms of chemicals at all of their places, and remove those of other things, in place.

    The places are the definitions and the annotated occurrences (`AbbreviationStage`): initials of authors are none.
    Of a short form with several long forms, the one at a place counts.
    """
    known = list(definitions)
    scopes, find = Scopes.of(known), _finder(passages)
    of_short: dict[str, list[Definition]] = {}
    for definition in known:
        of_short.setdefault(definition.short_form, []).append(definition)
    changes: Changes = {}
    for short, defined in of_short.items():
        longs = {definition.long_span: definition.long_form for definition in defined}
        # `fcc` is a property of face-centered cubic silver.
        by_head = heads and any(map(str.isupper, short))
        chemicals: dict[str, ScoredSpan] = {}
        for place, long in longs.items():
            head = _head(find, place, long, of_short, by_head)
            if head is not None and head.score >= SURE:
                chemicals.setdefault(long, head)
        meant = {long: next((one for one in chemicals if _is_same(long, one)), None) for long in longs.values()}
        others = {long for long, chemical in meant.items() if chemical is None}
        is_known = chemicals or all(_is_other(find, place, long) for place, long in longs.items())
        if others and is_known and _remove(passages, short, others, scopes, every=not chemicals):
            changes[short] = f"left out where the article means {min(others)!r}"
        for definition in defined:
            chemical = meant[definition.long_form]
            if chemical is not None and (len(short) > 1 or ELEMENTS.get(short) == chemical.lower()):
                why = f"marked as the short form of {definition.long_form!r}"
                for text in _mark(find, definition.short_span, short, chemicals[chemical], why, heads):
                    changes[text] = why
    return changes


Find = Callable[[Span], tuple[PassageSpans, int, int] | None]
"""The passage of a span of the document, with the start and the end of the span in its text; None outside of all."""


def _finder(passages: Sequence[PassageSpans]) -> Find:
    ordered = sorted(passages, key=lambda passage: passage.offset)
    offsets = [passage.offset for passage in ordered]

    def find(span: Span) -> tuple[PassageSpans, int, int] | None:
        at = bisect_right(offsets, span[0]) - 1
        if at < 0 or span[1] > offsets[at] + len(ordered[at].text):
            return None
        return ordered[at], span[0] - offsets[at], span[1] - offsets[at]

    return find


def _head(find: Find, place: Span, long: str, shorts: Mapping[str, object], heads: bool) -> ScoredSpan | None:
    """The marked chemical that a long form is, or that ends it; None if there is none.

    No other thing is joined to a chemical that ends the long form (`receptor for AGEs`). It is another short form
    (`hydroxy PAHs`), or the only chemical in it.
    """
    found = find(place)
    if found is None:
        return None
    passage, start, end = found
    for at, span in enumerate(passage.spans):
        if not span.start < end <= span.end:
            continue
        before = passage.text[start : max(start, span.start)]
        if before and (_JOINS.search(before) or _MEDIA.fullmatch(long.rpartition(" ")[2])):
            return None
        is_alone = not at or passage.spans[at - 1].end <= start
        return span if not before or passage.text_of(span) in shorts or (heads and is_alone) else None
    return None


def _is_same(long: str, chemical: str) -> bool:
    """Whether two long forms are variants of each other, or one has a symbol: `low P`, `low phosphate`."""
    (before, _, last), (others, _, name) = (text.lower().rpartition(" ") for text in (long, chemical))
    return same_meaning(long, chemical) or (0 < len(last) <= 2 and before == others and name.startswith(last[0]))


def _is_other(find: Find, place: Span, long: str) -> bool:
    """Whether a long form names no chemical: its last word shows it, or it has English words only and no mention."""
    found = find(place)
    if found is None:
        return False
    passage, start, end = found
    words = _WORD.findall(long.lower())
    last = (_WORD.findall(_NUMBER_AT_END.sub("", long).lower()) or [""])[-1]
    if len(words) > 1 and (_OTHER_HEADS.fullmatch(last) or names_protein(last)):
        return not any(span.start <= start and end <= span.end for span in passage.spans)
    is_english = all(word_counts().get(word, 0) >= KNOWN for word in words if len(word) > 2)
    return len(words) > 1 and is_english and not _LIKE_CHEMICALS.fullmatch(last) and passage.free(start, end)


def _remove(passages: Sequence[PassageSpans], short: str, others: Container[str], scopes: Scopes, every: bool) -> int:
    """Remove the spans of a short form where one of the other long forms is meant, or all. Returns their number."""
    number = 0
    for passage in passages:
        kept = [
            span
            for span in passage.spans
            if passage.text_of(span) not in (short, f"{short}s")
            or not (every or scopes.long_form(short, passage.offset + span.start) in others)
        ]
        number += len(passage.spans) - len(kept)
        passage.spans = kept
    return number


def _mark(find: Find, place: Span, short: str, chemical: ScoredSpan, why: str, heads: bool) -> list[str]:
    """Mark a short form at a place with the score of its chemical, if nothing speaks against it. Returns its text."""
    found = find(place)
    if found is None:
        return []
    passage, start, end = found
    text = passage.text
    if text[end : end + 1] == "s" and not text[end + 1 : end + 2].isalnum():
        end += 1
    if len(short) == 1 and _NO_SYMBOL.match(text, end):
        return []
    if text[start : start + len(short)] != short or not _is_free(passage, start, end, heads):
        return []
    passage.add([replace(chemical, start=start, end=end, reasons=chemical.reasons and why)])
    return [text[start:end]]


def _is_free(passage: PassageSpans, start: int, end: int, heads: bool) -> bool:
    """Whether a text has no mention, and is no part of a name of something else."""
    text = passage.text
    return (
        passage.free(start, end)
        and at_word_bounds(text, start, end)
        and not _LONGER_AFTER.match(text, end)
        and not _LONGER_BEFORE.search(text, max(0, start - 2), start)
        and not any(first <= start and end <= last for first, last in passage.elsewhere)
        and not (heads and (part_of_protein(text, start, end) or OF_PROTEINS.match(text, end)))
    )


# -- texts that are marked at most places, and lists of symbols ---------------------------------

FEWEST = 5
"""Places at which a text is marked, so that it is marked everywhere."""
MOST = 5 / 6
"""The share of these of its places."""
_OTHER_SYMBOLS = frozenset(["Ac", "Am", "Cm", "I", "No", "Pa"])
"""Symbols that are words, units or other short forms at most of their places, but not between commas."""
_NOUN = re.compile(r"(?:[A-Za-z][a-z]*[ -])*[A-Za-z]?[a-z]{3,}")
_GOES_ON = re.compile(r" [a-z]*(?:amine|ate|ester|ether|ide|yl)s?(?![\w-])")
"""The rest of the name of another chemical: `catechin hydrate`."""
_OPENS = re.compile(r"(?:^|[.:;!?] |[\n\t])$")
"""What stands before the first word of a sentence, a heading or a cell of a table."""


def mark_everywhere(passages: Sequence[PassageSpans], heads: bool) -> Changes:
    """Mark at all of its places what is marked at most of them, and the symbols of elements in lists, in place.

    A text, its plural, and the two with a capital at the start of a sentence count together.
    """
    marked: dict[str, list[ScoredSpan]] = {}
    texts: set[str] = set()
    for passage in passages:
        for span in passage.spans:
            text = passage.text_of(span)
            if len(text) > 1 and not is_lead(text):
                marked.setdefault(_name(text), []).append(span)
                texts.add(text)
    # Each form with the name under which it counts. `_name` of a form can differ: that of `Tin` is not `tin`.
    names = {text: _name(text) for text in sorted(texts) if len(marked[_name(text)]) >= FEWEST}
    for text in [text for text in names if _NOUN.fullmatch(text)]:
        for form in (names[text], plural(names[text])):
            names.setdefault(form, names[text])
    opening = {text[0].upper() + text[1:]: names[text] for text in names if _NOUN.fullmatch(text)}
    opening = {text: name for text, name in opening.items() if text not in names}
    names |= opening
    lengths = lengths_by_first_token(names)
    free: dict[str, list[tuple[PassageSpans, Span]]] = {}
    for passage in passages:
        for start, text in occurrences(passage.text, names, lengths):
            end = start + len(text)
            is_other = _GOES_ON.match(passage.text, end) or CELLS.match(passage.text, end)
            if is_other or (text in opening and not _OPENS.search(passage.text, max(0, start - 2), start)):
                continue
            if _is_free(passage, start, end, heads):
                free.setdefault(names[text], []).append((passage, (start, end)))
    changes: Changes = {}
    for name, places in free.items():
        spans = marked[name]
        if len(spans) >= MOST * (len(spans) + len(places)):
            why = f"marked like {len(spans)} other places of the article"
            changes.update((passage.text[slice(*span)], why) for passage, span in places)
            _add(places, spans, why)
    for passage in passages:
        for symbols in symbol_lists(passage.text):
            like = [span for span in passage.spans if (span.start, span.end) in symbols]
            for start, end in symbols if like else ():
                text = passage.text[start:end]
                between_commas = passage.text[start - 2 : start] == ", " and passage.text[end : end + 1] == ","
                if (text not in _OTHER_SYMBOLS or between_commas) and _is_free(passage, start, end, heads):
                    changes[text] = "marked like the other symbols of a list"
                    _add([(passage, (start, end))], like, changes[text])
    return changes


def _name(text: str) -> str:
    """The form under which the places of a text count: a noun in its singular, without the capital of a sentence."""
    return singular(text[0].lower() + text[1:]) if _NOUN.fullmatch(text) else text.removesuffix("s")


def _add(places: Iterable[tuple[PassageSpans, Span]], like: Sequence[ScoredSpan], why: str) -> None:
    """Mark places with the mean score of other mentions."""
    score = fmean(span.score for span in like)
    for passage, (start, end) in places:
        passage.add([replace(like[0], start=start, end=end, score=score, reasons=like[0].reasons and why)])
