"""Makes a data set of 47 PMC articles, checks it with the tools of its users, and makes it again elsewhere.

    python -m benchmarks.release.dataset [--data ../shared/data] [--work FOLDER]
    python -m benchmarks.release.dataset --check FOLDER

The articles are the 47 smallest of `pmc/jats.tar.gz`, annotated by the taggers `default` and `lexicon`. Then:

- `datasets.load_dataset` reads the folder as it is, both configurations; every text of a mention is at its offsets;
- `mlcroissant` validates `croissant.json` and reads both tables by it, with as many rows;
- the same vote gives the same bytes in another working directory, time zone, locale and hash seed, with another number
  of workers, and from the runs in another order, each as one file with its articles backwards.

The packages `datasets` and `mlcroissant` are in no extra of nlmchem. `--check` needs nothing else, so it may run in an
environment that has only them. Set `HF_HUB_OFFLINE=1`: nothing is downloaded.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

ARTICLES = 47
CONFIGURATIONS = ("default", "bigbio_kb")
SPLITS = "train=0.8,validation=0.1,test=0.1"
ELSEWHERE = {"TZ": "Pacific/Chatham", "LC_ALL": "C", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"}


# -- what users of data sets do -------------------------------------------------------------------


def loaded_rows(folder: Path) -> dict[str, int]:
    """The rows of each configuration, by `datasets.load_dataset`. Raises `AssertionError` for a wrong offset."""
    from datasets import load_dataset

    rows = {}
    for name in CONFIGURATIONS:
        splits = load_dataset(str(folder), name)
        rows[name] = sum(split.num_rows for split in splits.values())
        for split in splits.values():
            for article in split:
                _require_offsets(article)
    return rows


def _require_offsets(article: dict) -> None:  # type: ignore[type-arg]
    """Every piece of a mention is at its offsets: in its passage, or for BigBio in the joined passages."""
    if "document_id" in article:
        text = " ".join(part for passage in article["passages"] for part in passage["text"])
        for entity in article["entities"]:
            assert [text[start:end] for start, end in entity["offsets"]] == entity["text"], entity
        return
    for entity in article["entities"]:
        passage = article["passages"][entity["passage"]]
        shift, text = passage["offset"], passage["text"]
        pieces = (text[start - shift : end - shift] for start, end in entity["offsets"])
        assert " ".join(pieces) == entity["text"], entity


def validated_rows(folder: Path) -> tuple[dict[str, int], list[str]]:
    """The rows of each table by `mlcroissant`, and its warnings. Raises its `ValidationError`."""
    from mlcroissant import Dataset

    dataset = Dataset(str(folder / "croissant.json"))
    rows = {name: sum(1 for _ in dataset.records(name)) for name in CONFIGURATIONS}
    return rows, sorted(dataset.metadata.ctx.issues.warnings)


def check(folder: Path) -> None:
    """Print what both packages make of a data set."""
    rows, warnings = validated_rows(folder)
    loaded = loaded_rows(folder)
    print(f"datasets {version('datasets')}: {loaded}; every mention is at its offsets")
    print(f"mlcroissant {version('mlcroissant')}: {rows}, {len(warnings)} warnings")
    for warning in warnings:
        print(f"  {warning}")
    assert rows == loaded


# -- the data set ---------------------------------------------------------------------------------


def extract(archive: Path, folder: Path) -> None:
    """Write the smallest articles of an archive into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as members:
        files = sorted((member for member in members if member.isfile()), key=lambda one: (one.size, one.name))
        for member in files[:ARTICLES]:
            stream = members.extractfile(member)
            assert stream is not None
            (folder / Path(member.name).name).write_bytes(stream.read())


def nlmchem(*words: str | Path, cwd: Path | None = None, **environment: str) -> None:
    """Run a command; its messages are printed."""
    command = [sys.executable, "-m", "nlmchem", *map(str, words)]
    subprocess.run(command, check=True, cwd=cwd, env={**os.environ, **environment})


def vote(runs: list[Path], out: Path, workers: int, cwd: Path | None = None, **environment: str) -> None:
    """Make the data set of these runs."""
    given = ("--threshold", "0.6", "--dataset", "--bigbio", "--splits", SPLITS, "--licence", "CC BY,CC0", "--restart")
    nlmchem("silver", "vote", *runs, "-o", out, "--workers", str(workers), *given, cwd=cwd, **environment)


def backwards(run: Path, out: Path) -> None:
    """Write a run as one file with its articles in the opposite order, beside its manifest."""
    import corpora

    out.mkdir(parents=True, exist_ok=True)
    corpora.write(reversed(list(corpora.read(run))), out / "articles.xml")
    (out / "manifest.json").write_bytes((run / "manifest.json").read_bytes())


def differences(left: Path, right: Path) -> list[str]:
    """The files that are not in both folders with the same bytes."""
    names = {path.relative_to(folder) for folder in (left, right) for path in folder.rglob("*") if path.is_file()}
    _, unequal, missing = filecmp.cmpfiles(left, right, sorted(map(str, names)), shallow=False)
    return unequal + missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/dataset"))
    parser.add_argument("--check", type=Path, metavar="FOLDER", help="only check this data set")
    given = parser.parse_args()
    if given.check is not None:
        check(given.check)
        return
    work = given.work.resolve()
    extract(given.data / "pmc" / "jats.tar.gz", work / "articles")
    nlmchem("annotate", work / "articles", "-o", work / "runs", "--tagger", "default,lexicon", "--runs")
    runs = [work / "runs" / name for name in ("default", "lexicon")]
    vote(runs, work / "silver", workers=2)
    nlmchem("silver", "verify", work / "silver")
    other = work / "elsewhere"
    for run in runs:
        backwards(run, other / run.name)
    vote([Path("lexicon"), Path("default")], other / "same-runs", workers=1, cwd=other, **ELSEWHERE)
    print("the same runs elsewhere, files that differ:", differences(work / "silver", other / "same-runs"))


if __name__ == "__main__":
    main()
