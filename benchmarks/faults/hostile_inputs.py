"""Reads hostile inputs, each in a process of its own, and reports outcome, seconds and peak memory.

    python -m benchmarks.faults.hostile_inputs [NAME ...] [--keep FOLDER]

The inputs are made by this script, and are small (up to 3 MB) because they are compressed or lie about their size. An
outcome is the number of articles and the message of the first fault; `ended after SECONDS s` or a traceback is a
defect. Each process has at most MEMORY bytes of address space and SECONDS seconds. Ends with 1 where an input crashes
its process, does not end, or needs more than a gigabyte. No data is needed; it takes two minutes.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

MEMORY = 4_000_000_000
SECONDS = 60
MOST = 1000
"""Megabytes that a process may need."""

DOCUMENT = b"<document><id>1</id><passage><offset>0</offset><text>water</text></passage></document>"
MANY = 60 << 20
PART = 1 << 20

READ = """
import sys
from corpora import reading
from corpora.storage import inputs
articles, faults = 0, []
for item in reading.articles(inputs.expand(sys.argv[1:]), lambda sentence: None):
    if isinstance(item, reading.Fault):
        faults.append(str(item.error))
    else:
        articles += 1
print(f"{articles} articles" + "".join(f"; {fault}" for fault in faults[:1]))
"""
BUILD = """
import sys
from pathlib import Path
from corpora.errors import NlmchemError
from sieves.lexicon.mesh_files import read_records
try:
    print(f"{len(list(read_records(Path(sys.argv[1]))))} records")
except NlmchemError as error:
    print(error)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", type=Path, help="folder for the inputs")
    arguments = parser.parse_args()
    failed = 0
    print("| input | bytes | outcome | seconds | peak MB |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, make in INPUTS.items():
            if arguments.names and name not in arguments.names:
                continue
            path = folder / name
            make(path)
            outcome, seconds, memory = measured(path)
            print(f"| {name} | {path.stat().st_size:,} | {outcome} | {seconds:.1f} | {memory:,} |", flush=True)
            failed += memory > MOST or outcome.startswith(("ended", "crashed"))
    return int(failed > 0)


def measured(path: Path) -> tuple[str, float, int]:
    """The outcome of an input in words, its seconds, and the peak of its process in megabytes."""
    code = BUILD if path.name.startswith("desc") else READ
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out:
        command = [sys.executable, "-c", code, str(path)]
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, preexec_fn=_limit)
        usage = None
        while usage is None and time.monotonic() - begun < SECONDS:
            ended, status, spent = os.wait4(process.pid, os.WNOHANG)
            usage = spent if ended else None
            time.sleep(0.02)
        if usage is None:
            process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            outcome = f"ended after {SECONDS} s"
        else:
            out.seek(0)
            last = (out.read().decode("utf-8", "replace").strip().splitlines() or [""])[-1]
            outcome = last if status == 0 else f"crashed: {last}"
        process.returncode = status
    return outcome[:160].replace("|", "/"), time.monotonic() - begun, usage.ru_maxrss >> 10


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


# -- inputs -------------------------------------------------------------------------------------


def packed(*parts: tuple[bytes, int]) -> Callable[[Path], None]:
    """A gzip file of parts, each repeated."""

    def make(path: Path) -> None:
        with gzip.open(path, "wb", 6) as stream:
            for part, number in parts:
                block = min(number, max(1, PART // len(part)))
                for _ in range(number // block):
                    stream.write(part * block)
                stream.write(part * (number % block))

    return make


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def large_header(kind: bytes) -> Callable[[Path], None]:
    size = 2 << 30
    return packed((header("a", size, kind), 1), (bytes(PART), size // PART), (header("a.xml", 0), 1), (bytes(1024), 1))


def plain(content: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(content)

    return make


def zipped(name: str, spoil: Callable[[bytes], bytes] = bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"<collection>" + DOCUMENT + b"</collection>")
    return spoil(stream.getvalue())


def inputs() -> Iterator[tuple[str, Callable[[Path], None]]]:
    yield "claims-2-60-bytes.tar", plain(header("a.xml", 1 << 60))
    yield "pax-header-2-GiB.tgz", large_header(tarfile.XHDTYPE)
    yield "global-header-2-GiB.tgz", large_header(tarfile.XGLTYPE)
    yield "long-name-2-GiB.tgz", large_header(tarfile.GNUTYPE_LONGNAME)
    yield "name-not-utf8.zip", plain(zipped("ä.xml", lambda data: data.replace("ä".encode(), b"\xff\xfe")))
    yield "name-empty.zip", plain(zipped(""))
    yield "blanks-2-GiB.xml.gz", packed((b"<collection>", 1), (b" " * PART, 2048), (b"</collection>", 1))
    around = [(b"<collection>", 1), (DOCUMENT, 1), (b"<a/>", MANY), (b"</collection>", 1)]
    yield "elements-around.xml.gz", packed(*around)
    yield "elements-between.xml.gz", packed((b"<collection>", 1), (b"<a/>" * 1000 + DOCUMENT, MANY // 1000))
    inside = [(b"<document><id>1</id>", 1), (b"<a/>", MANY // 4), (b"</document></collection>", 1)]
    yield "elements-inside.xml.gz", packed((b"<collection>", 1), *inside)
    within = [(b"<document><id>1</id>", 1), (b"<annotation/>", 1_900_000), (b"</document></collection>", 1)]
    yield "annotations.xml.gz", packed((b"<collection>", 1), *within)
    start = b'{"documents":[{"id":"1","passages":[{"offset":0,"text":"x","annotations":['
    yield "annotations.json.gz", packed((start, 1), (b"{},", 900_000), (b"{}]}]}]}", 1))
    yield "elements.nxml.gz", packed((b"<article>", 1), (b"<p/>", 15_000_000), (b"</article>", 1))
    yield "lists.json.gz", packed((b'{"documents":[', 1), (b"[],", MANY), (b"[]]}", 1))
    yield "lists-in-document.json.gz", packed((b'{"documents":[{"passages":[', 1), (b"[],", MANY), (b"[]]}]}", 1))
    yield "lists-in-key.json.gz", packed((b'{"x":[', 1), (b"[],", MANY), (b'[]],"documents":[]}', 1))
    wide = '{"documents":[{"passages":[{"offset":0,"text":"'
    yield "wide-text.json.gz", packed((wide.encode(), 1), ("😀a".encode(), 12 << 20), (b'"}]}]}', 1))
    yield "lines.pubtator.gz", packed((b"1|t|a\n1|a|b\n", 1), (b"1\t0\t1\ta\tb\tc\n", 20 << 20))
    yield "desc-elements.gz", packed((b"<DescriptorRecordSet>", 1), (b"<a/>", MANY), (b"</DescriptorRecordSet>", 1))


INPUTS = dict(inputs())


if __name__ == "__main__":
    sys.exit(main())
