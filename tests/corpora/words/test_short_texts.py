"""Caches of texts are bounded in bytes, not only in entries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from corpora.words.short_texts import LONGEST, cached

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
BOUNDED = {
    "corpora/formats/format.py _named",  # a value of a module that a format names
    "corpora/words/folding.py _fold_character",  # a character
    "nlmchem/commands/functions.py function_named",  # the name of a command
    "nlmchem/tagging/gazetteer/names.py _folded",  # four segments; its caller excludes long ones
}


def test_long_texts_are_answered_and_not_kept() -> None:
    calls: list[str] = []

    @cached(4)
    def length(text: str) -> int:
        """The length."""
        calls.append(text)
        return len(text)

    for text in ("a" * LONGEST, "a" * (LONGEST + 1)):
        assert [length(text), length(text)] == [len(text)] * 2
    assert [len(text) for text in calls] == [LONGEST, LONGEST + 1, LONGEST + 1]
    assert length.__doc__ == "The length."


def functions_with_unbounded_texts() -> Iterator[str]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if not isinstance(node, ast.FunctionDef):
                    continue
                decorators = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
                texts = [one.arg for one in node.args.args if one.annotation and ast.unparse(one.annotation) == "str"]
                if decorators & {"cache", "lru_cache"} and texts:
                    yield f"{file.relative_to(ROOT)} {node.name}"


def test_no_cache_keeps_texts_of_any_length() -> None:
    assert set(functions_with_unbounded_texts()) == BOUNDED
