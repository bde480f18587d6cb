"""Scores of answers to pairs: accuracy by group, missing and doubled answers, the paired test."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.errors import ConfigurationError, InputError
from nlmchem.companions.pairs.pair import ContextPair
from nlmchem.companions.pairs.solver import as_text, mcnemar, read_answers, score


def gold(number: int, group: str = "synonyms", same: bool | None = True) -> ContextPair:
    terms = f"t{number}", f"u{number}"
    return ContextPair(*terms, f"s{number}", f"v{number}", (0, 1), (0, 1), group, same, str(number))


GOLD = [gold(1), gold(2, same=False), gold(3, "abbreviations"), gold(4, "abbreviations", same=False)]


def test_accuracy_is_counted_by_group() -> None:
    [row] = score(GOLD, {"run": {"1": True, "2": False, "3": True, "4": True}})
    assert {name: (one["pairs"], one["accuracy"]) for name, one in row["groups"].items()} == {
        "all": (4, 0.75),
        "abbreviations": (2, 0.5),
        "synonyms": (2, 1.0),
    }
    low, high = row["groups"]["all"]["interval"]
    assert 0 <= low < 0.75 < high <= 1


def test_a_missing_answer_is_wrong_and_reported() -> None:
    messages: list[str] = []
    [row] = score(GOLD, {"run": {"1": True, "9": True}}, 0, report=messages.append)
    assert row["groups"]["all"] == {"pairs": 4, "accuracy": 0.25, "missing": 3}
    assert messages == [
        "run: 1 answer is to a pair that the gold standard lacks, such as 9",
        "run: 3 pairs without an answer, counted as wrong, such as 2",
    ]


def test_pairs_with_common_sentences_are_drawn_together() -> None:
    one = [ContextPair("a", "b", "s", "v", (0, 1), (0, 1), "synonyms", True, str(n)) for n in range(50)]
    [row] = score(one, {"run": {str(n): n % 2 == 0 for n in range(50)}})
    assert row["groups"]["all"]["interval"] == [0.5, 0.5]


def test_gold_without_answers_or_pairs_cannot_be_scored() -> None:
    with pytest.raises(ConfigurationError, match="pair 5 of the gold standard has no label"):
        score([gold(5, same=None)], {"run": {}})
    with pytest.raises(ConfigurationError, match="no pairs"):
        score([], {"run": {}})
    with pytest.raises(ConfigurationError, match="no pair id in common"):
        score(GOLD, {"run": {"x": True}})


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    # By hand: 2 * (1 + 5) / 2**5; 2 * 1 / 2**6; nothing differs; an even division.
    [(4, 1, 12 / 32), (6, 0, 2 / 64), (0, 0, 1.0), (3, 3, 1.0)],
)
def test_mcnemars_exact_test(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p)
    assert mcnemar(worse, better) == pytest.approx(p)


def test_two_runs_are_compared_pair_by_pair() -> None:
    one = {"1": True, "2": False, "3": True, "4": False}
    two = {"1": True, "2": True, "3": False, "4": False}
    rows = score(GOLD, {"one": one, "two": two}, 200)
    wins = rows[2].pop("wins")
    assert wins > 0.8
    assert rows[2] == {"first": "one", "second": "two", "better": 2, "worse": 0, "p": 0.5}
    text = as_text(score(GOLD, {"one": one, "two": two}, 0))
    assert text[1] == "one\tall\t4\t1.0000\t\t0"
    assert (
        text[-1]
        == "one against two: only the first is right in 2 pairs, only the second in 0; McNemar's exact p = 0.5000"
    )


def test_answers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "x", "label": 1}\n{"label": "0"}\n', "utf-8")
    assert read_answers(str(path)) == {"x": True, "2": False}


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
        read_answers(str(path))
