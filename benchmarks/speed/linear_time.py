"""How processor time grows with the length of a text, and with the parts of an article.

    python -m benchmarks.speed.linear_time [texts|articles|rows]

Texts: for each text that makes other programs slow, the time of LENGTH characters and of four times as many, the best
of three: linear is 4, quadratic 16. Articles: the times of stages, pages and formats for four SIZES, and the growth
from the second size to the last, which is four times as large. All parts of the article grow together, then only the
mentions of one passage, only the infons, and only the relations; nested mentions for pages. Rows: the times in which
`nlmchem align` places lists of mentions. A growth above LIMIT is measured again. Formats whose package is not installed
are left out. Collections of many articles are in `benchmarks.speed.linear_collections`. Ends with 1 when a growth is
above LIMIT. No data is needed.
"""

from __future__ import annotations

import io
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCRelation

from benchmarks.retrain.sources import document_of
from corpora.extras import installed
from corpora.formats.format import Header, Joined
from corpora.formats.registry import formats, readable, writable
from corpora.model.document import IndexTerm, add_index_terms, add_mention, clear_identifiers, definitions, mentions
from corpora.model.invariant import check
from corpora.reading import parse
from corpora.reporting import ignore
from indexing.terms.candidates import candidates_of
from nlmchem.abbreviations import detect
from nlmchem.evaluation.articles import ArticlePair, article
from nlmchem.evaluation.matches import match
from nlmchem.report.article import View, render
from nlmchem.tagging.lexicon_tagger import LexiconTagger
from nlmchem.tagging.tokenization.tokens import sentences
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

LENGTH = 100_000
LIMIT = 5.3
"""Growth for four times the input: 2.3 for a doubled one."""
ROUNDS = 3
"""Times that a growth above the limit is measured: other programs on the machine make milliseconds longer."""
SIZES = (500, 1000, 2000, 4000)
SHORTEST = 0.002
"""Seconds that a short text counts for at the least: below, the clock decides."""

BRACKETS = ["(", ")", "([", "(1)", "[12, 13] ", "((1)) ", "(1(", "= ", ", ", "1 = 2; ", "..[111 112]", "\t(2)\n"]
WORDS = ["Oil of palmitic acid (PA) and more, ", "(A", "A(", "aaaaaaaa", "(aA) aA ", "A = b ", ", AA,", "A:"]
STOPS = ["..[111 112 113 114 115 116 117 118] ", ".", "a.", "(((", " \n", ". \"'"]
NAMES = ["amino ", "2-", "poly(", "N,N'-", "Na+", "glucose-", "water" + " " * 500, "fatty\u0301 "]
FUZZ = "()[]{}0123456789.,;:=-/ '\"+<>aAb"


def main() -> int:
    groups = {"texts": texts, "articles": articles, "rows": rows}
    return int(max(groups[name]() for name in sys.argv[1:] or groups) > LIMIT)


def growth(name: str, works: Sequence[Callable[[], object]]) -> float:
    def measured() -> float:
        times[:] = [seconds(work) for work in works]
        return times[-1] / max(times[1], SHORTEST)

    times: list[float] = []
    steepness = steady(measured)
    print(f"{name:16} " + " ".join(f"{spent:8.3f} s" for spent in times) + f"  growth {steepness:4.1f}")
    return steepness


def articles() -> float:
    """The steepest growth of stages, pages and formats on articles of many parts."""
    lexicon = Lexicon.open()
    normalizer = Normalizer(lexicon)
    stages: dict[str, Callable[[BioCDocument], object]] = {
        "definitions": lambda document: list(definitions(document)),
        "invariant": check,
        "indexing": lambda document: candidates_of(document, lexicon),
        "index terms": lambda document: add_index_terms(document, [IndexTerm(f"MESH:D{n}") for n in range(2000)]),
        "normalization": lambda document: normalized(document, normalizer),
        "evaluation": evaluated,
        "view": viewed,
    }
    steepest = growth("view, nested", [partial(viewed, nested(size)) for size in SIZES])
    for kind, made in PARTS.items():
        print(f"{kind}:")
        works = {name: [partial(stage, made(size)) for size in SIZES] for name, stage in stages.items()}
        works |= of_formats(made)
        steepest = max(steepest, *(growth(name, of_sizes) for name, of_sizes in works.items()))
    return steepest


Works = dict[str, list[Callable[[], object]]]


def of_formats(made: Callable[[int], BioCDocument]) -> Works:
    """Writing and reading an article of each size in all formats."""
    usable = [format for format in formats() if format.writer and (not format.package or installed(format.package))]
    writing: Works = {
        f"writing {format.name}": [partial(written, format.name, made(size)) for size in SIZES] for format in usable
    }
    reading: Works = {
        f"reading {format.name}": [partial(parsed, format.name, written(format.name, made(size))) for size in SIZES]
        for format in usable
        if format.reader
    }
    return writing | reading


def written(name: str, document: BioCDocument) -> bytes:
    # Europe PMC needs an identifier.
    document.infons.setdefault("article-id_pmid", "1")
    return writable(name).dumps(document, ignore)


def parsed(name: str, raw: bytes) -> list[BioCDocument]:
    """The articles of a file with one article, which `written` returned."""
    writer, reader = writable(name), readable(name)
    if not isinstance(writer, Joined):
        return [parse(name, raw, "1", ignore)]
    file = io.BytesIO()
    writer.write([raw], Header(), file)
    file.seek(0)
    return [parse(name, part, "1", ignore) for part in reader.split(file, Header(), ignore)]


def evaluated(document: BioCDocument) -> object:
    side = article(document)
    return match(ArticlePair("1", side, side), "Chemical", "run", ignore)


def viewed(document: BioCDocument) -> str:
    return render(View(article(document), ()), lambda identifier, name: None)[0]


def normalized(document: BioCDocument, normalizer: Normalizer) -> None:
    for mention in mentions(document):
        clear_identifiers(mention)
    normalizer([document])


def many_parts(size: int) -> BioCDocument:
    """An article with `size` passages, mentions in one passage, annotations of the document, and relations."""
    document = document_of("1", ["sodium chloride, glucose " * size] + ["glucose and ethanol"] * (size - 1))
    first, *others = document.passages
    first.infons = {"section_type": "TITLE", "type": "title"}
    for number in range(size):
        mention = add_mention(first, [(25 * number + 17, 25 * number + 24)], id=f"M{number}", annotator=None)
        mention.annotation.infons["identifier"] = f"MESH:D{number:06}"
    for number, passage in enumerate(others):
        passage.infons = {"section_type": "RESULTS", "type": "paragraph"}
        passage.add_relation(relation(f"R{number}", "ABBR"))
        annotation = BioCAnnotation()
        annotation.id, annotation.text, annotation.infons = f"D{number}", "ethanol", {"type": "Chemical"}
        annotation.add_location(BioCLocation(passage.offset + 12, 7))
        document.add_annotation(annotation)
    return document


def many_mentions(size: int) -> BioCDocument:
    """An article with `size` mentions in the first of two passages."""
    document = document_of("1", ["glucose, " * size, "ethanol"])
    for passage, type in zip(document.passages, ("title", "abstract"), strict=True):
        passage.infons = {"type": type}
    for number in range(size):
        add_mention(document.passages[0], [(9 * number, 9 * number + 7)], id=f"M{number}", annotator=None)
    return document


def many_infons(size: int) -> BioCDocument:
    """An article whose document, passage, mention and relation have `size` infons each."""
    document = many_relations(1)
    passage = document.passages[0]
    for holder in (document, passage, passage.annotations[0], passage.relations[0]):
        holder.infons |= {f"key {number}": f"value {number}" for number in range(size)}
    return document


def many_relations(size: int) -> BioCDocument:
    """An article with `size` relations of two mentions."""
    document = many_mentions(2)
    for number in range(size):
        document.passages[0].add_relation(relation(f"R{number}", "binds", "M0", "M1"))
    return document


PARTS = {"all parts": many_parts, "mentions": many_mentions, "infons": many_infons, "relations": many_relations}


def relation(id: str, type: str, *mentions: str) -> BioCRelation:
    made = BioCRelation()
    made.id, made.infons, made.nodes = id, {"type": type}, [BioCNode(mention, "Chemical") for mention in mentions]
    return made


def nested(size: int) -> BioCDocument:
    """An article with `size` mentions, each inside of the one before it."""
    document = document_of("1", ["a" * (2 * size)])
    for depth in range(size):
        add_mention(document.passages[0], [(depth, 2 * size - depth)], id=f"M{depth}", annotator=None)
    return document


def rows() -> float:
    """The steepest growth of placing lists of mentions in an article."""
    return max(growth(name, [partial(placed, *made(4 * size)) for size in SIZES]) for name, made in ROWS.items())


def placed(texts: Sequence[str], rows: Sequence[dict[str, Any]]) -> object:
    # The companion can be absent.
    from nlmchem.companions.annotators.article_text import ArticleText
    from nlmchem.companions.annotators.placing import place
    from nlmchem.companions.annotators.rows import Row

    return place(ArticleText(document_of("1", texts)), [Row(place="row", **facts) for facts in rows])


def row(text: str, **facts: Any) -> dict[str, Any]:
    return {"text": text, **facts}


ROWS: dict[str, Callable[[int], tuple[Sequence[str], Sequence[dict[str, Any]]]]] = {
    "places": lambda size: (["zinc " * size], [row("zinc")] * 50),
    "rows and places": lambda size: (["zinc " * size], [row("zinc")] * size),
    "parts": lambda size: (["zinc oxide " * size], [row("zinc oxide"), row("zinc"), row("oxide")]),
    "nested rows": lambda size: (["zinc " * size], [row(("zinc " * number).strip()) for number in range(1, 10)]),
    "long rows": lambda size: (
        ["zinc " * size],
        [row(("zinc " * (size // 3 + number)).strip()) for number in range(3)],
    ),
    "one letter": lambda size: (["a" * 5 * size], [row("a" * size), row("a" * 20)]),
    "quotes": lambda size: (["zinc " * size], [row("zinc", quote="zinc " * number) for number in range(5, 15)]),
    "long quotes": lambda size: (["zinc " * size], [row("zinc", quote="zinc " * (size // 4))] * size),
    "folded quotes": lambda size: (["zinc " * size], [row("Zinc", quote="ZINC " * (size // 4))] * size),
    "offsets": lambda size: (["zinc " * size], [row("zinc", start=5 * at, end=5 * at + 4) for at in range(size)]),
    "passages": lambda size: (["zinc rose"] * size, [row("rose", start=5, end=9)] * size),
    "wrong offsets": lambda size: (["of zinc"] * size, [row("is", start=at % 5, end=at % 5 + 2) for at in range(size)]),
}


def texts() -> float:
    """The steepest growth of what reads plain text."""
    tagger = LexiconTagger(Lexicon.open())
    readers: list[tuple[str, Callable[[str], object], list[str]]] = [
        ("abbreviations", detect, BRACKETS + WORDS + list(random_units(40))),
        ("sentences", sentences, STOPS + list(random_units(40))),
        ("lexicon tagger", tagger.find, NAMES + list(random_units(10))),
    ]
    steepest = 0.0
    for name, read, units in readers:
        growth, unit = max((steady(partial(growth_of, read, unit)), unit) for unit in units)
        print(f"{name:15} {len(units):3} texts, steepest {growth:4.1f} times the time for 4 times the text: {unit!r}")
        steepest = max(steepest, growth)
    behind = growth_behind(detect)
    print(f"{'abbreviations':15} 2,000 brackets behind 5 million characters: {behind:.1f} times those alone")
    return max(steepest, behind)


def random_units(number: int) -> Iterator[str]:
    generator = random.Random(20080925)
    for _ in range(number):
        yield "".join(generator.choices(FUZZ, k=generator.randint(1, 40)))


def steady(measure: Callable[[], float]) -> float:
    """A growth that is within the limit in one of the rounds, else that of the last one."""
    for _ in range(ROUNDS):
        if (growth := measure()) <= LIMIT:
            break
    return growth


def growth_of(read: Callable[[str], object], unit: str) -> float:
    text = unit * (4 * LENGTH // len(unit))
    return seconds(partial(read, text)) / max(seconds(partial(read, text[:LENGTH])), SHORTEST)


def growth_behind(read: Callable[[str], object]) -> float:
    """A slice of all that stands before, for each bracket, would take a thousand times as long."""
    brackets, before = " (AB cd ef) and (g HI) in it" * 1000, "x" * 5_000_000
    behind = seconds(partial(read, before + brackets)) - seconds(partial(read, before))
    return behind / seconds(partial(read, brackets))


def seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
