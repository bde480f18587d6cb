"""Makes word-in-context pairs from articles, in the steps of BioWiC (Rouhizadeh et al. 2024, Scientific Data 11:455).

1. The mentions of a corpus in their sentences (`Occurrences`), or the forms that articles define (`link_definitions`).
2. Names that form a pair, by group: `term_identity` (the same term), `abbreviations` (one abbreviates the other),
   `synonyms` (both are names of one concept), `label_similarity` (similar names). The first group that matches counts.
3. The answer is yes if both mentions have the same concept. Pairs of a broader and a narrower concept are left out,
   because they have no clear answer.
4. As many pairs with yes as with no in each group, and parts without common sentences.

The source takes names and relations from UMLS. Here they come from a lexicon and from the corpus itself.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, count, product
from typing import Protocol

import numpy as np
from bioc import BioCDocument
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from corpora.model.document import Mention, Span, add_mention, mentions, remove_mentions, set_identifiers
from corpora.model.passages import passage_text
from corpora.words.english import singular
from nlmchem.abbreviations import define
from nlmchem.abbreviations.dictionary import Detector
from nlmchem.companions.pairs.pair import GROUPS, ContextPair, name_of
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

PER_NAME = 8
"""Maximum number of mentions kept for a name with one concept."""
CERTAIN = 0.95
"""Definitions with a lower score are not used."""
RESEMBLING = 0.6
"""Long forms with a higher ratio may be spellings of the same words, so they make no pair."""
DEFINED = "Defined"
"""The type of the mentions of defined forms."""
SIMILAR = 0.75
"""Similar names have a higher ratio: 1 - (insertions and deletions) / (sum of lengths)."""
PARTS = ("train", "dev", "test")
TRAINING_USES = 100
"""In the training part, a sentence or a pair of terms occurs in at most this number of pairs."""
_BLOCK = 256
"""Names that are compared with all others at a time."""

Splitter = Callable[[str], Iterable[Span]]
"""Returns the spans of the sentences of a text."""


@dataclass(frozen=True, slots=True, order=True)
class SentenceMention:
    rank: str
    """Its place in the random order."""
    term: str
    sentence: str
    span: Span
    document: str
    place: int
    """Its offset in the document."""
    concept: str


Found = Mapping[str, Mapping[str, Sequence[SentenceMention]]]
"""Occurrences by name and concept."""


@dataclass(slots=True)
class Occurrences:
    """Mentions by name and concept. Memory grows with distinct names, not with articles.

    Only mentions with one concept, in one piece and inside one sentence are used. Of a sentence, one mention is drawn.
    Of a name with one concept, at most `PER_NAME` mentions are kept. Both choices depend on the texts and the seed, not
    on the order of the articles.
    """

    sentences: Splitter
    seed: int = 0
    found: dict[str, dict[str, list[SentenceMention]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, document: BioCDocument) -> None:
        """Add the mentions of a document, of all types."""
        bounds: dict[int, list[Span]] = {}
        drawn: dict[tuple[int, str], SentenceMention] = {}
        for mention in mentions(document, None):
            if len(mention.identifiers) != 1 or len(mention.spans) != 1:
                continue
            if id(mention.passage) not in bounds:
                bounds[id(mention.passage)] = list(self.sentences(passage_text(mention.passage)))
            occurrence = self._in_sentence(mention, bounds[id(mention.passage)], str(document.id))
            if occurrence is not None:
                key = occurrence.place - occurrence.span[0], occurrence.sentence
                drawn[key] = min(drawn.get(key, occurrence), occurrence)
        for occurrence in drawn.values():
            by_concept = self.found[name_of(occurrence.term)]
            kept = by_concept[occurrence.concept]
            # A sentence that several articles have is kept once: its first copy in alphabetical order.
            copies = [other for other in kept if other.sentence == occurrence.sentence]
            others = [other for other in kept if other.sentence != occurrence.sentence]
            by_concept[occurrence.concept] = sorted([*others, min([occurrence, *copies])])[:PER_NAME]

    def _in_sentence(self, mention: Mention, bounds: list[Span], document: str) -> SentenceMention | None:
        text, place = passage_text(mention.passage), mention.spans[0][0]
        start, end = (at - mention.passage.offset for at in mention.spans[0])
        around = next((span for span in bounds if span[0] <= start and end <= span[1]), None)
        if around is None or start >= end or text[start:end] != mention.text:
            return None
        sentence, span = text[slice(*around)], (start - around[0], end - around[0])
        rank = _rank(self.seed, mention.text, sentence)
        return SentenceMention(rank, mention.text, sentence, span, document, place, mention.identifiers[0])


def _rank(seed: int, *texts: str) -> str:
    """A place in a random order that depends on the seed and the texts alone."""
    text = "\n".join((str(seed), *texts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def link_definitions(
    document: BioCDocument, sentences: Splitter, detect: Detector = lambda document: define(document).definitions
) -> None:
    """Replace the mentions of a document by one for each place of a form that it defines: no annotations are needed.

    The concept of a form is its long form. A form is a mention only in sentences that do not define it, because a
    definition would give the answer away. Forms with two meanings in one article are left out.
    """
    for type in {mention.type for mention in mentions(document, None)}:
        remove_mentions(document, type)
    concepts: dict[str, set[str]] = {}
    for definition in detect(document):
        if (definition.score or 0.0) >= CERTAIN and len(definition.short_form) > 1:
            for form in (definition.short_form, definition.long_form):
                concepts.setdefault(form, set()).add(relaxed(singular(definition.long_form)))
    meanings = {form: next(iter(of_form)) for form, of_form in concepts.items() if len(of_form) == 1}
    if not meanings:
        return
    longest_first = sorted(meanings, key=lambda form: (-len(form), form))
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")
    ids = map(str, count(1))
    for passage in document.passages:
        text = passage_text(passage)
        for start, end in sentences(text):
            matches = list(pattern.finditer(text, start, end))
            forms = {match.group() for match in matches}
            for match in matches:
                concept = meanings[match.group()]
                if all(meanings[form] != concept for form in forms - {match.group()}):
                    span = (passage.offset + match.start(), passage.offset + match.end())
                    mention = add_mention(passage, [span], id=f"D{next(ids)}", annotator=None, type=DEFINED, text=text)
                    set_identifiers(mention, [concept])


class KnownNames(Protocol):
    """What is known about names and concepts beside the corpus."""

    def concepts(self, name: str) -> frozenset[str]:
        """The concepts with a name."""
        ...

    def related(self, concept1: str, concept2: str) -> bool:
        """Whether one of two different concepts is broader than the other, or both are the same under two ids."""
        ...


class LongFormNames:
    """Long forms as concepts: those that resemble each other, or contain each other, are related."""

    def concepts(self, name: str) -> frozenset[str]:
        return frozenset()

    def related(self, concept1: str, concept2: str) -> bool:
        contained = concept1 in concept2 or concept2 in concept1
        return contained or Indel.normalized_similarity(concept1, concept2) > RESEMBLING


class LexiconNames:
    """Names and relations of a lexicon: chemicals, and other concepts such as diseases."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._concepts: dict[str, frozenset[str]] = {}
        self._above: dict[str, set[str]] = {}

    def concepts(self, name: str) -> frozenset[str]:
        """The concepts with a name, in any spelling; chemicals if there are any."""
        if name not in self._concepts:
            matches = self._lexicon.lookup(name, external=False) or self._lexicon.elsewhere(name)
            self._concepts[name] = frozenset(match.identifier for match in matches)
        return self._concepts[name]

    def related(self, concept1: str, concept2: str) -> bool:
        """Whether one concept is broader than the other."""
        return concept1 in self._broader(concept2) or concept2 in self._broader(concept1)

    def _broader(self, identifier: str) -> set[str]:
        """All broader concepts: headings above a descriptor, headings of a supplementary record and those above."""
        if identifier not in self._above:
            ancestors = self._above[identifier] = set()
            pending = [identifier]
            while pending:
                parents = set(self._lexicon.parents(pending.pop())) - ancestors
                ancestors |= parents
                pending += parents
        return self._above[identifier]


def shortens(short: str, long: str) -> bool:
    """Whether `short` looks like an abbreviation of `long`: its letters begin words of `long`, in order.

    `CD` shortens `cytoplasmic domain` and also `celiac disease`. This makes such pairs difficult. In the source, the
    letters must be the initials of all words; here words may be left out, such as `of`.
    """
    letters = [character for character in short if character.isalnum()]
    if not 2 <= len(letters) <= 8 or len(short) * 2 > len(long) or sum(map(str.isupper, letters)) * 2 < len(letters):
        return False
    wanted = [letter.casefold() for letter in letters if letter.isalpha()]
    initials = "".join(word[0] for word in long.replace("-", " ").split()).casefold()
    rest = iter(initials)
    return len(wanted) >= 2 and wanted[0] == initials[:1] and all(letter in rest for letter in wanted)


def candidates(occurrences: Occurrences, names: KnownNames) -> list[ContextPair]:
    """Every pair of two occurrences in different sentences that belongs to a group, once.

    The order is random; it depends on the texts and the seed.
    """
    pairs = []
    for group, name1, name2 in _groups(occurrences.found, names):
        for (concept1, left), (concept2, right) in product(
            occurrences.found[name1].items(), occurrences.found[name2].items()
        ):
            # Of a name with itself, each pair of concepts is taken once.
            if name1 == name2 and concept1 > concept2:
                continue
            if concept1 != concept2 and names.related(concept1, concept2):
                continue
            itself = name1 == name2 and concept1 == concept2
            for mention1, mention2 in combinations(left, 2) if itself else product(left, right):
                if mention1.sentence != mention2.sentence:
                    first, second = sorted((mention1, mention2))
                    pairs.append(
                        ContextPair(
                            first.term, second.term, first.sentence, second.sentence, first.span, second.span,
                            group, concept1 == concept2,
                            documents=(first.document, second.document), places=(first.place, second.place),
                            concepts=(first.concept, second.concept),
                        )
                    )  # fmt: skip
    seed = occurrences.seed
    return sorted(pairs, key=lambda it: _rank(seed, it.term1, it.term2, it.sentence1, it.sentence2, *it.concepts))


def _groups(found: Found, knowledge: KnownNames) -> Iterator[tuple[str, str, str]]:
    """(group, name, name) for all names that can form a pair. Each pair of names occurs once."""
    names = sorted(found)
    yield from (("term_identity", name, name) for name in names)
    by_concept: dict[str, list[str]] = defaultdict(list)
    long_by_initial: dict[str, list[str]] = defaultdict(list)
    abbreviations: list[tuple[str, str]] = []
    written = {name: next(iter(next(iter(found[name].values())))).term for name in names}
    for name, term in written.items():
        for concept in sorted(knowledge.concepts(term)):
            by_concept[concept].append(name)
        if " " in name or "-" in name:
            long_by_initial[name[0]].append(name)
    for name, term in written.items():
        longs = long_by_initial.get(name[0], ()) if len(name) <= 10 else ()
        abbreviations += [(min(name, long), max(name, long)) for long in longs if shortens(term, long)]
    synonyms = (pair for names_of in by_concept.values() for pair in combinations(names_of, 2))
    seen: set[tuple[str, str]] = set()
    groups = {"abbreviations": abbreviations, "synonyms": synonyms, "label_similarity": _similar(names)}
    for group, pairs in groups.items():
        for pair in pairs:
            if pair not in seen:
                seen.add(pair)
                yield group, *pair


def _similar(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of similar names. Every name is compared with all names of similar length."""
    by_length = sorted(names, key=lambda name: (len(name), name))
    lengths = np.array([len(name) for name in by_length])
    for start in range(0, len(by_length), _BLOCK):
        block = by_length[start : start + _BLOCK]
        # A ratio above SIMILAR is impossible for a name that is longer by this factor.
        end = int(np.searchsorted(lengths, len(block[-1]) * (2 - SIMILAR) / SIMILAR, side="right"))
        others = by_length[start:end]
        scores = cdist(block, others, scorer=Indel.normalized_similarity, score_cutoff=SIMILAR, dtype=np.float32)
        for row, column in np.argwhere(scores > SIMILAR).tolist():
            if row < column:
                yield min(block[row], others[column]), max(block[row], others[column])


def select(
    pairs: Iterable[ContextPair], most: int | None = 500, uses: int = 4, balanced: bool = True
) -> list[ContextPair]:
    """Pairs in the order of `pairs`, numbered from 1.

    `most`: pairs of a group with one answer (None: all). `uses`: pairs with the same sentence or pair of terms.
    `balanced`: whether a group has as many pairs of each answer. The rarest group and answer is selected first, because
    its pairs are used up soonest.
    """
    by_kind: dict[tuple[str, bool | None], list[ContextPair]] = defaultdict(list)
    for pair in pairs:
        by_kind[pair.group, pair.same].append(pair)
    used: Counter[str | tuple[str, str]] = Counter()

    def unused(kind: tuple[str, bool]) -> Iterator[ContextPair]:
        """The first pairs of a kind whose sentences and terms are not used up. Counts their use."""
        number = 0
        for pair in by_kind[kind]:
            if most is not None and number >= most:
                return
            if all(used[key] < uses for key in _keys(pair)):
                used.update(_keys(pair))
                number += 1
                yield pair

    chosen: dict[str, list[ContextPair]] = {}
    for group in sorted(GROUPS, key=lambda group: (min(len(by_kind[group, same]) for same in (True, False)), group)):
        answers = sorted((True, False), key=lambda same: (len(by_kind[group, same]), same))
        first, second = (unused((group, same)) for same in answers)
        # Balanced pairs are taken in turns, because both answers use up the same sentences and terms.
        chosen[group] = list(chain(*zip(first, second, strict=False)) if balanced else chain(first, second))
    ordered = [pair for group in GROUPS for pair in sorted(chosen[group], key=lambda pair: not pair.same)]
    return [replace(pair, id=str(number)) for number, pair in enumerate(ordered, 1)]


def parts(pairs: Sequence[ContextPair], most: int = 400) -> dict[str, list[ContextPair]]:
    """Pairs for `PARTS`. No sentence and no pair of terms is in two of them.

    `most`: pairs of a group with one answer in the test part; the development part has half. In both, no sentence and
    no pair of terms occurs twice. All other pairs that have nothing in common with them are the training part.
    """
    test = select(pairs, most, 1)
    used = {key for pair in test for key in _keys(pair)}
    pairs = [pair for pair in pairs if used.isdisjoint(_keys(pair))]
    dev = select(pairs, max(1, most // 2), 1)
    used = {key for pair in dev for key in _keys(pair)}
    train = select((pair for pair in pairs if used.isdisjoint(_keys(pair))), None, TRAINING_USES)
    return dict(zip(PARTS, (train, dev, test), strict=True))


def _keys(pair: ContextPair) -> tuple[str, str, tuple[str, str]]:
    """The sentences of a pair, and its terms in either order."""
    first, second = sorted((name_of(pair.term1), name_of(pair.term2)))
    return pair.sentence1, pair.sentence2, (first, second)
