"""Mutations of valid files that other programs make, in all formats: nothing may be lost or changed in silence.

A mutation keeps the content: line ends, joined files, byte order marks, comments, blanks at line ends, other
separators; or it changes what a file states about its content: offsets in other units, ids, a second label, relations,
rows of other kinds. Each result is right, or there is a sentence.

    python tests/support/format_mutations.py [ROUNDS]
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation
from format_probes import jats, jats_set, pubmed
from probe import TEXT

import corpora
from corpora import reading
from corpora.errors import NlmchemError
from corpora.formats import registry
from corpora.formats.format import Folder
from corpora.model.document import every_annotation
from corpora.reporting import ignore
from corpora.storage import inputs
from corpora.storage.members import Selection

_MUTATED = (
    *("biocxml", "biocjson", "jsonl", "pubtator", "conll", "brat", "label-studio", "doccano", "prodigy", "inception"),
    "pubannotation",
    *("text", "lines", "jats", "pubmed", "records", "text-table"),
)
FORMATS = tuple(name for name in _MUTATED if name in registry.FORMATS.names())
"""Without those of companions that are not installed."""
WORDS = ("zinc", "β-carotene", "lead acetate", "fell", "in", "10 mM", "NaCl", "rats", "𝛼-pinene", "Größe", "#", "O")
NAMES = ("zinc", "β-carotene", "lead acetate", "NaCl", "𝛼-pinene")


@dataclass
class Input:
    """Articles, how they are stored, and what the mutations did: `is_wrong` where a sentence is required.

    `only_words`: the mentions are not compared.
    """

    format: str
    chance: random.Random
    documents: list[BioCDocument]
    files: dict[str, bytes] = field(default_factory=dict)
    is_wrong: bool = False
    only_words: bool = False

    def change(self, edit: Callable[[bytes], bytes]) -> None:
        """Change the content of the files that are text."""
        self.files = {name: edit(content) for name, content in self.files.items()}


def article(chance: random.Random, number: int) -> BioCDocument:
    """An article of two passages, with a mention for each name in them."""
    document = BioCDocument()
    document.id = str(number)
    offset = 0
    for section in ("TITLE", "ABSTRACT"):
        words = [chance.choice(WORDS) for _ in range(chance.randrange(2, 9))]
        passage = BioCPassage()
        passage.offset, passage.text = offset, " ".join([*words, chance.choice(NAMES)])
        passage.infons = {"section_type": section, "type": section.lower()}
        reached = 0
        for word in passage.text.split(" "):
            reached += len(word) + 1
            if word in NAMES:
                mark(passage, f"m{number}-{offset}-{reached}", word, offset + reached - len(word) - 1)
        document.add_passage(passage)
        offset += len(passage.text) + 1
    return document


def mark(passage: BioCPassage, id: str, text: str, start: int, type: str = "Chemical") -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id, annotation.text, annotation.infons = id, text, {"type": type}
    annotation.add_location(BioCLocation(start, len(text)))
    passage.add_annotation(annotation)
    return annotation


# -- mutations of articles ----------------------------------------------------------------------


def no_ids(given: Input) -> None:
    """Documents without ids, where the format can have them."""
    if given.format in ("biocxml", "biocjson", "jsonl"):
        for document in given.documents:
            document.id = ""


def other_unit(given: Input) -> None:
    """Offsets in bytes or UTF-16 units, or shifted, where the format states text and offsets."""
    if given.format not in ("biocxml", "biocjson", "jsonl", "pubtator"):
        return
    measure = given.chance.choice((lambda text: len(text.encode()), lambda text: len(text.encode("utf-16-le")) // 2))
    shift = given.chance.choice((0, 0, 1, -1))
    for document in given.documents:
        for passage in document.passages:
            for one in passage.annotations:
                (place,) = one.locations
                start = place.offset - passage.offset
                moved = passage.offset + measure(passage.text[:start]) + shift
                length = measure(passage.text[start : start + place.length])
                given.is_wrong |= (moved, length) != (place.offset, place.length)
                one.locations = [BioCLocation(moved, length)]


def second_label(given: Input) -> None:
    """Another type at the place of a mention."""
    for document in given.documents:
        passage = document.passages[0]
        if passage.annotations:
            first = passage.annotations[0]
            mark(passage, f"{first.id}x", str(first.text), first.locations[0].offset, "Element")


def relation(given: Input) -> None:
    """A relation of two mentions."""
    for document in given.documents:
        passage = document.passages[1]
        if len(passage.annotations) > 1:
            made = BioCRelation()
            made.id, made.infons = "R1", {"type": "r"}
            made.nodes = [BioCNode(one.id, role) for one, role in zip(passage.annotations, "ab", strict=False)]
            passage.add_relation(made)


def loose_mark(given: Input) -> None:
    """A quotation mark before the text of an article, which nothing closes."""
    if given.format == "text-table":
        passage = given.chance.choice(given.documents).passages[0]
        passage.text = f'"{passage.text}'


# -- mutations of files -------------------------------------------------------------------------


def carriage_returns(given: Input) -> None:
    given.change(lambda content: content.replace(b"\n", b"\r"))


def windows_line_ends(given: Input) -> None:
    if given.format != "brat":  # offsets of brat count the line ends of the file
        given.change(lambda content: content.replace(b"\n", b"\r\n"))


def byte_order_mark(given: Input) -> None:
    given.change(lambda content: b"\xef\xbb\xbf" + content)


def joined(given: Input) -> None:
    """The file twice, the second time with other ids; byte order marks between the two."""
    if given.format == "brat":
        return
    others = [article(given.chance, 100 + number) for number in range(2)]
    between = given.chance.choice((b"", b"\xef\xbb\xbf"))
    (name,) = given.files
    content = given.files[name]
    if given.format == "text":
        content += b"\n"
    given.files[name] = content + between + next(iter(stored(given.format, others).values()))
    given.documents += others


def blanks_at_line_ends(given: Input) -> None:
    if given.format in ("conll", "jsonl", "doccano", "prodigy"):
        given.change(lambda content: content.replace(b"\n", b"  \n"))


def blanks_for_tabs(given: Input) -> None:
    if given.format == "conll":
        given.change(lambda content: content.replace(b"\t", b" "))


def comment(given: Input) -> None:
    """A comment in a line, or in XML."""
    if given.format in ("biocxml", "jats", "pubmed"):
        given.change(
            lambda content: content.replace(b"<text>", b"<!-- c --><text>").replace(b"<body>", b"<!-- c --><body>")
        )
    elif given.format in ("conll", "pubtator"):
        given.is_wrong = True
        given.change(lambda content: b"# a comment\n" + content)


def strange_row(given: Input) -> None:
    """A row that the format does not have."""
    rows = {
        "pubtator": (
            b"0\t-\t-\tzinc\tChemical\n",
            b"0\tNaN\tNaN\tzinc\tChemical\n",
            b"0\t\t\tzinc\tChemical\n",
            b"0\tx\n",
        ),
        "conll": (b"zinc\n", b"zinc\tchemical\n", b"\tB-Chemical\n"),
        "brat": (b"E1\tGain:T1\n", b"A1\tNegation T1\n", b"x\n"),
        "jsonl": (b'{"id": "9", "text": "zinc"}\n', b"{\n", b"x\n"),
        "doccano": (b'{"id": 9}\n', b"{\n"),
        "prodigy": (b'{"id": 9}\n', b"{\n"),
    }
    if given.format in rows:
        row = given.chance.choice(rows[given.format])
        given.is_wrong = True
        names = [name for name in given.files if not name.endswith(".txt")]
        for name in names[:1]:
            lines = given.files[name].splitlines(keepends=True)
            at = 2 if given.format == "pubtator" else given.chance.randrange(1, len(lines)) if len(lines) > 1 else 0
            given.files[name] = b"".join([*lines[:at], row, *lines[at:]])


def server_message(given: Input) -> None:
    """The answer of a server in place of the file."""
    if given.format != "brat":
        answers = (
            b"[Error] : No result can be found. <BR><HR><B>x</B>", b"<html><body><article>x</article></body></html>",
            b'<pmc-articleset><Reply Id="1" error="not available"/></pmc-articleset>', b'{"error": "rate limit"}',
        )  # fmt: skip
        answer = given.chance.choice(answers)
        given.is_wrong = True
        given.change(lambda content: answer)


def other_container(given: Input) -> None:
    """The tasks of an editor as a list in place of lines, or the reverse."""

    def edit(content: bytes) -> bytes:
        if given.format == "label-studio":
            return b"".join(json.dumps(task).encode() + b"\n" for task in json.loads(content))
        return b"[" + b",\n".join(content.splitlines()) + b"]\n"

    if given.format in ("label-studio", "doccano", "prodigy"):
        with suppress(ValueError):  # another mutation has changed the file before
            given.change(edit)


def numbered_tokens(given: Input) -> None:
    """The number of each token in its sentence before it, as in CoNLL-U. Its columns are no offsets then."""
    if given.format != "conll" or any(b"\n" not in content for content in given.files.values()):
        return

    def edit(content: bytes) -> bytes:
        lines, number = list[bytes](), 0
        for line in content.split(b"\n"):
            if b"\t" not in line or b"-DOCSTART-" in line:
                number = 0
                lines.append(line)
                continue
            number += 1
            token, *_, tag = line.split(b"\t")
            lines.append(b"%d\t%s\t_\t%s" % (number, token, tag))
        return b"\n".join(lines)

    given.change(edit)
    for document in given.documents:
        for passage in document.passages:
            # Without offsets, tokens are joined by blanks.
            passage.annotations = []
    given.only_words = True


def row_ids(given: Input) -> None:
    """The id of each mention before its offsets."""
    if given.format == "pubtator":
        numbers = count(1)
        given.change(
            lambda content: re.sub(
                rb"(?m)^(\d+)\t(?=\d+\t\d+\t)", lambda row: b"%s\tT%d\t" % (row[1], next(numbers)), content
            )
        )


def missing_identifiers(given: Input) -> None:
    """NaN in place of each identifier."""
    if given.format == "pubtator":
        before = dict(given.files)
        given.change(lambda content: re.sub(rb"(?m)^(\d+\t.*\tChemical)[^\r\n]*", rb"\1\tNaN", content))
        given.is_wrong |= given.files != before


def other_format(given: Input) -> None:
    """An article of another format after those of the file."""
    if given.format in ("biocxml", "jats", "pubmed"):
        other = jats("99") if given.format != "jats" else pubmed("99")
        given.is_wrong = True
        given.change(lambda content: content + other.encode())


def markup(given: Input) -> None:
    """Tags around each mention of a name."""
    if given.format in ("records", "text-table"):
        given.change(lambda content: content.replace(b"zinc", b"<jats:italic>zinc</jats:italic>"))


def words_as_entities(given: Input) -> None:
    """The names of a record under a key that other programs use for annotations."""
    if given.format == "records":
        names = given.chance.choice((b'["zinc"]', b"[]", b'"zinc"', b'["O", "B"]'))
        given.change(lambda content: content.replace(b'"text":', b'"entities": %s, "text":' % names))


OF_ARTICLES = (no_ids, other_unit, second_label, relation, loose_mark)
OF_FILES = (
    *(carriage_returns, windows_line_ends, byte_order_mark, joined, blanks_at_line_ends, blanks_for_tabs, comment),
    *(other_container, numbered_tokens, row_ids, missing_identifiers, other_format, strange_row, server_message),
    *(markup, words_as_entities),
)
MUTATIONS = (*OF_ARTICLES, *OF_FILES)


# -- what is read -------------------------------------------------------------------------------


def stored(format: str, documents: list[BioCDocument], losses: list[str] | None = None) -> dict[str, bytes]:
    """The files of some articles in a format, by name."""
    if format == "lines":
        texts = [" ".join(passage.text for passage in document.passages) for document in documents]
        return {"x.txt": "".join(f"{text}\n" for text in texts).encode()}
    if format == "records":
        records = [{"id": str(document.id), "text": _text(document)} for document in documents]
        return {"x.jsonl": "".join(json.dumps(record) + "\n" for record in records).encode()}
    if format == "text-table":
        rows = [f"{document.id}\t{_text(document)}\n" for document in documents]
        return {"x.tsv": "".join(("id\ttext\n", *rows)).encode()}
    if format in ("jats", "pubmed"):
        write = jats if format == "jats" else pubmed
        marked = [write(document.id, "").replace(TEXT, _text(document)) for document in documents]
        if format == "jats":
            return {"x.xml": jats_set(*marked).encode()}
        inside = "".join(one.partition("<PubmedArticleSet>")[2].partition("</PubmedArticleSet>")[0] for one in marked)
        return {"x.xml": f'<?xml version="1.0"?>\n<PubmedArticleSet>\n{inside}\n</PubmedArticleSet>\n'.encode()}
    suffix = registry.suffix_of(format)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        corpora.write(documents, path, format, report=ignore if losses is None else losses.append)
        if isinstance(registry.writable(format), Folder):
            return {file.name: file.read_bytes() for file in path.iterdir() if not file.name.startswith(".")}
        return {path.name: path.read_bytes()}


def _text(document: BioCDocument) -> str:
    return " ".join(passage.text for passage in document.passages)


def content(documents: list[BioCDocument], with_marks: bool) -> tuple[Counter[str], Counter[tuple[str, str]], int]:
    """The words, the mentions and the number of relations of some articles."""
    words = Counter("".join("".join(_text(document).split()) for document in documents))
    marks = (annotation for document in documents for annotation, _ in every_annotation(document))
    found = Counter((str(one.text), str(one.infons.get("type"))) for one in marks) if with_marks else Counter()
    holders = (holder for document in documents for holder in (document, *document.passages))
    return words, found, sum(len(holder.relations) for holder in holders) if with_marks else 0


def outcome(format: str, names: tuple[str, ...], seed: int) -> str | None:
    """What went wrong with an input after some mutations; None where it is right, or a sentence reports it."""
    chance = random.Random(f"{format} {names} {seed}")
    given = Input(format, chance, [article(chance, number) for number in range(chance.randrange(1, 4))])
    if format in ("brat", "inception"):
        given.documents = given.documents[:1]
    mutations = [one for one in MUTATIONS if one.__name__ in names]
    losses: list[str] = []
    for mutation in mutations:
        if mutation in OF_ARTICLES:
            mutation(given)
    given.files = stored(format, given.documents, losses)
    for mutation in mutations:
        if mutation in OF_FILES:
            mutation(given)
    with tempfile.TemporaryDirectory() as folder:
        for name, raw in given.files.items():
            (Path(folder) / name).write_bytes(raw)
        notes: list[str] = []
        selection = Selection(lines=format == "lines")
        try:
            items = list(reading.articles(inputs.expand([folder]), notes.append, selection))
        except NlmchemError as error:
            return None if "unexpected" not in str(error) else str(error)
    faults = [str(item) for item in items if isinstance(item, reading.Fault)]
    if any("unexpected" in fault for fault in faults):
        return f"crashed: {faults}"
    # What the writer of the tasks of an editor makes are suggestions; these notes do not excuse anything else.
    if faults or not all(re.search("finished by nobody|a quotation mark|ha(?:s|ve) markup", note) for note in notes):
        return None
    if given.is_wrong:
        return "silent: what is wrong is not reported"
    documents = [item.document for item in items if isinstance(item, reading.ReadArticle)]
    if len({document.id for document in documents}) < len(documents):
        return f"ids: {[document.id for document in documents]}"
    stores = registry.named(format).stores_mentions and not given.only_words
    (words, marks, relations), (read, found, related) = (
        content(given.documents, stores and not losses),
        content(documents, stores and not losses),
    )
    if words != read or marks != found or relations != related:
        return f"lost: {words - read} {read - words} {marks - found} {found - marks} {relations} {related}"
    return None


def choices(seed: int) -> tuple[str, tuple[str, ...]]:
    """A format, and one to three mutations."""
    chance = random.Random(seed)
    names = [one.__name__ for one in MUTATIONS]
    return chance.choice(FORMATS), tuple(sorted(chance.sample(names, chance.choice((1, 1, 2, 3)))))


def main(rounds: int) -> int:
    wrong = 0
    for seed in range(rounds):
        format, names = choices(seed)
        if (problem := outcome(format, names, seed)) is not None:
            wrong += 1
            print(f"{seed} {format} {names}: {problem[:300]}", flush=True)
    print(f"{rounds} inputs, {wrong} lost or silent")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
