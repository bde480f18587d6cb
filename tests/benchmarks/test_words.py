"""The check of words that readers found hard to follow (`make check`)."""

from __future__ import annotations

import pytest

from benchmarks.release.words import docstrings, hard


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the scores are those\nof the track", [(0, "those of")]),
        ("x\nA name stands there.", [(1, "stands")]),
        ("- if there is none", []),
        ("`gold` is None", []),
        ("a standard, understands, those that overlap", []),
    ],
)
def test_hard_words_are_found_also_across_lines(text: str, found: list[tuple[int, str]]) -> None:
    assert list(hard(text)) == found


def test_docstrings_of_public_names_are_read() -> None:
    code = '"""Module."""\nclass A:\n """Class."""\n def b(self):\n  """Method."""\n def _c(self):\n  """No."""\n'
    assert sorted(docstrings(code)) == [(1, "Module."), (3, "Class."), (5, "Method.")]
