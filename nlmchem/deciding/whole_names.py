"""Names of the lexicon that another chemical begins or ends: `activated carbon`, `diclofenac sodium`.

Annotators mark such a name whole. In the training parts of BC5CDR and BioRED, 670 names are longer than a chemical that
ends them and is another concept, or that begins them; 26 mentions are a part of such a name (`free fatty acids`). With
the same concept at the end (`reduced glutathione`) both are frequent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpora.model.document import Span
from nlmchem.deciding.meanings import Meanings
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from sieves.chemistry.variants import USE_TAIL

_WORDS = r"[A-Za-z][a-z]{2,}(?:[ -][A-Za-z][a-z]{2,})*"
_WORD_BEFORE, _WORD_AFTER = re.compile(f"{_WORDS} "), re.compile(f" {_WORDS}")
"""The rest of a name. `K 4` is an amount of potassium."""
_STATE = re.compile(r"(?:dietary|free|liposomal|pegylated) ", re.IGNORECASE)
"""Words about how a chemical is taken or bound, although MeSH has such names."""


def whole_names(passage: PassageSpans, named: Sequence[Span], meanings: Meanings) -> list[ScoredSpan]:
    """The spans of a passage, each extended to the name of the lexicon that it begins or ends.

    `named`: the names of the lexicon in the passage.
    """
    text = passage.text
    by_start = dict(named)
    by_end = {end: start for start, end in named}
    whole: list[ScoredSpan] = []
    reached = 0
    for at, span in enumerate(passage.spans):
        start, end = by_end.get(span.end, span.start), by_start.get(span.start, span.end)
        following = passage.spans[at + 1].start if at + 1 < len(passage.spans) else len(text)
        name = (start, span.end) if start < span.start else (span.start, end)
        is_longer = name[1] - name[0] > span.end - span.start and name[0] >= reached and name[1] <= following
        if is_longer and _is_part(text, name, (span.start, span.end), meanings):
            span = replace(span, start=name[0], end=name[1])
        reached = span.end
        whole.append(span)
    return whole


def is_whole_name(text: str, name: Span, meanings: Meanings) -> bool:
    """Whether a name without its first or its last word is a chemical, and it is not marked without it."""
    start, end = name
    first, last = text.find(" ", start, end), text.rfind(" ", start, end)
    return first > 0 and any(_is_part(text, name, part, meanings) for part in ((first + 1, end), (start, last)))


def _is_part(text: str, name: Span, part: Span, meanings: Meanings) -> bool:
    """Whether a name and a part of it, beside words, are chemicals, and the whole name is marked where it stands."""
    before, after = _WORD_BEFORE.fullmatch(text, name[0], part[0]), _WORD_AFTER.fullmatch(text, part[1], name[1])
    texts = [text[slice(*span)] for span in (name, part)]
    is_state = before is not None and _STATE.fullmatch(before[0]) is not None
    if (before is None and after is None) or is_state or not all(map(meanings.is_known_chemical, texts)):
        return False
    of_name, of_part = (meanings.of(known).candidates[0] for known in texts)
    # The word before can be about the state of the same chemical, and the word after about its use: `Evans Blue dye`.
    is_salt = after is not None and USE_TAIL.fullmatch(after[0]) is None
    return is_salt or of_name.identifiers != of_part.identifiers
