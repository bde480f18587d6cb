"""Curves and agreement as files: JSON for programs, TSV for spreadsheets, pictures for a paper."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError
from corpora.reporting import Report
from corpora.storage.atomic import write_bytes
from ensemble.combine import Rule
from ensemble.folder import write_json
from ensemble.output import Written
from ensemble.spans import threshold_value
from nlmchem.evaluation.agreement import Agreement
from nlmchem.evaluation.curves import Best, Curve, Gain
from nlmchem.evaluation.scores import Counts
from nlmchem.report.charts import Series, line_chart
from nlmchem.report.drawing import Box, Drawing, Label, Line

__all__ = [
    "Account",
    "agreement_as_json",
    "agreement_as_text",
    "choose_threshold",
    "curve_as_json",
    "load_threshold",
    "summary",
    "write_agreement",
    "write_curve",
]

SHOWN = 30
"""Runs and articles that a picture names; the tables have them all."""
TOLD = 10
"""Runs and articles that the terminal names."""


# -- curves -------------------------------------------------------------------------------------


def write_curve(curve: Curve, best: Best | None, gain: Gain | None, folder: Path, report: Report) -> None:
    """Write `curve.json`, `curve.tsv` and three pictures (SVG, and PNG where Pillow is there) into a folder.

    The pictures: precision against recall with the single runs, the scores against the threshold, and which
    threshold is best in how many samples.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "curve.json", curve_as_json(curve, best, gain))
    write_bytes(folder / "curve.tsv", "".join(_curve_rows(curve)).encode())
    drawings = {"precision-recall": _precision_recall(curve), "scores-by-threshold": _by_threshold(curve)}
    if best is not None:
        drawings["best-threshold"] = _best_thresholds(curve, best)
    _write_drawings(drawings, folder, report)


def _write_drawings(drawings: dict[str, Drawing], folder: Path, report: Report) -> None:
    for name, drawing in drawings.items():
        write_bytes(folder / f"{name}.svg", drawing.svg().encode())
    try:
        for name, drawing in drawings.items():
            write_bytes(folder / f"{name}.png", drawing.png())
    except ImportError:
        report("figures were written as SVG alone: PNG needs Pillow; pip install pillow")


def curve_as_json(curve: Curve, best: Best | None, gain: Gain | None) -> dict[str, Any]:
    """The curve as a program reads it; `threshold` is what `--threshold FILE` takes from it."""
    return {
        "task": curve.task,
        "documents": len(curve.documents),
        "threshold": best.threshold if best else None,
        "best": _best_as_json(best) if best else None,
        "best_single_run": _gain_as_json(gain) if gain else None,
        "single_runs": {name: scores(counts) for name, counts in curve.single_runs().items()},
        "points": [{"threshold": point.threshold, **scores(point.counts)} for point in curve.points()],
    }


def _best_as_json(best: Best) -> dict[str, Any]:
    return {
        **scores(best.counts),
        "f1_interval": [round(best.f1_interval.low, 4), round(best.f1_interval.high, 4)],
        "threshold_interval": [best.threshold_interval.low, best.threshold_interval.high],
        "cross_validated": scores(best.cross_validated),
    }


def _gain_as_json(gain: Gain) -> dict[str, Any]:
    return {
        "run": gain.run,
        **scores(gain.counts),
        "gain_of_cross_validated_ensemble": round(gain.gain, 4),
        "gain_interval": [round(gain.gain_interval.low, 4), round(gain.gain_interval.high, 4)],
        "better_in_share_of_samples": round(gain.better, 4),
    }


def scores(counts: Counts) -> dict[str, float | int]:
    """Counts and scores, with 4 decimals."""
    return {
        "precision": round(counts.precision, 4),
        "recall": round(counts.recall, 4),
        "f1": round(counts.f1, 4),
        "tp": counts.right,
        "fp": counts.false,
        "fn": counts.missed,
    }


def _curve_rows(curve: Curve) -> Iterator[str]:
    yield "threshold\tprecision\trecall\tf1\ttp\tfp\tfn\n"
    for point in curve.points():
        values = scores(point.counts)
        numbers = "\t".join(f"{values[name]:.4f}" for name in ("precision", "recall", "f1"))
        yield f"{point.threshold:.4f}\t{numbers}\t{values['tp']}\t{values['fp']}\t{values['fn']}\n"


def load_threshold(path: Path, task: str) -> float:
    """The best threshold of another curve: its `curve.json`, or the folder that holds it (perhaps in `report`).

    Raises `ConfigurationError` where there is none, or where it is of another task.
    """
    places = [path, path / "curve.json", path / "report" / "curve.json"]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise ConfigurationError(f"--threshold is {str(path)!r}: write a number, `best`, or the path of a curve.json")
    try:
        content = json.loads(file.read_bytes())
        value, made_for = content["threshold"], content["task"]
    except (ValueError, TypeError, KeyError):
        raise ConfigurationError(f"{file} is no curve; make one with `nlmchem ensemble {task} ... --gold`") from None
    if made_for != task:
        raise ConfigurationError(f"{file} is a curve of {made_for}, not of {task}; give one of {task}")
    if not isinstance(value, float | int):
        raise ConfigurationError(f"{file} has no threshold: its runs marked nothing; give another")
    return threshold_value(float(value))


def choose_threshold(text: str, task: str, has_gold: bool) -> float | None:
    """What `--threshold` asks for: a number, or the best one of another curve; None for `best`, which is to be found.

    Raises `ConfigurationError` for what is none of these.
    """
    if text == "best":
        if not has_gold:
            raise ConfigurationError("the best threshold is found on a gold standard; add --gold, or write a number")
        return None
    try:
        return threshold_value(float(text))
    except ValueError:
        return load_threshold(Path(text), task)


@dataclass(frozen=True, slots=True)
class Account:
    """What a command says at its end: as text for people, as fields for programs."""

    text: str
    fields: dict[str, Any]


def summary(
    written: Written, rule: Rule, curve: Curve | None, best: Best | None, gain: Gain | None, out: Path
) -> Account:
    """What was written, and how good it is where a gold standard told."""
    counts = written.counts.as_dict()
    runs = len(written.manifest["runs"])
    lines = [
        f"{runs} runs over {counts['documents']} documents, threshold {rule.threshold:.4f}: "
        f"{counts['mentions']} mentions ({counts['distinct_texts']} distinct texts, {counts['merged']} merged), "
        f"{counts['distinct_identifiers']} distinct identifiers, {counts['index_terms']} index terms; results in {out}"
    ]
    fields = {"out": str(out), "runs": runs, "threshold": rule.threshold, **counts}
    if curve is not None:
        here = curve.at(rule.threshold)
        lines.append(f"{'here':>14}  {_words(here)}")
        lines += _best_lines(best, gain)
        if curve.unscored:
            lines.append(f"{curve.unscored} documents are not in the gold standard and were not scored")
        fields |= {"scores": scores(here), "curve": curve_as_json(curve, best, gain)}
    return Account("\n".join(lines), fields)


def _best_lines(best: Best | None, gain: Gain | None) -> Iterator[str]:
    if best is not None:
        f1, at = best.f1_interval, best.threshold_interval
        yield (
            f"{'best':>14}  {_words(best.counts)}  at {best.threshold:.4f} (95%: F1 {f1.low:.4f} to {f1.high:.4f}, "
            f"threshold {at.low:.4f} to {at.high:.4f})"
        )
        yield f"{'cross-valid.':>14}  {_words(best.cross_validated)}  each document at the best threshold of the others"
    if gain is not None:
        interval = gain.gain_interval
        yield (
            f"{'best run':>14}  {_words(gain.counts)}  {gain.run}; cross-validated ensemble {gain.gain:+.4f} (95%: "
            f"{interval.low:+.4f} to {interval.high:+.4f}), better in {gain.better:.1%} of samples"
        )


def _words(counts: Counts) -> str:
    return f"P {counts.precision:.4f}  R {counts.recall:.4f}  F1 {counts.f1:.4f}"


def _precision_recall(curve: Curve) -> Drawing:
    series = [Series("ensemble", curve.recall, curve.precision, 0)]
    singles = list(curve.single_runs().items())
    # Every run is a mark of one kind: with fifty runs no legend could tell them apart, the table does.
    series += [
        Series("a single run" if at == 0 else "", (counts.recall,), (counts.precision,), 1)
        for at, (_, counts) in enumerate(singles)
    ]
    return _without_empty_names(f"Precision and recall of the ensemble, {curve.task}", series)


def _without_empty_names(title: str, series: list[Series]) -> Drawing:
    drawing = line_chart(title, "Recall", "Precision", [line for line in series if line.name])
    marks = line_chart(title, "Recall", "Precision", [line for line in series if not line.name])
    drawing.items += [item for item in marks.items if isinstance(item, Box)]
    return drawing


def _by_threshold(curve: Curve) -> Drawing:
    values = (("precision", curve.precision), ("recall", curve.recall), ("F1", curve.f1))
    series = [Series(name, curve.thresholds, ys, number) for number, (name, ys) in enumerate(values)]
    title = f"Scores of the ensemble by threshold, {curve.task}"
    return line_chart(title, "Least share of the runs", "Score", series)


def _best_thresholds(curve: Curve, best: Best) -> Drawing:
    total = sum(times for _, times in best.thresholds_drawn)
    bars = [
        Series("share of samples" if at == 0 else f"{threshold}", (threshold, threshold), (0.0, times / total), 0)
        for at, (threshold, times) in enumerate(best.thresholds_drawn)
    ]
    top = max(times for _, times in best.thresholds_drawn) / total
    title = f"The best threshold in {total} bootstrap samples, {curve.task}: {best.threshold:.4f} on all documents"
    names = ("Least share of the runs", "Share of samples")
    drawing = line_chart(title, *names, bars[:1], y_range=(0.0, min(1.0, top * 1.1)))
    for bar in bars[1:]:
        other = line_chart(title, *names, [bar], y_range=(0.0, min(1.0, top * 1.1)))
        drawing.items += [item for item in other.items if isinstance(item, Line) and item.colour == "series-0"][:1]
    return drawing


# -- agreement ----------------------------------------------------------------------------------


def write_agreement(agreement: Agreement, folder: Path, report: Report) -> None:
    """Write `agreement.json`, the tables `runs.tsv` and `articles.tsv`, and a picture of each, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "agreement.json", agreement_as_json(agreement))
    write_bytes(folder / "runs.tsv", "".join(_run_rows(agreement)).encode())
    write_bytes(folder / "articles.tsv", "".join(_article_rows(agreement)).encode())
    drawings = {"runs": _matrix(agreement), "articles": _divided(agreement)}
    _write_drawings(drawings, folder, report)


def agreement_as_json(agreement: Agreement) -> dict[str, Any]:
    """The whole of it, articles in the order in which a curator should look at them."""
    return {
        "task": agreement.task,
        "mean_f1": round(agreement.mean(), 4),
        "runs": list(agreement.runs),
        "f1": [[round(float(value), 4) for value in row] for row in agreement.f1],
        "mean_f1_with_others": {name: round(value, 4) for name, value in agreement.outsiders()},
        "articles": [
            {
                "document": item.document,
                "division": round(item.division, 4),
                "agreement": round(item.agreement, 4),
                "distinct": item.said,
                "contested": item.contested,
                "examples": [{"what": one.what, "share": round(one.share, 4)} for one in item.examples],
            }
            for item in agreement.divisions
        ],
    }


def agreement_as_text(agreement: Agreement, out: Path) -> str:
    """The mean, the runs that stand apart, and the first articles to look at."""
    lines = [f"{len(agreement.runs)} runs, {agreement.task}: mean F1 between two runs {agreement.mean():.4f}"]
    lines += [f"  {value:.4f}  {name}" for name, value in agreement.outsiders()[:TOLD]]
    lines.append("look first at (even splits, contested of distinct, mean F1):")
    lines += [
        f"  {item.division:8.1f}  {item.contested} of {item.said}  {item.agreement:.4f}  {item.document}"
        for item in agreement.divisions[:TOLD]
    ]
    return "\n".join([*lines, f"tables and pictures in {out / 'report'}"])


def _run_rows(agreement: Agreement) -> Iterator[str]:
    yield "\t".join(["run", *agreement.runs]) + "\n"
    for at, name in enumerate(agreement.runs):
        yield "\t".join([name, *(f"{value:.4f}" for value in agreement.f1[at])]) + "\n"


def _article_rows(agreement: Agreement) -> Iterator[str]:
    yield "document\tdivision\tagreement\tdistinct\tcontested\texamples\n"
    for item in agreement.divisions:
        examples = "; ".join(f"{_cell(one.what)} {one.share:.4f}" for one in item.examples)
        yield (
            f"{_cell(item.document)}\t{item.division:.4f}\t{item.agreement:.4f}\t{item.said}\t{item.contested}"
            f"\t{examples}\n"
        )


def _cell(text: str) -> str:
    return " ".join(text.split())


def _matrix(agreement: Agreement) -> Drawing:
    """Runs against runs: the fuller a square, the more two runs agree; the scale begins at the lowest F1."""
    names = agreement.runs[:SHOWN]
    side, left, top = 18.0, 200.0, 60.0
    extent = side * len(names)
    legend = f"F1 between runs, {agreement.task}: from {agreement.f1.min():.4f} (empty) to 1 (full)"
    drawing = Drawing(left + extent + 40, top + extent + 30, legend)
    drawing.items.append(Label(16, 24, legend, size=13))
    low = float(agreement.f1.min())
    for row, name in enumerate(names):
        drawing.items.append(Label(left - 8, top + side * row + 13, f"{_shortened(name)} {row + 1}", "end", size=11))
        drawing.items.append(Label(left + side * (row + 0.5), top - 6, f"{row + 1}", "middle", "muted", 10))
        for column in range(len(names)):
            full = (float(agreement.f1[row, column]) - low) / (1 - low) if low < 1 else 1.0
            size = (side - 3) * full
            x, y = left + side * (column + 0.5) - size / 2, top + side * (row + 0.5) - size / 2
            drawing.items.append(Box(x, y, size, size, "series-0" if row != column else "muted"))
    return drawing


def _divided(agreement: Agreement) -> Drawing:
    """The articles that divide the runs most, longest bar first."""
    rows = agreement.divisions[:SHOWN]
    left, top, width, step = 150.0, 50.0, 420.0, 20.0
    title = f"What divides the runs most, {agreement.task}: even splits, with the mean F1 between runs"
    drawing = Drawing(left + width + 130, top + step * len(rows) + 20, title)
    drawing.items.append(Label(16, 24, title, size=13))
    most = max((item.division for item in rows), default=0.0) or 1.0
    for at, item in enumerate(rows):
        y = top + step * at
        drawing.items.append(Label(left - 8, y + 12, _shortened(item.document), "end", size=11))
        drawing.items.append(Box(left, y + 2, width * item.division / most, step - 7, "series-1"))
        words = f"{item.division:.1f} (F1 {item.agreement:.2f})"
        drawing.items.append(Label(left + width * item.division / most + 6, y + 12, words, colour="muted", size=11))
    return drawing


def _shortened(name: str, limit: int = 26) -> str:
    return name if len(name) <= limit else f"...{name[3 - limit :]}"
