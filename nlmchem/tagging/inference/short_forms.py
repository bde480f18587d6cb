"""Short forms that an article defines with several meanings: a place whose meaning is no chemical is no mention.

`Pulmonary embolism (PE) ... phosphatidylethanolamine (PE)`: the first PE is no mention, the second is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpora.model.document import Definition
from corpora.model.short_forms import Scopes, same_meaning
from nlmchem.tagging.inference.spans import PassageSpans


def remove_other_meanings(passages: Sequence[PassageSpans], definitions: Iterable[Definition]) -> None:
    """Remove the short forms that mean no chemical at their place, in place.

    Only short forms of which one long form is marked as a chemical and another one is not. A long form is marked if a
    span covers it to its last word.
    """
    known = list(definitions)
    scopes = Scopes.of(known)
    for short in scopes:
        defined = [definition for definition in known if definition.short_form == short]
        chemicals = {definition.long_form for definition in defined if _is_marked(passages, definition)}
        if chemicals and not all(_means(definition.long_form, chemicals) for definition in defined):
            for passage in passages:
                passage.spans = [
                    span
                    for span in passage.spans
                    if scopes.short_form(passage.text_of(span)) != short
                    or _means(scopes.long_form(short, passage.offset + span.start) or "", chemicals)
                ]


def _is_marked(passages: Sequence[PassageSpans], definition: Definition) -> bool:
    start, end = definition.long_span
    return any(
        passage.offset + span.start < end <= passage.offset + span.end
        and 2 * (end - max(start, passage.offset + span.start)) >= end - start
        for passage in passages
        if passage.offset <= start < passage.offset + len(passage.text)
        for span in passage.spans
    )


def _means(long: str, chemicals: Iterable[str]) -> bool:
    return any(same_meaning(long, chemical) for chemical in chemicals)
