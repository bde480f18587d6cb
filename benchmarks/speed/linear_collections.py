"""How processor time and memory grow with the number of articles.

    python -m benchmarks.speed.linear_collections [runs|leaks|commands]

Runs: the outputs of a run with as many sources that are empty, or have one article, and the evaluation of a tenth as
many articles. Leaks: the search for equal articles in two corpora and in one, where all are similar, or have one id.
Commands: whole commands, each in a process of its own, over a tenth as many files or members of an archive, or over
one file with eight times as many documents of a few words; the time of the command on one article is subtracted.
Growth is from the second of SIZES to the last, four times as large: linear is 4, quadratic 16. A growth above LIMIT is
measured again. Ends with 1 when it stays above. No data is needed.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath

import corpora
from benchmarks.retrain.sources import document_of
from benchmarks.speed.linear_time import LIMIT, SIZES, evaluated, growth, steady
from corpora.formats.format import Header
from corpora.formats.registry import writable
from corpora.model.document import add_mention
from corpora.storage.owned_files import OwnedFolder
from corpora.tools.leaks import Fingerprint, fingerprint
from corpora.tools.leaks import groups as grouped
from corpora.tools.leaks import leaks as between
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.outputs import Outputs
from nlmchem.engine.tasks import TaskResult

MEMORY_DISK = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where files are written: the time of a disk would decide otherwise."""


def main() -> int:
    works = {"runs": runs, "leaks": leaks, "commands": commands}
    return int(max(works[name]() for name in sys.argv[1:] or works) > LIMIT)


# -- runs ---------------------------------------------------------------------------------------


def runs() -> float:
    """The steepest growth of what a run and an evaluation do for each source or article."""
    stages: dict[str, Callable[[int], object]] = {
        "empty sources": partial(outputs_of, empty=True),
        "small sources": partial(outputs_of, empty=False),
        "evaluation": evaluation,
    }
    return max(growth(name, [partial(stage, size) for size in SIZES]) for name, stage in stages.items())


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


def evaluation(size: int) -> None:
    """Spans of a tenth as many articles, compared with themselves."""
    for number in range(size // 10):
        document = document_of(str(number), ["glucose and ethanol"])
        add_mention(document.passages[0], [(0, 7)], id="M1", annotator=None)
        evaluated(document)


# -- leaks --------------------------------------------------------------------------------------


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
        prints.append(fingerprint(document_of(str(number) if kind == "similar" else "article", [text])))
    return prints


# -- commands -----------------------------------------------------------------------------------

COMMANDS = {
    "convert": "convert in -o out --format biocxml",
    "convert, members": "convert in.zip out --format jsonl",
    "convert to brat": "convert in -o out --format brat",
    "view": "view in -o out",
    "evaluate": "evaluate spans in in --samples 10",
    "ensemble": "ensemble identifiers in.zip in --workers 1 -o out",
    "keyphrases": "keyphrases in --json",
    "abbreviations": "abbreviations in --json",
    "split": "corpora split in -o out",
    "convert from BioC JSON": "convert tiny.json -o out.jsonl",
    "convert from JSON lines": "convert tiny.jsonl -o out.xml",
    "convert from BioC XML": "convert tiny.xml -o out.json",
    "annotate": "annotate tiny.json -o out --steps abbreviate --workers 1",
    "summary": "summary tiny.json -o out.html",
}
"""`in`, `in.zip`: a tenth as many articles. `tiny`: eight times as many documents of a few words."""


def commands() -> float:
    """The steepest growth of commands."""
    return max(growth_of_command(name, line) for name, line in COMMANDS.items())


def growth_of_command(name: str, line: str) -> float:
    def measured() -> float:
        used[:] = [usage_of(line, size) for size in (0, *SIZES[1:])]
        times[:] = [usage.ru_utime + usage.ru_stime for usage in used]
        return (times[-1] - times[0]) / (times[1] - times[0])

    used: list[resource.struct_rusage] = []
    times: list[float] = []
    steepness = steady(measured)
    memory = " ".join(f"{usage.ru_maxrss / 1024:5.0f} MB" for usage in used)
    seconds = " ".join(f"{spent:6.2f} s" for spent in times)
    print(f"{name:24} {seconds}  growth {steepness:4.1f}  {memory}", flush=True)
    return steepness


def usage_of(line: str, size: int) -> resource.struct_rusage:
    """What a command uses in a process of its own, in a new folder with its input."""
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as folder:
        write_input(line, size, Path(folder))
        environment = {**os.environ, "NLMCHEM_HOME": folder, "PYTHONPATH": str(Path(__file__).parents[2])}
        with Path(folder, "printed").open("w") as printed:
            command = [sys.executable, "-m", "nlmchem", *line.split()]
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=printed, stderr=printed)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise AssertionError(Path(folder, "printed").read_text())
        return usage


def write_input(line: str, size: int, folder: Path) -> None:
    """Write what a command line reads, for a size of 0 one article."""
    if name := re.search(r"tiny\.\w+", line):
        tiny = (document_of(str(number), [f"Zinc {number} rose."]) for number in range(8 * size + 1))
        corpora.write(tiny, folder / name[0])
        return
    (folder / "in").mkdir()
    with zipfile.ZipFile(folder / "in.zip", "w") as archive:
        for number in range(size // 10 or 1):
            article = json.dumps({"documents": [written_by_hand(number)]})
            archive.writestr(f"{number}.json", article)
            (folder / "in" / f"{number}.json").write_text(article)


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


if __name__ == "__main__":
    sys.exit(main())
