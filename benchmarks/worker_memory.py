"""Resident memory of each worker of `nlmchem annotate` over a run, and what the run prints on stderr.

    python benchmarks/worker_memory.py INPUT... [--workers 1] [--copies 1] [--largest 24] [-- ARGUMENTS OF annotate]

INPUT: files, folders or tar archives of articles. `--largest N` takes the N largest articles; `--copies N` annotates
each one N times, under names of its own. Prints, for each process that loads models: resident memory after a tenth,
a quarter, a half, three quarters and the whole of the run, its peak (VmHWM), its private part (RssAnon) at the end;
then every line of stderr about a warning or a worker. Time: that of the run; 100 JATS articles take 2 minutes on two
quiet cores.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

SECONDS_BETWEEN_SAMPLES = 0.5
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


def files_in(inputs: Sequence[Path], folder: Path) -> list[Path]:
    """The articles of the inputs as files; archives are unpacked into `folder`."""
    found: list[Path] = []
    for number, path in enumerate(inputs):
        if path.suffix in (".gz", ".tar", ".xz", ".tgz"):
            unpacked = folder / f"unpacked-{number}"
            with tarfile.open(path) as archive:
                archive.extractall(unpacked, filter="data")
            path = unpacked
        found += [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return found


def status(pid: int) -> dict[str, int]:
    """Megabytes of VmRSS, VmHWM and RssAnon."""
    lines = (line.partition(":") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: int(value.split()[0]) // 1024 for name, _, value in lines if name in ("VmRSS", "VmHWM", "RssAnon")}


def watch(child: psutil.Popen) -> dict[int, list[dict[str, int]]]:
    """Samples of every process below `child`, until it ends."""
    samples: dict[int, list[dict[str, int]]] = defaultdict(list)
    while child.poll() is None:
        for process in children(child):
            try:
                samples[process.pid].append(status(process.pid))
            except (OSError, KeyError):
                continue
        time.sleep(SECONDS_BETWEEN_SAMPLES)
    return samples


def children(child: psutil.Popen) -> Iterator[psutil.Process]:
    try:
        yield from child.children(recursive=True)
    except psutil.Error:
        return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", type=Path)
    parser.add_argument("--workers", default="1")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--largest", type=int)
    own, annotate = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, annotate = own[:at], own[at + 1 :]
    given = parser.parse_args(own)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = files_in(given.inputs, folder)
        if given.largest:
            files = sorted(files, key=lambda file: file.stat().st_size)[-given.largest :]
        (folder / "in").mkdir()
        for copy in range(given.copies):
            for number, file in enumerate(files):
                shutil.copyfile(file, folder / "in" / f"{copy}-{number}-{file.name}")
        command = [sys.executable, "-c", "from nlmchem.cli import main; main()", "annotate", str(folder / "in")]
        command += ["-o", str(folder / "out"), "--existing", "replace", "--workers", given.workers, *annotate]
        with (folder / "stderr").open("wb") as errors:
            begun = time.perf_counter()
            child = psutil.Popen(command, stderr=errors, cwd=folder)
            samples = watch(child)
        seconds = time.perf_counter() - begun
        print(f"{len(files) * given.copies} articles, exit {child.returncode}, {seconds:.0f} s", flush=True)
        for pid, seen in samples.items():
            sizes = [sample["VmRSS"] for sample in seen]
            if max(sizes) > 100:
                shown = ", ".join(f"{sizes[int(share * (len(sizes) - 1))]}" for share in SHARES)
                print(
                    f"process {pid}: {len(seen)} samples; {shown} MB after {', '.join(map(str, SHARES))} of its time; "
                    f"peak {seen[-1]['VmHWM']} MB; private at the end {seen[-1]['RssAnon']} MB"
                )
        lines = (folder / "stderr").read_text(errors="replace").splitlines()
        told = [line for line in lines if "warning" in line.casefold() or "worker" in line.casefold()]
        print(f"lines of stderr about warnings or workers: {len(told)}")
        print("\n".join(told[:10]))


if __name__ == "__main__":
    main()
