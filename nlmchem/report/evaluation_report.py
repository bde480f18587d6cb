"""The report of an evaluation: `index.html`, charts as files, and all errors in `errors.tsv`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os.path import relpath
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import numpy as np

from corpora.errors import command
from corpora.model.hierarchy import Hierarchy
from corpora.reporting import Report, log
from corpora.storage.owned_files import OwnedFolder
from corpora.words.quantities import quantity
from nlmchem.evaluation.articles import Side
from nlmchem.evaluation.bootstrap import Floats
from nlmchem.evaluation.comparison import BETTER, Comparison, TrackTask, counted, with_intervals
from nlmchem.evaluation.curves import Curve, ScoreCurve, run_curve
from nlmchem.report.article import View, measured_in, render, scores_of, terms_of
from nlmchem.report.charts import (
    Chart,
    Series,
    chart_files,
    framed,
    interval_chart,
    line_chart,
)
from nlmchem.report.errors import MentionPlaces, error_lists, errors_tsv
from nlmchem.report.pages import Link, PageNames, PageTable, render_page

BINS = 60
"""Bins of a histogram, over the range of all runs."""
ROWS = 300
"""Rows of an error table in the page; `errors.tsv` contains all rows."""
PAGES = 1000
"""A report with more pages has none: they could need gigabytes."""
FEW = 20
"""Documents. With fewer, the page has a warning. Of a mean of 20 values, the middle 95% of bootstrap samples are about
9% narrower than Student's interval: 1.96 * sqrt(19 / 20) standard errors, not 2.09; of fewer values, still narrower."""


def write_report(
    comparison: Comparison, folder: Path, hierarchy: Hierarchy | None, training: Side | None, report: Report = log
) -> None:
    """Write the report into a new folder, or over an earlier report.

    `hierarchy`: for distances of wrong identifiers in the MeSH tree. `training`: for errors by texts that were in
    the training corpus. `report` receives a sentence if there are too many articles for a page of each. Raises
    `ConfigurationError` where a file of others would be overwritten.
    """
    owned = OwnedFolder(folder)
    charts = dict(_charts(comparison))
    for name, content in chart_files(charts):
        owned.write_bytes(PurePosixPath("figures", name), content)
    places = _write_articles(comparison, owned, report)
    lists = [
        error_lists(comparison, result, hierarchy, training, of_run)
        for result, of_run in zip(comparison.results, places, strict=True)
    ]
    owned.write_text(PurePosixPath("errors.tsv"), "".join(errors_tsv(comparison, lists)))
    names = [result.name for result in comparison.results]
    ranked = comparison.measures if len(names) > 1 and comparison.number_of_samples else ()
    context = {
        "title": f"{comparison.task.value.capitalize()}: {', '.join(names)}",
        "comparison": comparison,
        "names": names,
        "better": f"{BETTER:.0%}",
        "few": len(comparison.documents) < FEW,
        "figures": {name: {"title": chart.title, "svg": chart.inline_svg(name)} for name, chart in charts.items()},
        "scores": [(_score_table(comparison, measure), f"intervals-{measure}") for measure in comparison.measures],
        "wins": [_wins_table(comparison, measure) for measure in ranked],
        "curves": [name for name in charts if name == "precision-recall" or name.startswith("threshold-")],
        "errors": [(name, [_first_rows(table) for table in tables]) for name, tables in zip(names, lists, strict=True)],
        "documents": [_document_table(comparison, measure, places) for measure in comparison.measures],
    }
    owned.write_text(PurePosixPath("index.html"), render_page("evaluation.html", context))


def _write_articles(comparison: Comparison, folder: OwnedFolder, report: Report) -> list[Mapping[str, MentionPlaces]]:
    """Write a page for each article of each run, beside the gold standard; return the places by document, for each run.

    More than `PAGES` pages are not written; `report` receives a sentence.
    """
    number = sum(len(result.pairs) for result in comparison.results)
    if number > PAGES:
        report(
            f"the report has no pages of articles, because there would be {number}; "
            f"make those of a run with {command('view RUN --gold GOLD -o FOLDER')}"
        )
        return [{} for _ in comparison.results]
    every: list[Mapping[str, MentionPlaces]] = []
    for at, result in enumerate(comparison.results, 1):
        below = PurePosixPath("articles", str(at) if len(comparison.results) > 1 else "")
        measured = measured_in(pair.gold for pair in result.pairs)
        names = PageNames(below)
        home = Link("Evaluation", relpath("index.html", below))
        places = {}
        for pair in result.pairs:
            path = names.next(pair.document)
            scores = scores_of(measured, pair.gold, pair.predicted)
            view = View(pair.predicted, terms_of(pair.predicted), pair.gold, scores, (home,))
            # No lexicon is open here: concepts have the name that was matched most often.
            page, _ = render(view, lambda identifier, name: None)
            folder.write_text(path, page)
            places[pair.document] = MentionPlaces(pair, path.as_posix())
        every.append(places)
    return every


# -- tables -------------------------------------------------------------------------------------


def _score_table(comparison: Comparison, measure: str) -> PageTable:
    measures = [(result.name, result.measure(measure)) for result in comparison.results]
    rows = [(name, *with_intervals(of_run), *counted(of_run.score)) for name, of_run in measures]
    head = ("Run", "Precision", "Recall", "F1", "Gold", "Found", "Predicted", "Right")
    macro = measure == "approximate" and comparison.task is not TrackTask.SPANS
    average = "mean over documents" if macro else "micro-average"
    brackets = "; in brackets: the middle 95% of bootstrap samples" if comparison.number_of_samples else ""
    caption = f"{measure.capitalize()}, {average}{brackets}"
    return PageTable(caption, head[: len(rows[0])], tuple(rows), id=f"scores-{measure}", cards=True)


def _wins_table(comparison: Comparison, measure: str) -> PageTable:
    """Runs against runs; empty cells on the diagonal."""
    names = [result.name for result in comparison.results]
    rows, winners = [], set()
    for row, name in enumerate(names):
        cells = [name]
        for column in range(len(names)):
            share = float(comparison.wins[measure][row, column])
            better = row != column and share >= BETTER
            if better:
                winners.add((row, column + 1))
            cells.append("" if row == column else f"{share:.4f}{' better' if better else ''}")
        rows.append(tuple(cells))
    caption = f"{measure.capitalize()}: share of samples in which the run of the row has the higher F1"
    return PageTable(caption, ("Run", *names), tuple(rows), id=f"wins-{measure}", winners=frozenset(winners))


def _document_table(comparison: Comparison, measure: str, places: Sequence[Mapping[str, MentionPlaces]]) -> PageTable:
    """F1 of each document, those with the lowest mean of the runs first; cells link to the pages of articles."""
    ordered: list[tuple[float, str, list[str]]] = []
    for position, document in enumerate(comparison.documents):
        scores = [result.measure(measure).documents[position] for result in comparison.results]
        values = [score.f1 for score in scores if score is not None]
        cells = [document, *(f"{score.f1:.4f}" if score is not None else "" for score in scores)]
        ordered.append((sum(values) / len(values) if values else 2.0, document, cells))
    ordered.sort()
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for row, (_, document, cells) in enumerate(ordered):
        for column, pages in enumerate(places, 1):
            place = pages.get(document)
            if place is not None and place.page:
                if cells[column]:
                    links[row, column] = (Link(cells[column], quote(place.page)),)
                # If there is one run, the document is a link as well.
                if len(places) == 1 and document:
                    links[row, 0] = (Link(place.shown_id, quote(place.page)),)
    return PageTable(
        f"F1 by document, {measure}; the lowest first",
        ("Document", *(result.name for result in comparison.results)),
        tuple(tuple(cells) for _, _, cells in ordered),
        id=f"documents-{measure}",
        links=links,
        sortable=True,
        sorted_by=1 if len(comparison.results) == 1 else None,
    )


def _first_rows(table: PageTable) -> PageTable:
    if len(table.rows) <= ROWS:
        return table
    caption = f"{table.caption}: the first {ROWS} of {quantity(len(table.rows), 'row')}; errors.tsv contains all rows"
    return replace(table, caption=caption, rows=table.rows[:ROWS])


# -- charts -------------------------------------------------------------------------------------


def _charts(comparison: Comparison) -> Iterator[tuple[str, Chart]]:
    """File name without suffix, and chart: intervals and bootstrap samples, precision and recall, thresholds by run."""
    documents = quantity(len(comparison.documents), "document")
    for measure in comparison.measures:
        if measure in comparison.samples:
            rows = []
            for result in comparison.results:
                of_run = result.measure(measure)
                if of_run.intervals is not None:
                    interval = of_run.intervals[2]
                    rows.append((result.name, of_run.score.f1, interval.low, interval.high))
            title = f"F1 of {comparison.task.value} in {documents}, {measure}"
            x_name = "F1, with the middle 95% of bootstrap samples"
            yield f"intervals-{measure}", interval_chart(title, x_name, rows)
            title = f"F1 in {comparison.number_of_samples} bootstrap samples of {documents}, {measure}"
            yield f"bootstrap-{measure}", _histogram(title, comparison, measure)
    curves = [run_curve(comparison, result) for result in comparison.results]
    scored = [
        (number, comparison.results[number].name, curve) for number, curve in enumerate(curves) if curve is not None
    ]
    if scored:
        series = [Series(name, curve.recall, curve.precision, number) for number, name, curve in scored]
        yield "precision-recall", _precision_and_recall(f"Precision and recall in {documents}, strict", series)
    for number, name, curve in scored:
        best, range_of_scores = curve.best, (min(0.0, curve.thresholds[-1]), max(1.0, curve.thresholds[0]))
        title = f"{name}: best F1 {curve.f1[best]:.4f} at scores of at least {curve.thresholds[best]:.4f}"
        yield f"threshold-{number + 1}", _by_threshold(title, "Minimum score", curve, range_of_scores)


def _histogram(title: str, comparison: Comparison, measure: str) -> Chart:
    values: Floats = comparison.samples[measure][:, :, 2]
    low, high = float(values.min()), float(values.max())
    margin = max(0.005, (high - low) * 0.05)
    low, high = max(0.0, low - margin), min(1.0, high + margin)
    edges = np.linspace(low, high, BINS + 1)
    counts = [np.histogram(values[:, run], bins=edges)[0] for run in range(values.shape[1])]
    top = max(int(count.max()) for count in counts)
    series = []
    for number, (result, count) in enumerate(zip(comparison.results, counts, strict=True)):
        # A line of steps: each bin is its two upper corners.
        xs = tuple(float(edge) for edge in np.repeat(edges, 2)[1:-1])
        ys = tuple(float(height) for height in np.repeat(count, 2))
        series.append(Series(result.name, xs, ys, number))
    return line_chart(title, "F1", "Share of samples", series, (low, high), (0.0, top * 1.05 or 1.0), y_numbers=False)


def _precision_and_recall(title: str, series: Sequence[Series]) -> Chart:
    """The axes have the part of 0..1 in which the curves are."""
    recall, precision = ([value for line in series for value in getattr(line, axis)] for axis in ("xs", "ys"))
    return line_chart(title, "Recall", "Precision", series, framed(recall), framed(precision))


def _by_threshold(title: str, x_name: str, curve: ScoreCurve, x_range: tuple[float, float] = (0.0, 1.0)) -> Chart:
    values = (("precision", curve.precision), ("recall", curve.recall), ("F1", curve.f1))
    series = [Series(name, curve.thresholds, ys, number) for number, (name, ys) in enumerate(values)]
    return line_chart(title, x_name, "Precision, recall, F1", series, x_range)


def curve_charts(curve: Curve) -> dict[str, Chart]:
    """Charts of an ensemble: precision against recall with the single runs, and scores by threshold."""
    # All single runs look the same and share one entry in the legend: curve.json has their names.
    singles = [
        Series("" if position else "single runs", (counts.recall,), (counts.precision,), 1)
        for position, counts in enumerate(curve.single_runs().values())
    ]
    scores = curve.scores
    title = f"Precision and recall of the ensemble, {curve.task}"
    series = [Series("ensemble", scores.recall, scores.precision, 0), *singles]
    x_name = "Threshold (minimum share of the runs)"
    return {
        "precision-recall": _precision_and_recall(title, series),
        "scores-by-threshold": _by_threshold(f"Scores of the ensemble by threshold, {curve.task}", x_name, scores),
    }
