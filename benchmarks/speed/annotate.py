"""`nlmchem annotate` as a whole: articles a second and CPU seconds an article, variants in turns.

    python -m benchmarks.speed.annotate ARTICLES [--rounds 2] [--workers 1,2] [--arithmetic float32,int8]
    python -m benchmarks.speed.annotate ARTICLES --arithmetic int8 --workers 1 --articles 24 --before OTHER

ARTICLES: a folder or a tar archive; `--articles`: the first of them by path. Variants: each `--arithmetic`. OTHER is a
checkout of another commit with its compiled kernel, which runs before this one, with the Python of its `.venv` if it
has one: entry points of another commit are refused. Each round runs all variants with each number of workers, so other
programs disturb them alike. CPU seconds include the run and its workers, start included. Prints the minimum and the
median, and the ratio to the first variant with the same number of workers. Time: 25 minutes a
round for 100 JATS articles on two quiet cores.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[2]
ENTRY = "from nlmchem.cli import main; main()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="ARTICLES", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--arithmetic", default="float32,int8")
    parser.add_argument("--articles", type=int)
    parser.add_argument("--before", type=Path, help="a checkout of another commit")
    given = parser.parse_args()
    trees = {"": HERE} if given.before is None else {"before ": given.before.resolve(), "": HERE}
    variants = [f"{tree}{arithmetic}" for tree in trees for arithmetic in given.arithmetic.split(",")]
    wall, used = defaultdict[tuple[str, str], list[float]](list), defaultdict[tuple[str, str], list[float]](list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        number = copied(given.path, folder, given.articles)
        for _ in range(given.rounds):
            for workers in given.workers.split(","):
                for variant in variants:
                    spent = run(folder, workers, variant.split()[-1], trees["before " if " " in variant else ""])
                    wall[variant, workers].append(spent[0])
                    used[variant, workers].append(spent[1])
                    print(f"{variant}, {workers} workers: {spent[0]:.0f} s, {spent[1]:.0f} CPU s", file=sys.stderr)
    print(f"{number} articles, {given.rounds} rounds")
    for (variant, workers), seconds in wall.items():
        cpu, first = used[variant, workers], variants[0]
        print(
            f"{variant:14s} {workers} workers: {number / min(seconds):.2f} articles/s at best, "
            f"{number / median(seconds):.2f} median; {min(cpu) / number:.2f} CPU s an article at best, "
            f"{median(cpu) / number:.2f} median; {min(used[first, workers]) / min(cpu):.2f} times the speed of {first} "
            f"by CPU time, {min(wall[first, workers]) / min(seconds):.2f} by the clock"
        )


def copied(source: Path, folder: Path, most: int | None = None) -> int:
    """Copy the articles, or the first of them by path, into `folder`/in; returns their number."""
    (folder / "in").mkdir()
    if source.is_file():
        with tarfile.open(source) as archive:
            archive.extractall(folder / "all", filter="data")
        source = folder / "all"
    files = sorted(file for file in source.rglob("*") if file.is_file())[:most]
    for number, file in enumerate(files):
        shutil.copyfile(file, folder / "in" / f"{number}-{file.name}")
    return len(files)


def run(folder: Path, workers: str, arithmetic: str, tree: Path) -> tuple[float, float]:
    """Seconds and CPU seconds of one run of the code in a checkout."""
    out = folder / "out"
    own = tree / ".venv" / "bin" / "python"
    command = [
        *(str(own) if own.exists() else sys.executable, "-c", ENTRY),
        *("annotate", str(folder / "in"), "-o", str(out), "--existing", "replace"),
    ]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, "--workers", workers, "--arithmetic", arithmetic],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        check=True,
    )
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(out)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
