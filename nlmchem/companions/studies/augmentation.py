"""Training articles without annotators: synthetic ones, where other names replace gold mentions; distant labels below.

Three modes are after Kim et al. 2022 (Database, baac074: names of the same or of another concept) and
Erdengasileng et al. 2022 (Database, baac066: random strings, so that the model can only learn from the context):

- `synonym`: another name of the mention's concept; the concept stays;
- `other`: a name of another chemical; the mention gets its concept;
- `random`: letters and digits in the shape of the mention; it loses its concept.

Two more change the spelling of a name: `case` and `greek`.

The infons of a replaced mention contain its old text. The infons of a copy contain the id of its original, so that the
check for leakage between splits (`corpora.tools.leaks`) finds copies.
"""

from __future__ import annotations

import string
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from random import Random

from bioc import BioCDocument, BioCLocation

from corpora.errors import ArticleError, ConfigurationError
from corpora.model.chemical import CHEMICAL
from corpora.model.document import (
    Mention,
    Span,
    add_mention,
    annotator,
    clear_identifiers,
    every_annotation,
    fresh_ids,
    holders_of,
    mentions,
    set_identifiers,
)
from corpora.model.invariant import overlapping_passages
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.words.folding import GREEK_NAME_OF
from nlmchem.abbreviations import define
from nlmchem.tagging.gazetteer.classes import CHEMICAL as SURE
from nlmchem.tagging.gazetteer.classes import DOUBTFUL, Gazetteer
from nlmchem.tagging.lexicon_tagger import NO_SHORT_FORMS, ShortForms, part_of_longer_name
from nlmchem.tagging.training.data import MASKED, Augment, Augmentation, set_distant
from sieves.lexicon.keys import plain

MODES = ("synonym", "other", "random")
LONGEST = 60
"""Characters. Longer names are not used in running text."""
TRIES = 10
"""How often a name is drawn again if it is the name of the mention."""


@dataclass(frozen=True, slots=True)
class ReplacementNames:
    """The names of each concept that can be used in a sentence, sorted. `version`: the version of the lexicon."""

    by_concept: Mapping[str, tuple[str, ...]]
    concepts: tuple[str, ...]
    version: str

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], version: str) -> ReplacementNames:
        """From (name, identifier) pairs, as `sieves.lexicon.lexicon.Lexicon.names` returns them.

        Inverted headings (`Acids, Acyclic`), names of more than `LONGEST` characters and mixtures are left out.
        """
        names_of: dict[str, list[str]] = defaultdict(list)
        for name, concept in pairs:
            if "," not in concept and is_usable(name):
                names_of[concept].append(name)
        by_concept = {concept: tuple(sorted(set(names))) for concept, names in sorted(names_of.items())}
        return cls(by_concept, tuple(by_concept), version)


@dataclass(frozen=True, slots=True)
class Replacement:
    """The text that replaces `span` (document offsets), and the new concepts of the mention."""

    span: Span
    text: str
    identifiers: tuple[str, ...]


def is_usable(name: str) -> bool:
    """Whether a name can be used in a sentence."""
    return 1 < len(name) <= LONGEST and ", " not in name and "\n" not in name and any(map(str.isalpha, name))


class Augmenter:
    """Makes synthetic copies of articles in one of the `MODES`.

    Equal mentions of an article get the same replacement. `rate` is the share of distinct mentions that are replaced
    (above 0, up to 1). The same document, seed and copy number give the same copy on any machine.
    """

    def __init__(self, mode: str, names: ReplacementNames, seed: int = 0, rate: float = 1.0) -> None:
        if mode not in MODES:
            raise ConfigurationError(f"there is no augmentation {mode!r}; choose one of {', '.join(MODES)}")
        if not 0 < rate <= 1:
            raise ConfigurationError(f"the rate is {rate}; give a number above 0, up to 1")
        if mode != "random" and not names.concepts:
            raise ConfigurationError("the lexicon has no name that can be used in a sentence; give another lexicon")
        self._mode, self._names, self._seed, self._rate = mode, names, seed, rate

    def __call__(self, document: BioCDocument, copy: int = 1) -> tuple[BioCDocument, int]:
        """A changed copy of a document, and the number of replaced mentions. The document itself does not change.

        Raises `ArticleError` if passages overlap, because a replacement would be needed in two places.
        """
        random = Random(f"{self._seed}|{document.id}|{self._mode}|{copy}")
        chosen: dict[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]] | None] = {}
        replacements: list[Replacement] = []
        for mention in replaceable(document):
            key = (mention.text, mention.identifiers)
            if key not in chosen:
                chosen[key] = self._choose(mention, random) if random.random() < self._rate else None
            choice = chosen[key]
            if choice is not None:
                replacements.append(Replacement(mention.spans[0], *choice))
        made = replace(document, replacements)
        made.id = f"{document.id}-{self._mode}-{copy}"
        made.infons["article-id_original"] = join_key(document)
        lexicon = "" if self._mode == "random" else f" of lexicon {self._names.version[:12]}"
        made.infons["augmented"] = f"{self._mode}{lexicon}, seed {self._seed}, copy {copy}, of {document.id}"
        return made, len(replacements)

    def _choose(self, mention: Mention, random: Random) -> tuple[str, tuple[str, ...]] | None:
        """The new text and concepts of a mention; None if there is no other name."""
        if self._mode == "random":
            return shaped_like(mention.text, random), ()
        if self._mode == "synonym":
            if len(mention.identifiers) != 1:
                return None
            same = mention.text.casefold()
            others = [n for n in self._names.by_concept.get(mention.identifiers[0], ()) if n.casefold() != same]
            return (_cased_like(mention.text, random.choice(others)), mention.identifiers) if others else None
        for _ in range(TRIES):
            concept = random.choice(self._names.concepts)
            if concept not in mention.identifiers:
                return _cased_like(mention.text, random.choice(self._names.by_concept[concept])), (concept,)
        return None


def replaceable(document: BioCDocument) -> list[Mention]:
    """Mentions that can be replaced: continuous, equal to the text at their offsets, and without overlaps.

    A mention inside the definition of an abbreviation, or across the end of a sentence, cannot be replaced.
    """
    taken = sorted(
        (place.offset, place.offset + place.length)
        for annotation, _ in every_annotation(document)
        for place in annotation.locations
    )
    overlapping_spans: set[Span] = set()
    reached: tuple[int, int] = (-1, -1)
    for span in taken:
        if span[0] < reached[1]:
            overlapping_spans |= {span, reached}
        reached = max(reached, span, key=lambda span: span[1])

    def is_continuous(mention: Mention) -> bool:
        passage, (start, end) = mention.passage, mention.spans[0]
        at_offsets = passage_text(passage)[start - passage.offset : end - passage.offset] == mention.text
        return at_offsets and start < end and not any(start < sentence.offset < end for sentence in passage.sentences)

    return [
        mention
        for mention in mentions(document)
        if len(mention.spans) == 1 and mention.spans[0] not in overlapping_spans and is_continuous(mention)
    ]


def shaped_like(text: str, random: Random) -> str:
    """Random letters for letters (in the same case), digits for digits. The result is never equal to `text`."""

    def drawn_for(character: str) -> str:
        if character.isdigit():
            return random.choice(string.digits)
        if not character.isalpha():
            return character
        letter = random.choice(string.ascii_lowercase)
        return letter.upper() if character.isupper() else letter

    for _ in range(TRIES):
        drawn = "".join(map(drawn_for, text))
        if drawn != text:
            return drawn
    return text + random.choice(string.ascii_lowercase)


def _cased_like(old: str, new: str) -> str:
    """Copy a capital at the start of the old text, which may come from the start of a sentence."""
    if old[:1].isupper() and old[1:2].islower() and new[:1].islower():
        return new[0].upper() + new[1:]
    return new


def replace(document: BioCDocument, replacements: Sequence[Replacement]) -> BioCDocument:
    """A copy of a document with replaced texts and corrected offsets of passages, sentences and annotations.

    Spans must be spans of mentions. No other annotation may begin or end inside one of them. Raises `ArticleError` if
    passages or spans overlap.
    """
    overlapping = overlapping_passages(document)
    if overlapping:
        raise ArticleError(f"{overlapping[0]}; correct the offsets before augmenting the article")
    ordered = sorted(replacements, key=lambda replacement: replacement.span)
    for edit, other in pairwise(ordered):
        if other.span[0] < edit.span[1]:
            raise ArticleError(f"replacements at {edit.span} and {other.span} overlap; leave one of them out")
    starts, ends = ([edit.span[at] for edit in ordered] for at in (0, 1))
    shifts = [0, *accumulate(len(edit.text) - (edit.span[1] - edit.span[0]) for edit in ordered)]

    def moved(offset: int) -> int:
        """The new position of an offset, which must not be inside a replaced span."""
        return offset + shifts[bisect_right(ends, offset)]

    made: BioCDocument = deepcopy(document)
    for holder in (holder for passage in made.passages for holder in (passage, *passage.sentences)):
        text, reached, pieces = holder.text or "", holder.offset, []
        for edit in ordered[bisect_left(starts, holder.offset) :]:
            start, end = edit.span
            if end > holder.offset + len(text):
                break
            pieces += [text[reached - holder.offset : start - holder.offset], edit.text]
            reached = end
        if text:
            holder.text = "".join([*pieces, text[reached - holder.offset :]])
        holder.offset = moved(holder.offset)
    by_span = {replacement.span: replacement for replacement in replacements}
    for annotation, passage in list(every_annotation(made)):
        spans = [(place.offset, place.offset + place.length) for place in annotation.locations]
        annotation.locations = [BioCLocation(moved(start), moved(end) - moved(start)) for start, end in spans]
        replacement = by_span.get(spans[0]) if len(spans) == 1 else None
        if replacement is not None and passage is not None:
            annotation.infons["replaced"] = annotation.text
            annotation.text = replacement.text
            mention = Mention(annotation, passage)
            clear_identifiers(mention)
            set_identifiers(mention, replacement.identifiers)
    return made


_GREEK = {letter: GREEK_NAME_OF[letter] for letter in "αβγδεκω"}
"""The letters that names of chemicals use."""
_LETTERS = {name: letter for letter, name in _GREEK.items()}
_LONG_WORD = 5
"""Letters. Shorter names are abbreviations and symbols, and their letter case must not change."""


def other_case(text: str, random: Random) -> str:
    """A long name in capitals, capitalised, or in lower case. Short names do not change."""
    if sum(map(str.isalpha, text)) < _LONG_WORD or not text[1:].islower():
        return text
    return random.choice([text.upper(), text[:1].upper() + text[1:], text.lower()])


def other_greek(text: str, random: Random) -> str:
    """A name with Greek letters replaced by their names, or the other way round."""
    if any(letter in text for letter in _GREEK):
        return "".join(_GREEK.get(letter, letter) for letter in text)
    parts = text.split("-")
    return "-".join(_LETTERS.get(part.lower(), part) for part in parts)


@lru_cache(maxsize=1)
def _names(lexicon: str | None) -> ReplacementNames:
    """The names of chemicals in a lexicon. Two augmentations of one training share them."""
    from sieves.lexicon.lexicon import Lexicon

    opened = Lexicon.open(lexicon)
    # Distance 0 leaves out proteins and roles, which the guidelines do not mark. Some records of proteins are mapped
    # to the heading of a peptide; these are recognised by their names.
    chemicals = (pair for pair in opened.names(distance=0) if "protein" not in pair[0].lower())
    return ReplacementNames.of(chemicals, opened.version)


def _replacing(mode: str, lexicon: str | None) -> Augment:
    augmenter = Augmenter(mode, ReplacementNames({}, (), "") if mode == "random" else _names(lexicon))
    return lambda document, copy: augmenter(document, copy)[0]


def _rewriting(change: Callable[[str, Random], str], name: str) -> Augment:
    def augment(document: BioCDocument, copy: int) -> BioCDocument:
        random = Random(f"{name}|{document.id}|{copy}")
        changes = [
            Replacement(mention.spans[0], changed, mention.identifiers)
            for mention in replaceable(document)
            if (changed := change(mention.text, random)) != mention.text
        ]
        return replace(document, changes)

    return augment


CASE = Augmentation(lambda lexicon: _rewriting(other_case, "case"))
GREEK = Augmentation(lambda lexicon: _rewriting(other_greek, "greek"))
OTHER = Augmentation(partial(_replacing, "other"))
RANDOM = Augmentation(partial(_replacing, "random"))
SYNONYM = Augmentation(partial(_replacing, "synonym"))


# -- distant supervision ------------------------------------------------------------------------

# The names of MeSH in unlabelled articles as labels (Mintz et al. 2009, ACL, section 3). A name that nearly always is a
# chemical becomes a mention. A name that may be one (common words, short names, names that annotators marked in
# some articles) or that is another substance (proteins, roles) becomes a mention of the type `MASKED`: training counts
# neither its pieces as chemical nor as outside. A short form that the article defines has the label of its long form.
# All other text counts as outside, so names that MeSH lacks are wrong labels.


def distantly_labelled(document: BioCDocument, gazetteer: Gazetteer) -> int:
    """Replace the annotations of an article by the names of the gazetteer. Returns the number of chemical mentions.

    `gazetteer` should be strict, because punctuation is no part of a mention. The labels are marked as those of the
    gazetteer (`set_distant`).
    """
    for holder in holders_of(document):
        holder.annotations.clear()
        holder.relations.clear()
    defined = ((definition.short_form, definition.long_form) for definition in define(document).definitions)
    short_forms = ShortForms(defined, lambda long_form: _means_chemical(gazetteer, long_form))
    ids = fresh_ids(document, "G")
    by = annotator("distant", gazetteer.version)
    number = 0
    for passage in document.passages:
        text = passage_text(passage)
        for start, end, type in _labels(plain(text), gazetteer, short_forms):
            span = (passage.offset + start, passage.offset + end)
            add_mention(passage, [span], id=next(ids), annotator=by, type=type, text=text)
            number += type == CHEMICAL
    set_distant(document)
    return number


def remove_unlabelled(document: BioCDocument) -> None:
    """Remove the passages without a chemical mention. The offsets of the others stay as they are."""
    labelled = {id(mention.passage) for mention in mentions(document)}
    document.passages = [passage for passage in document.passages if id(passage) in labelled]


def _labels(text: str, gazetteer: Gazetteer, short_forms: ShortForms) -> list[tuple[int, int, str]]:
    """Start, end and type of each label in a text in plain characters, in order, without overlaps.

    Names that annotators marked are sure only where MeSH has them as (doubtful) chemicals.
    """
    annotated = gazetteer.annotated(text)
    marked = set(annotated)
    (names,) = gazetteer.every_name([text])
    covered = bytearray(len(text))
    labels: list[tuple[int, int, str]] = []
    for start, end, value in short_forms.beside(text, names):
        covered[start:end] = b"\1" * (end - start)
        if isinstance(value, bool):  # a short form; False if it does not mean a chemical
            labels += [(start, end, CHEMICAL)] if value else []
        else:
            sure = value == SURE or (value == DOUBTFUL and (start, end) in marked)
            sure = sure and not part_of_longer_name(text, start, end)
            labels.append((start, end, CHEMICAL if sure else MASKED))
    labels += [(start, end, MASKED) for start, end in annotated if not any(covered[start:end])]
    return sorted(labels)


def _means_chemical(gazetteer: Gazetteer, long_form: str) -> bool | None:
    """Whether a long form is the name of a chemical; None if it has a chemical or masked name among other words."""
    labels = _labels(plain(long_form), gazetteer, NO_SHORT_FORMS)
    if not labels:
        return False
    return True if labels == [(0, len(long_form), CHEMICAL)] else None
