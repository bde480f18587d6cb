"""What the index of a run stores of one article: its concepts by section, where they stand together, its terms."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations

from bioc import BioCDocument, BioCPassage

from corpora.errors import shortened
from corpora.formats.abbreviations import is_abbreviation
from corpora.formats.columns import ArticleIds, article_ids_of
from corpora.model.document import IndexTerm, Mention, index_terms, mentions, split_names
from corpora.model.metadata import publication_year
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.tokenization.sentences import sentences

LONGEST_TITLE = 200
TITLE, REFERENCES = "TITLE", "REF"
_NO_EXAMPLES = frozenset({TITLE, REFERENCES})
LONGEST_SENTENCE = 400
"""Characters of an example sentence; a longer one is cut around the mention."""
MOST_IN_SENTENCE = 40
"""Concepts of one sentence that are counted as standing together. A table row can have hundreds."""


@dataclass(slots=True)
class ConceptUse:
    """How an article uses a concept.

    `sections`: number of mentions by section. `example`: the sentence with the concept whose identifier is the most
    probable, the first one of several; `rank`: why it is this one (`_rank`).
    """

    sections: Counter[str] = field(default_factory=Counter)
    example: str = ""
    rank: tuple[int, float] = (-1, 0.0)


@dataclass(slots=True)
class ArticleFacts:
    """The facts of one article. `together`: in how many sentences two concepts stand, by their sorted identifiers."""

    ids: ArticleIds
    title: str
    year: int | None
    terms: tuple[IndexTerm, ...]
    mentions: int = 0
    unlinked: int = 0
    names: dict[str, str] = field(default_factory=dict)
    uses: dict[str, ConceptUse] = field(default_factory=dict)
    together: Counter[tuple[str, str]] = field(default_factory=Counter)


def facts_of(document: BioCDocument) -> ArticleFacts:
    """The facts of a document."""
    facts = ArticleFacts(
        article_ids_of(document), title_of(document), publication_year(document), tuple(index_terms(document))
    )
    by_passage: dict[int, list[Mention]] = {}
    for mention in mentions(document, None):
        if not is_abbreviation(mention.annotation):
            by_passage.setdefault(id(mention.passage), []).append(mention)
    for passage in document.passages:
        if of_passage := by_passage.get(id(passage)):
            _add_passage(facts, passage, of_passage)
    for term in facts.terms:
        if term.entry_term:
            facts.names.setdefault(term.identifier, str(term.entry_term))
    return facts


def title_of(document: BioCDocument) -> str:
    """The beginning of the first passage with text, on one line: the title, where an article has one."""
    texts = (" ".join(passage_text(passage)[: 2 * LONGEST_TITLE].split()) for passage in document.passages)
    return shortened(next(filter(None, texts), ""), LONGEST_TITLE)


def _add_passage(facts: ArticleFacts, passage: BioCPassage, of_passage: list[Mention]) -> None:
    text, section = passage_text(passage), section_type(passage) or ""
    bounds = sentences(text)
    starts = [start for start, _ in bounds]
    by_sentence: dict[int, set[str]] = {}
    for mention in of_passage:
        facts.mentions += 1
        identifiers = mention.identifiers
        facts.unlinked += not identifiers
        if not identifiers:
            continue
        start, end = mention.spans[0][0] - passage.offset, mention.spans[0][1] - passage.offset
        number = bisect_right(starts, start) - 1
        by_sentence.setdefault(number, set()).update(identifiers)
        rank = _rank(section, mention)
        _add_names(facts, mention)
        for identifier in dict.fromkeys(identifiers):
            use = facts.uses.setdefault(identifier, ConceptUse())
            use.sections[section] += 1
            if rank > use.rank:
                first, last = bounds[number] if 0 <= number < len(bounds) else (0, len(text))
                use.example, use.rank = _example(text, first, last, start, end), rank
    for together in by_sentence.values():
        facts.together.update(combinations(sorted(together)[:MOST_IN_SENTENCE], 2))


def _rank(section: str, mention: Mention) -> tuple[int, float]:
    """How good a mention is as an example: titles are shown anyway, and references are titles of other articles."""
    return int(section not in _NO_EXAMPLES) + int(section != REFERENCES), mention.evidence.identifier_probability or 0.0


def _add_names(facts: ArticleFacts, mention: Mention) -> None:
    identifiers, names = mention.identifiers, split_names(mention.concept_name)
    if len(names) == len(identifiers):
        for identifier, name in zip(identifiers, names, strict=True):
            if name:
                facts.names.setdefault(identifier, name)


def _example(text: str, first: int, last: int, start: int, end: int) -> str:
    """The sentence from `first` to `last`, or what is around the mention in it, on one line."""
    before = after = ""
    if last - first > LONGEST_SENTENCE:
        room = max(0, LONGEST_SENTENCE - (end - start)) // 2
        if start - room > first:
            first, before = start - room, "… "
        if min(last, end + room) < last:
            last, after = end + room, " …"
    return before + " ".join(text[first:last].split()) + after
