"""Finds words in the pages and in docstrings that readers found hard to follow.

    python -m benchmarks.release.words

CONTRIBUTING.md asks for plain language. Each pattern is a word or phrase that a new reader had to read twice.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = (
    "corpora/*.py", "corpora/model/*.py", "corpora/formats/format.py", "indexing/terms/registry.py", "nlmchem/*.py",
    "nlmchem/cli/**/*.py", "nlmchem/steps/*.py", "nlmchem/tagging/registry.py", "sieves/registry.py",
)  # fmt: skip
"""The modules of public names (docs/reference/public.md) and of the help texts."""
HARD = re.compile(
    r"\b(lest|anew|thereof|who(so)?ever|(is|are) told|sa(ys|id) so|hears?|bears? (a|the|its)"
    r"|(?<!there )(is|are) (?-i:none)|nobody knows|every way ends|would not travel|once each|mended|to mend"
    r"|those of|behind (it|all sieves)|are at their place|stands?( for| in)?|what speaks for|no format claims"
    r"|spelling of no name)\b",
    re.IGNORECASE,
)


def pages() -> Iterator[tuple[str, str]]:
    """The pages that users read, with their text."""
    docs = sorted(path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".ipynb"))
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *docs):
        yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def docstrings(code: str) -> Iterator[tuple[int, str]]:
    """The line and the text of the docstrings of a module that belong to names without an underscore."""
    nodes: list[ast.AST] = [ast.parse(code)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if text := ast.get_docstring(node, clean=False):
                yield (node.body[0].lineno, text)
            if isinstance(node, ast.Module | ast.ClassDef):
                nodes += [child for child in node.body if not getattr(child, "name", "_").startswith("_")]


def hard(text: str) -> Iterator[tuple[int, str]]:
    """The line, from 0, and each hard word or phrase in it. A phrase can go on in the next line."""
    for match in HARD.finditer(re.sub(r"\s", " ", text)):
        yield text.count("\n", 0, match.start()), match[0]


def findings() -> Iterator[str]:
    for name, text in pages():
        for line, words in hard(text):
            yield f"{name}:{line + 1}: {words}"
    for path in sorted({path for pattern in PUBLIC for path in ROOT.glob(pattern)}):
        for first, text in docstrings(path.read_text("utf-8")):
            for line, words in hard(text):
                yield f"{path.relative_to(ROOT)}:{first + line}: {words}"


def main() -> None:
    faults = list(findings())
    print(*faults, sep="\n") if faults else print("no hard words found")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
