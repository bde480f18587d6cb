"""CPU time, memory, ledger and resume time of runs over many articles: one JSON lines file, and many files.

    python -m benchmarks.speed.runs [--articles 100000] [--files 20000] [--steps STEPS]

Without `--steps` the articles are read, checked and written without annotation: the figures are those of the run
itself. The lexicon tagger annotates with `--steps tag`, with the lexicon `starter`. Memory is the peak of the main
process. Processor time for each article: of the main process, which limits how many workers a run can use, and of one
worker; both with their start. Resume: the processor time of the same command again. No data is needed; 100,000
articles need about 500 MB of disk.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

TEXT = "rats were given glucose and ethanol in water, then NaCl at 5 mM. "
RUN = """
import json, resource, sys, time
from pathlib import Path
from nlmchem.run.options import RunOptions
from nlmchem.engine.runner import annotate_folder
from nlmchem.run.plan import Configuration, Job
source, out, options = sys.argv[1:]
given = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(options).items()}
begun = time.monotonic()
plan = Configuration.of(**given).parse()
counts = annotate_folder(Job([source], plan, RunOptions(workers=1, quiet=True)), Path(out))
own = resource.getrusage(resource.RUSAGE_SELF)
wall = time.monotonic() - begun
print(json.dumps([counts.done, counts.skipped, own.ru_maxrss / 1024, wall, own.ru_utime + own.ru_stime]))
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Articles done and skipped; the peak of the main process in MB; seconds elapsed, and of processor time."""

    done: int
    skipped: int
    megabytes: float
    elapsed: float
    main: float
    worker: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000, help="articles in one file")
    parser.add_argument("--files", type=int, default=20_000, help="files with one article")
    parser.add_argument("--steps", default="", help="steps of the pipeline, for example tag")
    given = parser.parse_args()
    steps = list(filter(None, given.steps.split(",")))
    options = {"steps": steps, **({"lexicon": "starter", "tagger": "lexicon"} if steps else {})}
    with tempfile.TemporaryDirectory(prefix="large-runs-") as name:
        folder = Path(name)
        (folder / "one").mkdir()
        with (folder / "one" / "all.jsonl").open("wb") as stream:
            stream.writelines(map(article, range(given.articles)))
        (folder / "many").mkdir()
        for number in range(given.files):
            (folder / "many" / f"{number}.jsonl").write_bytes(article(number))
        print("input  articles  main ms/article   worker  peak MB  ledger MB  wall s  resume CPU s  resume wall s")
        for kind, number in (("one", given.articles), ("many", given.files)):
            source, out = folder / kind, folder / f"out-{kind}"
            first, again = (measured_run(source, out, options) for _ in range(2))
            ledger = (out / ".nlmchem" / "ledger.sqlite").stat().st_size / 1e6
            assert first.done == again.skipped == number, (first, again, number)
            print(
                f"{kind:5} {number:9} {1000 * first.main / number:16.2f} {1000 * first.worker / number:8.2f}"
                f" {first.megabytes:8.0f} {ledger:10.1f} {first.elapsed:7.0f} {again.main + again.worker:13.1f}"
                f" {again.elapsed:14.1f}",
                flush=True,
            )


def article(number: int) -> bytes:
    text = f"Article {number}: {TEXT * 20}"
    passage = {"offset": 0, "infons": {"section_type": "ABSTRACT"}, "text": text, "annotations": [], "relations": []}
    return json.dumps({"id": str(number), "infons": {}, "passages": [passage]}).encode() + b"\n"


def measured_run(source: Path, out: Path, options: dict[str, object]) -> Measured:
    """Run `annotate` with one worker. `options`: of `nlmchem.run.plan.Configuration`."""
    before = _used()
    command = [sys.executable, "-c", RUN, str(source), str(out), json.dumps(options)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    done, skipped, megabytes, elapsed, main = json.loads(ended.stdout)
    return Measured(done, skipped, megabytes, elapsed, main, _used() - before - main)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
