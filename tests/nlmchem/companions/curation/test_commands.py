"""`nlmchem curate select` and `nlmchem curate export` on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import corpora
from corpora.reporting import ignore

Nlmchem = Callable[..., tuple[int, str, str]]


def test_a_folder_that_is_no_selection_is_refused_and_the_remedy_works(
    run: Nlmchem, selection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, told = run("curate", "export", "run.xml", "-o", "tasks", "--to", "brat")
    assert (code, "make one with `nlmchem curate select RUN -o SELECTION`" in told) == (2, True)
    code, printed, _ = run("curate", "select", "run.xml", "-o", "chosen", "--number", 1)
    assert (code, printed.startswith("chose 1 of 4 passages in 1 article; reasons: ")) == (0, True)
    code, printed, _ = run("curate", "export", "chosen", "-o", "tasks", "--to", "brat", "--lexicon", "starter")
    assert (code, printed) == (0, "wrote 1 passage of 1 article for brat; results in tasks\n")
    assert len(list(corpora.read("tasks", report=ignore))) == 1
