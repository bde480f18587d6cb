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
import tempfile
from pathlib import Path

from benchmarks.speed.measured import measured_run

TEXT = "rats were given glucose and ethanol in water, then NaCl at 5 mM. "


def article(number: int) -> bytes:
    text = f"Article {number}: {TEXT * 20}"
    passage = {"offset": 0, "infons": {"section_type": "ABSTRACT"}, "text": text, "annotations": [], "relations": []}
    return json.dumps({"id": str(number), "infons": {}, "passages": [passage]}).encode() + b"\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000, help="articles in one file")
    parser.add_argument("--files", type=int, default=20_000, help="files with one article")
    parser.add_argument("--steps", default="", help="steps of the pipeline, for example tag")
    options = parser.parse_args()
    steps = list(filter(None, options.steps.split(",")))
    chosen: dict[str, object] = {"steps": steps, **({"lexicon": "starter", "tagger": "lexicon"} if steps else {})}
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
            first = measured_run(folder / kind, folder / f"out-{kind}", **chosen)
            ledger = (folder / f"out-{kind}" / ".nlmchem" / "ledger.sqlite").stat().st_size / 1e6
            again = measured_run(folder / kind, folder / f"out-{kind}", **chosen)
            assert first.done == again.skipped == number, (first, again, number)
            print(
                f"{kind:16} {number:8}  {1000 * (first.main + first.workers) / number:14.2f}  {first.megabytes:7.0f}"
                f"  {ledger:9.1f}  {first.elapsed:6.0f}"
                f"  {again.main + again.workers:12.1f}  {again.elapsed:13.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
