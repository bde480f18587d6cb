"""The curve of an ensemble as files, and thresholds read from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError
from corpora.extras import installed
from corpora.reporting import Report
from corpora.storage.atomic import write_text
from ensemble.output import write_json
from ensemble.spans import threshold_value
from nlmchem.evaluation.curves import Best, Curve, Gain
from nlmchem.evaluation.scores import Counts

__all__ = ["NO_CHARTS", "choose_threshold", "curve_as_json", "load_threshold", "score_fields", "write_curve"]

NO_CHARTS = 'no charts were drawn: they need the package matplotlib; install it: pip install "nlmchem[report]"'


def write_curve(curve: Curve, best: Best | None, gain: Gain | None, folder: Path, report: Report) -> None:
    """Write `curve.json`, `curve.tsv` and the charts (SVG and PNG) into a folder.

    The charts: precision against recall with the single runs; scores by threshold; how often each threshold is best
    in bootstrap samples. If matplotlib is missing, there are no charts and `report` receives a sentence.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "curve.json", curve_as_json(curve, best, gain))
    write_text(folder / "curve.tsv", "".join(_curve_rows(curve)))
    if not installed("matplotlib"):
        report(NO_CHARTS)
        return
    from nlmchem.report.charts import write_charts
    from nlmchem.report.ensemble_charts import curve_charts

    write_charts(curve_charts(curve, best), folder)


def curve_as_json(curve: Curve, best: Best | None, gain: Gain | None) -> dict[str, Any]:
    """The content of `curve.json`; `--threshold FILE` reads its `threshold`."""
    return {
        "task": curve.task,
        "documents": len(curve.documents),
        "threshold": best.threshold if best else None,
        "best": _best_fields(best) if best else None,
        "best_single_run": _gain_fields(gain) if gain else None,
        "single_runs": {name: score_fields(counts) for name, counts in curve.single_runs().items()},
        "points": [{"threshold": point.threshold, **score_fields(point.counts)} for point in curve.points()],
    }


def _best_fields(best: Best) -> dict[str, Any]:
    return {
        **score_fields(best.counts),
        "f1_interval": [round(best.f1_interval.low, 4), round(best.f1_interval.high, 4)],
        "threshold_interval": [best.threshold_interval.low, best.threshold_interval.high],
        "cross_validated": score_fields(best.cross_validated),
    }


def _gain_fields(gain: Gain) -> dict[str, Any]:
    return {
        "run": gain.run,
        **score_fields(gain.counts),
        "gain_of_cross_validated_ensemble": round(gain.gain, 4),
        "gain_interval": [round(gain.gain_interval.low, 4), round(gain.gain_interval.high, 4)],
        "better_in_share_of_samples": round(gain.better, 4),
    }


def score_fields(counts: Counts) -> dict[str, float | int]:
    """Scores, with 4 decimals, and counts."""
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
        values = score_fields(point.counts)
        numbers = "\t".join(f"{values[name]:.4f}" for name in ("precision", "recall", "f1"))
        yield f"{point.threshold:.4f}\t{numbers}\t{values['tp']}\t{values['fp']}\t{values['fn']}\n"


def load_threshold(path: Path, task: str) -> float:
    """The best threshold of an earlier curve: a `curve.json`, its folder, or the output folder of the ensemble.

    Raises `ConfigurationError` if there is no curve, or if it is the curve of another task.
    """
    places = [path, path / "curve.json", path / "report" / "curve.json"]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise ConfigurationError(f"--threshold is {str(path)!r}: use a number, `best`, or the path of a curve.json")
    try:
        content = json.loads(file.read_bytes())
        value, made_for = content["threshold"], content["task"]
    except (ValueError, TypeError, KeyError):
        raise ConfigurationError(f"{file} is not a curve; make one with `nlmchem ensemble {task} ... --gold`") from None
    if made_for != task:
        raise ConfigurationError(f"{file} is a curve of {made_for}, not of {task}; use a curve of {task}")
    if not isinstance(value, float | int):
        raise ConfigurationError(f"{file} has no threshold, because its runs have no annotations; use another curve")
    return threshold_value(float(value))


def choose_threshold(text: str, task: str, has_gold: bool) -> float | None:
    """The value of `--threshold`: a number, or the best one of an earlier curve; None for `best`.

    Raises `ConfigurationError` for any other text, and for `best` without a gold standard.
    """
    if text == "best":
        if not has_gold:
            raise ConfigurationError("--threshold best needs a gold standard; add --gold, or use a number")
        return None
    try:
        return threshold_value(float(text))
    except ValueError:
        return load_threshold(Path(text), task)
