"""A small input for a cell of the table of formats (`format_probes`), and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora import reading
from corpora.formats import registry
from corpora.model.document import mentions
from corpora.storage import inputs
from corpora.storage.members import Selection

PROPERTIES = {
    "ids": "two articles without ids",
    "offsets": "offsets in bytes",
    "unknown parts": "a row, element or key that the format does not have",
    "joined files": "two files, one after another",
    "server errors": "the answer of a server with the suffix of the format",
    "CR line ends": "a carriage return in place of each line feed",
    "comments": "a comment",
    "labels": "two types at one place",
    "relations": "a relation of two mentions",
}
"""The columns of the table, and what each input has."""
READ, REPORTED, REFUSED, NONE = "read", "reported", "refused", "-"


@dataclass(frozen=True)
class Probe:
    """An input and its outcome. `articles`: the id and the number of mentions of each article that is read.

    `says`: a part of the first sentence of what is reported or refused. `beside`: another file, by its suffix.
    """

    content: str | bytes
    outcome: str
    articles: tuple[tuple[str, int], ...] = ()
    says: str = ""
    relations: int = 0
    beside: tuple[str, str] | None = None


def outcome_of(format: str, probe: Probe, folder: Path) -> tuple[str, tuple[tuple[str, int], ...], str, int]:
    """Outcome, articles, first sentence and number of relations of a probe that is read."""
    suffix = {"brat": ".txt", "inception": ".json"}.get(format) or Path(f"x{registry.suffix_of(format)}").suffix
    path = folder / f"x{suffix}"
    path.write_bytes(probe.content if isinstance(probe.content, bytes) else probe.content.encode())
    if probe.beside is not None:
        path.with_suffix(probe.beside[0]).write_text(probe.beside[1], encoding="utf-8", newline="")
    notes: list[str] = []
    selection = Selection(lines=format == "lines")
    items = list(reading.articles(inputs.expand([str(path)]), notes.append, selection))
    faults = [str(item) for item in items if isinstance(item, reading.Fault)]
    documents = [item.document for item in items if isinstance(item, reading.ReadArticle)]
    found = tuple((one.id, sum(1 for _ in mentions(one, None))) for one in documents)
    relations = sum(len(holder.relations) for one in documents for holder in (one, *one.passages))
    outcome = REFUSED if faults else REPORTED if notes else READ
    return outcome, found, next(iter([*faults, *notes]), ""), relations


ONE, TWO = (("1", 1),), (("1", 1), ("2", 1))
NUMBERED = (("x-1", 1), ("x-2", 1))
TEXT = "βeta zinc"
JSON_ERROR = '{"error": "API rate limit exceeded", "count": "4"}'


def lined(*articles: str) -> str:
    return "".join(f"{article}\n" for article in articles)
