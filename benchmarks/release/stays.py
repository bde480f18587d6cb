"""How many files a new thing touches, and in how many files an option stays on its way.

    python -m benchmarks.release.stays

Places: for one example of each kind, the files besides its own and tests that state it: code, generated files and
tables of the documentation.
Stays: `nlmchem annotate --text` runs with an odd value of an option. A stay is a file of ours with a function that is
called with this value, or with options that contain it.
"""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import redirect_stdout, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.release.rooms import PACKAGES, ROOT, modules, room_of

EXAMPLES = {
    "step": ("nlmchem/steps/index.py", r'\bindex_top\b|"normalize", "index"\)|^\| `index` \|'),
    "sieve": ("sieves/chemistry/lipids.py", r"import .*\blipids\b|^\| lipid "),
    "format": ("corpora/formats/conll.py", r'"conll": CONLL|\.conll:READER|\| `conll` \|'),
    "command": (
        "nlmchem/evaluation/commands.py",
        r"evaluation\.commands:EVALUATE|`nlmchem evaluate abbreviations|^def evaluate_abbreviations\(",
    ),
    "measure": ("nlmchem/evaluation/lca.py", r"evaluation import .*\blca\b|evaluation\.lca import"),
    "companion": (
        "nlmchem/companions/pairs",
        r"nlmchem\.companions\.pairs\b|^\|.*companions/pairs/` \||\(reference/pairs\.md",
    ),
}
"""Kind -> the file or folder of an example, and what states it elsewhere."""
OPTIONS = {"min_score": 0.0123457, "index_threshold": 0.9765432}
"""Options of the steps tag and index, each with a value that nothing else has."""


def places(example: str, pattern: str) -> list[str]:
    """The files that state an example, without its own files and tests, in sort order."""
    others = ("benchmarks/", "docs/measurements/", example, f"tests/{example}")
    paths = [path for top in (*PACKAGES, "docs", "tests") for path in (ROOT / top).rglob("*")]
    paths += [ROOT / name for name in ("CONTRIBUTING.md", "README.md", "pyproject.toml")]
    return [
        name
        for path in sorted(paths)
        if path.suffix in (".py", ".pyi", ".md", ".toml", ".txt")
        and not (name := path.relative_to(ROOT).as_posix()).startswith(others)
        and not path.name.startswith("test_")
        and re.search(pattern, path.read_text("utf-8"), re.MULTILINE)
    ]


def stays(option: str, value: float) -> list[str]:
    """The files in which an option stays, in the order of the way."""
    from nlmchem.cli.app import program

    reached: dict[str, None] = {}
    # An environment of the checkout is inside it, too.
    tops = tuple(str(ROOT / top) + os.sep for top in PACKAGES)

    def enter(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(tops) and file not in reached:
            arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
            if any(_holds(frame.f_locals.get(name), value) for name in arguments):
                reached[file] = None

    words = ["annotate", "--text", "Aspirin and NO.", f"--{option.replace('_', '-')}", str(value)]
    sys.setprofile(enter)
    try:
        with suppress(SystemExit), redirect_stdout(io.StringIO()):
            program().main(words, prog_name="nlmchem")
    finally:
        sys.setprofile(None)
    return [Path(file).relative_to(ROOT).as_posix() for file in reached]


def _holds(thing: Any, value: float) -> bool:
    """Whether a thing is the value, or options (also options of a group) that contain it."""
    if isinstance(thing, float | str):
        return thing in (value, str(value))
    if isinstance(thing, dict):
        return any(_holds(item, value) for item in thing.values() if isinstance(item, float | str))
    if isinstance(thing, tuple | list):
        return len(thing) < 20 and any(_holds(item, value) for item in thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        return any(_holds(getattr(thing, field.name, None), value) for field in fields(thing))
    return False


def main() -> None:
    for kind, (example, pattern) in EXAMPLES.items():
        named = places(example, pattern)
        print(f"{kind}: {len(named)} places besides {example} and tests: {', '.join(named)}")
    packages = frozenset(name for name, path in modules().items() if path.name == "__init__.py")
    for option, value in OPTIONS.items():
        files = stays(option, value)
        rooms = {room_of(file.removesuffix(".py").replace("/", "."), packages) for file in files}
        print(f"{option}: {len(files)} files in {len(rooms)} rooms: {', '.join(files)}")


if __name__ == "__main__":
    main()
