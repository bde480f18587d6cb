"""Files of one PMC article: which of them is read, by their names, and what the metadata among them state.

PMC publishes an article as a folder `PMC<id>.<version>` with `PMC<id>.<version>.xml`, `.txt`, `.pdf`, media, and
metadata (`.json`), which are also in a folder `metadata` beside it. Older packages are folders `PMC<id>` with one
`.nxml`. Files may also stand in one folder: `PMC<id>.xml`, `PMC<id>.pdf`. Source of the metadata: the public bucket
`pmc-oa-opendata`, `metadata/PMC<id>.<version>.json`.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import DAMAGE
from corpora.words.licences import is_one_of

METADATA_FOLDER = "metadata"
LARGEST_METADATA = 1 << 18
"""Bytes of a file of metadata. Larger JSON files are articles."""

_ID = r"(PMC[1-9][0-9]{0,11})(?:\.([1-9][0-9]{0,5}))?"
_FOLDER = re.compile(_ID, re.ASCII)
_FILE = re.compile(_ID + r"((?:\.[A-Za-z][A-Za-z0-9]*)+)", re.ASCII)
_PACKED = re.compile(r"\.(gz|bz2|xz)\Z")
_FORMS = ("", ".nxml of a package", ".txt", ".pubtator", ".json", ".jsonl", ".bioc", ".nxml", ".xml")
"""What is read of an article, the best form last. The first one is that of all other files, which are not read."""
_METADATA, _NOT_READ, _PACKAGED = -1, 0, 1
_JSON = _FORMS.index(".json")

# -- which file is read -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArticleFile:
    article: str
    """The folder and the PMCID."""
    version: int
    """0 where the name states none."""
    rank: int
    """The index of its form in the order of preference; 0: it is not read, such as a picture; -1: metadata."""

    @property
    def is_not_read(self) -> bool:
        """Whether it is a picture or a supplement."""
        return self.rank == _NOT_READ


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the file that is read and is not read: other files of the article, and other versions of it.

    `json`: JSON files, which may be its metadata; they are not in `forms`.
    """

    forms: int = 0
    versions: int = 0
    json: int = 0

    def __add__(self, other: Beside) -> Beside:
        return Beside(self.forms + other.forms, self.versions + other.versions, self.json + other.json)


ALONE = Beside()


def form_of(path: PurePosixPath) -> ArticleFile | None:
    """What a file is of a PMC article, by its path; None for any other file."""
    file = _FILE.fullmatch(path.name)
    for depth, part in enumerate(reversed(path.parts[:-1])):
        if (folder := _FOLDER.fullmatch(part)) is None:
            continue
        version, rank = folder[2], _NOT_READ
        if file and not depth and file[1] == folder[1] and (file[2] == folder[2] or None in (file[2], folder[2])):
            version, rank = folder[2] or file[2], preference(path.name)
        elif path.suffix == ".nxml" and not depth:
            rank = _PACKAGED
        return ArticleFile(f"{path.parents[depth + 1]}/{folder[1]}", int(version or 0), rank)
    if file is None:
        return None
    folder_of_metadata = path.parent.name == METADATA_FOLDER and path.suffix == ".json"
    above = path.parent.parent if folder_of_metadata else path.parent
    rank = _METADATA if folder_of_metadata else preference(path.name)
    return ArticleFile(f"{above}/{file[1]}", int(file[2] or 0), rank)


def preference(name: str) -> int:
    """The index of a file in the order of preference, by the suffix of its name."""
    suffix = PurePosixPath(_PACKED.sub("", name)).suffix.lower()
    return _FORMS.index(suffix) if suffix in _FORMS else _NOT_READ


def choose(
    paths: Iterable[PurePosixPath], is_metadata: Callable[[PurePosixPath], bool], all_versions: bool = False
) -> dict[PurePosixPath, Beside | None]:
    """For each path that belongs to an article of which one file is read: what is beside it; None: it is not read.

    `is_metadata` tells for a JSON file whether it has metadata; it is asked where no XML is there. Paths of other
    articles, of which no form is read, are left out of the result. The best form of the newest version is read.
    """
    groups: dict[tuple[str, int], list[tuple[PurePosixPath, ArticleFile]]] = defaultdict(list)
    for path in paths:
        if (form := form_of(path)) is not None:
            groups[form.article, form.version if all_versions else 0].append((path, form))
    chosen: dict[PurePosixPath, Beside | None] = {}
    for files in groups.values():
        packaged = Counter(form.version for _, form in files if form.rank == _PACKAGED)
        # Of several .nxml of a package, none is known to be the article.
        read = [item for item in files if item[1].rank > _PACKAGED or (item[1].rank and packaged[item[1].version] == 1)]
        read.sort(key=lambda item: (item[1].version, item[1].rank, str(item[0])))
        while read and read[-1][1].rank == _JSON and is_metadata(read[-1][0]):
            read.pop()
        if not read:
            continue
        path, best = read[-1]
        others = [form.rank for other, form in files if form.version == best.version and other != path]
        json_files = others.count(_JSON)
        versions = len({form.version for _, form in read}) - 1
        chosen |= dict.fromkeys((other for other, _ in files), None)
        chosen[path] = Beside(len(others) - json_files - others.count(_METADATA), versions, json_files)
    return chosen


def is_metadata_name(name: str) -> bool:
    """Whether a name is that of a file in the folder of metadata."""
    match = _FILE.fullmatch(name)
    return match is not None and match[2] is not None and match[3] == ".json"


def package_of(name: str) -> tuple[str, int] | None:
    """PMCID and version (0: not stated) of a folder of an article; None for another folder."""
    match = _FOLDER.fullmatch(name)
    return None if match is None else (match[1], int(match[2] or 0))


def without_versions(path: PurePosixPath) -> PurePosixPath:
    """The path without the versions of articles, so that the output of a new version replaces that of the old one."""
    *folders, name = path.parts
    folders = [match[1] if (match := _FOLDER.fullmatch(part)) else part for part in folders]
    file = _FILE.fullmatch(name)
    return PurePosixPath(*folders, file[1] + file[3] if file else name)


# -- metadata -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArticleMetadata:
    """What PMC states about an article. Empty texts are not stated."""

    pmcid: str
    version: int = 0
    """0 where it is not stated."""
    pmid: str = ""
    doi: str = ""
    licence: str = ""
    is_manuscript: bool = False
    is_ocr: bool = False
    is_retracted: bool = False
    xml_url: str = ""
    """The address of the XML, which may end in `?md5=...`."""

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


def parse_metadata(raw: bytes) -> ArticleMetadata | None:
    """The metadata in a JSON file; None for any other content."""
    if len(raw) > LARGEST_METADATA or raw.lstrip()[:1] != b"{":
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
        _text(values, "xml_url"),
    )


def _text(values: dict[str, Any], key: str) -> str:
    value = values.get(key)
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _is_true(values: dict[str, Any], key: str) -> bool:
    return values.get(key) is True or str(values.get(key)).lower() in ("true", "yes", "1")


def places_of_metadata(path: PurePosixPath) -> list[PurePosixPath]:
    """Where the metadata of an article are, from the path of the file that is read; empty for another file."""
    folder, file = _FOLDER.fullmatch(path.parent.name), _FILE.fullmatch(path.name)
    if folder is not None:
        return [path.parent / f"{folder[0]}.json", path.parent.parent / METADATA_FOLDER / f"{folder[0]}.json"]
    if file is None:
        return []
    stem = f"{file[1]}.{file[2]}" if file[2] else file[1]
    return [path.parent / f"{stem}.json", path.parent / METADATA_FOLDER / f"{stem}.json"]


def metadata_files(article: str) -> list[Path]:
    """The existing files that may have the metadata of the article in a file."""
    return [place for place in map(Path, places_of_metadata(PurePosixPath(article))) if place.is_file()]


def metadata_of(article: str) -> ArticleMetadata | None:
    """The metadata of the article in a file; None where there are none."""
    places = map(Path, places_of_metadata(PurePosixPath(article)))
    return next((parsed for place in places if (parsed := read_metadata(place))), None)


def has_own_metadata(article: str) -> bool:
    """Whether the metadata of the article in a file are beside it, and not in the folder for all articles."""
    return bool(places := places_of_metadata(PurePosixPath(article))) and read_metadata(Path(places[0])) is not None


def read_metadata(place: Path) -> ArticleMetadata | None:
    """The metadata in a file; None where it does not exist, cannot be read, or has other content."""
    try:
        with place.open("rb") as stream:
            return parse_metadata(stream.read(LARGEST_METADATA + 1))
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
        return "licence not known"
    return None if is_one_of(metadata.licence, licences) else f"licence {metadata.licence}"
