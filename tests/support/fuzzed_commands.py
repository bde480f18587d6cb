"""Fuzzers of whole commands: damaged inputs, damaged states of earlier commands, odd environments.

No file outside of the output may change, and no error may be unexpected.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from command_drills import COMMANDS, PREPARED, prepared_inputs, run
from companion_cases import cases
from run_drills import Place
from training_drills import COMMANDS as TRAINING
from training_drills import write_gold

from corpora.errors import NlmchemError

Damage = Callable[[bytes, random.Random], bytes]

READING: dict[str, tuple[str, ...]] = {
    "annotate": ("annotate", "{in}/a", "--steps", "abbreviate", "--workers", "1", "-o", "{work}/out"),
    "annotate one": ("annotate", "{in}/a", "--steps", "abbreviate", "--workers", "1", "-o", "{work}/out.xml"),
    "replay": ("replay", "{work}/out", "--workers", "1"),
    "convert": ("convert", "--format", "pubtator", "{in}", "{work}/out"),
    "convert to brat": ("convert", "--format", "brat", "{in}", "{work}/out"),
    "view": ("view", "{in}/a", "--gold", "{in}/b", "-o", "{work}/out"),
    "abbreviations": ("abbreviations", "{in}", "--json"),
    "index list": ("index", "list", "{in}/a"),
    "explain": ("explain", "{in}/a", "--tagger", "lexicon"),
    "stats": ("corpora", "stats", "{in}/a"),
    "leaks": ("corpora", "leaks", "{in}/a", "{in}/b"),
    "evaluate indexing": ("evaluate", "indexing", "{in}/a", "{in}/b"),
    "evaluate identifiers": ("evaluate", "identifiers", "{in}/a", "{in}/b", "--samples", "10"),
    "evaluate abbreviations": ("evaluate", "abbreviations", "{in}/a", "{in}/b"),
    "evaluate spans": ("evaluate", "spans", "{in}/a", "{in}/b", "--samples", "10", "--tsv"),
    "train decision": TRAINING["train decision"],
    "index suggest": ("index", "suggest", "{in}/a", "--lexicon", "{in}/names.sqlite"),
    "index explain": ("index", "explain", "{in}/a", "--lexicon", "{in}/names.sqlite", "--json"),
    "info": ("corpora", "info", "pmc-jats", "{in}/keys"),
    "cached": ("fetch", "--cached"),
    "lexicon explain": ("lexicon", "explain", "ethanol", "--lexicon", "{in}/names.sqlite"),
    "lexicon order": ("lexicon", "order", "--gold", "{in}/gold", "--lexicon", "{in}/names.tsv"),
    "lexicon info": ("lexicon", "info", "--lexicon", "{in}/names.sqlite"),
    "lexicon lookup": ("lexicon", "lookup", "ethanol", "--lexicon", "{in}/names.sqlite"),
    **cases("READING"),
}
ALL = {**COMMANDS, **PREPARED, **READING}


def commands(chance: random.Random, folder: Path, damaged: Damage) -> None:
    """A command over inputs of which one or two files are damaged."""
    place = _place(folder)
    for path in chance.sample(_files(place.inputs), chance.choice((1, 1, 2))):
        path.write_bytes(damaged(path.read_bytes(), chance))
    _checked(chance.choice(list(ALL.values())), place)


def states(chance: random.Random, folder: Path, damaged: Damage) -> None:
    """A command, then the same once more after a file that it wrote was damaged: outputs, records, ledgers."""
    place = _place(folder)
    name = chance.choice([*COMMANDS, *PREPARED, "annotate", "annotate one", "convert", "convert to brat", "view"])
    if name.startswith("annotate"):
        broken = place.inputs / "a" / "broken.json"
        broken.write_text("{")
    _checked(ALL[name], place)
    written = _files(place.out.parent)
    for path in chance.sample(written, min(len(written), chance.choice((1, 1, 3)))):
        path.write_bytes(damaged(path.read_bytes(), chance))
    again = (*ALL[name], *chance.choice(((), ("--restart",), ("--retry-failed",)))) if name == "annotate" else ALL[name]
    _checked("replay" if name == "annotate" and chance.random() < 0.3 else again, place)


def environments(chance: random.Random, folder: Path) -> None:
    """A command in a process with closed streams, odd variables, or a current folder that is gone."""
    place = _place(folder)
    words = chance.choice([value for name, value in ALL.items() if not name.startswith(("ensemble", "evaluate rep"))])
    known = {"in": place.inputs, "work": place.out.parent}
    arguments = [word.format_map(known) for word in words]
    variables = {**os.environ, "NLMCHEM_HOME": os.environ.get("NLMCHEM_HOME", ""), "OMP_NUM_THREADS": "1"}
    odd = ("", "/dev/null/nowhere", str(place.inputs / "gold.jsonl"), "\udcff", "C", "xx_XX.nothing", "0", "a" * 300)
    for name in ("LC_ALL", "LANG", "HOME", "TMPDIR", "TZ", "COLUMNS", "TERM", "PYTHONIOENCODING", "NO_COLOR", "PATH"):
        match chance.randrange(4):
            case 0:
                variables.pop(name, None)
            case 1:
                variables[name] = (
                    chance.choice(("ascii", "utf-8")) if name == "PYTHONIOENCODING" else chance.choice(odd)
                )
    closed = chance.choice(("", "", "<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"))
    gone = 'mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone"; ' if chance.random() < 0.1 else ""
    before = _contents(place.inputs)
    ended = subprocess.run(
        ["/bin/bash", "-c", f'{gone}"$@" {closed}', str(place.root), sys.executable, "-m", "nlmchem", *arguments],
        capture_output=True, env=variables, cwd=place.root, timeout=600, check=False,
    )  # fmt: skip
    told = ended.stderr.decode(errors="replace")
    if "Fatal Python error: error evaluating path" in told:
        # Python itself does not start without current folder and without PATH.
        return
    if ended.returncode not in (0, 1, 2, 3) or "Traceback" in told or "unexpected" in told:
        raise AssertionError(f"{arguments} {closed} {gone}: {ended.returncode} {told[-600:]}")
    if _contents(place.inputs) != before:
        raise AssertionError(f"{arguments}: an input changed")


def _place(folder: Path) -> Place:
    place = Place(folder)
    (place.root / "work").mkdir()
    prepared_inputs(place)
    write_gold(place.inputs)
    from sieves.lexicon.tables import open_starter

    connection = open_starter()
    (place.inputs / "names.sqlite").write_bytes(connection.serialize())
    connection.close()
    return place


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in _files(folder)}


def _checked(words: tuple[str, ...] | str, place: Place) -> None:
    """Run a command. Raises its error if it is not expected, and `AssertionError` where an input changed."""
    from nlmchem.cli.exit_codes import ending
    from nlmchem.engine import runner
    from nlmchem.engine.executors import InlineExecutor

    runner.LocalExecutor = InlineExecutor  # type: ignore[assignment, misc]
    before = _contents(place.inputs)
    try:
        run(ALL[words] if isinstance(words, str) else words, place)
    except NlmchemError as error:
        if "\n" in str(error) or "unexpected" in str(error):
            raise AssertionError(f"{words}: not one sentence: {error}") from error
    except Exception as error:
        # Errors of the command line itself (`click`) have a method `format_message`.
        if not hasattr(error, "format_message") and not ending(error).expected:
            raise AssertionError(f"{words}: {type(error).__name__}: {error}") from error
    if _contents(place.inputs) != before:
        raise AssertionError(f"{words}: an input changed")
