"""Short forms that an article defines with several meanings: a place whose meaning is no chemical is no mention.

`Pulmonary embolism (PE) ... phosphatidylethanolamine (PE)`: the first PE is no mention, the second is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from corpora.model.document import Definition
from corpora.model.short_forms import Scopes, same_meaning
from nlmchem.tagging.inference.spans import PassageSpans


def remove_other_meanings(passages: Sequence[PassageSpans], definitions: Iterable[Definition]) -> None:
    """Remove the short forms that mean no chemical at their place, in place.

    Only short forms of which one long form is marked as a chemical and another one is not. A long form is marked if a
    span covers half of it to its last word, or if it ends with another short form that is marked: `hydroxy PAHs`.
    """
    known = list(definitions)
    scopes, shorts = Scopes.of(known), {definition.short_form for definition in known}
    for short in scopes:
        defined = [definition for definition in known if definition.short_form == short]
        chemicals = {definition.long_form for definition in defined if _is_marked(passages, definition, shorts)}
        if chemicals and not all(_means(definition.long_form, chemicals) for definition in defined):
            for passage in passages:
                passage.spans = [
                    span
                    for span in passage.spans
                    if scopes.short_form(passage.text_of(span)) != short
                    or _means(scopes.long_form(short, passage.offset + span.start) or "", chemicals)
                ]


def _is_marked(passages: Sequence[PassageSpans], definition: Definition, shorts: Set[str]) -> bool:
    start, end = definition.long_span
    for passage in passages:
        if not passage.offset <= start < passage.offset + len(passage.text):
            continue
        for span in passage.spans:
            first, last = passage.offset + span.start, passage.offset + span.end
            covers_half = 2 * (end - max(start, first)) >= end - start
            if first < end <= last and (covers_half or passage.text_of(span) in shorts):
                return True
    return False


def _means(long: str, chemicals: Iterable[str]) -> bool:
    return any(same_meaning(long, chemical) for chemical in chemicals)
