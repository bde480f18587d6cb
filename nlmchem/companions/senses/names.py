"""Names of concepts as senses: which names of a lexicon a short form can mean, by its letters.

The key of a short form is its letters and digits. A name has the keys that its words begin with: all words (grade 1),
or those that are no articles and prepositions (grade 2). Numbers and Greek letters count as words; a Greek letter is
its name. The file is a table; `NAMES_HEADER` is its first line.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from corpora.errors import ResourceError, Text, command
from corpora.model.mesh_ids import is_descriptor
from corpora.storage.atomic import write_bytes
from corpora.words.english import LINKING_WORDS, folded
from corpora.words.folding import GREEK_NAME_OF, MICRO, alphanumeric
from nlmchem.abbreviations.inventory import InventorySense
from sieves.lexicon.keys import natural_order

NAMES_HEADER = "# nlmchem names 1"
COLUMNS = ("key", "name", "grade", "articles", "identifier")
ALL_WORDS, MAIN_WORDS = 1, 2
"""The grades of an alignment; 0: the letters are not those that the words of the name begin with."""
LONGEST_KEY, LONGEST_NAME = 10, 100
FEWEST_LETTERS = 3
"""Letters of a short form that can mean names without articles; for two letters there are hundreds."""
MOST = 60
"""Names of a key, those in most articles."""
REMEDY = Text(f"get the file again, or make the folder with {command('train senses')}")

_WORD = re.compile(r"[a-z0-9]+")
_GREEK = {ord(letter): f" {name} " for letter, name in GREEK_NAME_OF.items()} | {ord(MICRO): " mu "}
_STOP = LINKING_WORDS | {"as", "at", "into", "is", "onto", "within", "without"}


class NamesByForm:
    """The names of a file by the key of a short form, as senses that no article defines. Lines are read when needed."""

    def __init__(self, lines: Sequence[str] = (), first_row: int = 0, path: Path | None = None) -> None:
        """`first_row`: the row of the first line in the context index."""
        self._lines, self._first, self._path = lines, first_row, path
        self._begins: dict[str, int] = {}
        for number, line in enumerate(lines):
            self._begins.setdefault(line[: line.find("\t")], number)

    def __len__(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def __iter__(self) -> Iterator[InventorySense]:
        return map(self._name, range(len(self._lines)))

    def of(self, short_form: str) -> Iterator[InventorySense]:
        """The names that a short form may stand for, those in most articles first; a plural s is tried without."""
        key = alphanumeric(short_form)
        if key not in self._begins and short_form.endswith("s"):
            key = key[:-1]
        number = self._begins.get(key, len(self._lines))
        prefix = f"{key}\t"
        while number < len(self._lines) and self._lines[number].startswith(prefix):
            yield self._name(number)
            number += 1

    def _name(self, number: int) -> InventorySense:
        fields = self._lines[number].split("\t")
        if len(fields) != len(COLUMNS) or not (fields[2].isdecimal() and fields[3].isdecimal()):
            raise ResourceError(f"{self._path}, line {number + 3}, is no name with grade and count; ", REMEDY)
        _, name, grade, articles, identifier = fields
        return InventorySense(name, 0, None, self._first + number, int(grade), int(articles), identifier)


def read_names(path: Path, first_row: int) -> NamesByForm:
    """Read a file of names. Raises `ResourceError` if it is missing or damaged."""
    try:
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
    except FileNotFoundError as error:
        raise ResourceError(f"there is no file {path} beside the dictionary; ", REMEDY) from error
    except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
        raise ResourceError(f"the names at {path} are damaged or incomplete ({error}); ", REMEDY) from error
    if lines[0] != NAMES_HEADER or lines[-1]:
        raise ResourceError(f"{path} is not a file of names ({NAMES_HEADER}), or is cut off; ", REMEDY)
    return NamesByForm(lines[2:-1], first_row, path)


def write_names(path: Path, rows: Iterable[tuple[str, InventorySense]]) -> None:
    """Write names with their keys, sorted by key. No partial file is left after an error."""
    lines = [NAMES_HEADER, "\t".join(COLUMNS), *name_lines(rows)]
    write_bytes(path, gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))


def name_lines(rows: Iterable[tuple[str, InventorySense]]) -> list[str]:
    """The lines of names in a file."""
    return [f"{key}\t{name.long_form}\t{name.grade}\t{name.containing}\t{name.identifier}" for key, name in rows]


def spelt(text: str) -> list[str]:
    """The folded words and numbers of a text, with the names of Greek letters.

    >>> spelt("TNF-α receptors")
    ['tnf', 'alpha', 'receptor']
    """
    text = text.lower()
    return [folded(word) for word in _WORD.findall(text if text.isascii() else text.translate(_GREEK))]


def keys_of(words: Sequence[str]) -> dict[str, int]:
    """The keys of a name of these words, with their grades.

    >>> keys_of(["magnetic", "resonance", "imaging"]), keys_of(["quality", "of", "life"])
    ({'mri': 1}, {'qol': 1, 'ql': 2})
    """
    initials = [(word if word.isdigit() else word[0], word) for word in words]
    grades = {"".join(initial for initial, _ in initials): ALL_WORDS}
    grades.setdefault("".join(initial for initial, word in initials if word not in _STOP), MAIN_WORDS)
    return {key: grade for key, grade in grades.items() if 2 <= len(key) <= LONGEST_KEY and not key.isdigit()}


class NameFinder:
    """Finds the names of concepts in texts, in any case, with and without plural s.

    `names`: the identifier and spelling of each name by its words (`spelt`), joined by blanks. All names in a text
    count, also those inside others and those that are no chemicals; the gazetteer of taggers finds the longest chemical
    at each word. This class is used when a dictionary of senses is made.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """`names`: pairs of a name and an identifier. Inverted names are put straight."""
        best: dict[str, tuple[bool, bool, str, str]] = {}
        for name, identifier in names:
            straight = natural_order(name)
            words = " ".join(spelt(straight or name))
            if len(name) <= LONGEST_NAME and "\t" not in name and words:
                row = straight is not None, not is_descriptor(identifier), straight or name, identifier
                best[words] = min(best.get(words, row), row)
        self.names: Mapping[str, tuple[str, str]] = {words: row[2:] for words, row in best.items()}
        self._begins = {words[:at] for words in self.names for at in range(len(words)) if words[at] == " "}

    def find(self, texts: Iterable[str]) -> set[str]:
        """The names in texts, as keys of `names`."""
        names: set[str] = set()
        for text in texts:
            words = spelt(text)
            for at, name in enumerate(words):
                for word in chain(islice(words, at + 1, None), ("",)):
                    if name in self.names:
                        names.add(name)
                    if name not in self._begins:
                        break
                    name = f"{name} {word}"
        return names


def by_key(finder: NameFinder, articles: Mapping[str, Sequence[int]]) -> dict[str, list[tuple[str, int]]]:
    """The names of each key with their grades, at most `MOST`. `articles`: where each name stands.

    Of names that stand in no article, only those of descriptors are kept, for three letters or more.
    """
    entries: dict[str, list[tuple[int, bool, str, int]]] = {}
    for words, (_, identifier) in finder.names.items():
        number, rare = len(articles.get(words, ())), not is_descriptor(identifier)
        for key, grade in keys_of(words.split()).items():
            if number or (len(key) >= FEWEST_LETTERS and not rare):
                entries.setdefault(key, []).append((-number, rare, words, grade))
    return {key: [(words, grade) for *_, words, grade in sorted(entries[key])[:MOST]] for key in sorted(entries)}
