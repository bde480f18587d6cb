"""How processor time and memory grow with the number of articles that are similar, or tiny.

    python -m benchmarks.speed.linear_collections [leaks|tiny]

Leaks: the search for equal articles in two corpora and in one, where all are similar, or have one id. Tiny: whole
commands over one file with eight times SIZES documents of a few words; the time of one document is subtracted. Growth
is from the second size to the last, four times as large: linear is 4, quadratic 16. Ends with 1 when a growth is above
LIMIT. No data is needed.
"""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bioc import BioCDocument, BioCPassage

import corpora
from benchmarks.speed.linear_time import LIMIT, MEMORY_DISK, SIZES, growth
from corpora.tools.leaks import Fingerprint, fingerprint
from corpora.tools.leaks import groups as grouped
from corpora.tools.leaks import leaks as between


def main() -> int:
    works = {"leaks": leaks, "tiny": tiny}
    return int(max(works[name]() for name in sys.argv[1:] or works) > LIMIT)


def leaks() -> float:
    """The steepest growth of the search for equal articles in two corpora, and in one."""
    works: dict[str, Callable[[list[Fingerprint]], object]] = {
        "leaks": lambda prints: between(prints[::2], prints[1::2]),
        "groups": grouped,
    }
    return max(
        growth(f"{name}, {kind}", [partial(work, prints_of(size // 2, kind)) for size in SIZES])
        for name, work in works.items()
        for kind in ("similar", "one id")
    )


def prints_of(size: int, kind: str) -> list[Fingerprint]:
    """Articles of 200 words: `similar`, all but eight words are the same; `one id`, all words differ."""
    generator = random.Random(20080925)
    words = [f"word{number}" for number in range(200)]
    prints = []
    for number in range(size):
        changed = generator.sample(range(200), 8) if kind == "similar" else range(200)
        own = {at: f"{generator.random()}" for at in changed}
        text = " ".join(own.get(at, word) for at, word in enumerate(words))
        prints.append(fingerprint(article_of_text(str(number) if kind == "similar" else "article", text)))
    return prints


def article_of_text(id: str, text: str) -> BioCDocument:
    document, passage = BioCDocument(), BioCPassage()
    document.id, passage.text = id, text
    document.add_passage(passage)
    return document


TINY = {
    "convert from BioC JSON": "convert tiny.json -o out.jsonl",
    "convert from JSON lines": "convert tiny.jsonl -o out.xml",
    "convert from BioC XML": "convert tiny.xml -o out.json",
    "annotate": "annotate tiny.json -o out --steps abbreviate --workers 1",
    "summary": "summary tiny.json -o out.html",
}


def tiny() -> float:
    """The steepest growth of commands over a file of tiny documents."""
    return max(_growth_of_tiny(name, line) for name, line in TINY.items())


def _growth_of_tiny(name: str, line: str) -> float:
    used = [usage_of(line, 8 * size) for size in (0, *SIZES[1:])]
    times = [usage.ru_utime + usage.ru_stime for usage in used]
    steepness = (times[-1] - times[0]) / (times[1] - times[0])
    memory = " ".join(f"{usage.ru_maxrss / 1024:5.0f} MB" for usage in used)
    print(
        f"{name:24} " + " ".join(f"{spent:6.2f} s" for spent in times) + f"  growth {steepness:4.1f}  {memory}",
        flush=True,
    )
    return steepness


def usage_of(line: str, size: int) -> resource.struct_rusage:
    """What a command in a process of its own uses, over one file with `size` documents and one more."""
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as folder:
        suffix = re.findall(r"tiny(\.\w+)", line)[0]
        documents = (article_of_text(str(number), f"Zinc {number} rose.") for number in range(size + 1))
        corpora.write(documents, Path(folder) / f"tiny{suffix}")
        environment = {**os.environ, "NLMCHEM_HOME": folder, "PYTHONPATH": str(Path(__file__).parents[2])}
        with Path(folder, "printed").open("w") as printed:
            command = [sys.executable, "-m", "nlmchem", *line.split()]
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=printed, stderr=printed)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise AssertionError(Path(folder, "printed").read_text())
        return usage


if __name__ == "__main__":
    sys.exit(main())
