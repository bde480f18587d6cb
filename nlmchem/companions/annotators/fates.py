"""The table of what became of each row of a list of mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from corpora.reporting import table_cell
from nlmchem.companions.annotators.placing import RowOutcome

COLUMNS = ("row", "document", "text", "identifier", "label", "fate", "attempt", "differences", "places", "remark")


def table(outcomes: Mapping[int, Sequence[RowOutcome]]) -> str:
    """The table as TSV: one line for each row and article."""
    lines = ["\t".join(COLUMNS)]
    for at in sorted(outcomes):
        lines += ["\t".join(map(table_cell, _cells(outcome))) for outcome in outcomes[at]]
    return "\n".join(lines) + "\n"


def _cells(outcome: RowOutcome) -> tuple[str, ...]:
    row = outcome.row
    return (
        row.place, row.document or "", row.text, row.identifier or "", row.label or "", outcome.fate, outcome.attempt,
        ", ".join(outcome.differences), str(len(outcome.places)), outcome.remark,
    )  # fmt: skip
