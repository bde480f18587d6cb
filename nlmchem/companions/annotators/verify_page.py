"""The page of `nlmchem verify`: the findings with their numbers, and the mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpora.words.quantities import quantity
from nlmchem.companions.annotators.verdict import Finding
from nlmchem.report.pages import PageTable, render_page

HEAD = ("mention", "document", "place", "identifier", "finding", "reason", "suggested", "probability")


def page(rows: Sequence[Mapping[str, Any]], counts: Mapping[Any, int]) -> str:
    """The page. `rows`: verdicts as rows. `counts`: the number of mentions of each finding, and of `articles`."""
    total = sum(counts.get(finding, 0) for finding in Finding)
    wrong = sum(counts.get(finding, 0) for finding in Finding if finding.is_wrong)
    numbers = tuple(
        (str(finding), str(counts[finding]), f"{counts[finding] / total:.1%}")
        for finding in Finding
        if counts.get(finding)
    )
    tables = [
        PageTable("Findings", ("finding", "mentions", "share"), numbers, cards=False),
        PageTable("Mentions", HEAD, tuple(map(_cells, rows)), texts=7, id="mentions", sortable=True, cards=True),
    ]
    lead = [f"{quantity(total, 'mention')} in {quantity(counts.get('articles', 0), 'article')}, {wrong} to correct."]
    context = {"title": "Verified annotations", "lead": lead, "tables": tables}
    return render_page("tables.html", "evaluation.css", "filter.js", context)


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    probability = row["probability"]
    return (
        row["text"], row["document"], f"{row['start']}-{row['end']}", row["identifier"] or "-", row["finding"],
        row["reason"], row["suggested"], "" if probability is None else f"{probability:.2f}",
    )  # fmt: skip
