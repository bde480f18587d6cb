"""Checks annotations of any source: offsets, identifiers, and whether the texts are names of their concepts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, clear_identifiers, definitions, mentions, set_identifiers, text_at
from corpora.model.mention_infons import DATABASES
from corpora.model.mesh_ids import PREFIX, is_mesh_id
from corpora.model.passages import passage_text
from corpora.model.short_forms import Scopes
from corpora.words.quantities import quantity
from nlmchem.abbreviations import annotate as add_abbreviations
from nlmchem.deciding.linking import write_probabilities
from nlmchem.report.pages import PageTable, render_page
from nlmchem.tagging.inference.labels import chemical_types
from sieves.article import article_of
from sieves.cascade import Cascade
from sieves.lexicon.concepts import CHEMICAL_KIND
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import PREFIXES, CrossReferences, by_identifier, kind
from sieves.normalizer import Normalizer
from sieves.sieve import ArticleContext

VERIFIED = "verified"
"""The infon with what `nlmchem verify` found for a mention, or changed."""


class Finding(StrEnum):
    """What is right or wrong with a mention, the worst first."""

    TEXT = "text not at the offsets"
    FORM = "no identifier of MeSH by its form"
    UNKNOWN = "not in MeSH"
    REPLACED = "replaced in MeSH"
    KIND = "not a chemical"
    DEFINITION = "contradicts a definition of the article"
    OTHER_CONCEPT = "name of another concept"
    TWO_IDENTIFIERS = "two identifiers for one text"
    SUBSTANCE = "substance of another kind"
    UNCONFIRMED = "no sieve confirms it"
    OTHER_VOCABULARY = "identifier of another vocabulary"
    NO_IDENTIFIER = "no identifier"
    CONFIRMED = "confirmed"

    @property
    def is_wrong(self) -> bool:
        """Whether the annotation needs a correction."""
        return self not in _RIGHT


_RIGHT = (Finding.SUBSTANCE, Finding.UNCONFIRMED, Finding.OTHER_VOCABULARY, Finding.NO_IDENTIFIER, Finding.CONFIRMED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One mention with the worst of what was found."""

    document: str
    mention: Mention
    finding: Finding
    reason: str
    suggested: tuple[str, ...] = ()
    """The concepts that it should have; empty if none is known."""
    probability: float | None = None
    """How sure the suggested concepts are, 0 to 1; None if this was not measured."""

    def as_row(self) -> Mapping[str, Any]:
        """The verdict as plain values, by the columns of the report."""
        spans = self.mention.spans
        return {
            "document": self.document,
            "id": str(self.mention.annotation.id or ""),
            "start": spans[0][0],
            "end": spans[-1][1],
            "text": self.mention.text,
            "identifier": ",".join(self.mention.identifiers),
            "finding": str(self.finding),
            "reason": self.reason,
            "suggested": ",".join(self.suggested),
            "probability": None if self.probability is None else round(self.probability, 4),
        }


Found = tuple[Finding, str, tuple[str, ...]]
"""What was found, in words, and the concepts that the mention should have."""
_NO_SUBSTANCE = ("disease", "organism", "anatomy", "other")
"""Kinds of concepts that no corpus marks as chemicals. Enzymes and classes of drugs are marked in some."""
LISTED = 8
"""Sets of identifiers of one text that a reason names."""
Several = Mapping[str, tuple[frozenset[str] | None, str]]
"""The texts of an article that have several sets of identifiers: the one that most mentions have, and all in words."""
_ALMOST = re.compile(r"(?:MESH[:_ ]*)?[A-Z]{0,2}[\s_-]*\d+", re.IGNORECASE)


@dataclass(slots=True)
class _Article:
    """An article with the answers of our own sieves for its mentions, in their order."""

    mentions: list[Mention]
    answers: list[Mention]
    context: ArticleContext
    scopes: Scopes

    def meaning(self, text: str, offset: int) -> str | None:
        """The long form that the article defines for a text, at its place; None where it defines none."""
        if self.scopes.short_form(text):
            return self.scopes.long_form(text, offset)
        return next(iter(self.context.definitions.get(text, ())), None)


@dataclass(slots=True)
class Verifier:
    """Checks the mentions of articles with a lexicon, one article after another."""

    lexicon: Lexicon
    """MeSH, in the year whose identifiers are right."""
    sure: float
    """Lowest probability of another concept with which an identifier counts as wrong, 0 to 1."""
    _normalizer: Normalizer = field(init=False)
    _cascade: Cascade = field(init=False)
    _references: CrossReferences | None = field(init=False, default=None)
    """Read when the first identifier of another vocabulary is seen."""

    def __post_init__(self) -> None:
        self._normalizer = Normalizer(self.lexicon)
        self._cascade = Cascade(self.lexicon)

    def verdicts(self, document: BioCDocument) -> list[Verdict]:
        """A verdict for each mention of a chemical, in the order of the file. The document is not changed."""
        article = self._answered(document)
        by_text: dict[str, Counter[frozenset[str]]] = {}
        for mention in article.mentions:
            if mention.identifiers:
                by_text.setdefault(tidy(mention.text), Counter())[self._concepts(mention)] += 1
        several = {text: _usual(counts) for text, counts in by_text.items() if len(counts) > 1}
        verdicts = []
        for mention, answer in zip(article.mentions, article.answers, strict=True):
            findings = self._findings(article, mention, answer, several)
            finding, reason, suggested = min(findings, key=lambda found: list(Finding).index(found[0]))
            probability = answer.evidence.identifier_probability if suggested == answer.identifiers else None
            suggested = self._in_vocabulary(suggested, mention)
            verdicts.append(Verdict(str(document.id), mention, finding, reason, suggested, probability))
        return verdicts

    def _concepts(self, mention: Mention) -> frozenset[str]:
        """The MeSH concepts of a mention; an identifier of another vocabulary that the lexicon does not have stays."""
        return frozenset(self._concept(identifier) or identifier for identifier in mention.identifiers)

    def _concept(self, identifier: str) -> str | None:
        """The MeSH concept of an identifier of any vocabulary; None if the lexicon does not have it, or has several."""
        if is_mesh_id(identifier):
            return identifier
        found = by_identifier(self.lexicon, identifier)
        return found[0][0].identifier if len(found) == 1 else None

    def _in_vocabulary(self, concepts: tuple[str, ...], mention: Mention) -> tuple[str, ...]:
        """Suggested concepts in the vocabulary of the mention; empty if the lexicon lacks an identifier of it."""
        prefixes = {identifier.rpartition(":")[0] for identifier in mention.identifiers if not is_mesh_id(identifier)}
        if len(prefixes) != 1 or all(self._concept(identifier) is None for identifier in mention.identifiers):
            return concepts
        prefix = prefixes.pop()
        others = [self._others(concept, prefix) for concept in concepts]
        return tuple(other[0] for other in others if other) if all(others) else ()

    def _others(self, concept: str, prefix: str) -> tuple[str, ...]:
        """The identifiers of a concept in the vocabulary with a prefix."""
        database = PREFIXES.get(prefix.upper(), prefix.upper()).lower()
        if database not in DATABASES:
            return ()
        if self._references is None:
            self._references = CrossReferences(self.lexicon)
        return tuple(f"{prefix}:{other.rpartition(':')[2]}" for other in self._references.of(concept, database))

    def _answered(self, document: BioCDocument) -> _Article:
        """The article with the answers of the sieves, found on a copy without its identifiers and annotations."""
        copy = deepcopy(document)
        given = [mention for mention in mentions(document, None) if chemical_types([mention.type])]
        same = [mention for mention in mentions(copy, None) if chemical_types([mention.type])]
        for mention in same:
            # The sieves link what has our type and no identifier, whatever its tool has written.
            mention.annotation.infons = {"type": CHEMICAL}
        if not any(True for _ in definitions(copy)):
            add_abbreviations(copy)
        self._normalizer([copy])
        write_probabilities(same, same)
        return _Article(given, same, article_of(copy), Scopes.of(definitions(copy)))

    def _findings(self, article: _Article, mention: Mention, answer: Mention, several: Several) -> Iterator[Found]:
        passage = mention.passage
        try:
            text = passage_text(passage)
            there = " ".join(text_at(text, passage.offset, span) for span in mention.spans)
        except ArticleError:
            there = None
        if there != mention.text:
            yield Finding.TEXT, f"the text {mention.text!r} is not at its offsets", ()
        identifiers = mention.identifiers
        if not identifiers:
            yield Finding.NO_IDENTIFIER, "it has no identifier", answer.identifiers
            return
        given = self._concepts(mention)
        suggestion = answer.identifiers if set(answer.identifiers) != given else ()
        for identifier in identifiers:
            yield from self._of_identifier(identifier, identifiers, suggestion, answer)
        if not all(map(is_mesh_id, given)):
            return
        of_name = list(self._of_name(article, mention, answer))
        yield from of_name
        # Of two identifiers, the one that a sieve confirms is right, or else the one that most mentions have.
        usual, listed = several.get(tidy(mention.text), (given, ""))
        if usual != given and not any(finding is Finding.CONFIRMED for finding, *_ in of_name):
            yield Finding.TWO_IDENTIFIERS, f"mentions of this text have {listed}", suggestion

    def _of_identifier(
        self, identifier: str, identifiers: Sequence[str], suggestion: tuple[str, ...], answer: Mention
    ) -> Iterator[Found]:
        """What is wrong with one of the identifiers of a mention. Of several, only a replaced one changes."""
        if not is_mesh_id(identifier):
            known = self._concept(identifier)
            if _ALMOST.fullmatch(identifier) or identifier.upper().startswith(PREFIX):
                yield Finding.FORM, f"{identifier} is no D or C with digits, as MeSH has them", suggestion
            elif known is None:
                yield Finding.OTHER_VOCABULARY, self._not_known(identifier, answer.identifiers), ()
            else:
                yield from self._of_identifier(known, identifiers, suggestion, answer)
            return
        concept = self.lexicon.concept(identifier)
        dated = self.lexicon.translate(identifier)
        if concept is None:
            yield Finding.UNKNOWN, f"{identifier} is in no year of MeSH that the lexicon has", suggestion
        elif dated is not None and dated != identifier:
            reason = f"{identifier} was replaced by {dated} ({self.lexicon.preferred_name(dated)})"
            yield Finding.REPLACED, reason, tuple(dated if one == identifier else one for one in identifiers)
        elif dated is None:
            yield Finding.UNKNOWN, f"{identifier} is not in MeSH of the year", suggestion
        elif (other := kind(self.lexicon, [identifier])) in _NO_SUBSTANCE:
            yield Finding.KIND, f"{identifier} ({concept.preferred_name}) is no chemical but: {other}", suggestion
        elif other != CHEMICAL_KIND:
            yield Finding.SUBSTANCE, f"{identifier} ({concept.preferred_name}) is of the kind: {other}", ()

    def _not_known(self, identifier: str, answered: tuple[str, ...]) -> str:
        """Why an identifier of another vocabulary is not judged, and what the lexicon has in its place."""
        prefix = identifier.rpartition(":")[0]
        others = [other for concept in answered for other in self._others(concept, prefix)]
        if not others:
            return f"{identifier} is not of MeSH, and the lexicon does not have it"
        names = ", ".join(self.lexicon.preferred_name(concept) or concept for concept in answered)
        return (
            f"the lexicon does not have {identifier}; for {names} it has {', '.join(others)}, and both can be "
            "identifiers of one compound"
        )

    def _of_name(self, article: _Article, mention: Mention, answer: Mention) -> Iterator[Found]:
        """Whether the text is a name of the concepts, by any sieve, or of other concepts."""
        given, answered = self._concepts(mention), answer.identifiers
        evidence = answer.evidence
        if given == set(answered):
            yield Finding.CONFIRMED, f"{evidence.sieve} reads it as {evidence.matched_name!r}", ()
            return
        text = tidy(mention.text)
        meaning = article.meaning(text, mention.spans[0][0])
        for sieve, candidates in self._cascade.explain(text, article.context):
            # Another meaning in MeSH is no reason against the meaning that the article defines.
            if meaning is None and any(given == set(candidate.identifiers) for candidate in candidates):
                yield Finding.CONFIRMED, f"{sieve} knows it as a name of it", ()
                return
        names = ", ".join(self.lexicon.preferred_name(identifier) or identifier for identifier in answered)
        probability = evidence.identifier_probability or 0.0
        if not answered:
            yield Finding.UNCONFIRMED, "no sieve reads it as a name of it", ()
        elif self._around(given) & self._around(frozenset(answered)):
            # Broader, narrower or beside it: annotators differ there.
            yield Finding.UNCONFIRMED, f"near {names}", answered
        elif meaning is not None and probability >= self.sure:
            reason = f"the article defines {text} as {meaning!r}, which is {names}"
            yield Finding.DEFINITION, reason, answered
        elif probability >= self.sure:
            reason = f"{evidence.sieve} reads it as {evidence.matched_name!r}, which is {names}"
            yield Finding.OTHER_CONCEPT, reason, answered
        else:
            yield Finding.UNCONFIRMED, f"the sieves give {names}, with probability {probability:.2f}", answered

    def _around(self, identifiers: frozenset[str]) -> set[str]:
        """The tree numbers of concepts and of what is directly above them, without the branches of MeSH themselves."""
        numbers = {number for identifier in identifiers for number in self.lexicon.trees(identifier)}
        return numbers | {number.rpartition(".")[0] for number in numbers if number.count(".") > 1}


def _usual(counts: Counter[frozenset[str]]) -> tuple[frozenset[str] | None, str]:
    """The set of identifiers that most mentions of a text have, None if two have the most; and all sets in words."""
    (usual, most), (_, second), *_ = ordered = counts.most_common()
    # A text can have thousands of them, one at each of its mentions.
    listed = "; ".join(", ".join(concepts) for concepts in sorted(sorted(concepts) for concepts, _ in ordered[:LISTED]))
    more = f"; and {len(ordered) - LISTED} others" if len(ordered) > LISTED else ""
    return usual if most > second else None, listed + more


_REMOVED = (Finding.FORM, Finding.UNKNOWN, Finding.KIND)
_CORRECTED = (*_REMOVED, Finding.REPLACED, Finding.DEFINITION, Finding.OTHER_CONCEPT)
"""Findings whose suggestion replaces the identifier. Those of `_REMOVED` take it away where none is sure."""


def correct(verdicts: Iterable[Verdict], sure: float) -> int:
    """Correct the mentions of verdicts, and write into each what was found. Returns the number of changes."""
    changed = 0
    for verdict in verdicts:
        mention, before = verdict.mention, verdict.mention.identifiers
        is_sure = verdict.finding is Finding.REPLACED or (verdict.probability or 0.0) >= sure
        text = f"{verdict.finding}: {verdict.reason}"
        suggested = verdict.suggested if is_sure and verdict.finding in _CORRECTED else ()
        if suggested or verdict.finding in _REMOVED:
            after = tuple(dict.fromkeys(suggested))
            clear_identifiers(mention)
            set_identifiers(mention, after)
            text = f"changed {','.join(before)} -> {','.join(after) or '-'}: {text}"
            changed += 1
        mention.annotation.infons[VERIFIED] = text
    return changed


HEAD = ("mention", "document", "place", "identifier", "finding", "reason", "suggested", "probability")


def page(rows: Sequence[Mapping[str, Any]], counts: Mapping[Any, int]) -> str:
    """The page. `rows`: verdicts as rows. `counts`: the number of mentions of each finding, and of `articles`."""
    total = sum(counts.get(finding, 0) for finding in Finding)
    wrong = sum(counts.get(finding, 0) for finding in Finding if finding.is_wrong)
    numbers = tuple(
        (str(finding), str(counts[finding]), f"{counts[finding] / total:.1%}")
        for finding in Finding
        if counts.get(finding)
    )
    mentions = tuple(
        (
            row["text"], row["document"], f"{row['start']}-{row['end']}", row["identifier"] or "-", row["finding"],
            row["reason"], row["suggested"], "" if row["probability"] is None else f"{row['probability']:.2f}",
        )
        for row in rows
    )  # fmt: skip
    tables = [
        PageTable("Findings", ("finding", "mentions", "share"), numbers, cards=False),
        PageTable("Mentions", HEAD, mentions, texts=7, id="mentions", sortable=True, cards=True),
    ]
    lead = [f"{quantity(total, 'mention')} in {quantity(counts.get('articles', 0), 'article')}, {wrong} to correct."]
    context = {"title": "Verified annotations", "lead": lead, "tables": tables}
    return render_page("tables.html", context)
