"""Names of outputs, and names of runs.

The output of an input file or archive member has its path and the suffix of a format. The name of a run is the end of
its path, as long as needed to make the names unique.

Of files of one article in several formats, such as `smith.xml` and `smith.txt`, the best one is read. Names alone do
not tell whether two files contain one article. They do where each file contains one article, and all articles that
have ids share one. A plain text has no ids: it is taken as a form of the article beside it.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import islice, pairwise
from pathlib import Path, PurePosixPath

from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.metadata import article_ids
from corpora.parsing.safe_xml import illegal_characters
from corpora.reading import ReadArticle, articles, sources
from corpora.reporting import ignore
from corpora.storage.inputs import InputFile, is_pipe
from corpora.storage.members import PACKED, Member, Selection, unpacked_name
from corpora.storage.pmc_files import Beside, preference

_TEXT = "text"
_SEPARATORS = re.compile(r"[\s,;]+")


def output_name(relative: PurePosixPath, suffix: str) -> PurePosixPath:
    """The output path of an input: its relative path with the suffix of the output format.

    That suffix replaces the suffix of a format; any other dot is part of the name.
    """
    is_format = relative.suffix.lower() in registry.suffixes()
    return relative.with_name((relative.stem if is_format else relative.name) + suffix)


def output_of(member: Member, suffix: str) -> PurePosixPath:
    """The output path of an open file or member of an archive."""
    if member.name is None and member.file.keep_suffix:
        return _with_all(member.file.relative, suffix)
    return output_name(member.relative, suffix)


def expected_output(file: InputFile, suffix: str) -> tuple[PurePosixPath, bool]:
    """The output of a file by its name alone; True: the name is that of an archive, and the path a folder."""
    plain, is_archive = unpacked_name(file.relative)
    if is_archive:
        return (file.relative if file.keep_suffix else plain), True
    return (_with_all(file.relative, suffix) if file.keep_suffix else output_name(plain, suffix)), False


def _with_all(relative: PurePosixPath, suffix: str) -> PurePosixPath:
    return relative.with_name(relative.name + suffix)


def is_read(file: InputFile, selection: Selection) -> bool:
    """Whether a file is selected, and is an article or an archive: opens it, where its name does not tell."""
    if selection.leaves_out(file):
        return False
    if is_pipe(file.path) or unpacked_name(file.relative)[1]:
        return True
    return any(source.unclaimed() is None for source in sources([file], selection))


def best_form(files: Sequence[InputFile], selection: Selection) -> InputFile | None:
    """The file to read, where files of one name, apart from the suffix, contain one article; None where they do not."""
    if any(unpacked_name(file.relative)[1] for file in files):
        # What an archive contains has names of its own.
        return None
    if len(files) < 2 or len({(file.relative.parent, file.path.rpartition("/")[0]) for file in files}) > 1:
        return None
    ids: frozenset[str] | None = None
    for file in files:
        read = list(islice(articles([file], ignore, selection), 2))
        if len(read) != 1 or not isinstance(article := read[0], ReadArticle):
            # It contains several articles, or none that can be read.
            return None
        if article.format != _TEXT:
            every = {str(article.document.id), *article_ids(article.document).values()}
            of_file = frozenset(id.upper().removeprefix("PMC") for id in every)
            if ids is not None and not of_file & ids:
                return None
            ids = of_file if ids is None else ids | of_file
    # Two texts are two articles.
    return None if ids is None else max(files, key=lambda file: preference(file.relative.name))


@dataclass(frozen=True, slots=True)
class Clashes:
    """Input files whose outputs would have the same name."""

    keeping: frozenset[str] = frozenset()
    """The paths of files whose outputs keep the suffix of the input."""
    sentence: str = ""
    """Reports them; empty where the other files are not read, such as a picture beside an article."""
    left: tuple[PurePosixPath, tuple[InputFile, ...]] | None = None
    """An output that several inputs would still have, with two of them (one, where it is also a folder for outputs)."""
    forms: frozenset[str] = frozenset()
    """The paths of files that are another form of an article, which are not read."""
    read: Mapping[str, int] = field(default_factory=dict)
    """The number of its other forms, by the path of the file that is read."""

    def apply(self, file: InputFile) -> InputFile:
        """The file, with `keep_suffix` where its output keeps the suffix, and with the number of its other forms."""
        if file.path in self.read:
            file = replace(file, beside=file.beside + Beside(self.read[file.path]))
        return replace(file, keep_suffix=True) if file.path in self.keeping else file

    def of(self, files: Iterable[InputFile]) -> Iterator[InputFile]:
        """The files that are read, as `apply` returns them."""
        return map(self.apply, (file for file in files if file.path not in self.forms))


def find_clashes(files: Callable[[], Iterable[InputFile]], suffix: str, selection: Selection) -> Clashes:
    """Which inputs would have one output, by their names. The order of the files has no influence.

    `files` is called several times. Only files that clash are held in memory, and opened.
    """
    keeping: set[str] = set()
    forms: set[str] = set()
    numbers: dict[str, int] = {}
    example: list[InputFile] = []
    moved = 0
    while True:
        left = None
        before = Clashes(frozenset(keeping), forms=frozenset(forms), read=dict(numbers))
        for group, is_folder in _groups(files, before, suffix):
            read = [file for file in group if is_read(file, selection)]
            if (best := best_form(read, selection)) is not None:
                numbers[best.path] = len(read) - 1
                forms.update(file.path for file in read if file is not best)
                read = [best]
            clash = len(read) + is_folder > 1
            keeping.update(file.path for file in group if clash or file not in read)
            new = [file for file in read if clash and not file.keep_suffix]
            moved += len(new)
            example = example or new[:2]
            if clash and not new:
                left = expected_output(replace(read[0], keep_suffix=False), suffix)[0], tuple(read[:2])
        if keeping != before.keeping or forms != before.forms:
            continue
        sentence = ""
        if example:
            kept = "1 input keeps its suffix" if moved == 1 else f"{moved} inputs keep their suffix"
            output, _ = expected_output(replace(example[0], keep_suffix=True), suffix)
            sentence = (
                f"{kept} in the name of the output, because another input would have the same output: "
                f"{example[0].path}, for example, gives {output}"
            )
        return replace(before, sentence=sentence, left=left)


def _groups(
    files: Callable[[], Iterable[InputFile]], names: Clashes, suffix: str
) -> list[tuple[list[InputFile], bool]]:
    """The files that have one output, and whether it is a folder of other outputs as well."""
    # Of millions of outputs, only hashes are in memory.
    hashes, folders = array("q"), array("q")
    last = PurePosixPath()
    for file in names.of(files()):
        output, _ = expected_output(file, suffix)
        hashes.append(hash(output))
        if output.parent != last:
            last = output.parent
            folders.extend(map(hash, output.parents))
    repeated = {first for first, second in pairwise(sorted(hashes)) if first == second}
    # The numbers that both arrays have.
    merged = merge(((value, 0) for value in sorted(set(folders))), ((value, 1) for value in sorted(hashes)))
    of_folders = {value for (value, kind), following in pairwise(merged) if following == (value, 1 - kind)}
    repeated |= of_folders
    groups: dict[PurePosixPath, list[InputFile]] = defaultdict(list)
    for file in names.of(files() if repeated else ()):
        output, _ = expected_output(file, suffix)
        if hash(output) in repeated:
            groups[output].append(file)
    return [(group, hash(output) in of_folders) for output, group in groups.items()]


# -- names of runs ------------------------------------------------------------------------------


def run_names(paths: Sequence[str]) -> list[str]:
    """A name for every path, in their order: `fold1/out.xml` and `fold2/out.xml` become `fold1/out` and `fold2/out`.

    Suffixes of formats and archives are left out. Names do not depend on the order of the paths, and contain no blank,
    comma, semicolon or character that XML forbids. Raises `ConfigurationError` if a path is given twice.
    """
    resolved = [Path(path).resolve() for path in paths]
    for position, path in enumerate(resolved):
        if path in resolved[:position]:
            raise ConfigurationError(f"the run {paths[position]} is given twice; name every run once")
    parts = [_parts(path) for path in paths]
    for depth in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in resolved]


def _parts(path: str) -> list[str]:
    """The parts of a path without suffixes. Names of runs are written into articles: what XML forbids has a number."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 (removes `..` but keeps the names of links)
    whole = [part for part in absolute.parts if part != absolute.anchor]
    known = registry.suffixes() | set(PACKED)
    while whole and (suffix := Path(whole[-1]).suffix.lower()) and suffix in known:
        whole[-1] = Path(whole[-1]).stem
    legal = (
        "".join(f"U+{ord(character):04X}" if illegal_characters(character) else character for character in part)
        for part in whole
    )
    return [_SEPARATORS.sub("_", part) for part in legal] or ["run"]
