"""The bootstrap, compared with slow loops over the same draws, and its properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from corpora.model.hierarchy import Hierarchy
from nlmchem.evaluation import bootstrap
from nlmchem.evaluation.comparison import Comparison, ScoringOptions, TrackTask, compare
from nlmchem.evaluation.scores import Counts, mean, total

TREE = Hierarchy({"top": [], "left": ["top"], "right": ["top"], "a1": ["left"], "a2": ["left"], "b1": ["right"]})


def quiet(sentence: str) -> None:
    pass


def sides(build: Any) -> tuple[Any, list[Any]]:
    """Three documents of 1, 2 and 3 passages; one run that is nearly right and one that is mostly wrong."""
    gold = build.side(
        "gold",
        a=[[build.mention((0, 3), id="a1"), build.mention((5, 8), id="b1")]],
        b=[[build.mention((0, 3), id="a1")], [build.mention((0, 3), id="a2")]],
        c=[[], [build.mention((0, 3), id="b1")], [build.mention((5, 8), id="b1,a1")]],
    )
    good = build.side(
        "good",
        a=[[build.mention((0, 3), id="a1"), build.mention((5, 9), id="b1")]],
        b=[[build.mention((0, 3), id="a1")], [build.mention((0, 3), id="a1")]],
        c=[[], [build.mention((0, 3), id="b1")], [build.mention((5, 8), id="b1,a1")]],
    )
    poor = build.side(
        "poor",
        a=[[build.mention((10, 13), id="a2")]],
        b=[[build.mention((0, 3), id="b1")], []],
        c=[[build.mention((0, 3), id="left")], [build.mention((1, 3), id="b1")], []],
    )
    return gold, [good, poor]


def compared(build: Any, task: TrackTask, samples: int = 200, seed: int = 7) -> Comparison:
    gold, runs = sides(build)
    options = ScoringOptions(approximate=True, hierarchy=TREE, samples=samples, seed=seed)
    if task is TrackTask.INDEXING:
        options = ScoringOptions("Chemical", True, TREE, samples, seed)
    return compare(task, gold, runs, options, quiet)


def drawn(comparison: Comparison, samples: int, seed: int = 7) -> list[list[tuple[int, list[int]]]]:
    """For every sample its documents, each with its passages, one draw after another."""
    found: list[list[tuple[int, list[int]]]] = [[] for _ in range(samples)]
    sizes = [pair.passages for pair in comparison.results[0].pairs]
    for document, drawn_in, of_draws in bootstrap.draw_passages(sizes, samples, seed):
        for sample, passages in zip(drawn_in, of_draws, strict=True):
            found[sample].append((document, [int(each) for each in passages]))
    return found


def figures(counts: Any) -> list[float]:
    return [counts.precision, counts.recall, counts.f1]


def test_a_sample_has_the_original_number_of_documents_and_passages() -> None:
    sizes = [1, 2, 3]
    of_sample = [0] * 50
    for document, drawn_in, passages in bootstrap.draw_passages(sizes, 50, 7):
        assert passages.shape == (len(drawn_in), sizes[document])
        assert passages.min() >= 0
        assert passages.max() < sizes[document]
        for sample in drawn_in:
            of_sample[sample] += 1
    assert of_sample == [3] * 50


@pytest.mark.parametrize("measure", ["strict", "approximate"])
def test_spans_add_up_over_drawn_passages(build: Any, measure: str) -> None:
    comparison = compared(build, TrackTask.SPANS)
    for run, result in enumerate(comparison.results):
        tables = [match.passage_counts(measure == "approximate") for match in result.spans]
        for sample, documents in enumerate(drawn(comparison, 200)):
            counts = total(Counts(*tables[document][place]) for document, places in documents for place in places)
            assert comparison.samples[measure][sample, run].tolist() == pytest.approx(figures(counts))


def test_identifiers_are_united_over_drawn_passages(build: Any) -> None:
    comparison = compared(build, TrackTask.IDENTIFIERS)
    for run, result in enumerate(comparison.results):
        for sample, documents in enumerate(drawn(comparison, 200)):
            counts = Counts()
            for document, places in documents:
                # A document that is drawn twice counts twice, each time with the passages drawn then.
                sets = result.identifiers[document]
                gold = {id for id, passages in sets.gold.items() if passages & set(places)}
                predicted = {id for id, passages in sets.predicted.items() if passages & set(places)}
                both = len(gold & predicted)
                counts += Counts(len(gold), both, len(predicted), both)
            assert comparison.samples["strict"][sample, run].tolist() == pytest.approx(figures(counts))


@pytest.mark.parametrize("task", [TrackTask.IDENTIFIERS, TrackTask.INDEXING])
def test_whole_documents_for_approximate_identifiers(build: Any, task: TrackTask) -> None:
    comparison = compared(build, task)
    times = bootstrap.draw_documents(3, 200, 7)
    for run, result in enumerate(comparison.results):
        assert result.approximate is not None
        for sample in range(200):
            chosen = [result.approximate.documents[each] for each in np.repeat(np.arange(3), times[sample])]
            assert comparison.samples["approximate"][sample, run].tolist() == pytest.approx(figures(mean(chosen)))


def test_whole_documents_for_indexing(build: Any) -> None:
    comparison = compared(build, TrackTask.INDEXING)
    times = bootstrap.draw_documents(3, 200, 7)
    for run, result in enumerate(comparison.results):
        for sample in range(200):
            chosen = [result.strict.documents[each] for each in np.repeat(np.arange(3), times[sample])]
            counts = total(each for each in chosen if each is not None)
            assert comparison.samples["strict"][sample, run].tolist() == pytest.approx(figures(counts))


def test_documents_without_ids_are_left_out_of_the_sampled_mean() -> None:
    counts = [[Counts(1, 1, 1, 1), None, Counts(1, 0, 1, 0)]]
    scores = bootstrap.mean_scores(counts, 500, 7)
    times = bootstrap.draw_documents(3, 500, 7)
    for sample in range(500):
        there = times[sample, 0] + times[sample, 2]
        assert scores[sample, 0, 0] == pytest.approx(times[sample, 0] / there if there else 0.0)


def test_all_samples_of_a_single_passage_are_equal(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="a1"), build.mention((5, 8), id="b1")]])
    run = build.side(a=[[build.mention((0, 3), id="a1")]])
    for task in (TrackTask.SPANS, TrackTask.IDENTIFIERS):
        comparison = compare(task, gold, [run], ScoringOptions(samples=50), quiet)
        # Precision 1, recall .5, F .6667 in every sample, so both ends of each interval as well.
        intervals = comparison.results[0].strict.intervals
        assert intervals is not None
        assert [(round(each.low, 4), round(each.high, 4)) for each in intervals] == [
            (1.0, 1.0),
            (0.5, 0.5),
            (0.6667, 0.6667),
        ]


def test_samples_depend_on_the_seed_and_not_on_the_runs(build: Any) -> None:
    gold, (good, poor) = sides(build)
    options = ScoringOptions(approximate=True, hierarchy=TREE, samples=100)
    for task in (TrackTask.SPANS, TrackTask.IDENTIFIERS):
        both = compare(task, gold, [good, poor], options, quiet)
        again = compare(task, gold, [poor, good], options, quiet)
        alone = compare(task, gold, [poor], options, quiet)
        for measure in both.measures:
            assert (both.samples[measure][:, 1] == again.samples[measure][:, 0]).all()
            assert (both.samples[measure][:, 1] == alone.samples[measure][:, 0]).all()


def test_another_seed_gives_other_samples(build: Any) -> None:
    one, other = compared(build, TrackTask.SPANS), compared(build, TrackTask.SPANS, seed=8)
    assert not (one.samples["strict"] == other.samples["strict"]).all()
    assert one.results[0].strict.score == other.results[0].strict.score


def test_order_of_documents_does_not_matter(build: Any) -> None:
    gold, runs = sides(build)
    turned = type(gold)(gold.name, gold.articles[::-1])
    options = ScoringOptions(samples=100)
    one, other = (
        compare(TrackTask.SPANS, gold, runs, options, quiet),
        compare(TrackTask.SPANS, turned, runs, options, quiet),
    )
    assert (one.samples["strict"] == other.samples["strict"]).all()


def test_a_better_run_wins_in_most_samples(build: Any) -> None:
    comparison = compared(build, TrackTask.SPANS, samples=1000)
    wins = comparison.wins["strict"]
    # Equal scores are a win of neither: a run never beats itself.
    assert wins[0, 0] == wins[1, 1] == 0
    # `good` has 6 of 7 mentions right, `poor` one of 4: worse in every sample but the few that draw little else.
    assert wins[0, 1] >= 0.95
    assert wins[0, 1] + wins[1, 0] <= 1


def test_wins_are_strict() -> None:
    scores = np.array([[[0, 0, 0.5], [0, 0, 0.5]], [[0, 0, 0.7], [0, 0, 0.5]]])
    # Two samples: equal, then the first above the second.
    assert bootstrap.wins(scores).tolist() == [[0.0, 0.5], [0.0, 0.0]]


def test_intervals_contain_95_percent_of_the_samples() -> None:
    scores = np.linspace(0, 1, 1001)[:, None, None].repeat(3, axis=2)
    interval = bootstrap.intervals(scores)[0][2]
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.025, 0.975)


def test_no_samples_no_intervals(build: Any) -> None:
    comparison = compared(build, TrackTask.SPANS, samples=0)
    assert comparison.samples == comparison.wins == {}
    assert comparison.results[0].strict.intervals is None
