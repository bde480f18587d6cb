"""Peak memory of `nlmchem annotate` and `nlmchem convert` on collections of 1 GB; the target is below 300 MB.

    python -m benchmarks.speed.memory [--size 1000] [--limit 300] [--folder /tmp] [--workers 2]
    python -m benchmarks.speed.memory --articles ../shared/data/pmc/jats.tar.gz --workers 1    # with all defaults

Collections of BioC XML and BioC JSON are generated on disk, full-text-like articles of about 178 kB.
What is measured is resident memory of the command and of every process that it starts, together and
the largest one alone, sampled 50 times a second, and each process' own high-water mark (VmHWM).
Prints one line a run; exits 1 where a process tree goes above the limit.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.speed.formats import article
from corpora.formats import registry
from corpora.formats.format import Header

SAMPLES_PER_SECOND = 50
DISTINCT = 40
"""Articles that are really generated; the collection repeats them under ids of their own."""


def generate(path: Path, format: str, size: int) -> int:
    """A collection of at least `size` bytes; says how many articles it has."""
    writer = registry.writable(format)
    made = [writer.dumps(article(number), print) for number in range(DISTINCT)]
    header = Header("generated", "20260101", "none")
    count = written = 0
    with path.open("wb") as stream:
        stream.write(writer.opening(header))
        while written < size:
            separator = writer.separator if count else b""
            old = b"%d" % (1_000_000 + count % DISTINCT)
            written += stream.write(separator + made[count % DISTINCT].replace(old, b"%d" % (2_000_000 + count), 1))
            count += 1
        stream.write(writer.closing(header))
    return count


@dataclass
class Peak:
    """Bytes of resident memory at their highest."""

    tree: int = 0
    single: int = 0
    marks: dict[int, int] = field(default_factory=dict)

    def sample(self, root: psutil.Process) -> None:
        """Look at a process and all below it; those that have just gone count no more."""
        sizes = []
        for process in [root, *root.children(recursive=True)]:
            try:
                sizes.append(process.memory_info().rss)
                self.marks[process.pid] = max(self.marks.get(process.pid, 0), high_water_mark(process.pid))
            except (psutil.Error, OSError):
                continue
        self.tree = max(self.tree, sum(sizes))
        self.single = max(self.single, *self.marks.values(), 0, 0)


def high_water_mark(pid: int) -> int:
    match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(match[1]) * 1024 if match else 0


def run(what: str, *arguments: str | Path) -> int:
    """Run `nlmchem` and print a line; returns the bytes of the process tree at their highest."""
    peak, begun = Peak(), time.perf_counter()
    command = [sys.executable, "-m", "nlmchem", *map(str, arguments)]
    child = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while child.poll() is None:
        try:
            peak.sample(child)
        except psutil.Error:
            break
        time.sleep(1 / SAMPLES_PER_SECOND)
    _, errors = child.communicate()
    if child.returncode:
        print(errors.decode()[-2000:], file=sys.stderr)
    print(
        f"{what}: exit {child.returncode}, {time.perf_counter() - begun:.0f} s, peak {peak.tree / 1e6:.0f} MB in all, "
        f"{peak.single / 1e6:.0f} MB the largest of {len(peak.marks)} processes",
        flush=True,
    )
    return peak.tree


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=1000, help="megabytes of each collection")
    parser.add_argument("--limit", type=int, default=300, help="megabytes that a process tree may take")
    parser.add_argument("--folder", help="where the collections are generated, two sizes of one; default: the system's")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--articles", help="annotate these articles with all defaults instead")
    options = parser.parse_args()
    workers = ("--workers", options.workers)
    worst = 0
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        out, converted = folder / "out", folder / "converted"
        if options.articles:
            run(options.articles, "annotate", options.articles, "-o", out, "--existing", "replace", *workers)
            return
        for format, suffix, other in (("biocxml", ".xml", "biocjson"), ("biocjson", ".json", "biocxml")):
            path = folder / f"collection{suffix}"
            articles = generate(path, format, options.size * 1_000_000)
            what = f"{format} of {path.stat().st_size / 1e6:.0f} MB, {articles} articles"
            worst = max(
                worst,
                run(f"{what}, annotate", "annotate", path, "-o", out, "--steps", "", *workers),
                run(f"{what}, convert to {other}", "convert", path, converted, "--format", other),
            )
            shutil.rmtree(out, ignore_errors=True)
            for file in (converted, path):
                file.unlink(missing_ok=True)
    sys.exit(worst > options.limit * 1_000_000)


if __name__ == "__main__":
    main()
