"""The agreement of runs as files: JSON, two tables, and a chart of each table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora.extras import installed
from corpora.reporting import Report, table_cell
from corpora.storage.atomic import write_text
from ensemble.output import write_json
from nlmchem.evaluation.agreement import Agreement
from nlmchem.report.curve_files import NO_CHARTS

__all__ = ["agreement_as_json", "agreement_as_text", "write_agreement"]

PRINTED = 10
"""Runs and articles that the terminal shows."""


def write_agreement(agreement: Agreement, folder: Path, report: Report) -> None:
    """Write `agreement.json`, the tables `runs.tsv` and `articles.tsv`, and a chart of each, into a folder.

    If matplotlib is missing, there are no charts and `report` receives a sentence.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "agreement.json", agreement_as_json(agreement))
    write_text(folder / "runs.tsv", "".join(_run_rows(agreement)))
    write_text(folder / "articles.tsv", "".join(_article_rows(agreement)))
    if not installed("matplotlib"):
        report(NO_CHARTS)
        return
    from nlmchem.report.charts import write_charts
    from nlmchem.report.ensemble_charts import agreement_charts

    write_charts(agreement_charts(agreement), folder)


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
                "examples": [{"what": one.what, "share": round(one.share, 4)} for one in item.examples],
            }
            for item in agreement.divisions
        ],
    }


def agreement_as_text(agreement: Agreement, out: Path) -> str:
    """The mean, the runs that differ most from the others, and the articles with the greatest disagreement."""
    lines = [f"{len(agreement.runs)} runs, {agreement.task}: mean F1 between two runs {agreement.mean():.4f}"]
    lines += [f"  {value:.4f}  {name}" for name, value in agreement.outsiders()[:PRINTED]]
    lines.append("articles to check first (division, contested of distinct, mean F1):")
    lines += [
        f"  {item.division:8.1f}  {item.contested} of {item.distinct}  {item.agreement:.4f}  {item.document}"
        for item in agreement.divisions[:PRINTED]
    ]
    return "\n".join([*lines, f"tables and charts in {out / 'report'}"])


def _run_rows(agreement: Agreement) -> Iterator[str]:
    yield "\t".join(["run", *map(table_cell, agreement.runs)]) + "\n"
    for at, name in enumerate(agreement.runs):
        yield "\t".join([table_cell(name), *(f"{value:.4f}" for value in agreement.f1[at])]) + "\n"


def _article_rows(agreement: Agreement) -> Iterator[str]:
    yield "document\tdivision\tagreement\tdistinct\tcontested\texamples\n"
    for item in agreement.divisions:
        examples = table_cell("; ".join(f"{one.what} {one.share:.4f}" for one in item.examples))
        yield (
            f"{table_cell(item.document)}\t{item.division:.4f}\t{item.agreement:.4f}\t{item.distinct}\t{item.contested}"
            f"\t{examples}\n"
        )
