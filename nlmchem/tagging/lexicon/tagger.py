"""Marks the names of a lexicon: the longest name that begins and ends at word boundaries.

A lexicon of all of MeSH also has names of proteins, enzymes, nucleic acids and roles, and names that are common words
(`Treatment`, `Solution`). The kind of the concept and the frequency of the word decide. The thresholds were chosen on
the training parts of BC5CDR, BioRED and CHEMDNER; docs/measurements/lexicon.md has the figures.

Lexicons also vote together with a model: always the starter lexicon, and with `default,lexicon` the given one. Time is
linear in the length of the text and memory in the number of mentions (`gazetteer.names`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from bioc import BioCDocument, BioCPassage
from numpy.typing import NDArray

from corpora.model.document import Span, add_mention, annotator, defined_forms, definitions, fresh_ids
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.gazetteer.names import NameScanner, is_common
from nlmchem.tagging.inference.brackets import balance
from nlmchem.tagging.inference.short_forms import remove_other_meanings
from nlmchem.tagging.inference.spans import Decide, PassageSpans, ScoredSpan, explain
from nlmchem.tagging.lexicon.context import DECOYS, NO_SHORT_FORMS, NOT_IN_TEXT, ShortForms, part_of_longer_name
from nlmchem.tagging.lexicon.lead import is_lead, metal_places
from nlmchem.tagging.tokenization.capitals import folded
from sieves.lexicon.keys import relaxed
from sieves.lexicon.kinds import CHEMICAL_KIND, kind_of
from sieves.lexicon.lexicon import STARTER, Lexicon, Match, plain, singular

MENTION_PREFIX = "C"
"""The prefix of the ids of mentions."""
NamedSpan = tuple[int, int, str]
"""Start and end (exclusive) in the text, and the text as it was looked up.

There is no concept, because names of all years are marked, also names without a concept in the year of the lexicon.
"""

_TWO_NAMES = re.compile(r"(.+) \(([^()]{2,12})\)")
_INVERTED = re.compile(r"(.+), ([^,]+)")
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
        self._skip = skip_sections
        self._decide = decide
        self._annotator = annotator("lexicon", lexicon.version)
        self._decoys = frozenset(relaxed(decoy) for decoy in DECOYS)
        self._scanner = NameScanner(self._lexicon, self._known_form, self._decoys)

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            short_forms = self.short_forms(document)
            shown = [passage for passage in document.passages if section_type(passage) not in self._skip]
            texts = [passage_text(passage) for passage in shown]
            passages = [
                PassageSpans(text, (), [ScoredSpan(start, end, 1.0) for start, end, _ in names], offset=passage.offset)
                for passage, text, names in zip(shown, texts, self.find(texts, short_forms), strict=True)
            ]
            if self._decide is not None:
                self._decide(document, passages)
            remove_other_meanings(passages, definitions(document))
            for passage in passages:
                balance(passage)
            self._write(document, shown, passages)
        self._lexicon.check()

    def find(
        self,
        texts: Sequence[str],
        short_forms: ShortForms = NO_SHORT_FORMS,
        within: Sequence[NDArray[np.bool_] | None] | None = None,
    ) -> list[list[NamedSpan]]:
        """The names in each text, from left to right, without overlaps. `short_forms`: those that the article defines.

        `within`: for each character of each text, whether a name may begin there (None: at any character).
        """
        shown = [folded(plain(text)) for text in texts]
        names = self._scanner.names(shown)
        leads = metal_places(shown)
        return [
            _named(text, short_forms.beside(text, of_text, None if within is None else within[number]), leads[number])
            for number, (text, of_text) in enumerate(zip(shown, names, strict=True))
        ]

    def _in_phrases(self, phrases: Sequence[str]) -> list[list[NamedSpan]]:
        """The names in each of some phrases, which tell nothing about each other."""
        shown = [folded(plain(phrase)) for phrase in phrases]
        names = self._scanner.names(shown)
        return [
            _named(text, NO_SHORT_FORMS.beside(text, of_text), metal_places([text])[0])
            for text, of_text in zip(shown, names, strict=True)
        ]

    def short_forms(self, document: BioCDocument) -> ShortForms:
        """The short forms that an article defines, and whether each means a chemical.

        A short form is left out if its long form contains a chemical but is not one: the lexicon decides about it.
        """
        defined = defined_forms(document)
        known: dict[str, bool | None] = {}

        def is_chemical(long_form: str) -> bool | None:
            if not known:
                # All at once, when the first is needed: many short texts are searched faster together.
                longs = list(dict.fromkeys(long for _, long in defined))
                known.update(zip(longs, map(_meaning, longs, self._in_phrases(longs)), strict=True))
            return known[long_form]

        return ShortForms(defined, is_chemical)

    def _write(self, document: BioCDocument, shown: Sequence[BioCPassage], tagged: Sequence[PassageSpans]) -> None:
        ids = fresh_ids(document, MENTION_PREFIX)
        for passage, decided in zip(shown, tagged, strict=True):
            for span in decided.spans:
                place = (passage.offset + span.start, passage.offset + span.end)
                mention = add_mention(passage, [place], id=next(ids), annotator=self._annotator, text=decided.text)
                explain(mention, span)

    def _known_form(self, text: str) -> str | None:
        """The text or its singular, if it is a name of a chemical; `_REJECTED` for another name, None for no name."""
        parts = _TWO_NAMES.fullmatch(text)
        if parts is not None and all(self._known_form(part) for part in parts.groups()):
            # MeSH has `hydrogen peroxide (H2O2)` as one name; in a text these are two mentions.
            return None
        inverted = _INVERTED.fullmatch(text)
        if inverted is not None and self._lexicon.spelt(f"{inverted[2]} {inverted[1]}"):
            # MeSH has `Gallate, Propyl`; in a text these are members of a list.
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


def _meaning(long_form: str, names: Sequence[NamedSpan]) -> bool | None:
    """Whether a long form with these names means a chemical; None if only a part of it does."""
    if not names:
        return False
    return True if [name[:2] for name in names] == [(0, len(long_form))] else None


def _named(text: str, spans: Iterable[tuple[int, int, str | bool]], leads: Sequence[Span]) -> list[NamedSpan]:
    """The names among spans of names and short forms of a text in plain characters. `leads`: where it names lead."""
    named: list[NamedSpan] = []
    for start, end, value in spans:
        name = (text[start:end] if value else _REJECTED) if isinstance(value, bool) else value
        # A rejected name is skipped as a whole: no name is searched for inside `glutamate receptor`.
        if name == _REJECTED or part_of_longer_name(text, start, end):
            continue
        if not is_lead(name) or (start, end) in leads:
            named.append((start, end, name))
    return named


class Sought:
    """Decides for one lexicon. Hand-picked names (the starter lexicon) are always chemicals."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._chosen = _starter()
        self._is_mesh = "year" in lexicon.meta

    def means_something_else(self, text: str, match: Match) -> bool:
        """Whether a name mostly means something else in texts: it is not searched for, but shorter names may be."""
        if match.name.casefold() in NOT_IN_TEXT:
            return True
        # The places of `lead` are judged one by one.
        is_word = self._is_mesh and is_common(text, match) and not is_lead(text)
        return is_word and not self._chosen.spelt(text)

    def is_chemical(self, text: str, match: Match) -> bool:
        """Whether a name means a chemical. If not, no shorter name inside it is searched for."""
        if not self._is_mesh or self._chosen.spelt(text):
            return True
        # The ids of a mixture are joined; only layers have mixtures, and they are chemicals.
        trees = self._lexicon.trees(match.identifier)
        return kind_of(trees) == CHEMICAL_KIND if trees else "," in match.identifier


@cache
def _starter() -> Lexicon:
    return Lexicon.open(STARTER)


STARTER_WEIGHT = 0.5
"""The names of the starter lexicon were selected one by one: they mean a chemical in almost every article."""
LEXICON_WEIGHT = 0.3
"""The whole of MeSH also has names of proteins, roles and common words. A model must support them, too."""


class LexiconVoter(Protocol):
    """The part of the lexicon tagger that votes use."""

    def find(self, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int, object]]]: ...


@dataclass(frozen=True, slots=True)
class LexiconVotes:
    """A lexicon and the support (0 to 1) that it adds to a span.

    With 0.5 its names are tagged whatever the model predicts, with 0.3 if the model predicts at least 0.2.
    """

    voter: LexiconVoter
    weight: float


@cache
def starter_votes() -> LexiconVotes:
    """The votes of the starter lexicon."""
    return LexiconVotes(LexiconTagger(Lexicon.open(STARTER)), STARTER_WEIGHT)


def lexicon_votes(lexicon: Lexicon) -> LexiconVotes:
    """The votes of another lexicon."""
    return LexiconVotes(LexiconTagger(lexicon), LEXICON_WEIGHT)
