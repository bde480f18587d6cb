"""Abbreviations in tables of mentions: left out, or each short form with its long form.

BioC stores a definition as two annotations and a relation. A table has no relations, and its rows are read as mentions
of chemicals. So tables have short forms on demand only, and no rows for long forms.
"""

from __future__ import annotations

from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCRelation

from corpora.errors import Argument, Text
from corpora.model.document import ABBREVIATION, LONG_FORM, SHORT_FORM, Span, definitions
from corpora.model.inferred import inferred_long_forms
from corpora.reporting import Report


@dataclass(frozen=True, slots=True)
class LongForm:
    """The long form of a short form: its text, and its span if the article contains it."""

    text: str
    span: Span | None


class Abbreviations:
    """The abbreviations of an article that is written. `wanted`: whether its short forms get a row."""

    def __init__(self, document: BioCDocument, wanted: bool) -> None:
        self.wanted = wanted
        self._left_out = 0
        self._long: dict[Span, LongForm] = {}
        if wanted:
            self._long = {
                inferred.span: LongForm(inferred.long_form, None) for inferred in inferred_long_forms(document)
            }
            self._long |= {
                definition.short_span: LongForm(definition.long_form, definition.long_span)
                for definition in definitions(document)
            }

    def leave_out(self, annotation: BioCAnnotation) -> bool:
        """Whether an annotation has no row; abbreviations that nobody wants are counted for `report`."""
        if not is_abbreviation(annotation):
            return False
        self._left_out += not self.wanted
        return not self.wanted or annotation.infons.get(ABBREVIATION) != SHORT_FORM

    def report(self, report: Report, title: str) -> None:
        """Report how many annotations were left out. `title` names the format that has them on demand."""
        if self._left_out:
            left_out = f"annotations of abbreviations ({self._left_out}) were left out; {title} has them with "
            report(Text(left_out, Argument("with_abbreviations", True)))

    def long_form(self, annotation: BioCAnnotation) -> LongForm | None:
        """The long form of a short form; None for other annotations, and where the article states none."""
        if not self.wanted or not is_abbreviation(annotation) or not annotation.locations:
            return None
        places = annotation.locations
        return self._long.get((min(p.offset for p in places), max(p.offset + p.length for p in places)))


def is_abbreviation(annotation: BioCAnnotation) -> bool:
    """Whether an annotation is the short or the long form of an abbreviation."""
    return annotation.infons.get("type") == ABBREVIATION and annotation.infons.get(ABBREVIATION) is not None


def is_definition(relation: BioCRelation) -> bool:
    """Whether a relation joins a short form and a long form."""
    roles = {node.role for node in relation.nodes}
    return relation.infons.get("type") == ABBREVIATION and {SHORT_FORM, LONG_FORM} <= roles
