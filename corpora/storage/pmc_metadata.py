"""Metadata of a PMC article: licence, version, retraction, as PMC publishes them in JSON beside the article.

Source: the public bucket `pmc-oa-opendata`, `metadata/PMC<id>.<version>.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import DAMAGE
from corpora.storage.pmc_layout import places_of_metadata
from corpora.words.licences import is_one_of

LARGEST = 1 << 18
"""Bytes of a file of metadata. Larger JSON files are articles."""
UNKNOWN = "licence not known"


@dataclass(frozen=True, slots=True)
class ArticleMetadata:
    """What PMC states about an article. Empty texts are not stated. `version`: 0 where it is not stated.

    `urls`: the addresses of `xml`, `text` and `pdf`, which may end in `?md5=...`.
    """

    pmcid: str
    version: int = 0
    pmid: str = ""
    doi: str = ""
    licence: str = ""
    is_manuscript: bool = False
    is_ocr: bool = False
    is_retracted: bool = False
    urls: tuple[tuple[str, str], ...] = ()

    def infons(self) -> dict[str, str]:
        """The infons of the document, by name. Facts that are not stated, or not so, have none."""
        facts = {
            "article-id_pmc": self.pmcid,
            "article-id_pmid": self.pmid,
            "article-id_doi": self.doi,
            "license": self.licence,
            "article-version": str(self.version) if self.version else "",
            "retracted": "true" if self.is_retracted else "",
            "manuscript": "true" if self.is_manuscript else "",
            "historical-ocr": "true" if self.is_ocr else "",
        }
        return {name: value for name, value in facts.items() if value}

    def url(self, kind: str) -> str:
        """The address of a form of the article, such as `xml`; empty where there is none."""
        return dict(self.urls).get(kind, "")


def parse(raw: bytes) -> ArticleMetadata | None:
    """The metadata in a JSON file; None for any other content."""
    if len(raw) > LARGEST or raw.lstrip()[:1] != b"{":
        return None
    try:
        values = json.loads(raw)
    except DAMAGE:
        return None
    if not isinstance(values, dict) or not _text(values, "pmcid") or {"passages", "documents"} & values.keys():
        return None
    version = _text(values, "version")
    digits = _text(values, "pmcid").upper().removeprefix("PMC").partition(".")[0]
    return ArticleMetadata(
        f"PMC{digits}",
        int(version) if version.isascii() and version.isdecimal() and len(version) < 7 else 0,
        _text(values, "pmid"),
        _text(values, "doi"),
        _text(values, "license_code"),
        _is_true(values, "is_manuscript"),
        _is_true(values, "is_historical_ocr"),
        _is_true(values, "is_retracted"),
        tuple((kind, url) for kind in ("xml", "text", "pdf") if (url := _text(values, f"{kind}_url"))),
    )


def _text(values: dict[str, Any], key: str) -> str:
    value = values.get(key)
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _is_true(values: dict[str, Any], key: str) -> bool:
    return values.get(key) is True or str(values.get(key)).lower() in ("true", "yes", "1")


def files_of(article: str) -> list[Path]:
    """The files that may have the metadata of the article in a file; all of them exist."""
    return [place for place in map(Path, places_of_metadata(PurePosixPath(article))) if place.is_file()]


def of_file(article: str) -> ArticleMetadata | None:
    """The metadata of the article in a file; None where there are none."""
    return next((parsed for place in places_of_metadata(PurePosixPath(article)) if (parsed := read(Path(place)))), None)


def has_own(article: str) -> bool:
    """Whether the metadata of the article in a file are beside it, and not in the folder for all articles."""
    return bool(places := places_of_metadata(PurePosixPath(article))) and read(Path(places[0])) is not None


def read(place: Path) -> ArticleMetadata | None:
    """The metadata in a file; None where it does not exist, cannot be read, or has other content."""
    try:
        with place.open("rb") as stream:
            return parse(stream.read(LARGEST + 1))
    except OSError:
        return None


def why_left_out(
    metadata: ArticleMetadata | None, licences: Sequence[str] = (), exclude_retracted: bool = False
) -> str | None:
    """Why an article is not read: its licence is not one of `licences` (empty: any), or it is retracted; None: it is.

    An article without metadata has no known licence.
    """
    if exclude_retracted and metadata is not None and metadata.is_retracted:
        return "retracted"
    if not licences:
        return None
    if metadata is None or not metadata.licence:
        return UNKNOWN
    return None if is_one_of(metadata.licence, licences) else f"licence {metadata.licence}"
