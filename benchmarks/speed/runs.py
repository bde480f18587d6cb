"""CPU time, memory, ledger and resume time of runs over many articles: one JSON lines file, and many files.

    python -m benchmarks.speed.runs [--articles 100000] [--files 20000] [--steps STEPS]

Without `--steps` the articles are read, checked and written without annotation: the figures are those of the run
itself. The lexicon tagger annotates with `--steps tag`, with the lexicon `starter`. Memory is the peak of the main
process. Time is CPU time of the main process and of its worker, for each article. Resume: the time of the same command
again. No data is needed; 100,000 articles need about 500 MB of disk.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = """
import json, resource, sys, time
from pathlib import Path
from nlmchem.engine.options import RunOptions
from nlmchem.engine.runner import annotate_folder
from nlmchem.run.plan import Configuration
begun = time.monotonic()
steps = tuple(filter(None, sys.argv[3].split(",")))
more = {"lexicon": "starter", "tagger": "lexicon"} if steps else {}
plan = Configuration(steps=steps, **more).parse()
counts = annotate_folder([sys.argv[1]], Path(sys.argv[2]), plan, RunOptions(workers=1))
own = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([counts.done, counts.skipped, own.ru_maxrss / 1024, time.monotonic() - begun]))
"""
TEXT = "rats were given glucose and ethanol in water, then NaCl at 5 mM. "


def article(number: int) -> bytes:
    text = f"Article {number}: {TEXT * 20}"
    passage = {"offset": 0, "infons": {"section_type": "ABSTRACT"}, "text": text, "annotations": [], "relations": []}
    return json.dumps({"id": str(number), "infons": {}, "passages": [passage]}).encode() + b"\n"


def run(source: Path, out: Path, steps: str) -> tuple[int, int, float, float, float]:
    """Done, skipped, peak MB, wall seconds and CPU seconds (with the worker) of a run."""
    before = _cpu()
    ended = subprocess.run([sys.executable, "-c", RUN, source, out, steps], stdout=subprocess.PIPE, check=True)
    done, skipped, memory, wall = json.loads(ended.stdout)
    return done, skipped, memory, wall, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000, help="articles in one file")
    parser.add_argument("--files", type=int, default=20_000, help="files with one article")
    parser.add_argument("--steps", default="", help="steps of the pipeline, for example tag")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="large-runs-") as name:
        folder = Path(name)
        (folder / "one").mkdir()
        with (folder / "one" / "all.jsonl").open("wb") as stream:
            stream.writelines(map(article, range(options.articles)))
        (folder / "many").mkdir()
        for number in range(options.files):
            (folder / "many" / f"{number}.jsonl").write_bytes(article(number))
        print("input            articles  CPU ms/article  peak MB  ledger MB  wall s  resume CPU s  resume wall s")
        for kind, number in (("one", options.articles), ("many", options.files)):
            done, _, memory, wall, cpu = run(folder / kind, folder / f"out-{kind}", options.steps)
            ledger = (folder / f"out-{kind}" / ".nlmchem" / "ledger.sqlite").stat().st_size / 1e6
            _, skipped, _, again, cpu_again = run(folder / kind, folder / f"out-{kind}", options.steps)
            assert done == skipped == number, (done, skipped, number)
            print(
                f"{kind:16} {number:8}  {1000 * cpu / number:14.2f}  {memory:7.0f}  {ledger:9.1f}  {wall:6.0f}"
                f"  {cpu_again:12.1f}  {again:13.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
