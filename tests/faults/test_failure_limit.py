"""`--max-failures`: a run in which too many articles fail stops, and keeps what is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.errors import OptionError
from nlmchem.engine.stop import RunStopped
from nlmchem.run.options import FEWEST, FailureLimit


@pytest.mark.parametrize(
    ("text", "limit"),
    [("0", FailureLimit(0)), ("20", FailureLimit(20)), ("0.5", FailureLimit(0.5, True)), ("1.0", FailureLimit(1, True)),
     ("12.5%", FailureLimit(0.125, True)), ("0%", FailureLimit(0, True))],
)  # fmt: skip
def test_a_limit_is_a_number_or_a_share(text: str, limit: FailureLimit) -> None:
    assert FailureLimit.parse(text) == limit
    assert FailureLimit.parse(str(limit)) == limit


@pytest.mark.parametrize(
    "text", ["", "-1", "half", "1.5", "101%", "nan", "1e3", "%", "\u0663", "0_1", " 0.5", "0.5 %", "1_0%"]
)
def test_other_limits_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"must be a number \(20\) or a share"):
        FailureLimit.parse(text)


def test_a_share_is_compared_after_some_articles_and_at_the_end() -> None:
    half = FailureLimit(0.5, share=True)
    assert not half.is_exceeded(1, 1)
    assert half.is_exceeded(1, 1, at_end=True)
    assert half.is_exceeded(FEWEST // 2 + 1, FEWEST)
    assert not half.is_exceeded(FEWEST // 2, FEWEST, at_end=True)


def _half_bad(folder: Path, articles: Any, number: int) -> Path:
    folder.mkdir()
    for n in range(number):
        (folder / f"{n:03}.xml").write_bytes(articles.one(n, "\x0b" if n % 2 else ""))
    return folder


@pytest.mark.parametrize("limit", ["3", "20%"])
def test_a_run_with_too_many_failures_stops_and_the_same_command_continues_it(
    limit: str, articles: Any, annotate: Any, tmp_path: Path
) -> None:
    folder = _half_bad(tmp_path / "in", articles, 120 if "%" in limit else 20)
    options = {"max_failures": FailureLimit.parse(limit), "workers": 1}
    with pytest.raises(RunStopped, match=r"articles failed, more than max_failures=.* allows; .*quarantine has the"):
        annotate(folder, **options)
    out = tmp_path / "out"
    kept = {path.name: path.read_bytes() for path in out.glob("*.xml")}
    assert kept
    assert len(list((out / "quarantine").iterdir())) > 3
    run = annotate(folder, workers=1)
    assert run.counts.skipped >= len(kept)
    assert run.tree == annotate(folder, out=tmp_path / "whole").tree
    assert {name: run.tree[name] for name in kept} == kept


def test_a_run_with_few_failures_does_not_stop(articles: Any, annotate: Any, tmp_path: Path) -> None:
    folder = _half_bad(tmp_path / "in", articles, 6)
    assert annotate(folder, max_failures=FailureLimit(3)).counts.failed == 3
    assert annotate(folder, out=tmp_path / "b", max_failures=FailureLimit(0.5, share=True)).counts.failed == 3


def test_the_command_line_has_the_option(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--max-failures", "many")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "--max-failures" in run.stderr
    (good / "bad.xml").write_bytes(b"")
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--max-failures", "0", "--workers", 1)
    assert run.returncode == 1, run.stderr
    assert "1 of 1 article failed, more than --max-failures 0 allows" in run.stderr
