"""The names of the user in the table of `nlmchem explain`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sieves.lexicon.looking_up import kind
from sieves.lexicon.tables import BLOCKED

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.deciding.explanation import ExplainedSpan
    from nlmchem.tagging.own_names import OwnNamesMarker
    from sieves.lexicon.lexicon import Lexicon

NAMED, REFUSED = "it is one of your names", "left out: it is one of the names that you block"


def with_own_names(
    rows: Iterable[ExplainedSpan], document: BioCDocument, marker: OwnNamesMarker, lexicon: Lexicon
) -> list[ExplainedSpan]:
    """The rows of an article with those of the names of the user first. Their score is 1."""
    from nlmchem.deciding.explanation import ExplainedSpan

    marked: dict[str, tuple[str, int]] = {}
    for passage, text, places in marker.places(document):
        for place in places:
            name = text[place.span[0] - passage.offset : place.span[1] - passage.offset]
            marked[name] = place.identifier, marked.get(name, ("", 0))[1] + 1
    of_user = []
    for name, (identifier, number) in sorted(marked.items()):
        blocked = identifier == BLOCKED
        identifiers = () if blocked else tuple(identifier.split(","))
        stands, why = (0, REFUSED) if blocked else (number, NAMED)
        meaning = "-" if blocked else kind(lexicon, identifiers)
        of_user.append(ExplainedSpan(name, stands, number, 1.0, "exact", identifiers, meaning, why, ""))
    return [*of_user, *(row for row in rows if row.text not in marked)]
