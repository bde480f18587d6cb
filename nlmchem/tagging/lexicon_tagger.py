"""Marks the names of a lexicon: the longest name that begins and ends at word boundaries.

A lexicon of all of MeSH also has names of proteins, enzymes, nucleic acids and roles, and names that are common words
(`Treatment`, `Solution`). The kind of the concept and the frequency of the word decide. The thresholds were chosen on
the training parts of BC5CDR, BioRED and CHEMDNER; docs/measurements/lexicon.md has the figures.

Lexicons also vote together with a model: always the starter lexicon, and with `default,lexicon` the given one. Time is
linear in the length of the text and memory in the number of mentions (`gazetteer.names`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from heapq import merge
from typing import TypeVar

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.model.document import Span, add_mention, annotator, defined_forms, definitions, fresh_ids
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.gazetteer.names import NameScanner, is_common
from nlmchem.tagging.inference.spans import Decide, PassageSpans, ScoredSpan, explain
from nlmchem.tagging.rules.article import follow_article
from nlmchem.tagging.rules.boundaries import balance
from nlmchem.tagging.rules.meanings import is_lead, metal_places, part_of_protein
from nlmchem.tagging.rules.post_processing import LexiconVotes
from nlmchem.tagging.tokenization.shown_text import folded
from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds, in_token, lengths_by_first_token
from sieves.lexicon.concepts import CHEMICAL_KIND, kind_of
from sieves.lexicon.keys import plain, relaxed
from sieves.lexicon.lexicon import STARTER, Lexicon, Match, singular

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

NOT_IN_TEXT = frozenset(
    """
    acid acids alloy alloys anion anions biopolymer biopolymers cation cations dendrimer dendrimers electrolyte
    electrolytes exciton excitons fat fats ice ion ions metal metals micelle micelles nanogel nanogels oligonucleotide
    oligonucleotides oligopeptide oligopeptides oxide oxides peptide peptides polyelectrolyte polyelectrolytes polymer
    polymers polypeptide polypeptides proton protons
    """.split()  # noqa: SIM905
)
"""Names of chemicals that have another meaning in most texts, or that the guidelines do not mark.

Words for states and mixtures (`electrolytes`, `micelles`) have 576 places in the 30 open articles of NLM-Chem, BC5CDR
and BioRED without their test parts, CHEMDNER (training, development) and DrugProt (development); two are marked.
"""

DECOYS = frozenset({"gold standard", "lipid peroxidation", "MDA-MB", "mm Hg", "nucleotide polymorphism", "Salt Lake"})
"""Terms that contain the name of a chemical but do not mean one."""

# The bracket in `NMDA) receptor`, `N-methyl-D-aspartate (NMDA) receptor`.
_BRACKET = re.compile(r" \([\w-]{1,12}\)|\)")
# The end of the text before a part of a longer name: `6-phosphate`, `N-acetyl-lysine`, `L-[...]`, `chloro-benzene`.
_LONGER_NAME = re.compile(
    r"(?:[\d')]|(?:^|[\W\d_])[^\W\d_]"
    r"|yl|oxy|oxo|hydro|chloro|fluoro|bromo|iodo|nitro|amino|thio|phospho|poly|deoxy)-$"
)
# `streptomycin sulfate` is one salt, so `sulfate` is not marked by itself.
_ACID_OF_SALT = re.compile(
    r"(?:acet|benzo|citr|fumar|lact|male|nitr|phosph|propion|succin|sulf|sulph|tartr)ates?"
    r"|(?:brom|chlor|iod|sulf)ides?|esters?"
)
_BASE_OF_SALT = re.compile(r"[a-z]{3}(?:ine|ium|yl|one|ene|cin|tin|oxil|olol|amil) $")
_READ_BEFORE = 12
"""Characters before a name that are checked."""


def part_of_longer_name(text: str, start: int, end: int) -> bool:
    """Whether a span is part of the name of a protein, or of a chemical that is not in the lexicon."""
    before = text[max(0, start - _READ_BEFORE) : start]
    if _LONGER_NAME.search(before):
        return True
    if _BASE_OF_SALT.search(before) and _ACID_OF_SALT.fullmatch(text, start, end):
        return True
    # `Ca(v)1.2`, `Fe(acac)3`: a bracket directly after a symbol continues a formula.
    if end - start <= 2 and text.startswith("(", end):
        return True
    bracket = _BRACKET.match(text, end)
    return part_of_protein(text, start, bracket.end() if bracket is not None else end)


Name = TypeVar("Name")
FEW = 256
"""First tokens of short forms that one expression searches for."""
SHORTEST = 2
"""Characters of the shortest short form that is used. An article also uses a single letter for other things."""


class ShortForms:
    """Short forms, and whether each means a chemical. A short form is looked at when a text has it, so few are."""

    def __init__(
        self, defined: Iterable[tuple[str, str]] = (), means: Callable[[str], bool | None] = lambda _: False
    ) -> None:
        """`defined`: short and long forms. `means`: whether a long form means a chemical; None if that is unknown.

        A short form without a long form of a known meaning is left out.
        """
        self._means = means
        self._longs: dict[str, dict[str, None]] = {}
        for short, long in defined:
            self._longs.setdefault(plain(short), {})[long] = None
        self._known: dict[str, bool | None] = {}
        self._lengths = lengths_by_first_token(short for short in self._longs if len(short) >= SHORTEST)
        firsts = sorted(self._lengths, key=len, reverse=True)
        # An expression tries all its parts at each place; `(?!)` matches nowhere.
        self._first_tokens = re.compile("|".join(map(re.escape, firsts)) or "(?!)") if len(firsts) <= FEW else TOKEN

    def beside(
        self, text: str, names: Iterable[tuple[int, int, Name]], within: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[int, int, Name | bool]]:
        """The names (start, end, value, by start) and the short forms of a text, from left to right, without overlaps.

        Of a name and a short form at one place the longer counts, else the short form; its value is whether it means a
        chemical. `within`: for each character of the text, whether a span may begin there (None: at any character).
        """
        reached = 0
        spans: Iterator[tuple[int, int, Name | bool]] = merge(
            names, self._places(text), key=lambda span: (span[0], -span[1], not isinstance(span[2], bool))
        )
        for start, end, value in spans:
            if start >= reached and (within is None or within[start]):
                reached = end
                yield start, end, value

    def _places(self, text: str) -> Iterator[tuple[int, int, bool]]:
        """Start, end and meaning of the longest short form at each token."""
        for match in self._first_tokens.finditer(text):
            token = TOKEN.match(text, match.start())
            if token is None or in_token(text, token.start()):
                continue
            place = self._at(text, token.start(), token.group())
            if place is not None:
                yield token.start(), *place

    def _at(self, text: str, start: int, token: str) -> tuple[int, bool] | None:
        """The end of the longest short form at `start`, and whether it means a chemical; None if there is none.

        `token` is the token at `start`. A short form may have a plural s.
        """
        for first in dict.fromkeys((token, token.removesuffix("s"))):
            for length in self._lengths.get(first, ()):
                end = start + length
                if end > len(text):
                    # The text ends before a longer short form with the same first token.
                    continue
                short = text[start:end]
                ends = (end, end + 1) if text.startswith("s", end) else (end,)
                for last in ends if short in self._longs else ():
                    if at_word_bounds(text, start, last):
                        is_chemical = self._is_chemical(short)
                        if is_chemical is not None:
                            return last, is_chemical
        return None

    def _is_chemical(self, short: str) -> bool | None:
        """Whether one of the long forms means a chemical; None if nothing is known about any of them."""
        if short not in self._known:
            answers = [is_chemical for is_chemical in map(self._means, self._longs[short]) if is_chemical is not None]
            self._known[short] = any(answers) if answers else None
        return self._known[short]


NO_SHORT_FORMS = ShortForms()


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
            follow_article(passages, definitions(document))
            for passage in passages:
                balance(passage)
            ids = fresh_ids(document, MENTION_PREFIX)
            for passage, decided in zip(shown, passages, strict=True):
                for span in decided.spans:
                    place = (passage.offset + span.start, passage.offset + span.end)
                    mention = add_mention(passage, [place], id=next(ids), annotator=self._annotator, text=decided.text)
                    explain(mention, span)
        self._lexicon.check()

    def find(
        self,
        texts: Sequence[str],
        short_forms: ShortForms = NO_SHORT_FORMS,
        within: Sequence[NDArray[np.bool_] | None] | None = None,
        *,
        of_one_article: bool = True,
    ) -> list[list[NamedSpan]]:
        """The names in each text, from left to right, without overlaps. `short_forms`: those that the article defines.

        `within`: for each character of each text, whether a name may begin there (None: at any character). Texts
        `of_one_article` show together whether `lead` is the metal.
        """
        shown = [folded(plain(text)) for text in texts]
        names = self._scanner.names(shown)
        leads = metal_places(shown) if of_one_article else [metal_places([text])[0] for text in shown]
        return [
            _named(text, short_forms.beside(text, of_text, None if within is None else within[number]), leads[number])
            for number, (text, of_text) in enumerate(zip(shown, names, strict=True))
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
                for long, names in zip(longs, self.find(longs, of_one_article=False), strict=True):
                    is_whole = [name[:2] for name in names] == [(0, len(long))]
                    known[long] = is_whole or (None if names else False)
            return known[long_form]

        return ShortForms(defined, is_chemical)

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
        for form in filter(None, (text, singular(text))):
            if relaxed(form) in self._decoys:
                return _REJECTED
            matches = self._lexicon.spelt(form)
            if matches and not self._sought.means_something_else(form, matches[0]):
                return form if self._sought.is_chemical(form, matches[0]) else _REJECTED
        return None


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


@cache
def starter_votes() -> LexiconVotes:
    """The votes of the starter lexicon."""
    return LexiconVotes(LexiconTagger(Lexicon.open(STARTER)), STARTER_WEIGHT)


def lexicon_votes(lexicon: Lexicon) -> LexiconVotes:
    """The votes of another lexicon."""
    return LexiconVotes(LexiconTagger(lexicon), LEXICON_WEIGHT)
