"""Time and memory of `nlmchem search` and `nlmchem summary` over generated annotated articles.

    python -m benchmarks.speed.search RUN --articles 10000

RUN is a folder, which gets one BioC XML file for each article where it does not have them yet: 40 passages with about
150 mentions of 60 of 3,000 concepts. Each command is a process of its own; the table has its processor time, its wall
time and its largest memory. The first search makes the index: of facts that the run has recorded, or of the files
alone, if another program has written them. `--facts N`: what a run needs to record the facts of N articles.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.formats.biocxml import WRITER
from corpora.formats.header import Header
from corpora.model.document import Evidence, IndexTerm, add_index_terms, add_mention, set_identifiers
from corpora.reporting import ignore
from nlmchem.search.facts import facts_of
from nlmchem.search.recorded import FILE, FactsRecorder
from sieves.lexicon.lexicon import Lexicon

STATE, INDEX = ".nlmchem", "search.sqlite"
PASSAGES, CONCEPTS, VOCABULARY = 40, 60, 3_000
_SECTIONS = ("ABSTRACT", "INTRO", "METHODS", "RESULTS", "DISCUSS")
_FILLING = "was given in water for some days and the weight of the animals was measured every morning"


def article(number: int, vocabulary: Sequence[tuple[str, str]]) -> BioCDocument:
    """Annotated article `number`, always the same one."""
    chance = random.Random(number)
    # Few concepts are in many articles, as in real ones.
    own = [vocabulary[int(len(vocabulary) * chance.random() ** 3)] for _ in range(CONCEPTS)]
    document, offset = BioCDocument(), 0
    document.id = f"generated-{number}"
    document.infons["year"] = str(2000 + number % 25)
    for position in range(PASSAGES):
        passage = BioCPassage()
        passage.offset = offset
        section = _SECTIONS[position * len(_SECTIONS) // PASSAGES]
        passage.infons["section_type"] = section if position else "TITLE"
        text, places = "", list[tuple[int, int, str, str]]()
        for _ in range(3 if position else 1):
            for name, identifier in chance.sample(own, chance.choice((1, 1, 2))):
                places.append((len(text), len(text) + len(name), name, identifier))
                text += f"{name} "
            text += f"{_FILLING}. "
        passage.text = text.strip()
        document.add_passage(passage)
        for start, end, name, identifier in places:
            mention = add_mention(passage, [(offset + start, offset + end)], id=f"C{offset + start}", annotator="test")
            set_identifiers(mention, [identifier], Evidence("exact", 0.9, name, 0.98), name)
        offset += len(passage.text) + 1
    add_index_terms(document, [IndexTerm(identifier, name, 0.8) for name, identifier in own[:3]])
    return document


def write_run(folder: Path, number: int) -> None:
    """Write the articles that the folder does not have."""
    with Lexicon.open() as lexicon:
        first: dict[str, str] = {}
        for name, identifier in lexicon.names(0):
            first.setdefault(identifier, name)
    identifiers = random.Random(0).sample(sorted(first), VOCABULARY)
    vocabulary = [(first[identifier], identifier) for identifier in identifiers]
    folder.mkdir(parents=True, exist_ok=True)
    for count in range(number):
        path = folder / f"{count // 1000:03}" / f"{count}.xml"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            content = io.BytesIO()
            WRITER.write([WRITER.dumps(article(count, vocabulary), ignore)], Header(), content)
            path.write_bytes(content.getvalue())


def record_facts(folder: Path, number: int) -> None:
    """Record the facts of articles as a run does. Prints the processor time of its workers and of itself."""
    (folder / STATE).mkdir(exist_ok=True)
    recorder = FactsRecorder(folder / STATE)
    of_workers = of_run = 0.0
    for count in range(number):
        name = f"{count // 1000:03}/{count}.xml"
        (document,) = corpora.read(folder / name)
        begun = time.process_time()
        facts = facts_of(document).packed()
        made = time.process_time()
        recorder.record(name, folder / name, [facts])
        if count % 100 == 99:
            recorder.commit()
        of_workers, of_run = of_workers + made - begun, of_run + time.process_time() - made
    recorder.commit()
    recorder.close()
    size = (folder / STATE / FILE).stat().st_size
    print(f"facts of {number} articles: {1000 * of_workers / number:.2f} ms an article in workers, "
          f"{1000 * of_run / number:.2f} ms in the main process, {size / 1e6:.0f} MB")  # fmt: skip


def measured(*arguments: str) -> tuple[float, float, float]:
    """Processor seconds, wall seconds and the largest memory (MB) of a command. Raises `RuntimeError` if it fails."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "nlmchem", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"nlmchem {' '.join(arguments)} failed")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024


def main() -> None:
    """Write the articles, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--write-only", action="store_true", help="write the articles, and measure nothing")
    parser.add_argument("--facts", type=int, metavar="N", help="record the facts of N articles, and measure only that")
    parser.add_argument("--files-alone", action="store_true", help="forget the recorded facts")
    given = parser.parse_args()
    write_run(given.run, given.articles)
    if given.write_only:
        return
    if given.facts:
        record_facts(given.run, given.facts)
        return
    # As in the folder of a run, the index is inside.
    (given.run / STATE).mkdir(exist_ok=True)
    (given.run / STATE / INDEX).unlink(missing_ok=True)
    if given.files_alone:
        (given.run / STATE / FILE).unlink(missing_ok=True)
    run, page = str(given.run), str(given.run.parent / "summary.html")
    Path(page).unlink(missing_ok=True)
    tasks = {
        "search for a concept": ("search", run, "D02.455.426"),
        "search for a branch (all)": ("search", run, "D02", "-n", "0"),
        "summary as text": ("summary", run),
        "summary as a page": ("summary", run, "-o", page),
    }
    print("command\tprocessor s\twall s\tMB")
    for name, arguments in {"first search (makes the index)": tasks["search for a concept"], **tasks}.items():
        print("{}\t{:.1f}\t{:.1f}\t{:.0f}".format(name, *measured(*arguments)), flush=True)
    size = (given.run / STATE / INDEX).stat().st_size
    print(f"index\t\t\t{size / 1e6:.0f}")


if __name__ == "__main__":
    main()
