"""Pairs of acronym and name from articles whose mentions are linked to concepts.

If all mentions of an acronym in an article have the same concept, and the article also mentions the concept by a name,
the name is the sense of the acronym there (one sense per discourse, as SciAD used it: Veyseh et al. 2020).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from bioc import BioCDocument

from corpora.model.document import Definition, Mention, mentions
from nlmchem.abbreviations.identification import looks_like_acronym

STRATEGY = "Linked"


def linked_pairs(document: BioCDocument) -> Iterator[Definition]:
    """The acronyms of an article with the names of their concepts, at the first place of each.

    A name is longer than the acronym, begins with a letter of it, and is no acronym. The most frequent name is used; of
    equal ones the longest, then the first in sort order.
    """
    concepts: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    first: dict[str, Mention] = {}
    names: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for mention in mentions(document, None):
        text = " ".join(mention.text.split())
        if not text or not mention.identifiers:
            continue
        first.setdefault(text, mention)
        if looks_like_acronym(text):
            concepts[text].add(mention.identifiers)
        else:
            names[mention.identifiers][text] += 1
    for short, linked in concepts.items():
        if len(linked) != 1:
            continue
        (concept,) = linked
        long = _name(short, names[concept])
        if long is not None:
            yield Definition(short, long, first[short].spans[0], first[long].spans[0], STRATEGY)


def _name(short: str, names: Counter[str]) -> str | None:
    letters = {letter for letter in short.casefold() if letter.isalpha()}
    possible = [name for name in names if len(name) > len(short) and name[0].casefold() in letters]
    return min(possible, key=lambda name: (-names[name], -len(name), name), default=None)
