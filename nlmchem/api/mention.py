"""A mention of an annotated article as one flat object, and the rows of its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.formats.columns import MENTIONS, Value, cells, is_abbreviation, mention_rows
from corpora.model.document import Evidence, Span, joined_names, split_names
from corpora.model.document import Mention as View
from corpora.model.passages import section_type
from nlmchem.api.concepts import PreferredNames
from nlmchem.api.other_tools import MENTION, missing_attribute
from nlmchem.deciding.linking import link_of, probabilities_of


@dataclass(frozen=True, repr=False)
class Mention:
    """A mention of a chemical. `Article.to_rows` and `to_dataframe` have all mentions as a table.

    Args:
        document: The id of the article.
        section: The section of its passage as the file states it (`TITLE`, `ABSTRACT`, `METHODS` ...), or None.
        start: Its first code point in `article.text`.
        end: The code point after its last one. If it has several parts, `start` and `end` enclose them (`spans`).
        text: Its text.
        identifier: Its concept, `MESH:D002118`; the first one if it has several. None if it has none.
        name: The preferred name of `identifier` in MeSH. None if the lexicon does not have it.
        identifiers: All its concepts, in the order of the text.
        score: Between 0 and 1, of the tagger that found it; of the sieve if the tagger has no scores. None: not stated.
        sieve: The sieve that found the concept.
        matched_name: The name in the lexicon that matched.
        probability: That the text is a mention, calibrated on articles that the tagger had not seen
            (docs/reference/deciding.md). None if its tagger has no calibration.
        identifier_probability: That its concepts are right if it is a chemical, by how they were found
            (`nlmchem.deciding.linking`). None without a concept, or without a sieve that was measured.
    """

    document: str
    section: str | None
    start: int
    end: int
    text: str
    identifier: str | None
    name: str | None
    identifiers: tuple[str, ...]
    score: float | None
    sieve: str | None
    matched_name: str | None
    probability: float | None
    identifier_probability: float | None

    def __repr__(self) -> str:
        return repr(self._view)

    @property
    def _view(self) -> View:
        # Not a field: a table of mentions has no column for it.
        return cast(View, self.__dict__["view"])

    @property
    def annotation(self) -> BioCAnnotation:
        """The annotation in the BioC document."""
        return self._view.annotation

    @property
    def passage(self) -> BioCPassage:
        """The passage in the BioC document."""
        return self._view.passage

    @property
    def spans(self) -> tuple[Span, ...]:
        """The start and the end of each of its parts, in the order of the file."""
        return self._view.spans

    @property
    def evidence(self) -> Evidence:
        """The reason for its concepts: sieve, score and matched name."""
        return self._view.evidence

    @property
    def type(self) -> str:
        """`Chemical`."""
        return self._view.type

    @property
    def sought(self) -> bool:
        """Whether the mention was linked, with or without a result."""
        return self._view.sought

    @property
    def annotator(self) -> str | None:
        """The tagger that found it, with the first digits of the hash of its weights or lexicon."""
        return self._view.annotator

    # -- names of spaCy, with the meaning that they have there ----------------------------------

    @property
    def start_char(self) -> int:
        """The same as `start`, as spaCy names it."""
        return self.start

    @property
    def end_char(self) -> int:
        """The same as `end`, as spaCy names it."""
        return self.end

    @property
    def label_(self) -> str:
        """The same as `type`, as spaCy names it."""
        return self.type

    @property
    def kb_id_(self) -> str:
        """Its identifiers, joined by commas, as the component of spaCy has them; empty if there is none."""
        return ",".join(self.identifiers)

    if not TYPE_CHECKING:  # With it, type checkers would accept any name.

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(MENTION, name, self)


def flat_mentions(views: Sequence[View], document: str, names: PreferredNames) -> list[Mention]:
    """The flat mentions of all views of an article; `names` is called with their first identifiers."""
    flat = []
    for view, probability in zip(views, _probabilities(views), strict=True):
        spans, identifiers, evidence = view.spans, view.identifiers, view.evidence
        identifier = identifiers[0] if identifiers else None
        stated = split_names(view.concept_name)
        name = stated[0] if stated and len(stated) == len(identifiers) else None
        mention = Mention(
            document=document,
            section=section_type(view.passage),
            start=min(start for start, _ in spans),
            end=max(end for _, end in spans),
            text=view.text,
            identifier=identifier,
            name=name or (names(identifier) if identifier else None),
            identifiers=identifiers,
            score=evidence.score,
            sieve=evidence.sieve,
            matched_name=evidence.matched_name,
            probability=evidence.probability,
            identifier_probability=probability,
        )
        mention.__dict__["view"] = view
        flat.append(mention)
    return flat


def rows_of(document: BioCDocument, names: PreferredNames) -> list[dict[str, Value]]:
    """The table of the mentions of a document of any type, as files have it (`corpora.formats.columns`).

    Where the document does not state the names and the probability of the concepts, they are filled in: `names` is
    called with the concepts.
    """
    rows = [row for row in mention_rows(document) if not is_abbreviation(row.mention.annotation)]
    filled = []
    for row, probability in zip(rows, _probabilities([row.mention for row in rows]), strict=True):
        values = cells(MENTIONS, row)
        if values["name"] is None:
            values["name"] = joined_names(list(map(names, row.mention.identifiers)))
        if values["identifier_probability"] is None:
            values["identifier_probability"] = probability
        filled.append(values)
    return filled


def _probabilities(views: Sequence[View]) -> list[float | None]:
    """That the concepts of each mention are right, by how they were found."""
    links = [link_of(view.text, view.identifiers, view.evidence) for view in views]
    chances = probabilities_of(links)
    return [None if (chance := chances.get(link)) is None else round(chance, 4) for link in links]
