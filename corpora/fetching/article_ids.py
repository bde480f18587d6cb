"""The ids of articles to fetch: on the command line, in a file, or in a list of PMC."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from corpora.errors import ConfigurationError, OptionError
from corpora.fetching.pmc import article_id

_SINGLE = re.compile(r"(?:PMC)?[0-9]+(?:\.[0-9]+)?|pmid:\s*[0-9]+", re.ASCII | re.IGNORECASE)
_COLUMNS = ("pmcid", "accessionid")
"""Names of columns with PMCIDs in lists of PMC, in lower case and without blanks."""


def read_ids(given: str) -> list[str]:
    """The ids that an option gives: joined by commas, or in a file. Raises `ConfigurationError`.

    A file has one id in a line, and the rest of a line after # is a comment; or it is a CSV file, which may be packed
    by gzip, whose first line names a column `PMCID` or `AccessionID`.
    """
    words = [word.strip() for word in given.split(",") if word.strip()]
    if words and all(map(_SINGLE.fullmatch, words)):
        return words
    path = Path(given)
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
        return _ids_in(text.splitlines())
    except (OSError, EOFError, ValueError, zlib.error, csv.Error) as error:
        raise ConfigurationError(f"{path} cannot be read ({error}); give a file with one id in each line") from error


def _ids_in(rows: Sequence[str]) -> list[str]:
    header = [re.sub(r"[^a-z]", "", name.lower()) for name in next(csv.reader(rows[:1]), [])]
    column = next((header.index(name) for name in _COLUMNS if len(header) > 1 and name in header), None)
    if column is not None:
        return [row[column].strip() for row in csv.reader(rows[1:]) if len(row) > column and row[column].strip()]
    return [id for line in rows if (id := line.split("#")[0].strip())]


def parted(ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """The PMCIDs, each once, and the ids `pmid:...`, which the bucket does not know. Raises `ConfigurationError`."""
    of_pmc: dict[str, None] = {}
    others: dict[str, None] = {}
    for id in ids:
        if id.lower().startswith("pmid:"):
            others[id] = None
        else:
            of_pmc[article_id(id)] = None
    return list(of_pmc), list(others)


def day(text: str) -> datetime:
    """The beginning of a day. Raises `OptionError`."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise OptionError("since", f"must be a day such as 2026-03-01, not {text!r}") from error
