"""Names of outputs: the output of an input file or archive member has its path and the suffix of a format."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import pairwise
from pathlib import PurePosixPath

from corpora.formats import registry
from corpora.forms import best_form
from corpora.reading import sources
from corpora.storage.inputs import InputFile, is_pipe
from corpora.storage.members import Member, Selection, unpacked_name
from corpora.storage.pmc_files import Beside


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


@dataclass(frozen=True, slots=True)
class Clashes:
    """Input files whose outputs would have the same name.

    `keeping`: the paths of files whose outputs keep the suffix of the input. `sentence` reports them; it is empty
    where the other files are not read, such as a picture beside an article. `left`: an output that several inputs
    would still have, with two of them (one, where it is also a folder for outputs); None: there is none. `forms`: the
    paths of files that are another form of an article, which are not read; `read`: the number of its other forms, by
    the path of the file that is read.
    """

    keeping: frozenset[str] = frozenset()
    sentence: str = ""
    left: tuple[PurePosixPath, tuple[InputFile, ...]] | None = None
    forms: frozenset[str] = frozenset()
    read: Mapping[str, int] = field(default_factory=dict)

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
        if keeping == before.keeping and forms == before.forms:
            return replace(before, sentence=_sentence(moved, example, suffix), left=left)


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
    of_folders = _in_both(hashes, folders)
    repeated |= of_folders
    groups: dict[PurePosixPath, list[InputFile]] = defaultdict(list)
    for file in names.of(files() if repeated else ()):
        output, _ = expected_output(file, suffix)
        if hash(output) in repeated:
            groups[output].append(file)
    return [(group, hash(output) in of_folders) for output, group in groups.items()]


def _in_both(first: array[int], second: array[int]) -> set[int]:
    """The numbers that two arrays have in common."""
    merged = merge(((value, 0) for value in sorted(set(second))), ((value, 1) for value in sorted(first)))
    return {value[0] for value, following in pairwise(merged) if value[0] == following[0] and value[1] != following[1]}


def _sentence(number: int, example: list[InputFile], suffix: str) -> str:
    if not example:
        return ""
    file = replace(example[0], keep_suffix=True)
    inputs = "1 input keeps its suffix" if number == 1 else f"{number} inputs keep their suffix"
    why = "because another input would have the same output"
    output, _ = expected_output(file, suffix)
    return f"{inputs} in the name of the output, {why}: {file.path}, for example, gives {output}"
