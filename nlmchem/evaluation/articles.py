"""Documents as evaluation uses them: reading the gold standard and the runs, and joining their documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bioc import BioCDocument

from corpora.errors import Argument, ConfigurationError
from corpora.model.alignment import DocumentLayout, layout, pairs
from corpora.model.document import Definition, Evidence, Mention, Span, definitions, every_annotation, identifier_parts
from corpora.model.mesh_ids import PREFIX, mesh_id
from corpora.model.metadata import article_ids
from corpora.model.passages import PassageSearch
from corpora.model.sections import Part, outline, sections_of
from corpora.model.short_forms import Inferred, inferred_long_forms
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.words.quantities import quantity


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation for scoring."""

    passage: int
    """Position of its passage; 0 for an annotation of the document that is in no passage."""
    type: str
    locations: tuple[Span, ...]
    """Sorted."""
    text: str
    identifiers: tuple[str, ...]
    """The parts of its infon, including `-`; those of MeSH with their prefix."""
    evidence: Evidence
    inside: bool
    """Whether its locations are in its passage."""
    reasons: str | None = None
    """Why a decision keeps it."""

    @property
    def empty(self) -> bool:
        """Whether there is no character from its first start to its last end."""
        return not self.locations or max(end for _, end in self.locations) <= self.locations[0][0]


@dataclass(frozen=True, slots=True)
class ScoredArticle:
    """A document of one side. `sections` and `parts`: the section and the part of each passage."""

    layout: DocumentLayout
    sections: tuple[str, ...]
    definitions: tuple[Definition, ...]
    annotations: tuple[Annotation, ...]
    parts: tuple[Part, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)
    """Its ids by kind (`pmc`, `pmid`, `doi`), as far as the file states them."""
    inferred: tuple[Inferred, ...] = ()
    """Long forms from a dictionary."""

    @property
    def name(self) -> str:
        """The document id."""
        return self.layout.document

    def of_type(self, type: str) -> list[Annotation]:
        return [annotation for annotation in self.annotations if annotation.type == type]


@dataclass(frozen=True, slots=True)
class Side:
    """The gold standard or one run."""

    name: str
    articles: tuple[ScoredArticle, ...]

    def types(self) -> Counter[str]:
        return Counter(annotation.type for article in self.articles for annotation in article.annotations)


@dataclass(frozen=True, slots=True)
class ArticlePair:
    """One document on both sides. If a side does not have it, its article has no annotations."""

    document: str
    gold: ScoredArticle
    predicted: ScoredArticle

    @property
    def passages(self) -> int:
        """The number of passages to draw from: at least one, and all passages with annotations."""
        sides = (self.gold, self.predicted)
        lengths = [len(side.layout.passages) for side in sides]
        reached = [1 + annotation.passage for side in sides for annotation in side.annotations]
        return max(*lengths, *reached, 1)


# -- reading ------------------------------------------------------------------------------------


def read_side(source: str, name: str, report: Report = log) -> Side:
    """Read a file, folder, glob or archive. Raises `ConfigurationError` if it contains no document."""
    bare: Counter[str] = Counter()
    articles = []
    for document in read(source, report=report):
        for annotation, _ in every_annotation(document):
            bare.update(part for part in identifier_parts(annotation) or () if mesh_id(part) not in (None, part))
        articles.append(article(document))
    if not articles:
        raise ConfigurationError(f"no document found in {source}; check the path")
    if bare:
        example = min(bare)
        sentence = f"{name}: {quantity(bare.total(), 'identifier')} without the prefix {PREFIX}"
        report(f"{sentence}, read as with it: {example} as {PREFIX}{example}")
    return Side(name, tuple(articles))


def article(document: BioCDocument) -> ScoredArticle:
    """A BioC document as an article. Raises `ArticleError` if sentences of a passage overlap."""
    text = layout(document)
    places = {id(passage): position for position, passage in enumerate(document.passages)}
    search = PassageSearch(text.passages)
    annotations = []
    for annotation, passage in every_annotation(document):
        locations = tuple(sorted((place.offset, place.offset + place.length) for place in annotation.locations))
        position: int | None
        if passage is None:
            around = search.around(*locations[0]) if locations else range(len(text.passages))
            position = next((at for at in around if _inside(text, at, locations)), None)
        else:
            position = places[id(passage)]
        mention = Mention(annotation, passage)
        annotations.append(
            Annotation(
                position or 0,
                mention.type,
                locations,
                mention.text,
                # Mention.identifiers strips the parts and omits `-`; the track's measures count them unchanged.
                # Only the prefix MESH: is added, because files of NLM leave it out.
                tuple(mesh_id(part) or part for part in identifier_parts(annotation) or ()),
                mention.evidence,
                position is not None and _inside(text, position, locations),
                mention.reasons,
            )
        )
    sections = tuple(sections_of(document))
    return ScoredArticle(
        text,
        sections,
        tuple(definitions(document)),
        tuple(annotations),
        outline(document, sections),
        article_ids(document),
        tuple(inferred_long_forms(document)),
    )


def _inside(text: DocumentLayout, position: int, locations: Sequence[Span]) -> bool:
    offset, passage = text.passages[position]
    return all(offset <= start and end <= offset + len(passage) for start, end in locations)


# -- joining ------------------------------------------------------------------------------------


def join(gold: Side, run: Side) -> list[ArticlePair]:
    """Every document of either side, ordered by id. Documents of one side with the same id are merged.

    Documents are joined by id, the others by PMCID or PMID (see `corpora.model.alignment.pairs`). A pair has the id of
    the gold document.
    """
    left, right = _merged(gold.articles), _merged(run.articles)
    article_pairs = []
    for here, there in pairs([article.layout for article in left], [article.layout for article in right]):
        mine = left[here] if here is not None else None
        other = right[there] if there is not None else None
        both = mine or other
        if both is not None:
            empty = replace(both, annotations=(), definitions=(), inferred=())
            article_pairs.append(ArticlePair(both.name, mine or empty, other or empty))
    return sorted(article_pairs, key=lambda pair: pair.document)


def _merged(articles: Iterable[ScoredArticle]) -> list[ScoredArticle]:
    by_name: dict[str, ScoredArticle] = {}
    for item in articles:
        before = by_name.get(item.name)
        by_name[item.name] = (
            item if before is None else replace(before, annotations=before.annotations + item.annotations)
        )
    return list(by_name.values())


def require_type(gold: Side, runs: Sequence[Side], type: str, report: Report) -> None:
    """Raise `ConfigurationError` for a type that no side has; report each side without annotations of this type."""
    missing = [side for side in (gold, *runs) if not side.types()[type]]
    if len(missing) == len(runs) + 1:
        there = ", ".join(f"{name} ({number})" for name, number in gold.types().most_common()) or "no annotations"
        raise ConfigurationError(
            f"no annotation of type {type!r} in the gold standard or any run; "
            f"the gold standard has {there}; choose one with ",
            Argument("type"),
        )
    for side in missing:
        report(f"{side.name} has no annotation of type {type!r}, so its scores are 0")
