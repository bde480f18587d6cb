"""How processor time grows with the length of a text, and with the parts of an article.

    python -m benchmarks.speed.linear_time [texts|articles|parts|runs|commands]

Texts: for each text that makes other programs slow, the time of LENGTH characters and of four times as many, the best
of three: linear is 4, quadratic 16. Articles: the times for four SIZES (passages, mentions, annotations of the
document, relations and index terms each; nested mentions for pages), and the growth from the second size to the last,
which is four times as large. A growth above LIMIT is measured again. Formats whose package is not installed are left
out. Parts: the same for articles in which only the mentions of one passage grow, only the infons, or only the
relations. Runs: the same for the outputs of a run, with as many sources that are empty, or have one article, and for
the evaluation of a tenth as many articles. Commands: the same for whole commands over a tenth as many files, or
members of an archive. Many similar articles, and files of many tiny ones, are in
`benchmarks.speed.linear_collections`. Ends with 1 when a growth is above LIMIT. No data is needed.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation

from corpora.extras import installed
from corpora.formats.format import Joined
from corpora.formats.header import Header
from corpora.formats.registry import formats, readable, writable
from corpora.model.document import IndexTerm, add_index_terms, add_mention, clear_identifiers, definitions, mentions
from corpora.model.invariant import check
from corpora.reading import parse
from corpora.reporting import ignore
from corpora.storage.owned_folder import OwnedFolder
from indexing.terms.candidates import candidates_of
from nlmchem.abbreviations import detect
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.outputs import Outputs
from nlmchem.engine.tasks import TaskResult
from nlmchem.evaluation.articles import ArticlePair, article
from nlmchem.evaluation.matches import match
from nlmchem.report.view.article import View, render
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from nlmchem.tagging.tokenization.sentences import sentences
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

MEMORY_DISK = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where files are written: the time of a disk would decide otherwise."""
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
    groups = {"texts": texts, "articles": articles, "parts": parts, "runs": runs, "commands": commands}
    chosen = sys.argv[1:] or list(groups)
    return int(max(groups[name]() for name in chosen) > LIMIT)


def runs() -> float:
    """The steepest growth of what a run and an evaluation do for each source or article."""
    stages: list[tuple[str, Callable[[int], object]]] = [
        ("empty sources", partial(outputs_of, empty=True)),
        ("small sources", partial(outputs_of, empty=False)),
        ("evaluation", evaluated),
    ]
    return max(growth(name, [partial(stage, size) for size in SIZES]) for name, stage in stages)


COMMANDS = {
    "convert": "convert in out --format biocxml",
    "convert, members": "convert in.zip out --format jsonl",
    "convert to brat": "convert in out --format brat",
    "view": "view in -o out",
    "evaluate": "evaluate spans in in --samples 10",
    "ensemble": "ensemble identifiers in.zip in --workers 1 -o out",
    "keyphrases": "keyphrases in --json",
    "abbreviations": "abbreviations in --json",
    "split": "corpora split in -o out",
}


def commands() -> float:
    """The steepest growth of commands over files, or members of an archive."""
    return max(
        growth(name, [partial(run_command, line, size // 10) for size in SIZES]) for name, line in COMMANDS.items()
    )


def run_command(line: str, size: int) -> None:
    """Run a command in a new folder with `size` articles. To write them takes little of the time."""
    from nlmchem.cli.app import program

    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as name, contextlib.chdir(name):
        with zipfile.ZipFile("in.zip", "w") as archive:
            Path("in").mkdir()
            for number in range(size):
                article = json.dumps({"documents": [written_by_hand(number)]})
                archive.writestr(f"{number}.json", article)
                Path("in", f"{number}.json").write_text(article)
        with (
            Path("printed").open("w") as printed,
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            program().main(line.split(), standalone_mode=False)


def written_by_hand(number: int) -> dict[str, object]:
    """An article with 20 infons, mentions and relations."""
    text = f"Alanine aminotransferase (ALT) and glucose {number} were measured. " * 20
    starts = [at.start() for at in re.finditer("glucose", text)]
    mentions = [
        {"id": f"M{start}", "infons": {"type": "Chemical", "identifier": "MESH:D005947"}, "text": "glucose",
         "locations": [{"offset": start, "length": 7}]}
        for start in starts
    ]  # fmt: skip
    nodes = [{"refid": f"M{start}", "role": "x"} for start in starts[:2]]
    relations = [{"id": f"R{start}", "infons": {"type": "x"}, "nodes": nodes} for start in starts]
    infons = {f"key {n}": "value" for n in range(20)}
    passage = {"offset": 0, "infons": infons, "text": text, "annotations": mentions, "relations": relations}
    return {"id": str(number), "passages": [passage]}


def outputs_of(size: int, empty: bool) -> None:
    """The outputs of sources without article, or with one article each, flushed together."""
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as name:
        ledger = Ledger(Path(name) / ".nlmchem" / "ledger.sqlite")
        files = OwnedFolder(Path(name), among_others=True)
        outputs = Outputs(files, Path(name) / ".nlmchem" / "parts", ledger, writable("jsonl"))
        with ledger.transaction():
            sources = [ledger.add_source(f"{n}.xml", None, PurePosixPath(f"{n}.jsonl")) for n in range(size)]
        for source in sources:
            outputs.begin(source)
            if not empty:
                outputs.awaiting(source.id)
            outputs.read(source, None, Header())
            if not empty:
                outputs.add(TaskResult(source.id, 0, "hash", fragment=b"{}\n"))
        outputs.flush()
        ledger.close()


def evaluated(size: int) -> None:
    """Spans of a tenth as many articles, compared with themselves."""
    for number in range(size // 10):
        side = article(short_article(number))
        match(ArticlePair(str(number), side, side), "Chemical", "run", ignore)


def short_article(number: int) -> BioCDocument:
    document, passage = BioCDocument(), BioCPassage()
    document.id, passage.text = str(number), "glucose and ethanol"
    document.add_passage(passage)
    add_mention(passage, [(0, 7)], id="M1", annotator=None)
    return document


def growth(name: str, works: Sequence[Callable[[], object]]) -> float:
    def measured() -> float:
        times[:] = [seconds(work) for work in works]
        return times[-1] / max(times[1], SHORTEST)

    times: list[float] = []
    steepness = steady(measured)
    print(f"{name:16} " + " ".join(f"{spent:8.3f} s" for spent in times) + f"  growth {steepness:4.1f}")
    return steepness


def articles() -> float:
    """The steepest growth of the stages and formats on articles of many parts."""
    lexicon = Lexicon.open()
    sides = {size: article(many_parts(size)) for size in SIZES}
    pairs = {size: ArticlePair("1", side, side) for size, side in sides.items()}
    stages: list[tuple[str, Callable[[BioCDocument], object]]] = [
        ("definitions", lambda document: list(definitions(document))),
        ("invariant", check),
        ("indexing", lambda document: candidates_of(document, lexicon)),
        ("index terms", lambda document: add_index_terms(document, [IndexTerm(f"MESH:D{n}") for n in range(2000)])),
        ("normalization", lambda document: normalized(document, Normalizer(lexicon))),
        ("evaluation", article),
        ("matching", lambda document: match(pairs[len(document.passages)], "Chemical", "run", ignore)),
    ]
    works = {
        **{name: [partial(stage, many_parts(size)) for size in SIZES] for name, stage in stages},
        **of_formats(many_parts),
        "view, nested": [partial(viewed, nested(size)) for size in SIZES],
    }
    return max(growth(name, of_sizes) for name, of_sizes in works.items())


def parts() -> float:
    """The steepest growth of formats, pages and checks where one kind of part grows alone."""
    steepest = 0.0
    for kind, made in (("mentions", two_passages), ("infons", many_infons), ("relations", many_relations)):
        print(f"{kind}:")
        stages: dict[str, Callable[[BioCDocument], object]] = {
            "view": viewed,
            "invariant": check,
            "definitions": lambda document: list(definitions(document)),
        }
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


def many_infons(size: int) -> BioCDocument:
    """An article whose document, passage, mention and relation have `size` infons each."""
    document = two_passages(2)
    passage = document.passages[0]
    add_relation(passage, "R", 0, 1)
    for holder in (document, passage, passage.annotations[0], passage.relations[0]):
        holder.infons |= {f"key {number}": f"value {number}" for number in range(size)}
    return document


def many_relations(size: int) -> BioCDocument:
    """An article with `size` relations of two mentions."""
    document = two_passages(2)
    for number in range(size):
        add_relation(document.passages[0], f"R{number}", 0, 1)
    return document


def two_passages(size: int) -> BioCDocument:
    """An article with `size` mentions in the first of two passages."""
    document, first, second = BioCDocument(), BioCPassage(), BioCPassage()
    document.id, first.text, second.text = "1", "glucose, " * size, "ethanol"
    first.infons, second.infons, second.offset = {"type": "title"}, {"type": "abstract"}, len(first.text) + 1
    document.passages = [first, second]
    for number in range(size):
        add_mention(first, [(9 * number, 9 * number + 7)], id=f"M{number}", annotator=None)
    return document


def add_relation(passage: BioCPassage, id: str, first: int, second: int) -> None:
    """Add a relation of two mentions of a passage, given by their positions."""
    relation = BioCRelation()
    relation.id, relation.infons = id, {"type": "binds"}
    relation.nodes = [BioCNode(passage.annotations[at].id, "Chemical") for at in (first, second)]
    passage.add_relation(relation)


def parsed(name: str, raw: bytes) -> list[BioCDocument]:
    """The articles of a file with one article, which `written` returned."""
    writer, reader = writable(name), readable(name)
    if not isinstance(writer, Joined):
        return [parse(name, raw, "1", ignore)]
    file = io.BytesIO()
    writer.write([raw], Header(), file)
    file.seek(0)
    return [parse(name, part, "1", ignore) for part in reader.split(file, Header(), ignore)]


def viewed(document: BioCDocument) -> str:
    return render(View(article(document), (), None, None), lambda identifier, name: None)


def nested(size: int) -> BioCDocument:
    """An article with `size` mentions, each inside of the one before it."""
    document, passage = BioCDocument(), BioCPassage()
    document.id, passage.text = "1", "a" * (2 * size)
    document.add_passage(passage)
    for depth in range(size):
        add_mention(passage, [(depth, 2 * size - depth)], id=f"M{depth}", annotator=None)
    return document


def normalized(document: BioCDocument, normalizer: Normalizer) -> None:
    for mention in mentions(document):
        clear_identifiers(mention)
    normalizer([document])


def written(name: str, document: BioCDocument) -> bytes:
    # Europe PMC needs an identifier.
    document.infons.setdefault("article-id_pmid", "1")
    return writable(name).dumps(document, ignore)


def many_parts(size: int) -> BioCDocument:
    """An article with `size` passages, mentions in one passage, annotations of the document, and relations."""
    document = BioCDocument()
    document.id = "1"
    text = "glucose and ethanol"
    first = BioCPassage()
    first.infons = {"section_type": "TITLE", "type": "title"}
    first.text = "sodium chloride, glucose " * size
    document.add_passage(first)
    for number in range(size):
        mention = add_mention(first, [(25 * number + 17, 25 * number + 24)], id=f"M{number}", annotator=None)
        mention.annotation.infons["identifier"] = f"MESH:D{number:06}"
    offset = len(first.text) + 1
    for number in range(size - 1):
        passage = BioCPassage()
        passage.offset, passage.text = offset, text
        passage.infons = {"section_type": "RESULTS", "type": "paragraph"}
        relation = BioCRelation()
        relation.id, relation.infons = f"R{number}", {"type": "ABBR"}
        passage.add_relation(relation)
        document.add_passage(passage)
        annotation = BioCAnnotation()
        annotation.id, annotation.text, annotation.infons = f"D{number}", "ethanol", {"type": "Chemical"}
        annotation.add_location(BioCLocation(offset + 12, 7))
        document.add_annotation(annotation)
        offset += len(text) + 1
    return document


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
