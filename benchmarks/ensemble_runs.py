"""Time and memory of `nlmchem ensemble` on many runs, made by perturbing gold articles with seeded noise.

    python benchmarks/ensemble_runs.py --gold ../shared/data/nlmchem/bioc --documents 54 --runs 50
    python benchmarks/ensemble_runs.py --gold ../shared/data/nlmchem/bioc --documents 2000 --runs 10

The runs are NOT runs of taggers: articles are the gold ones, repeated under new ids until there are enough,
and each run drops, shifts and invents mentions and mistakes identifiers at random. Their scores say nothing;
what is measured is the work. Each run is one collection file with its documents in an order of its own.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.model.document import IndexTerm, Mention, add_index_term, mentions
from corpora.model.votes import add_plain_mention

CALL = "from nlmchem.cli.ensemble import app; app()"
DROPPED, SHIFTED, INVENTED, MISTAKEN, INDEXED = 0.15, 0.08, 0.02, 0.1, 0.2


def run(articles: Sequence[BioCDocument], documents: int, seed: int) -> Iterator[BioCDocument]:
    """One run: the articles again and again under new ids, perturbed, in an order of the seed."""
    noise = random.Random(seed)
    order = list(range(documents))
    noise.shuffle(order)
    for position in order:
        article = articles[position % len(articles)]
        yield perturbed(article, f"{article.id}{position:05}", noise)


def renamed(articles: Sequence[BioCDocument], documents: int) -> Iterator[BioCDocument]:
    """The articles under the same new ids, as they are."""
    for position in range(documents):
        article = articles[position % len(articles)]
        document = BioCDocument()
        document.id, document.infons, document.passages = f"{article.id}{position:05}", article.infons, article.passages
        yield document


def perturbed(article: BioCDocument, id: str, noise: random.Random) -> BioCDocument:
    """The article with mentions dropped, shifted by a character, invented, identifiers mistaken, index terms."""
    document = BioCDocument()
    document.id, document.infons = id, article.infons
    found: dict[int, list[Mention]] = {}
    for mention in mentions(article):
        found.setdefault(mention.passage.offset, []).append(mention)
    named: set[str] = set()
    for original in article.passages:
        passage = BioCPassage()
        passage.offset, passage.text, passage.infons = original.offset, original.text, original.infons
        document.add_passage(passage)
        for number, mention in enumerate(found.get(original.offset, ())):
            if noise.random() >= DROPPED:
                named.update(_add(passage, mention, number, noise))
        _invent(passage, noise)
    for identifier in sorted(named):
        if noise.random() < INDEXED:
            add_index_term(document, IndexTerm(identifier))
    return document


def _add(passage: BioCPassage, mention: Mention, number: int, noise: random.Random) -> tuple[str, ...]:
    start, end = mention.spans[0]
    if noise.random() < SHIFTED:
        end = min(end + 1, passage.offset + len(passage.text))
    identifiers = mention.identifiers if noise.random() >= MISTAKEN else (f"MESH:D{noise.randrange(10**5):06}",)
    add_plain_mention(passage, [(start, end)], f"{passage.offset}-{number}", identifiers)
    return identifiers


def _invent(passage: BioCPassage, noise: random.Random) -> None:
    start = 0
    for word in passage.text.split(" "):
        if word and noise.random() < INVENTED:
            place = (passage.offset + start, passage.offset + start + len(word))
            add_plain_mention(passage, [place], f"{place[0]}-new", ())
        start += len(word) + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", required=True, help="gold articles, any format")
    parser.add_argument("--documents", type=int, default=54)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--task", default="identifiers", help="spans, identifiers, indexing or agreement")
    parser.add_argument("--scored", action="store_true", help="with curves against the unperturbed articles")
    parser.add_argument("--folder", type=Path, help="where the runs are kept for another call")
    options = parser.parse_args()
    articles = list(corpora.read(options.gold))
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        files = [folder / f"run{number:02}.xml" for number in range(options.runs)]
        begun = time.perf_counter()
        for number, file in enumerate(files):
            if not file.exists():
                corpora.write(run(articles, options.documents, number), file)
        scored = []
        if options.scored:
            standard = Path(scratch) / "gold.xml"
            corpora.write(renamed(articles, options.documents), standard)
            scored = ["--gold", str(standard), "--threshold", "best"]
        size = sum(file.stat().st_size for file in files)
        print(f"{options.runs} runs of {options.documents} documents, {size / 1e6:.0f} MB, made in {_since(begun)}")
        begun = time.perf_counter()
        command = [
            sys.executable,
            "-c",
            CALL,
            options.task,
            *map(str, files),
            "-o",
            str(Path(scratch) / "out"),
            *scored,
        ]
        code = subprocess.run(command, check=False).returncode
        # The largest of all processes, and it is the sum that counts: workers are as many as processors.
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        work = f"{used.ru_utime + used.ru_stime:.1f} s of processors, largest process {used.ru_maxrss / 1024:.0f} MiB"
        print(f"{options.task}: {_since(begun)}, {work}, exit code {code}")
    return code


def _since(begun: float) -> str:
    return f"{time.perf_counter() - begun:.1f} s"


if __name__ == "__main__":
    sys.exit(main())
