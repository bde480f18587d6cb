"""Makes an acronym dictionary from articles, and samples for acronym disambiguation.

A definition counts once per article. Spellings of the same long form are merged: first by the stems of their words,
then by edit distance. The most frequent spelling is kept. Samples use the rule of one sense per discourse (Gale et al.
1992): if an article defines an acronym once, other sentences with the acronym have that sense. The resources follow
GLADIS (Chen et al. 2023) and SciAD (Pouran Ben Veyseh et al. 2020). They are written in the format of GLADIS, which
`corpora.datasets` reads.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

from bioc import BioCDocument
from rapidfuzz.distance import DamerauLevenshtein

from corpora.datasets.acronyms import AcronymSense
from corpora.model.document import Definition, Mention, Span, mentions
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import REF
from corpora.storage.owned_files import OwnedFolder
from corpora.words.english import LINKING_WORDS
from corpora.words.folding import FINAL_SIGMA, GREEK_NAME_OF, MICRO
from corpora.words.short_texts import cached
from nlmchem.abbreviations.identification import looks_like_acronym

Detector = Callable[[BioCDocument], Iterable[Definition]]
"""Returns the definitions of an article."""
Splitter = Callable[[str], Iterable[Span]]
"""Returns the spans of the sentences of a text."""

DICTIONARY, SAMPLES = "dictionary.json", "samples.jsonl"
"""The files of a dictionary."""
PARTS = {"train": 0.7, "dev": 0.1, "test": 0.2}
"""The shares of acronyms, or of pairs of acronym and long form, in the parts of the samples."""
EDITS_PER = 8
"""One edit is allowed per this number of letters of a long form."""
MOST_EDITS = 2
COMMON = 3
"""A word in at least this many long forms is not a misspelling."""
SHORTEST_SENTENCE = 4
LONGEST_SENTENCE = 120
"""Tokens. Longer sentences are tables or lists."""

_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\s\w]|_")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_SPELLINGS = (("our", "or"), ("ae", "e"), ("oe", "e"), ("isation", "ization"), ("ise", "ize"), ("yse", "yze"))
_GREEK = {**GREEK_NAME_OF, MICRO: "mu", FINAL_SIGMA: "sigma"}


@dataclass(frozen=True, slots=True)
class DictionarySample:
    """A sentence with an acronym that its article defines elsewhere. `position`: the index of the acronym."""

    document: str
    tokens: tuple[str, ...]
    position: int
    short_form: str
    long_form: str


@dataclass(frozen=True, slots=True)
class Defined:
    """The definitions of an article: distinct (short form, long form) pairs, and its samples."""

    document: str
    pairs: tuple[tuple[str, str], ...]
    samples: tuple[DictionarySample, ...] = ()


@dataclass(frozen=True, slots=True)
class DictionarySummary:
    """The counts of a dictionary and its sources. `merged`: spellings that were replaced by another one."""

    articles: int
    defining: int
    pairs: int
    short_forms: int
    long_forms: int
    merged: int
    ambiguous: int
    samples: int


def observations(
    documents: Iterable[BioCDocument], detect: Detector, sentences: Splitter | None, per_pair: int = 3
) -> Iterator[Defined]:
    """The definitions of each article, with one article in memory at a time. Samples need a sentence splitter.

    `per_pair`: the number of samples of a pair from one article, spread over the article.
    """
    for document in documents:
        definitions = list(detect(document))
        forms = ((definition.short_form, definition.long_form) for definition in definitions)
        pairs = dict.fromkeys((" ".join(short.split()), " ".join(long.split())) for short, long in forms)
        kept = tuple(pair for pair in pairs if all(pair))
        samples = tuple(_samples(document, definitions, kept, sentences, per_pair)) if sentences and kept else ()
        yield Defined(str(document.id), kept, samples)


def linked_pairs(document: BioCDocument) -> Iterator[Definition]:
    """A detector for articles with linked mentions: acronyms with the names of their concepts, at the first places.

    If all mentions of an acronym in an article have the same concept, and it also mentions the concept by a name, the
    name is the sense of the acronym there (one sense per discourse, as SciAD used it: Pouran Ben Veyseh et al. 2020). A
    name is longer than the acronym, begins with a letter of it, and is no acronym. The most frequent name is used; of
    equal ones the longest, then the first in sort order.
    """
    concepts: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    first: dict[str, Mention] = {}
    names: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for mention in mentions(document, None):
        text = " ".join(mention.text.split())
        if not text or not mention.identifiers:
            continue
        first.setdefault(text, mention)
        if looks_like_acronym(text):
            concepts[text].add(mention.identifiers)
        else:
            names[mention.identifiers][text] += 1
    for short, linked in concepts.items():
        if len(linked) != 1:
            continue
        counts = names[linked.pop()]
        letters = {letter for letter in short.casefold() if letter.isalpha()}
        possible = [name for name in counts if len(name) > len(short) and name[0].casefold() in letters]
        if possible:
            long = min(possible, key=lambda name: (-counts[name], -len(name), name))
            yield Definition(short, long, first[short].spans[0], first[long].spans[0], "Linked")


def _samples(
    document: BioCDocument,
    definitions: Sequence[Definition],
    pairs: Sequence[tuple[str, str]],
    sentences: Splitter,
    per_pair: int,
) -> Iterator[DictionarySample]:
    meanings: dict[str, set[str]] = defaultdict(set)
    for short, long in pairs:
        meanings[short].add(key_of(long))
    # If an article defines an acronym in two ways, the sense of a sentence is not known.
    senses = {short: long for short, long in reversed(pairs) if len(meanings[short]) == 1}
    defining = sorted(definition.short_span for definition in definitions)
    hits: dict[str, list[DictionarySample]] = defaultdict(list)
    for sentence, span in _sentences(document, sentences):
        # Tokenizing a sentence takes longer than searching for a substring.
        possible = [short for short in senses if short in sentence]
        if not possible or any(span[0] <= start < span[1] for start, _ in defining):
            continue
        tokens = tuple(_TOKEN.findall(sentence))
        if not SHORTEST_SENTENCE <= len(tokens) <= LONGEST_SENTENCE:
            continue
        for short in possible:
            # A sentence with the long form would contain the answer.
            if short in tokens and key_of(senses[short]) not in key_of(sentence):
                hits[short].append(
                    DictionarySample(str(document.id), tokens, tokens.index(short), short, senses[short])
                )
    for samples in hits.values():
        step = max(1, len(samples) // per_pair)
        yield from samples[::step][:per_pair]


def _sentences(document: BioCDocument, sentences: Splitter) -> Iterator[tuple[str, Span]]:
    for passage in document.passages:
        if section_type(passage) != REF:
            text = passage_text(passage)
            for start, end in sentences(text):
                yield text[start:end], (passage.offset + start, passage.offset + end)


@cached(1 << 16)
def _stem(word: str) -> str:
    # Not Porter's stemmer: it merges other long forms.
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def key_of(long_form: str) -> str:
    """The stems of the words of a long form, in American spelling, with names for Greek letters.

    Articles and prepositions are left out, unless there are no other words.
    """
    text = "".join(_GREEK.get(character, character) for character in long_form.casefold())
    words = _WORD.findall(text)
    return " ".join(map(_stem, [word for word in words if word not in LINKING_WORDS] or words))


def merged(counts: Mapping[str, int], common: Callable[[str], bool]) -> dict[str, str]:
    """For each long form of one short form, the most frequent of its spellings.

    `common` returns whether the stem of a word is too frequent to be a misspelling. Of equally frequent spellings the
    first in sort order is used.
    """
    by_key: dict[str, list[str]] = defaultdict(list)
    for long in counts:
        by_key[key_of(long)].append(long)
    weights = {key: sum(counts[long] for long in longs) for key, longs in by_key.items()}
    heads: list[str] = []
    head_of: dict[str, str] = {}
    for key in sorted(by_key, key=lambda key: (-weights[key], key)):
        head = next((head for head in heads if _alike(head, key, common)), None)
        if head is None:
            heads.append(key)
        head_of[key] = head or key
    kept: dict[str, str] = {}
    for head in heads:
        longs = [long for key, longs in by_key.items() if head_of[key] == head for long in longs]
        best = min(longs, key=lambda long: (-counts[long], long))
        kept.update(dict.fromkeys(longs, best))
    return kept


def _alike(key: str, other: str, common: Callable[[str], bool]) -> bool:
    allowed = min(MOST_EDITS, min(len(key), len(other)) // EDITS_PER)
    if not allowed or key[0] != other[0] or _DIGITS.findall(key) != _DIGITS.findall(other):
        return False
    if DamerauLevenshtein.distance(key, other, score_cutoff=allowed) > allowed:
        return False
    if key.replace(" ", "") == other.replace(" ", ""):
        return True
    # `nitrate` is not a misspelling of `nitrite`, nor `hypo...` of `hyper...`: other long forms contain these words.
    different = set(key.split()) ^ set(other.split())
    return not all(map(common, different))


@dataclass(slots=True)
class Builder:
    """Counts the articles that define each pair. Memory grows with the number of distinct pairs only."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    articles: int = 0
    defining: int = 0
    pairs: int = 0

    def add(self, defined: Defined) -> None:
        """Add the definitions of an article."""
        self.articles += 1
        self.defining += bool(defined.pairs)
        self.pairs += len(defined.pairs)
        for short, long in defined.pairs:
            self.counts[short][long] += 1

    def forms(self) -> dict[str, dict[str, str]]:
        """For each short form, a map from each long form to the spelling that is kept."""
        words: Counter[str] = Counter()
        for key in {key_of(long) for longs in self.counts.values() for long in longs}:
            words.update(set(key.split()))
        return {short: merged(self.counts[short], lambda word: words[word] >= COMMON) for short in sorted(self.counts)}

    def dictionary(self, forms: Mapping[str, Mapping[str, str]], least: int = 1) -> dict[str, tuple[AcronymSense, ...]]:
        """Short forms with their senses, most frequent first. Senses in fewer than `least` articles are left out."""
        by_form: dict[str, tuple[AcronymSense, ...]] = {}
        for short, kept in forms.items():
            popularity: Counter[str] = Counter()
            for long, count in self.counts[short].items():
                popularity[kept[long]] += count
            ranked = sorted(popularity.items(), key=lambda item: (-item[1], item[0]))
            senses = tuple(AcronymSense(long, count) for long, count in ranked if count >= least)
            if senses:
                by_form[short] = senses
        return by_form


def build(
    defined: Iterable[Defined], spool: IO[str], out: IO[str], seed: int = 0, least: int = 1
) -> tuple[dict[str, tuple[AcronymSense, ...]], DictionarySummary]:
    """Make a dictionary from the definitions of articles. Samples of ambiguous acronyms are written to `out`.

    Samples are stored in `spool` (a temporary text file), because the spelling of a sense is only known at the end.
    They are JSON lines in the format of GLADIS. Each has its article and its part (`train`, `dev`, `test`) in two
    splits: one without common acronyms in two parts (`by_acronym`), one without common pairs (`by_pair`).
    """
    builder = Builder()
    for article in defined:
        builder.add(article)
        for sample in article.samples:
            value = {
                "index": sample.position,
                "short_term": sample.short_form,
                "long_term": sample.long_form,
                "tokens": sample.tokens,
                "document": sample.document,
            }
            spool.write(json.dumps(value) + "\n")
    forms = builder.forms()
    dictionary = builder.dictionary(forms, least)
    spool.seek(0)
    samples = 0
    for line in spool:
        value = json.loads(line)
        short = value["short_term"]
        value["long_term"] = forms[short][value["long_term"]]
        senses = dictionary.get(short, ())
        if len(senses) > 1 and any(sense.long_form == value["long_term"] for sense in senses):
            value["by_acronym"] = part_of(short, seed)
            value["by_pair"] = part_of(f"{short}\t{value['long_term']}", seed)
            out.write(json.dumps(value, ensure_ascii=False) + "\n")
            samples += 1
    written = sum(map(len, forms.values()))
    kept = sum(len(set(longs.values())) for longs in forms.values())
    summary = DictionarySummary(
        articles=builder.articles,
        defining=builder.defining,
        pairs=builder.pairs,
        short_forms=len(dictionary),
        long_forms=sum(map(len, dictionary.values())),
        merged=written - kept,
        ambiguous=sum(len(senses) > 1 for senses in dictionary.values()),
        samples=samples,
    )
    return dictionary, summary


def make(
    defined: Iterable[Defined], folder: Path, samples: bool = True, seed: int = 0, least: int = 1
) -> DictionarySummary:
    """Write `dictionary.json` and, if wanted, `samples.jsonl` into a folder. No partial file is left after an error.

    Raises `ConfigurationError` where the folder or one of the files is not of nlmchem.
    """
    owned = OwnedFolder(folder)
    owned.check(DICTIONARY, *([SAMPLES] if samples else []))
    with owned.staging() as part:
        spool = tempfile.TemporaryFile("w+", encoding="utf-8", dir=part)
        target = (part / SAMPLES).open("w", encoding="utf-8", errors="backslashreplace") if samples else io.StringIO()
        with spool, target as out:
            dictionary, summary = build(defined, spool, out, seed, least)
        (part / DICTIONARY).write_bytes(dumps(dictionary))
    return summary


def dumps(dictionary: Mapping[str, Sequence[AcronymSense]]) -> bytes:
    """A dictionary in the format of GLADIS, `{"ER": [["endoplasmic reticulum", 31], ...]}`, one short form per line."""
    lines = [
        f"{json.dumps(short, ensure_ascii=False)}: "
        + json.dumps([[sense.long_form, sense.popularity] for sense in senses], ensure_ascii=False)
        for short, senses in dictionary.items()
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "backslashreplace")


def part_of(key: str, seed: int, parts: Mapping[str, float] | None = None) -> str:
    """The part of a key. It depends only on the key and the seed."""
    shares = parts or PARTS
    digest = hashlib.sha256(f"{seed}\n{key}".encode("utf-8", "surrogatepass")).digest()
    place = int.from_bytes(digest[:8]) / 2**64 * sum(shares.values())
    for part, share in shares.items():
        place -= share
        if place < 0:
            return part
    return next(reversed(list(shares)))
