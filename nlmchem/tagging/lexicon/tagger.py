"""Marks the names of a lexicon: the longest name that begins and ends at word boundaries.

Time is linear in the length of the text and memory in the number of mentions (`scanner`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from bioc import BioCDocument, BioCPassage
from numpy.typing import NDArray

from corpora.model.document import add_mention, annotator, definitions, fresh_ids, set_reasons
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.gazetteer.scanner import NameScanner
from nlmchem.tagging.inference.brackets import balance
from nlmchem.tagging.inference.spans import Decide, PassageSpans, ScoredSpan
from nlmchem.tagging.lexicon.context import DECOYS, part_of_longer_name
from nlmchem.tagging.lexicon.short_forms import NO_SHORT_FORMS, ShortForms
from nlmchem.tagging.lexicon.sought import Sought
from nlmchem.tagging.tokenization.tokens import TOKEN
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon, plain, singular

__all__ = ["MENTION_PREFIX", "LexiconTagger", "NamedSpan"]

MENTION_PREFIX = "C"
"""The prefix of the ids of mentions."""
NamedSpan = tuple[int, int, str]
"""Start and end (exclusive) in the text, and the text as it was looked up.

There is no concept, because names of all years are marked, also names without a concept in the year of the lexicon.
"""

_TWO_NAMES = re.compile(r"(.+) \(([^()]{2,12})\)")
_REJECTED = ""
"""The result for a text that does not mean a chemical, and inside which no chemical is marked."""


class LexiconTagger:
    """A stage that adds a mention for each name of a chemical in the text.

    Names of proteins, enzymes, nucleic acids and roles are not marked, nor are common words (`Sought`). Short forms
    that the article defines mean what their long forms mean. The mentions have no score. `skip_sections`: values of
    `section_type` (such as `REF`) whose passages are skipped. `decide` changes the spans of each article before they
    are written (None: no change).
    """

    def __init__(
        self, lexicon: Lexicon, skip_sections: frozenset[str] = frozenset(), decide: Decide | None = None
    ) -> None:
        self._lexicon = lexicon.undated()
        self._sought = Sought(self._lexicon)
        self._skip = frozenset(section.upper() for section in skip_sections)
        self._decide = decide
        self._annotator = annotator("lexicon", lexicon.version)
        self._decoys = frozenset(relaxed(decoy) for decoy in DECOYS)
        self._scanner = NameScanner(self._lexicon, self._known_form, self._decoys)

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            short_forms = self.short_forms(document)
            shown = [passage for passage in document.passages if section_type(passage) not in self._skip]
            found = [self._spans(passage_text(passage), short_forms) for passage in shown]
            if self._decide is not None:
                self._decide(document, found)
            for passage in found:
                balance(passage)
            self._write(document, shown, found)
        self._lexicon.check()

    def find(
        self, text: str, short_forms: ShortForms = NO_SHORT_FORMS, within: NDArray[np.bool_] | None = None
    ) -> list[NamedSpan]:
        """The names in a text, from left to right, without overlaps. `short_forms`: those that the article defines.

        `within`: for each character of the text, whether a name may begin there (None: at any character).
        """
        shown = plain(text)
        found: list[NamedSpan] = []
        reached = 0
        for token in TOKEN.finditer(shown):
            start = token.start()
            if start < reached or (within is not None and not within[start]):
                continue
            hit = self._scanner.longest(shown, start, token.group())
            defined = short_forms.at(shown, start, token.group())
            if defined is not None and (hit is None or defined[0] >= hit[0]):
                end, is_chemical = defined
                hit = end, shown[start:end] if is_chemical else _REJECTED
            if hit is None:
                continue
            # A rejected name is skipped as a whole: no name is searched for inside `glutamate receptor`.
            reached, name = hit
            if name != _REJECTED and not part_of_longer_name(shown, start, reached):
                found.append((start, reached, name))
        return found

    def short_forms(self, document: BioCDocument) -> ShortForms:
        """The short forms that an article defines, and whether each means a chemical."""
        return ShortForms(self._defined(document))

    def _defined(self, document: BioCDocument) -> Iterator[tuple[str, bool]]:
        """The short forms that an article defines, and whether each means a chemical.

        A short form is left out if its long form contains a chemical but is not one: the lexicon decides about it.
        """
        for definition in definitions(document):
            found = self.find(definition.long_form)
            if not found:
                yield definition.short_form, False
            elif [span[:2] for span in found] == [(0, len(definition.long_form))]:
                yield definition.short_form, True

    def _spans(self, text: str, short_forms: ShortForms) -> PassageSpans:
        return PassageSpans(text, (), [ScoredSpan(start, end, 1.0) for start, end, _ in self.find(text, short_forms)])

    def _write(self, document: BioCDocument, shown: Sequence[BioCPassage], found: Sequence[PassageSpans]) -> None:
        ids = fresh_ids(document, MENTION_PREFIX)
        for passage, own in zip(shown, found, strict=True):
            for span in own.spans:
                place = (passage.offset + span.start, passage.offset + span.end)
                mention = add_mention(passage, [place], id=next(ids), annotator=self._annotator, text=own.text)
                if span.reasons:
                    set_reasons(mention, span.reasons)

    def _known_form(self, text: str) -> str | None:
        """The text or its singular, if it is a name of a chemical; `_REJECTED` for another name, None for no name."""
        parts = _TWO_NAMES.fullmatch(text)
        if parts is not None and all(self._known_form(part) for part in parts.groups()):
            # MeSH has `hydrogen peroxide (H2O2)` as one name; in a text these are two mentions.
            return None
        forms = (self._looked_up(form) for form in (text, singular(text)) if form)
        return next((form for form in forms if form is not None), None)

    def _looked_up(self, text: str) -> str | None:
        if relaxed(text) in self._decoys:
            return _REJECTED
        matches = self._lexicon.spelt(text)
        if not matches or self._sought.means_something_else(text, matches[0]):
            return None
        return text if self._sought.is_chemical(text, matches[0]) else _REJECTED
