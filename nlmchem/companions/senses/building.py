"""Builds a dictionary and the contexts of its senses: records of articles, groups of long forms, and arrays.

The merge of `nlmchem.abbreviations.dictionary` keeps `wild-type` and `wildtype` apart, or `functional MRI` and
`functional magnetic resonance imaging`. For a choice among senses they are one sense (`Groups`).
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.arrays import one_thread
from corpora.errors import ConfigurationError
from corpora.extras import require
from corpora.model.document import Definition
from corpora.model.metadata import publication_year, texts_of, word_counts
from corpora.model.passages import passage_text
from corpora.words.english import folded
from corpora.words.folding import alphanumeric
from corpora.words.short_texts import cached
from nlmchem.abbreviations.dictionary import Builder, Defined, key_of
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.inventory import InventorySense
from nlmchem.companions.senses.choice import MOST_ARTICLES
from nlmchem.companions.senses.names import NameFinder, by_key, spelt

LONGEST_SHORT, LONGEST_LONG = 20, 100
"""Characters of the forms in a dictionary."""
MOST_WORDS = 10
"""Words of a long form in a dictionary: those of the window of the detector. Entries of lists can be longer."""
_PUNCTUATION = re.compile(r"[.!?;:]\s|[=<>~∼]|\s[-–—]\s|\(\w\)")
_GAP = re.compile(r"[\W_]+")
_SHORT = re.compile(r"[A-Z][A-Z0-9]+(?=s?\b)")
_POSSESSIVE = re.compile(r"['’`´]s?\b|\bs\b")
_SPELLINGS = (("ph", "f"), ("phorous", "phorus"), ("indices", "index"), ("indexes", "index"), ("analyses", "analysis"))
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+")
_GREEK = frozenset("alpha beta gamma delta epsilon kappa lambda mu zeta theta omega i ii iii iv v vi".split())  # noqa: SIM905
DOMINANT = 0.6
"""A short form inside a long form is expanded if its most frequent sense has at least this share."""
FEWEST_WORDS = 2
MOST_EXCESS = 2


DefinitionPair = tuple[str, str, int]
"""A definition of an article: short form, long form, and how often the long form stands in the article."""


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """One article: its distinct definitions, the numbers and counts of its folded words, and the names in it."""

    document: str
    pairs: tuple[DefinitionPair, ...]
    words: NDArray[np.int32]
    counts: NDArray[np.int32]
    year: int | None = None
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Records:
    """The records of many articles, their common numbering of words, and the names that were searched for."""

    finder: NameFinder
    numbers: dict[str, int] = field(default_factory=dict)
    records: list[ArticleRecord] = field(default_factory=list)


def read_records(
    documents: Iterable[BioCDocument],
    detect: Callable[[BioCDocument], Iterable[Definition]],
    finder: NameFinder | None = None,
) -> Records:
    """The records of all articles, with the text of one article in memory at a time."""
    records = Records(finder or NameFinder(()))
    numbers = records.numbers
    for document in documents:
        distinct = dict.fromkeys(
            (" ".join(definition.short_form.split()), " ".join(definition.long_form.split()))
            for definition in detect(document)
        )
        text = _plain("\n".join(map(passage_text, document.passages))) if distinct else ""
        pairs = tuple(
            (short, long, max(1, text.count(_plain(long).rstrip())))
            for short, long in distinct
            if is_entry(short, long)
        )
        counted = sorted((numbers.setdefault(word, len(numbers)), n) for word, n in word_counts(document).items())
        words, counts = np.array(counted, dtype=np.int32).reshape(-1, 2).T
        names = tuple(sys.intern(name) for name in sorted(records.finder.find(texts_of(document))))
        year = publication_year(document)
        records.records.append(ArticleRecord(str(document.id), pairs, words, counts, year, names))
    return records


def is_entry(short_form: str, long_form: str) -> bool:
    """Whether a definition can be an entry of a dictionary: an acronym and a name, not a sentence or a formula.

    >>> is_entry("ER", "endoplasmic reticulum"), is_entry("FM", "female. (B) The next panel"), is_entry("XY", "d = 2")
    (True, False, False)
    """
    return (
        len(short_form) <= LONGEST_SHORT
        and looks_like_acronym(short_form)
        and 0 < len(long_form) <= LONGEST_LONG
        and len(long_form.split()) <= MOST_WORDS
        and not _PUNCTUATION.search(long_form)
    )


def _plain(text: str) -> str:
    return f" {_GAP.sub(' ', text.lower())} "


Counts = Mapping[str, Mapping[str, int]]
"""For each short form, its long forms with the number of articles."""


@dataclass(slots=True)
class Groups:
    """The keys of long forms. `identify` returns the identifier of a concept with this name, or None."""

    dominant: Mapping[str, str] = field(default_factory=dict)
    identify: Callable[[str], str | None] | None = None

    @classmethod
    def of(cls, counts: Counts, identify: Callable[[str], str | None] | None = None) -> Groups:
        """Groups that expand the unambiguous short forms inside long forms."""
        dominant = {}
        for short, longs in counts.items():
            best = min(longs, key=lambda long: (-longs[long], long))
            if longs[best] > 1 and longs[best] >= DOMINANT * sum(longs.values()):
                dominant[short] = best
        return cls(dominant, identify)

    def keys(self, long_form: str, short_form: str) -> Iterator[str]:
        """The keys of a long form. Long forms with a common key are one sense."""
        plain = self._expanded(long_form, short_form)
        words = words_of(plain)
        yield "joined " + "".join(words)
        # Stems of parts and wholes differ: `post-operative` and `postoperative`.
        yield "letters " + "".join(map(folded, _WORD.findall(_same_spelling(plain))))
        # In short names the order counts.
        if len(words) > 2:
            yield "bag " + " ".join(sorted(words))
        if self.identify is not None:
            for name in dict.fromkeys((long_form, plain)):
                concept = self.identify(name)
                if concept is not None:
                    yield "concept " + concept

    def _expanded(self, long_form: str, short_form: str) -> str:
        def expand(match: re.Match[str]) -> str:
            return self.dominant.get(match[0], match[0]) if match[0] != short_form else match[0]

        return _SHORT.sub(expand, long_form) if len(long_form) > len(short_form) else long_form

    def heads(self, short_form: str, counts: Mapping[str, int]) -> dict[str, str]:
        """For each long form of a short form, the most frequent one of its group."""
        head_of: dict[str, str] = {}
        by_key: dict[str, str] = {}
        heads: list[tuple[str, tuple[str, ...]]] = []
        for long in sorted(counts, key=lambda long: (-counts[long], long)):
            keys = list(self.keys(long, short_form))
            words = words_of(self._expanded(long, short_form))
            head = next((by_key[key] for key in keys if key in by_key), None)
            if head is None:
                numbers = frozenset(_NUMBER.findall(short_form))
                head = next((other for other, head_words in heads if _contains(head_words, words, numbers)), None)
            if head is None:
                head = long
                heads.append((long, words))
            head_of[long] = head
            for key in keys:
                by_key.setdefault(key, head)
        return head_of


@cached(1 << 18)
def words_of(long_form: str) -> tuple[str, ...]:
    """The stems of the words of a long form, with one spelling for variants."""
    text = _same_spelling(long_form)
    # Stemming is repeated: `collisional` becomes `collision`, and `collision` becomes `collis`.
    return tuple(key_of(key_of(text)).split())


def _same_spelling(long_form: str) -> str:
    text = _POSSESSIVE.sub(" ", long_form.lower())
    for written, same in _SPELLINGS:
        text = text.replace(written, same)
    return text


def _contains(words1: tuple[str, ...], words2: tuple[str, ...], numbers: frozenset[str]) -> bool:
    """Whether one long form is the other one with few words before or after it: `... System for rice`.

    `numbers` are those of the short form: SOD1 is `superoxide dismutase` as well as `superoxide dismutase 1`.
    """
    short, long = sorted((words1, words2), key=len)
    if not short or not 0 < len(long) - len(short) <= MOST_EXCESS:
        return False
    if long[: len(short)] == short:
        excess = long[len(short) :]
    elif long[-len(short) :] == short:
        excess = long[: -len(short)]
    else:
        return False
    if numbers and set(excess) == numbers:
        return True
    # `receptor 1` and `receptor alpha` are not `receptor`.
    return len(short) >= FEWEST_WORDS and all(
        len(word) > 2 and word.isalpha() and word not in _GREEK for word in excess
    )


FEWEST, MOST_SHARE = 4, 0.35
"""A word of the vocabulary is in at least so many articles, and in at most this share of them."""
ITERATIONS = 4


@dataclass(frozen=True, slots=True)
class BuildingOptions:
    """Sizes: words of the vocabulary, words of an article, numbers of a word vector."""

    words: int = 30_000
    terms: int = 128
    width: int = 96
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Built:
    """A dictionary, and the arrays of the context index of its senses and names."""

    rows: tuple[tuple[str, InventorySense], ...]
    names: tuple[tuple[str, InventorySense], ...]  # names of concepts with their keys
    arrays: Mapping[str, NDArray[Any]]
    forms: Mapping[str, Mapping[str, str]]  # the spelling that is kept of each long form


def build(records: Records, options: BuildingOptions, identify: Callable[[str], str | None] | None = None) -> Built:
    """Make the dictionary and the context index. `identify`: as in `Groups`.

    Equal records in equal order give equal arrays on one machine.
    """
    builder = Builder()
    for record in records.records:
        builder.add(Defined(record.document, tuple((short, long) for short, long, _ in record.pairs)))
    forms = builder.forms()
    counts = {
        short: {long: len(numbers) for long, numbers in longs.items()}
        for short, longs in _articles(records.records, forms).items()
    }
    groups = Groups.of(counts, identify)
    heads = {short: groups.heads(short, longs) for short, longs in counts.items()}
    forms = {short: {long: heads[short][best] for long, best in kept.items()} for short, kept in forms.items()}
    # By short form, the most frequent sense first.
    senses = [
        (short, long, tuple(sorted(longs[long])))
        for short, longs in sorted(_articles(records.records, forms).items())
        for long in sorted(longs, key=lambda long: (-len(longs[long]), long))
    ]
    # The articles that contain each name.
    where: dict[str, list[int]] = defaultdict(list)
    for number, record in enumerate(records.records):
        for name in record.names:
            where[name].append(number)
    named = by_key(records.finder, where)
    rows, lists = [], []
    for row, (short, long, defining) in enumerate(senses):
        words, grade = _named(long, named.get(alphanumeric(short), ()), records.finder)
        lists.append(tuple(dict.fromkeys((*defining, *where.get(words, ())))))
        identifier = records.finder.names[words][1] if words else ""
        all_years = [year for number in defining if (year := records.records[number].year) is not None]
        years = (min(all_years), max(all_years)) if all_years else None
        rows.append((short, InventorySense(long, len(defining), years, row, grade, len(lists[-1]), identifier)))
    names = []
    defined = {(alphanumeric(short), key_of(long)) for short, long, _ in senses}
    for key, entries in named.items():
        for words, grade in entries:
            name, identifier = records.finder.names[words]
            if (key, key_of(name)) not in defined:
                defined.add((key, key_of(name)))
                lists.append(tuple(where.get(words, ())))
                names.append((key, InventorySense(name, 0, None, len(lists) - 1, grade, len(lists[-1]), identifier)))
    lists = [numbers[:MOST_ARTICLES] for numbers in lists]
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    articles = np.array([article for numbers in lists for article in numbers], dtype=np.uint16)
    return Built(tuple(rows), tuple(names), {**_words(records, options), "starts": starts, "articles": articles}, forms)


def _named(long_form: str, names: Sequence[tuple[str, int]], finder: NameFinder) -> tuple[str, int]:
    """The name that equals a long form, with its grade (0: without the key of the short form); empty without one."""
    words = " ".join(spelt(long_form))
    key = key_of(long_form) if names else ""
    for name, grade in names:
        if name == words or key_of(finder.names[name][0]) == key:
            return name, grade
    return (words, 0) if words in finder.names else ("", 0)


def _articles(
    records: Sequence[ArticleRecord], forms: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, set[int]]]:
    """For each short form, its senses with the numbers of the articles that define them."""
    articles: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, record in enumerate(records):
        for short, long, _ in record.pairs:
            articles[short][forms[short][long]].add(number)
    return articles


def _words(records: Records, options: BuildingOptions) -> dict[str, NDArray[Any]]:
    """The vocabulary, the words of each article with the highest TF-IDF, and the vectors of both."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    counted: Counter[int] = Counter()
    for record in records.records:
        counted.update(record.words.tolist())
    words = list(records.numbers)
    most = max(MOST_SHARE * len(records.records), FEWEST)
    vocabulary = [(-number, words[word]) for word, number in counted.items() if FEWEST <= number <= most]
    vocabulary = sorted(vocabulary)[: options.words]
    names, frequencies = [name for _, name in vocabulary], [-number for number, _ in vocabulary]
    if not names:
        raise ConfigurationError(
            f"no word is in at least {FEWEST} articles and in at most {MOST_SHARE:.0%} of them; give more articles"
        )
    place = np.full(len(records.numbers), -1, dtype=np.int64)
    for number, name in enumerate(names):
        place[records.numbers[name]] = number
    idf = np.log(len(records.records) / np.array(frequencies))
    shape = len(records.records), options.terms
    terms, weights = np.zeros(shape, dtype=np.uint16), np.zeros(shape, dtype=np.uint8)
    for row, record in enumerate(records.records):
        ids = place[record.words]
        known = ids >= 0
        ids = ids[known]
        values = (1 + np.log(record.counts[known])) * idf[ids]
        best = np.sort(np.lexsort((ids, -values))[: options.terms])
        scaled = np.rint(values[best] / max(values.max(initial=0), 1e-9) * 255)
        terms[row, : len(best)], weights[row, : len(best)] = ids[best], scaled
    lengths = np.sqrt((weights.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    units = weights / np.where(lengths, lengths, 1)
    matrix = csr_matrix(
        (units.ravel(), terms.ravel().astype(np.int64), np.arange(0, units.size + 1, options.terms)),
        shape=(len(terms), len(names)),
    )
    width = max(1, min(options.width, min(matrix.shape) - 1))
    require("sklearn", extra="train", purpose="training word vectors")
    from sklearn.utils.extmath import randomized_svd  # type: ignore[import-untyped]

    with one_thread():
        _, _, components = randomized_svd(matrix, width, n_iter=ITERATIONS, random_state=options.seed)
    vectors = _integers(components.T)
    return {
        "words": np.frombuffer("\n".join(names).encode(), dtype=np.uint8),
        "frequencies": np.array(frequencies, dtype=np.uint16),
        "size": np.array([len(records.records)], dtype=np.int32),
        "terms": terms,
        "weights": weights,
        "vectors": vectors,
        "places": _integers(np.asarray(matrix @ (vectors.astype(np.float64))), by_row=True),
    }


def _integers(values: NDArray[np.float64], by_row: bool = False) -> NDArray[np.int8]:
    """Values as integers up to 127: of the whole array, or of each row."""
    most = np.abs(values).max(axis=1, keepdims=True) if by_row else np.abs(values).max(initial=0)
    rounded: NDArray[np.float64] = np.rint(values / np.maximum(most, 1e-12) * 127)
    return rounded.astype(np.int8)
