"""Curves of ensembles: worked examples, comparison with the scores at each threshold, and the command."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import invoke

import corpora
from corpora.errors import ConfigurationError
from ensemble.combine import Combiner, Rule
from ensemble.runs import Poll, open_poll
from nlmchem.evaluation.articles import Side, article
from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare
from nlmchem.evaluation.curves import Curve
from nlmchem.evaluation.ensembles import measure
from nlmchem.evaluation.scores import Counts
from nlmchem.voting.results import choose_threshold, load_threshold

TEXT = "Copper sulfate and zinc in cells"
COPPER, SULFATE, SALT, ZINC, CELLS = (0, 6), (7, 14), (0, 14), (19, 23), (27, 32)
NAMES = {COPPER: "MESH:D003300", SULFATE: "MESH:D013431", SALT: "MESH:D019327", ZINC: "MESH:D015032"}
Marks = list[tuple[int, int]]


def silent(sentence: str) -> None:
    """Ignores what is reported."""


def pubtator(documents: dict[str, Marks]) -> str:
    lines = []
    for id, marks in documents.items():
        lines += [f"{id}|t|{TEXT}", f"{id}|a|"]
        for start, end in marks:
            identifier = NAMES.get((start, end), "-")
            lines.append(f"{id}\t{start}\t{end}\t{TEXT[start:end]}\tChemical\t{identifier}")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., tuple[list[str], str]]:
    """Write runs r0, r1, ... and a gold standard; says their paths."""

    def write(runs: list[dict[str, Marks]], gold: dict[str, Marks]) -> tuple[list[str], str]:
        paths = [tmp_path / f"r{at:02}.pubtator" for at in range(len(runs))]
        for path, run in zip(paths, runs, strict=True):
            path.write_text(pubtator(run))
        (tmp_path / "gold.pubtator").write_text(pubtator(gold))
        return list(map(str, paths)), str(tmp_path / "gold.pubtator")

    return write


def curve_of(paths: list[str], gold: str, task: str = "spans", overlaps: str = "merge", **options: Any) -> Curve:
    with open_poll(paths, gold=gold, report=silent, **options) as poll:
        return measure(poll, Rule((task,), 0.0, overlaps))


def points(curve: Curve) -> list[tuple[float, int, int, int]]:
    each = zip(curve.thresholds, curve.scores.counts, strict=True)
    return [(threshold, counts.right, counts.predicted, counts.gold) for threshold, counts in each]


FOUR = [{"1": [COPPER, ZINC]}, {"1": [COPPER, ZINC]}, {"1": [(4, 14), ZINC]}, {"1": [CELLS, ZINC]}]


def test_counts_at_every_distinct_threshold(files: Callable[..., Any]) -> None:
    # Gold: copper, zinc. zinc has 4 of 4 votes, copper 2, "er sulfate" and cells 1 each.
    #   1.0: zinc is right.   0.5: copper too.   0.25: cells is wrong, and copper is merged into
    #   copper sulfate, which is wrong too: right falls from 2 to 1, predicted are three.
    curve = curve_of(*files(FOUR, {"1": [COPPER, ZINC]}))
    assert points(curve) == [(1.0, 1, 1, 2), (0.5, 2, 2, 2), (0.25, 1, 3, 2)]
    # By the best-scored spans, "er sulfate" overlaps copper and is dropped.
    paths, gold = files(FOUR, {"1": [COPPER, ZINC]})
    best = curve_of(paths, gold, overlaps="best")
    assert points(best) == [(1.0, 1, 1, 2), (0.5, 2, 2, 2), (0.25, 2, 3, 2)]


def test_merging_can_correct_a_span(files: Callable[..., Any]) -> None:
    # Half of the runs have copper, half sulfate; gold is both words. Only the merged span is right.
    curve = curve_of(*files([{"1": [(0, 9)]}, {"1": [(5, 14)]}], {"1": [SALT]}))
    assert points(curve) == [(0.5, 1, 1, 1)]


def test_an_identifier_is_removed_when_its_last_mention_is_merged(files: Callable[..., Any]) -> None:
    # 1.0: zinc. 0.5: copper. 0.25: cells adds `-`; copper is merged into "Copper sulfate", which no run has.
    # Inside are copper twice with its id and "er sulfate" once with `-`, so the id of copper is kept.
    paths, gold = files(FOUR, {"1": [COPPER, ZINC]})
    curve = curve_of(paths, gold, task="identifiers")
    assert points(curve) == [(1.0, 1, 1, 2), (0.5, 2, 2, 2), (0.25, 2, 3, 2)]


def test_counts_at_any_threshold_are_those_of_the_next_higher_one(files: Callable[..., Any]) -> None:
    curve = curve_of(*files(FOUR, {"1": [COPPER, ZINC]}))
    assert curve.at(0.0) == curve.at(0.25) == Counts(2, 1, 3, 1)
    assert curve.at(0.2501) == curve.at(0.5) == Counts(2, 2, 2, 2)
    low = curve_of(*files(FOUR[:1] + FOUR[2:], {"1": [COPPER]}))
    assert low.at(1.0).predicted == 1


def test_ties_are_decided_for_the_highest_threshold(files: Callable[..., Any]) -> None:
    # At 1.0: zinc of {zinc}; at 0.5 copper, wrong, and sulfate ... worse; F1 1.0 at 1.0 only.
    curve = curve_of(*files([{"1": [ZINC], "2": []}, {"1": [ZINC], "2": []}], {"1": [ZINC], "2": []}))
    best = curve.choose(samples=50)
    assert best is not None
    assert (best.threshold, best.counts.f1) == (1.0, 1.0)
    # Document 2 has nothing: a sample of it alone has F1 0 everywhere, and the highest threshold still.
    assert best.threshold_interval.low == best.threshold_interval.high == 1.0


def test_single_runs_and_the_gain_over_the_best_of_them(files: Callable[..., Any]) -> None:
    # r0 finds copper and zinc with one error, r1 zinc alone, r2 copper alone: by two of three the vote is right.
    runs: list[dict[str, Marks]] = [{"1": [COPPER, ZINC, CELLS]}, {"1": [ZINC]}, {"1": [COPPER]}]
    gold: dict[str, Marks] = {"1": [COPPER, ZINC]}
    more = {str(number): gold["1"] for number in range(1, 4)}
    curve = curve_of(*files([dict.fromkeys(more, run["1"]) for run in runs], more))
    assert {name: counts.f1 for name, counts in curve.single_runs().items()} == pytest.approx(
        {"r00": 0.8, "r01": 2 / 3, "r02": 2 / 3}
    )
    best = curve.choose(samples=100)
    assert best is not None
    assert (best.run, best.gain, best.better) == ("r00", pytest.approx(0.2), 1.0)


def test_cross_validation_never_sees_the_document_it_scores(files: Callable[..., Any]) -> None:
    # Document 1 is right at 1.0 only (copper at 0.5 is wrong), document 2 at 0.5 only (copper is right there).
    runs: list[dict[str, Marks]] = [{"1": [ZINC, COPPER], "2": [COPPER]}, {"1": [ZINC], "2": []}]
    curve = curve_of(*files(runs, {"1": [ZINC], "2": [COPPER]}))
    best = curve.choose(samples=10)
    assert best is not None
    # Document 1 is scored at 0.5 (best on document 2): right 1 of 2. Document 2 at 1.0: nothing of 1.
    assert best.cross_validated == Counts(2, 1, 2, 1)


def test_broken_gold_mentions_count_as_missed(files: Callable[..., Any], tmp_path: Path) -> None:
    paths, gold = files(FOUR, {"1": [COPPER, ZINC]})
    Path(gold).write_text(Path(gold).read_text().replace("\tCopper\t", "\tSilver\t"))
    assert curve_of(paths, gold).at(0.5) == Counts(2, 1, 2, 1)


def test_documents_outside_the_gold_standard_are_not_scored(files: Callable[..., Any]) -> None:
    runs: list[dict[str, Marks]] = [{"1": [ZINC], "2": [COPPER]}]
    curve = curve_of(*files(runs, {"1": [ZINC]}), missing="abstain")
    assert (curve.documents, curve.unscored, points(curve)) == (("1",), 1, [(1.0, 1, 1, 1)])


# -- comparison with scores at each threshold-----------------------------------------------------


def random_runs(seed: int, runs: int, documents: int) -> tuple[list[dict[str, Marks]], dict[str, Marks]]:
    dice = random.Random(seed)
    words = [COPPER, SULFATE, SALT, ZINC, CELLS, (4, 14), (0, 9), (15, 23), (24, 32)]

    def some(number: int) -> Marks:
        return sorted(dice.sample(words, number))

    ids = [str(number) for number in range(documents)]
    return [{id: some(dice.randrange(5)) for id in ids} for _ in range(runs)], {id: some(3) for id in ids}


def scored_anew(poll: Poll, gold: str, rule: Rule) -> Counts:
    """What `nlmchem evaluate` says of the ensemble at one threshold."""
    combiner = Combiner(poll, rule)
    run = Side("run", tuple(article(combiner(ballot)) for ballot in poll.ballots()))
    standard = Side("gold", tuple(article(document) for document in corpora.read(gold)))
    result = compare(TrackTask(rule.tasks[0]), standard, [run], ScoringOptions(samples=0), silent).results[0]
    assert isinstance(result.strict.score, Counts)
    return result.strict.score


@pytest.mark.parametrize("task", ["spans", "identifiers"])
@pytest.mark.parametrize("overlaps", ["merge", "best"])
@pytest.mark.parametrize("seed", range(6))
def test_the_curve_equals_the_scores_at_every_threshold(
    files: Callable[..., Any], task: str, overlaps: str, seed: int
) -> None:
    paths, gold = files(*random_runs(seed, runs=5, documents=4))
    with open_poll(paths, gold=gold, report=silent, weights=["1", "1", "2", "1", "3"]) as poll:
        curve = measure(poll, Rule((task,), 0.0, overlaps))
        assert len(curve.thresholds) > 3
        for threshold, counts in zip(curve.thresholds, curve.scores.counts, strict=True):
            assert counts == scored_anew(poll, gold, Rule((task,), threshold, overlaps))


def test_the_bootstrap_follows_its_definition(files: Callable[..., Any]) -> None:
    paths, gold = files(*random_runs(3, runs=4, documents=12))
    curve = curve_of(paths, gold)
    best = curve.choose(samples=400, seed=11)
    assert best is not None
    from nlmchem.evaluation.bootstrap import draw_documents

    chosen = []
    for times in draw_documents(12, 400, 11):
        right, predicted, wanted = times @ curve.right, times @ curve.predicted, times @ curve.gold
        scores = [2 * r / (p + wanted) if p + wanted else 0.0 for r, p in zip(right, predicted, strict=True)]
        chosen.append(curve.thresholds[int(np.argmax(scores))])
    low, high = np.quantile(chosen, [0.025, 0.975], method="nearest")
    assert (best.threshold_interval.low, best.threshold_interval.high) == (low, high)
    assert best.f1_interval.low <= best.counts.f1 <= best.f1_interval.high


def test_the_same_seed_gives_the_same_intervals(files: Callable[..., Any]) -> None:
    paths, gold = files(*random_runs(5, runs=4, documents=8))
    assert curve_of(paths, gold).choose(samples=200) == curve_of(paths[::-1], gold).choose(samples=200)


# -- errors -------------------------------------------------------------------------------------


def test_a_curve_without_gold_or_with_empty_gold_is_refused(files: Callable[..., Any]) -> None:
    paths, gold = files(FOUR, {"1": []})
    with pytest.raises(ConfigurationError, match="no annotations for spans"):
        curve_of(paths, gold)
    with open_poll(paths, report=silent) as poll, pytest.raises(ConfigurationError, match="give it with gold"):
        measure(poll, Rule(("spans",), 0.0))


def test_runs_without_annotations_have_no_best_threshold(files: Callable[..., Any]) -> None:
    curve = curve_of(*files([{"1": []}], {"1": [ZINC]}))
    assert curve.choose() is None
    assert curve.at(0.0) == Counts(1, 0, 0, 0)


# -- the command --------------------------------------------------------------------------------


def call(*arguments: str) -> dict[str, Any]:
    result = invoke(["ensemble", *arguments, "--json", "--workers", "1", "--samples", "200"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_threshold_chosen_on_one_gold_standard_is_applied_to_another(
    files: Callable[..., Any], tmp_path: Path
) -> None:
    paths, gold = files(FOUR, {"1": [COPPER, ZINC]})
    dev = call("spans", *paths, "--gold", gold, "--threshold", "best", "-o", str(tmp_path / "dev"))
    assert (dev["threshold"], dev["scores"]["f1"]) == (0.5, 1.0)
    test_gold = tmp_path / "test-gold.pubtator"
    test_gold.write_text(pubtator({"1": [ZINC]}))
    test = call(
        "spans", *paths, "--gold", str(test_gold), "--threshold", str(tmp_path / "dev"), "-o", str(tmp_path / "test")
    )
    # The threshold of dev is used, although 1.0 would be better here, as the curve shows.
    assert (test["threshold"], test["scores"]["precision"], test["curve"]["threshold"]) == (0.5, 0.5, 1.0)
    (document,) = corpora.read(tmp_path / "test" / "ensemble.xml")
    assert [mention.text for mention in corpora.mentions(document)] == ["Copper", "zinc"]


def test_two_charts_and_the_table_are_written(files: Callable[..., Any], tmp_path: Path) -> None:
    paths, gold = files(FOUR, {"1": [COPPER, ZINC]})
    call("spans", *paths, "--gold", gold, "-o", str(tmp_path / "out"))
    report = tmp_path / "out" / "report"
    for name in ("precision-recall", "scores-by-threshold"):
        assert "<svg" in (report / f"{name}.svg").read_text()
        assert (report / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    rows = (report / "curve.tsv").read_text().splitlines()
    assert rows[0].split("\t")[:4] == ["threshold", "precision", "recall", "f1"]
    assert rows[2] == "0.5000\t1.0000\t1.0000\t1.0000\t2\t0\t0"


def test_invalid_thresholds_are_refused_before_any_work(files: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="add gold"):
        choose_threshold("best", "spans", has_gold=False)
    with pytest.raises(ConfigurationError, match="from 0 to 1"):
        choose_threshold("35", "spans", has_gold=False)
    with pytest.raises(ConfigurationError, match=r"curve\.json"):
        choose_threshold(str(tmp_path / "none"), "spans", has_gold=False)
    paths, gold = files(FOUR, {"1": [COPPER, ZINC]})
    call("spans", *paths, "--gold", gold, "-o", str(tmp_path / "dev"))
    assert load_threshold(tmp_path / "dev", "spans") == 0.5
    with pytest.raises(ConfigurationError, match="a curve of spans, not of indexing"):
        load_threshold(tmp_path / "dev", "indexing")
    (tmp_path / "curve.json").write_text("[]")
    with pytest.raises(ConfigurationError, match="is not a curve"):
        load_threshold(tmp_path, "spans")
