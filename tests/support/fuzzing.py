"""Seeded fuzzers: valid inputs of each kind, damaged by chance. An error of ours is expected; any other is a defect.

`CASES` has a function for each kind of input. It receives a random generator and an empty folder, and returns nothing.
`benchmarks/faults/fuzz.py` runs them for a time, `tests/property/test_fuzzing.py` for a few seeds.
"""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bioc import BioCDocument, BioCPassage

from corpora import reading
from corpora.errors import NlmchemError
from corpora.formats import registry
from corpora.formats.format import Header, Joined
from corpora.model.document import add_mention
from corpora.reporting import ignore
from corpora.storage import inputs

__all__ = ["CASES", "Fuzzer", "damaged"]

Fuzzer = Callable[[random.Random, Path], None]

TEXT = "Glucose (Glc) and 2,3-dimethylbutane \U0001f9ea in water; NaCl\u2028and α-pinene."
PIECES = (
    *(b"", b"\0", b"<", b">", b"]]>", b"&#0;", b"\xff\xfe", b"\t", b"\n", b"|t|"),
    *(b"=1+1", b"{", b"[", b"-1", b"9" * 20, b"1e999"),
)
"""What is inserted: delimiters and numbers of the formats."""
ARGUMENTS = (
    *("annotate", "convert", "replay", "evaluate", "spans", "view", "lexicon", "lookup", "index", "list", "--steps"),
    *("--workers", "0", "-1", "nan", "-o", "--format", "tsv", "--shard", "2/1", "--max-failures", "2%", "", "\0"),
    *("\udcff", "a" * 300, "--json", "--config", "--", "-", "--min-score", "1e999"),
)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content with a few changes: bytes replaced, removed, repeated or inserted, or the end cut off."""
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        place = chance.randrange(len(found) + 1)
        length = chance.choice((1, 1, 2, 8, 64))
        match chance.randrange(6):
            case 0:
                found[place : place + length] = chance.randbytes(length)
            case 1:
                del found[place : place + length]
            case 2:
                found[place:place] = found[place : place + length] * chance.choice((1, 50))
            case 3:
                found[place:place] = chance.choice(PIECES)
            case 4:
                del found[place:]
            case _:
                other = chance.randrange(len(found) + 1)
                found[place : place + length] = found[other : other + length]
    return bytes(found)


def document(number: int) -> BioCDocument:
    made = BioCDocument()
    made.id = str(number)
    offset = 0
    for section in ("TITLE", "ABSTRACT"):
        passage = BioCPassage()
        passage.offset, passage.text, passage.infons = offset, TEXT, {"section_type": section, "type": section.lower()}
        made.add_passage(passage)
        mention = add_mention(passage, [(offset, offset + 7)], id=f"M{offset}", annotator=None)
        mention.annotation.infons["identifier"] = "MESH:D005947"
        offset += len(TEXT) + 1
    return made


def written(name: str) -> bytes:
    """Three articles in a format."""
    writer = registry.writable(name)
    stream = io.BytesIO()
    writer.write((writer.dumps(document(number), ignore) for number in range(3)), Header(), stream)
    return stream.getvalue()


def read_all(path: Path) -> None:
    """Read every article, and write each in every format: what is read must be writable or refused in a sentence."""
    for item in reading.articles(inputs.expand([str(path)]), ignore):
        if isinstance(item, reading.ReadArticle):
            for name in ("biocxml", "biocjson", "pubtator", "tsv"):
                with suppress(NlmchemError):
                    registry.writable(name).dumps(item.document, ignore)


def formats(chance: random.Random, folder: Path) -> None:
    name = chance.choice([f.name for f in registry.formats() if f.reader and isinstance(f.writer, Joined)])
    path = folder / f"input{registry.suffix_of(name)}"
    path.write_bytes(damaged(written(name), chance))
    read_all(path)


def archives(chance: random.Random, folder: Path) -> None:
    stream = io.BytesIO()
    raw = written("biocxml")
    kind = chance.choice(("zip", "tar", "tgz", "xml.gz"))
    if kind == "zip":
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in ("a.xml", "sub/b.xml"):
                packed.writestr(name, raw)
    elif kind == "xml.gz":
        stream.write(gzip.compress(raw))
    else:
        with tarfile.open(fileobj=stream, mode="w:gz" if kind == "tgz" else "w") as archive:
            for name in ("a.xml", "sub/b.xml"):
                entry = tarfile.TarInfo(name)
                entry.size = len(raw)
                archive.addfile(entry, io.BytesIO(raw))
    path = folder / f"input.{kind}"
    path.write_bytes(damaged(stream.getvalue(), chance))
    read_all(path)


def runs(chance: random.Random, folder: Path) -> None:
    """A run over damaged files: done + failed + skipped is the number of articles, and a second run changes nothing."""
    from nlmchem.engine import runner
    from nlmchem.engine.executors import InlineExecutor
    from nlmchem.run.options import RunOptions
    from nlmchem.run.plan import Configuration, Job

    source = folder / "in"
    source.mkdir()
    for number, name in enumerate(("biocxml", "biocjson", "pubtator")):
        (source / f"{number}{registry.suffix_of(name)}").write_bytes(damaged(written(name), chance))
    before, runner.LocalExecutor = runner.LocalExecutor, InlineExecutor  # type: ignore[misc, assignment]
    try:
        job = Job([str(source)], Configuration.of(steps=()).parse(), RunOptions(workers=1))
        first, second = (runner.annotate_folder(job, folder / "out") for _ in range(2))
    finally:
        runner.LocalExecutor = before  # type: ignore[misc]
    if (second.done, second.articles) != (0, first.articles):
        raise AssertionError(f"the second run has {second}, the first {first}")


def lexicons(chance: random.Random, folder: Path) -> None:
    from sieves.lexicon.lexicon import Lexicon
    from sieves.lexicon.tables import open_starter

    path = folder / "lexicon.sqlite"
    connection = open_starter()
    path.write_bytes(damaged(connection.serialize(), chance))
    connection.close()
    lexicon = Lexicon.open(path)
    for name in ("water", "NaCl", "2,3-dimethylbutane"):
        lexicon.lookup(name)


def indexers(chance: random.Random, folder: Path) -> None:
    from indexing.terms.logistic import DEFAULT, read_model

    path = folder / "indexer.json"
    path.write_bytes(damaged(DEFAULT.read_bytes(), chance))
    read_model(path)


def command_lines(chance: random.Random, folder: Path) -> None:
    """Arguments by chance. Wrong ones end with an exit code of ours, before any work."""
    import contextlib

    from command_line import invoke

    from nlmchem.cli.exit_codes import ending

    words = (*ARGUMENTS, str(folder), str(folder / "none.xml"))
    arguments = chance.choices(words, k=chance.randrange(1, 7))
    with contextlib.chdir(folder):
        result = invoke(arguments, input="")
    error = result.exception
    if error is not None and not isinstance(error, SystemExit) and not ending(error).expected:
        raise error


def models(chance: random.Random, folder: Path) -> None:
    """A tagger with one damaged file."""
    import fuzzed_models

    fuzzed_models.models(chance, folder, damaged)


def pages(chance: random.Random, folder: Path) -> None:
    """Articles full of markup, in Chromium."""
    import fuzzed_pages

    fuzzed_pages.pages(chance, folder)


def commands(chance: random.Random, folder: Path) -> None:
    """Whole commands over damaged inputs."""
    import fuzzed_commands

    fuzzed_commands.commands(chance, folder, damaged)


def states(chance: random.Random, folder: Path) -> None:
    """Whole commands over their own damaged outputs, records and ledgers."""
    import fuzzed_commands

    fuzzed_commands.states(chance, folder, damaged)


def environments(chance: random.Random, folder: Path) -> None:
    """Whole commands in odd environments."""
    import fuzzed_commands

    fuzzed_commands.environments(chance, folder)


CASES: dict[str, Fuzzer] = {
    "formats": formats,
    "archives": archives,
    "runs": runs,
    "lexicons": lexicons,
    "indexers": indexers,
    "command lines": command_lines,
    "models": models,
    "commands": commands,
    "states": states,
    "environments": environments,
    "pages": pages,
}
