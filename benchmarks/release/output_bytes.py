"""Compares the output bytes of two checkouts: the examples, 100 JATS articles and 30 NLM-Chem articles.

    python -m benchmarks.release.output_bytes record ../before before.json
    python -m benchmarks.release.output_bytes record . after.json --options "--arithmetic float32"
    python -m benchmarks.release.output_bytes compare before.json after.json

`record` runs each command of `CASES` with the packages of the given checkout and stores the SHA-256 of every file
that it wrote and of its standard output. Run folders also hold a manifest and a ledger, which have clock times:
these are left out. `compare` prints the files that differ and ends with status 1 where there are any.
Needs `../shared/data`. Time: about 8 minutes on 2 cores, nearly all of it in the tagger.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
DATA = HERE.parent / "shared" / "data"
JATS = DATA / "pmc" / "jats.tar.gz"
NLMCHEM = DATA / "nlmchem" / "bioc"
FORMATS = ("biocxml", "biocjson", "jsonl", "pubtator", "tsv")
SUFFIXES = {"biocxml": ".xml", "biocjson": ".json", "jsonl": ".jsonl", "pubtator": ".pubtator", "tsv": ".tsv"}
EXAMPLES = ("cadmium-rice.json", "carotene-and-gaba.json", "guard-cells.nxml", "well-water.pubtator")
ENTRY = "from nlmchem.cli import main; main()"


def cases(examples: Path) -> dict[str, list[str]]:
    """The commands, by the name of what they write into the working folder (`.out`: standard output)."""
    given: dict[str, list[str]] = {}
    for name in FORMATS:
        run = f"examples-{name}"
        given[run] = ["annotate", str(examples), "-o", run, "--format", name, "--existing", "replace"]
        for example in EXAMPLES:
            out = f"convert-{example}{SUFFIXES[name]}"
            given[out] = ["convert", str(examples / example), out, "--format", name]
        for source, label in ((JATS, "jats"), (NLMCHEM, "nlmchem")):
            out = f"convert-{label}{SUFFIXES[name]}"
            given[out] = ["convert", str(source), out, "--format", name]
    for source, label in ((JATS, "jats"), (NLMCHEM, "nlmchem")):
        for tagger in ("default", "lexicon"):
            run = f"{label}-{tagger}"
            given[run] = ["annotate", str(source), "-o", run, "--tagger", tagger, "--existing", "replace"]
        given[f"abbreviations-{label}.out"] = ["abbreviations", str(source), "--json"]
        given[f"terms-{label}.out"] = ["index", "list", f"{label}-default"]
    runs = ["nlmchem-default", "nlmchem-lexicon"]
    for task in ("spans", "identifiers", "indexing"):
        given[f"ensemble-{task}"] = ["ensemble", task, *runs, "-o", f"ensemble-{task}"]
    for task in ("spans", "identifiers"):
        given[f"scores-{task}.out"] = ["evaluate", task, str(NLMCHEM), *runs, "--samples", "200", "--json"]
    given["silver"] = ["silver", *runs, "-o", "silver"]
    return given


def record(checkout: Path, options: list[str], only: str) -> dict[str, str]:
    """SHA-256 of each output of the commands whose name begins with `only`, run with the packages of `checkout`."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    digests: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as work:
        for name, arguments in cases(HERE / "examples").items():
            if not name.startswith(only):
                continue
            if arguments[0] == "annotate":
                arguments = [*arguments, *options]
            done = subprocess.run(
                [sys.executable, "-c", ENTRY, *arguments], cwd=work, env=environment, capture_output=True, check=False
            )
            print(f"{name}: exit {done.returncode}", file=sys.stderr, flush=True)
            if done.returncode not in (0, 3):
                print(done.stderr.decode("utf-8", "replace")[-500:], file=sys.stderr)
            if name.endswith(".out"):
                (Path(work) / name).write_bytes(done.stdout)
            digests |= {f"{name} (exit)": str(done.returncode)}
            digests |= _digests(Path(work), name)
    return digests


def _digests(work: Path, name: str) -> dict[str, str]:
    path = work / name
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return {
        file.relative_to(work).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file.is_file()
        and file.name != "manifest.json"
        and ".nlmchem" not in file.parts
        # Reasons of failure have tracebacks and times.
        and "quarantine" not in file.relative_to(work).parts
    }


def compare(before: dict[str, str], after: dict[str, str]) -> int:
    """Print what differs; the number of outputs that do."""
    different = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    for name in different:
        state = "differs" if name in before and name in after else "only before" if name in before else "only after"
        print(f"{state}: {name}")
    print(f"{len(before)} outputs before, {len(after)} after, {len(different)} different")
    return len(different)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("checkout", type=Path)
    recording.add_argument("digests", type=Path)
    recording.add_argument("--options", default="", help="further options of `annotate`, as in '--arithmetic float32'")
    recording.add_argument("--only", default="", help="record only the outputs whose name begins with this")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--only", default="", help="compare only the outputs whose name begins with this")
    given = parser.parse_args()
    if given.command == "record":
        digests = record(given.checkout.resolve(), given.options.split(), given.only)
        given.digests.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    before, after = (json.loads(path.read_text("utf-8")) for path in (given.before, given.after))
    if given.only:
        before = {name: digest for name, digest in before.items() if name.startswith(given.only)}
    sys.exit(1 if compare(before, after) else 0)


if __name__ == "__main__":
    main()
