"""Weights of runs that are measured or estimated."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ConfigurationError
from ensemble.runs import open_poll
from ensemble.weighting import Pattern, dawid_skene, estimated, reweighted

WORDS = [f"w{number:03}" for number in range(300)]
TEXT = " ".join(WORDS)


def votes(precisions: list[float], spans: int = 4000, seed: int = 3) -> Counter[Pattern]:
    """Votes of runs that find 80% of the right spans, and wrong ones up to their precision."""
    chance = random.Random(seed)
    counts: Counter[Pattern] = Counter()
    for number in range(2 * spans):
        right = number < spans
        rates = [0.8 if right else 0.8 * (1 - precision) / precision for precision in precisions]
        pattern = tuple(chance.random() < rate for rate in rates)
        if any(pattern):
            counts[pattern] += 1
    return counts


@pytest.mark.parametrize("precisions", [[0.9, 0.8, 0.7], [0.9, 0.9, 0.55], [0.85, 0.6, 0.6, 0.6]])
def test_agreement_shows_how_good_runs_are(precisions: list[float]) -> None:
    found = dawid_skene(votes(precisions))
    assert found == pytest.approx(precisions, abs=0.08)
    assert max(range(len(found)), key=found.__getitem__) == 0


@given(st.permutations(range(4)))
def test_the_order_of_the_runs_has_no_effect(order: list[int]) -> None:
    counts = votes([0.9, 0.8, 0.7, 0.6], spans=300)
    moved = Counter({tuple(pattern[run] for run in order): count for pattern, count in counts.items()})
    before, after = dawid_skene(counts), dawid_skene(moved)
    assert after == pytest.approx([before[run] for run in order], abs=1e-4)


def test_a_run_may_lack_documents() -> None:
    counts = votes([0.9, 0.8, 0.7])
    lacking = Counter({(*pattern[:2], None): count for pattern, count in counts.items() if any(pattern[:2])})
    assert dawid_skene(counts + lacking) == pytest.approx([0.9, 0.8, 0.7], abs=0.1)


def write(path: Path, words: set[int]) -> str:
    mentions = [
        {
            "id": str(at),
            "infons": {"type": "Chemical"},
            "text": WORDS[at],
            "locations": [{"offset": 5 * at, "length": 4}],
        }
        for at in sorted(words)
    ]
    passage = {"offset": 0, "infons": {}, "text": TEXT, "annotations": mentions}
    path.write_text(json.dumps({"documents": [{"id": "1", "passages": [passage]}]}), "utf-8")
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    right = set(range(100))
    return [
        write(tmp_path / "a.json", right),
        write(tmp_path / "b.json", right | set(range(100, 140))),
        write(tmp_path / "c.json", set(range(80)) | set(range(150, 300))),
    ]


def test_the_better_run_weighs_more(runs: list[str]) -> None:
    with open_poll(runs) as poll:
        shares, weights = map(list, zip(*estimated(poll), strict=True))
        assert shares[0] > shares[1] > shares[2]
        assert weights[0] > weights[1] > weights[2]
        weighted, sentences = reweighted(poll)
        assert [run.weight for run in weighted.runs] == weights
        assert [run.weight for run in poll.runs] == [1, 1, 1]
        assert "estimated from agreement" in sentences[0]


def test_a_gold_standard_measures(runs: list[str], tmp_path: Path) -> None:
    with open_poll(runs[:2], gold=write(tmp_path / "gold.json", set(range(100)))) as poll:
        assert [round(share, 2) for share, _ in estimated(poll)] == [0.99, 0.71]


def test_two_runs_without_gold_cannot_be_weighed(runs: list[str]) -> None:
    with open_poll(runs[:2]) as poll, pytest.raises(ConfigurationError, match="give 3 runs or more"):
        estimated(poll)


def test_runs_without_mentions_cannot_be_weighed(tmp_path: Path) -> None:
    empty = [write(tmp_path / f"{name}.json", set()) for name in "abc"]
    with open_poll(empty) as poll, pytest.raises(ConfigurationError, match="no run has a mention"):
        estimated(poll)
