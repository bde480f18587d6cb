"""Ensembles as files and text: the curve, thresholds read from it, the summary of a vote, the agreement of runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError, command
from corpora.extras import install, installed
from corpora.reporting import Report, table_cell
from corpora.storage.atomic import write_bytes, write_text
from corpora.words.quantities import quantity
from ensemble.combine import Rule, WrittenVote, write_json
from ensemble.tally import threshold_value
from nlmchem.evaluation.curves import Best, Curve
from nlmchem.evaluation.ensembles import Agreement
from nlmchem.evaluation.scores import count_fields, figures, score_line


def write_curve(curve: Curve, best: Best | None, folder: Path, report: Report) -> None:
    """Write `curve.json`, `curve.tsv` and the charts (SVG and PNG) into a folder.

    The charts: precision against recall with the single runs; scores by threshold. If matplotlib is missing, there are
    no charts and `report` receives a sentence.
    """
    rows = ["threshold\tprecision\trecall\tf1\ttp\tfp\tfn"]
    for threshold, counts in zip(curve.thresholds, curve.scores.counts, strict=True):
        cells = (*figures(counts), counts.right, counts.false, counts.missed)
        rows.append("\t".join((f"{threshold:.4f}", *map(str, cells))))
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "curve.json", curve_as_json(curve, best))
    _write_rows(folder / "curve.tsv", rows)
    if not installed("matplotlib"):
        report(f"no charts were drawn: they need the package matplotlib; install it: {install('report')}")
        return
    from nlmchem.report.charts import chart_files
    from nlmchem.report.evaluation_report import curve_charts

    for name, content in chart_files(curve_charts(curve)):
        write_bytes(folder / name, content)


def _write_rows(path: Path, rows: Sequence[str]) -> None:
    write_text(path, "".join(f"{row}\n" for row in rows))


def curve_as_json(curve: Curve, best: Best | None) -> dict[str, Any]:
    """The content of `curve.json`; the option `threshold` reads its `threshold`."""
    best_fields = best and {
        **count_fields(best.counts, 4),
        "f1_interval": [round(best.f1_interval.low, 4), round(best.f1_interval.high, 4)],
        "threshold_interval": [best.threshold_interval.low, best.threshold_interval.high],
        "cross_validated": count_fields(best.cross_validated, 4),
    }
    gain_fields = best and {
        "run": best.run,
        **count_fields(best.run_counts, 4),
        "gain_of_cross_validated_ensemble": round(best.gain, 4),
        "gain_interval": [round(best.gain_interval.low, 4), round(best.gain_interval.high, 4)],
        "better_in_share_of_samples": round(best.better, 4),
    }
    return {
        "task": curve.task,
        "documents": len(curve.documents),
        "threshold": best.threshold if best else None,
        "best": best_fields,
        "best_single_run": gain_fields,
        "single_runs": {name: count_fields(counts, 4) for name, counts in curve.single_runs().items()},
        "points": [
            {"threshold": threshold, **count_fields(counts, 4)}
            for threshold, counts in zip(curve.thresholds, curve.scores.counts, strict=True)
        ],
    }


# -- thresholds ---------------------------------------------------------------------------------


def load_threshold(path: Path, task: str) -> float:
    """The best threshold of an earlier curve: a `curve.json`, its folder, or the output folder of the ensemble.

    Raises `ConfigurationError` if there is no curve, or if it is the curve of another task.
    """
    places = [path, path / "curve.json", path / "report" / "curve.json"]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise OptionError("threshold", f"is {str(path)!r}: use a number, `best`, or the path of a curve.json")
    try:
        content = json.loads(file.read_bytes())
        value, made_for = content["threshold"], content["task"]
    except (ValueError, TypeError, KeyError):
        make = command("ensemble", task, "...", gold=True)
        raise ConfigurationError(f"{file} is not a curve; make one with {make}") from None
    if made_for != task:
        raise ConfigurationError(f"{file} is a curve of {made_for}, not of {task}; use a curve of {task}")
    if not isinstance(value, float | int):
        raise ConfigurationError(f"{file} has no threshold, because its runs have no annotations; use another curve")
    return threshold_value(float(value))


def choose_threshold(text: str, task: str, has_gold: bool) -> float | None:
    """The value of the option `threshold`: a number, or the best one of an earlier curve; None for `best`.

    Raises `ConfigurationError` for any other text, and for `best` without a gold standard.
    """
    if text == "best":
        if not has_gold:
            raise ConfigurationError(
                Argument("threshold", "best"), " needs a gold standard; add ", Argument("gold"), ", or use a number"
            )
        return None
    try:
        return threshold_value(float(text))
    except ValueError:
        return load_threshold(Path(text), task)


# -- summary of the commands `ensemble` and `silver` ------------------------------------------

_ANNOTATIONS = {"spans": "mentions", "identifiers": "identifiers", "indexing": "index terms"}


def summarize(
    written: WrittenVote,
    rule: Rule,
    out: Path,
    curve: Curve | None = None,
    best: Best | None = None,
) -> tuple[str, dict[str, Any]]:
    """What was written and, with a gold standard, its scores: as text for the terminal, and for JSON."""
    counts = written.counts.as_dict()
    runs = len(written.manifest["runs"])
    parts = {
        "spans": f"{quantity(counts['mentions'], 'mention')} ({quantity(counts['distinct_texts'], 'distinct text')}, "
        f"{counts['merged']} merged)",
        "identifiers": quantity(counts["distinct_identifiers"], "distinct identifier"),
        "indexing": quantity(counts["index_terms"], "index term"),
    }
    # A vote on identifiers is one on spans, too.
    voted = {*rule.tasks, *(["spans"] if "identifiers" in rule.tasks else [])}
    lines = [
        f"{quantity(runs, 'run')} over {quantity(counts['documents'], 'document')}, threshold {rule.threshold:.4f}: "
        f"{', '.join(part for task, part in parts.items() if task in voted)}; results in {out}"
    ]
    if left_out := [what for task, what in _ANNOTATIONS.items() if task not in voted]:
        lines.append(f"not in the results: {' and '.join(left_out)}; {command('ensemble vote')} votes on all")
    fields = {"out": str(out), "runs": runs, "threshold": rule.threshold, **counts}
    if curve is not None:
        here = curve.at(rule.threshold)
        lines.append(f"{'this threshold':>16}  {score_line(here)}")
        if best is not None:
            f1, at = best.f1_interval, best.threshold_interval
            lines.append(
                f"{'best threshold':>16}  {score_line(best.counts)}  at {best.threshold:.4f} (95%: F1 {f1.low:.4f} to "
                f"{f1.high:.4f}, threshold {at.low:.4f} to {at.high:.4f})"
            )
            lines.append(
                f"{'cross-validated':>16}  {score_line(best.cross_validated)}  each document at the best threshold of "
                "the others"
            )
            gain = best.gain_interval
            lines.append(
                f"{'best single run':>16}  {score_line(best.run_counts)}  {best.run}; cross-validated ensemble "
                f"{best.gain:+.4f} (95%: {gain.low:+.4f} to {gain.high:+.4f}), better in {best.better:.1%} of samples"
            )
        if curve.unscored:
            lines.append(f"not scored: {quantity(curve.unscored, 'document')} that the gold standard does not have")
        fields |= {"scores": count_fields(here, 4), "curve": curve_as_json(curve, best)}
    return "\n".join(lines), fields


# -- agreement of runs ------------------------------------------------------------------------


PRINTED = 10
"""Runs and articles that the terminal shows."""


def write_agreement(agreement: Agreement, folder: Path) -> None:
    """Write `agreement.json` and the tables `runs.tsv` and `articles.tsv` into a folder."""
    runs = ["\t".join(["run", *map(table_cell, agreement.runs)])]
    for at, name in enumerate(agreement.runs):
        runs.append("\t".join([table_cell(name), *(f"{value:.4f}" for value in agreement.f1[at])]))
    articles = ["document\tdivision\tagreement\tdistinct\tcontested\texamples"]
    for item in agreement.divisions:
        examples = table_cell("; ".join(f"{what} {share:.4f}" for what, share in item.examples))
        numbers = f"{item.division:.4f}\t{item.agreement:.4f}\t{item.distinct}\t{item.contested}"
        articles.append(f"{table_cell(item.document)}\t{numbers}\t{examples}")
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "agreement.json", agreement_as_json(agreement))
    _write_rows(folder / "runs.tsv", runs)
    _write_rows(folder / "articles.tsv", articles)


def agreement_as_json(agreement: Agreement) -> dict[str, Any]:
    """The content of `agreement.json`; articles with the greatest disagreement first."""
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
                "distinct": item.distinct,
                "contested": item.contested,
                "examples": [{"what": what, "share": round(share, 4)} for what, share in item.examples],
            }
            for item in agreement.divisions
        ],
    }


def agreement_as_text(agreement: Agreement, out: Path | None) -> str:
    """The mean, the runs that differ most from the others, and the articles with the greatest disagreement."""
    lines = [
        f"{quantity(len(agreement.runs), 'run')}, {agreement.task}: mean F1 between two runs {agreement.mean():.4f}"
    ]
    lines += [f"  {value:.4f}  {name}" for name, value in agreement.outsiders()[:PRINTED]]
    lines.append("articles to check first (division, contested of distinct, mean F1):")
    lines += [
        f"  {item.division:8.1f}  {item.contested} of {item.distinct}  {item.agreement:.4f}  {item.document}"
        for item in agreement.divisions[:PRINTED]
    ]
    if out is not None:
        lines.append(f"tables in {out / 'report'}")
    return "\n".join(lines)
