"""Scores of answers to pairs: accuracy by group, missing and doubled answers, the paired test."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.errors import ConfigurationError, InputError
from nlmchem.companions.pairs.evaluation import PairRun, as_objects, as_text, compare, mcnemar, read_answers, score
from nlmchem.companions.pairs.pair import ContextPair


def gold(number: int, group: str = "synonyms", same: bool | None = True) -> ContextPair:
    terms = f"t{number}", f"u{number}"
    return ContextPair(*terms, f"s{number}", f"v{number}", (0, 1), (0, 1), group, same, str(number))


GOLD = [gold(1), gold(2, same=False), gold(3, "abbreviations"), gold(4, "abbreviations", same=False)]


def test_accuracy_is_counted_by_group() -> None:
    found = score(GOLD, PairRun("run", {"1": True, "2": False, "3": True, "4": True}))
    assert {name: (one.pairs, one.right) for name, one in found.items()} == {
        "all": (4, 3),
        "abbreviations": (2, 1),
        "synonyms": (2, 2),
    }
    interval = found["all"].interval
    assert interval is not None
    assert 0 <= interval.low < 0.75 < interval.high <= 1


def test_a_missing_answer_is_wrong_and_reported() -> None:
    messages: list[str] = []
    found = score(GOLD, PairRun("run", {"1": True, "9": True}), 0, report=messages.append)
    assert (found["all"].right, found["all"].missing, found["all"].interval) == (1, 3, None)
    assert messages == [
        "run: 1 answer is to a pair that the gold standard lacks, such as 9",
        "run: 3 pairs without an answer, counted as wrong, such as 2",
    ]


def test_pairs_with_common_sentences_are_drawn_together() -> None:
    one = [ContextPair("a", "b", "s", "v", (0, 1), (0, 1), "synonyms", True, str(n)) for n in range(50)]
    interval = score(one, PairRun("run", {str(n): n % 2 == 0 for n in range(50)}))["all"].interval
    assert interval is not None
    assert (interval.low, interval.high) == (0.5, 0.5)


def test_gold_without_answers_or_pairs_cannot_be_scored() -> None:
    with pytest.raises(ConfigurationError, match="pair 5 of the gold standard has no label"):
        score([gold(5, same=None)], PairRun("run", {}))
    with pytest.raises(ConfigurationError, match="no pairs"):
        score([], PairRun("run", {}))
    with pytest.raises(ConfigurationError, match="no pair id in common"):
        score(GOLD, PairRun("run", {"x": True}))


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    # By hand: 2 * (1 + 5) / 2**5; 2 * 1 / 2**6; nothing differs; an even division.
    [(4, 1, 12 / 32), (6, 0, 2 / 64), (0, 0, 1.0), (3, 3, 1.0)],
)
def test_mcnemars_exact_test(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p)
    assert mcnemar(worse, better) == pytest.approx(p)


def test_two_runs_are_compared_pair_by_pair() -> None:
    one = PairRun("one", {"1": True, "2": False, "3": True, "4": False})
    two = PairRun("two", {"1": True, "2": True, "3": False, "4": False})
    found = compare(GOLD, one, two, 200)
    assert (found.better, found.worse, found.p) == (2, 0, 0.5)
    assert found.wins is not None
    assert found.wins > 0.8
    text = as_text({"one": score(GOLD, one, 0)}, [found])
    assert text[1] == "one\tall\t4\t1.0000\t\t0"
    assert "only the first is right in 2 pairs" in text[-1]
    rows = as_objects({"one": score(GOLD, one)}, [found])
    assert rows[0]["groups"]["all"]["accuracy"] == 1.0
    assert (rows[1]["better"], rows[1]["worse"]) == (2, 0)


def test_answers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "x", "label": 1}\n{"label": "0"}\n', "utf-8")
    assert read_answers(str(path), "a").answers == {"x": True, "2": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "x", "label": 1}\n{"id": "x", "label": 1}', "line 2: a second answer to pair x"),
        ('{"id": "x"}', "label of 0 or 1"),
        ('{"id": "x", "label": 1}\n{"id": "y", "la', "line 2: the JSON is broken or cut off"),
        ('{"id": "x", "label": "same"}', "label of 0 or 1"),
    ],
)
def test_bad_answers_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_answers(str(path), "a")
