"""One side of an article page, prediction or gold standard: its marks, passage by passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from corpora.model.chemical import CHEMICAL
from corpora.model.document import ABBREVIATION, NO_CONCEPT, Definition
from nlmchem.evaluation.articles import Annotation, Article
from nlmchem.evaluation.spans import Coverage, key
from nlmchem.report.concepts import Concepts, Details
from nlmchem.report.marking import Mark, Piece, marked

__all__ = ["STATUS", "Side", "mark_sides"]

STATUS = {
    "same": "same in gold and prediction",
    "concept": "same place, different concept",
    "cut": "overlap with different boundaries",
    "alone": "on this side only",
}
"""How a mention compares with the other side: CSS class without its prefix -> text of the legend."""


@dataclass(slots=True)
class Side:
    """`prefix`: the first letter of all HTML ids of this side. `passages[i]`: the marks of passage i."""

    name: str
    article: Article
    prefix: str
    passages: list[list[Mark]] = field(default_factory=list)

    @property
    def mentions(self) -> int:
        """How many mentions are shown."""
        return sum(_is_shown(annotation) for annotation in self.article.annotations)

    def pieces(self) -> Iterator[tuple[Piece, ...]]:
        """The text of each passage, cut into marked and unmarked pieces."""
        seen: set[int] = set()
        for (offset, text), marks in zip(self.article.layout.passages, self.passages, strict=True):
            yield tuple(marked(offset, text, marks, seen))


def mark_sides(predicted: Article, gold: Article | None, concepts: Concepts, details: Details) -> list[Side]:
    """The sides of a page with their marks, gold first; adds to `concepts` and `details`."""
    sides = [Side("Prediction" if gold is not None else "Text", predicted, "m")]
    if gold is not None:
        sides.insert(0, Side("Gold", gold, "g"))
    others = [predicted, gold] if gold is not None else [None]
    for side, other in zip(sides, others, strict=True):
        _mark(side, other, concepts, details)
    return sides


def _is_shown(annotation: Annotation) -> bool:
    return bool(annotation.locations) and not annotation.empty and annotation.type != ABBREVIATION


def _mark(side: Side, other: Article | None, concepts: Concepts, details: Details) -> None:
    """Add the marks of a side: definitions first, then mentions."""
    side.passages = [[] for _ in side.article.layout.passages]
    definitions = side.article.definitions
    for number, definition in enumerate(definitions):
        _mark_definition(side, number, definition)
    defined = {definition.short_form: number for number, definition in enumerate(definitions)}
    status_of = _status(other)
    shown = (annotation for annotation in side.article.annotations if _is_shown(annotation))
    number = 0
    for annotation in shown:
        if annotation.passage >= len(side.passages):
            continue
        element = f"{side.prefix}{number}"
        number += 1
        identifiers = annotation.identifiers or (NO_CONCEPT,)
        for identifier in identifiers:
            concepts.add_mention(identifier, annotation, element)
        numbers = tuple(concepts.number(identifier) for identifier in identifiers)
        status = status_of(annotation)
        entry = details.number(
            annotation.type,
            numbers,
            annotation.evidence.sieve,
            annotation.evidence.score,
            annotation.evidence.matched_name,
            _definition_entry(side, definitions, defined.get(annotation.text)),
            STATUS[status] if status else None,
        )
        classes = ["m", *(["other"] if annotation.type != CHEMICAL else []), *([f"s-{status}"] if status else [])]
        attributes = {"class": " ".join(classes), "data-c": " ".join(map(str, numbers)), "data-e": str(entry)}
        first = {"id": element, "tabindex": "0", "role": "button"}
        side.passages[annotation.passage].append(Mark(annotation.locations, attributes, first))


def _definition_entry(side: Side, definitions: Sequence[Definition], number: int | None) -> tuple[str, str] | None:
    """The long form and the HTML id of its place in the text."""
    return None if number is None else (definitions[number].long_form, f"{side.prefix}d{number}")


def _mark_definition(side: Side, number: int, definition: Definition) -> None:
    element = f"{side.prefix}d{number}"
    for span, id, title in (
        (definition.long_span, element, definition.short_form),
        (definition.short_span, f"{element}s", definition.long_form),
    ):
        for position, (offset, text) in enumerate(side.article.layout.passages):
            if offset <= span[0] and span[1] <= offset + len(text):
                side.passages[position].append(Mark((span,), {"class": "d", "title": title}, {"id": id}))
                break


def _status(other: Article | None) -> Callable[[Annotation], str | None]:
    """A function from an annotation to its key in STATUS; it returns None if there is no other side."""
    if other is None:
        return lambda annotation: None
    identifiers = {key(item): set(item.identifiers) for item in other.annotations if _is_shown(item)}
    by_type: defaultdict[str, list[Annotation]] = defaultdict(list)
    for item in other.annotations:
        if _is_shown(item):
            by_type[item.type].append(item)
    coverage = {type: Coverage(items) for type, items in by_type.items()}

    def status(annotation: Annotation) -> str:
        same = identifiers.get(key(annotation))
        if same is not None:
            return "same" if same == set(annotation.identifiers) else "concept"
        overlaps = annotation.type in coverage and coverage[annotation.type].overlaps(annotation)
        return "cut" if overlaps else "alone"

    return status
