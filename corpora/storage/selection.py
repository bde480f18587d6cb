"""Which of the files that inputs name are read, how text files are divided, and what offsets count."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from corpora.errors import OptionError
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member
from corpora.units import UNITS


@dataclass(frozen=True, slots=True)
class Selection:
    """Glob patterns of the files to read (`include`; empty: all) and not to read (`exclude`).

    A pattern applies to the name of a file and to its path below the input folder; `*` also matches `/`. In an archive
    it applies to the members; `exclude` applies to the archive, too. `lines`: text files contain one article a line.
    `offsets`: the unit of offsets that are not code points (`corpora.units.UNITS`). `text_column`, `id_column`: the
    columns of tables of texts. `all_versions`: each version of a PMC article is read, and not the newest one alone.
    Raises `OptionError` for another unit.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    lines: bool = False
    offsets: str | None = None
    text_column: str | None = None
    id_column: str | None = None
    all_versions: bool = False

    def __post_init__(self) -> None:
        if self.offsets is not None and self.offsets not in UNITS:
            raise OptionError("offsets", f"must be one of {', '.join(UNITS)}, not {self.offsets!r}")

    def leaves_out(self, file: InputFile) -> bool:
        """Whether a whole file is excluded by its name."""
        return any(_matches(self.exclude, name) for name in _names(file))

    def wants(self, member: Member) -> bool:
        """Whether a file or a member of an archive is read. Names count with and without suffixes of compression."""
        names = [member.relative]
        names += [PurePosixPath(member.name)] if member.name is not None else _names(member.file)
        if member.is_rest:
            return True
        if any(_matches(self.exclude, name) for name in names):
            return False
        return not self.include or any(_matches(self.include, name) for name in names)


ALL = Selection()
"""Everything, with one article in each text file."""


def _names(file: InputFile) -> list[PurePosixPath]:
    """The path of a file below its folder, and its own name, which may have a version."""
    return [file.relative, PurePosixPath(PurePosixPath(file.path).name)]


def _matches(patterns: tuple[str, ...], path: PurePosixPath) -> bool:
    return any(fnmatchcase(path.name, pattern) or fnmatchcase(str(path), pattern) for pattern in patterns)
