"""Files of one PMC article: which of them is read, by their names.

PMC publishes an article as a folder `PMC<id>.<version>` with `PMC<id>.<version>.xml`, `.txt`, `.pdf`, media, and
metadata (`.json`), which are also in a folder `metadata` beside it. Older packages are folders `PMC<id>` with one
`.nxml`. Files may also stand in one folder: `PMC<id>.xml`, `PMC<id>.pdf`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

METADATA_FOLDER = "metadata"

_ID = r"(PMC[1-9][0-9]{0,11})(?:\.([1-9][0-9]{0,5}))?"
_FOLDER = re.compile(_ID, re.ASCII)
_FILE = re.compile(_ID + r"((?:\.[A-Za-z][A-Za-z0-9]*)+)", re.ASCII)
_PACKED = re.compile(r"\.(gz|bz2|xz)\Z")
_FORMS = ("", ".nxml of a package", ".txt", ".pubtator", ".json", ".jsonl", ".bioc", ".nxml", ".xml")
"""What is read of an article, the best form last. The first one is that of all other files, which are not read."""
_METADATA, _NOT_READ, _PACKAGED = -1, 0, 1
_JSON = _FORMS.index(".json")


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """A file of an article. `article`: the folder and the PMCID. `version`: 0 where the name states none.

    `rank`: the place of its form in the order of preference; 0: it is not read, such as a picture; -1: metadata.
    """

    article: str
    version: int
    rank: int

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
    for number, part in enumerate(reversed(path.parts[:-1])):
        if (folder := _FOLDER.fullmatch(part)) is not None:
            is_named = file is not None and not number and _are_same(file, folder)
            version = folder[2] or (file[2] if is_named and file else None)
            rank = (
                preference(path.name) if is_named else _PACKAGED if path.suffix == ".nxml" and not number else _NOT_READ
            )
            return ArticleFile(f"{path.parents[number + 1]}/{folder[1]}", int(version or 0), rank)
    if file is None:
        return None
    folder_of_metadata = path.parent.name == METADATA_FOLDER and path.suffix == ".json"
    place = path.parent.parent if folder_of_metadata else path.parent
    return ArticleFile(
        f"{place}/{file[1]}", int(file[2] or 0), _METADATA if folder_of_metadata else preference(path.name)
    )


def _are_same(file: re.Match[str], folder: re.Match[str]) -> bool:
    return file[1] == folder[1] and (file[2] == folder[2] or None in (file[2], folder[2]))


def preference(name: str) -> int:
    """The place of a file in the order of preference, by the suffix of its name."""
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
        chosen |= _of_article(files, is_metadata)
    return chosen


def _of_article(
    files: list[tuple[PurePosixPath, ArticleFile]], is_metadata: Callable[[PurePosixPath], bool]
) -> Mapping[PurePosixPath, Beside | None]:
    packaged: dict[int, int] = defaultdict(int)
    for _, form in files:
        packaged[form.version] += form.rank == _PACKAGED
    # Of several .nxml of a package, none is known to be the article.
    read = [item for item in files if item[1].rank > _PACKAGED or (item[1].rank and packaged[item[1].version] == 1)]
    read.sort(key=lambda item: (item[1].version, item[1].rank, str(item[0])))
    while read and read[-1][1].rank == _JSON and is_metadata(read[-1][0]):
        read.pop()
    if not read:
        return {}
    path, best = read[-1]
    others = [form.rank for other, form in files if form.version == best.version and other != path]
    json = others.count(_JSON)
    versions = len({form.version for _, form in read}) - 1
    forms = len(others) - json - others.count(_METADATA)
    return {**dict.fromkeys((other for other, _ in files), None), path: Beside(forms, versions, json)}


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


def places_of_metadata(path: PurePosixPath) -> list[PurePosixPath]:
    """Where the metadata of an article are, from the path of the file that is read; empty for another file."""
    folder = _FOLDER.fullmatch(path.parent.name)
    file = _FILE.fullmatch(path.name)
    stem = f"{file[1]}.{file[2]}" if file and file[2] else file[1] if file else ""
    if folder is not None:
        stem = folder[0]
        return [path.parent / f"{stem}.json", path.parent.parent / METADATA_FOLDER / f"{stem}.json"]
    if file is None:
        return []
    return [path.parent / f"{stem}.json", path.parent / METADATA_FOLDER / f"{stem}.json"]
