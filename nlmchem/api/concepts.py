"""`nlmchem.lookup` and `nlmchem.define`: names and concepts of MeSH, without an article."""

from __future__ import annotations

import atexit
import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from corpora.errors import ConfigurationError
from corpora.model.mention_infons import DATABASES
from corpora.model.mesh_ids import mesh_id

if TYPE_CHECKING:
    from nlmchem.api.inputs import Table
    from sieves.cascade import Cascade
    from sieves.lexicon.lexicon import Lexicon


OwnTables: TypeAlias = (
    "str | PathLike[str] | Sequence[str | PathLike[str]] | Mapping[str, str] | Iterable[Sequence[str]] | Table"
)
"""A table of names of the user, or several; or names and identifiers without a file."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A concept that a name can mean.

    Args:
        identifier: The concept, `MESH:D002118`; the first one if the name means several together.
        name: Its preferred name in MeSH.
        score: How often the answers of the sieve are right (0 to 1, docs/measurements/normalization.md); 1 for an
            identifier; None for a sieve that was not measured.
        matched_name: The name in the lexicon that matched.
        sieve: The sieve that found it; `identifier` if the given name is an identifier.
        kind: `chemical`, `enzyme`, `protein` ... (`sieves.lexicon.concepts`); `mixture` for several concepts.
        identifiers: All concepts of the name.
    """

    identifier: str
    name: str | None
    score: float | None
    matched_name: str
    sieve: str
    kind: str
    identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of the lexicon.

    Args:
        identifier: `MESH:D002118`.
        name: Its preferred name.
        kind: `chemical`, `enzyme`, `protein` ... (`sieves.lexicon.concepts`).
        synonyms: Its other names, sorted.
        parents: The identifiers of the broader concepts; of a supplementary record, those that it is mapped to.
        trees: Its MeSH tree numbers.
        chebi: Its identifiers in ChEBI, `CHEBI:22984`.
        pubchem: The numbers of its compounds in PubChem.
    """

    identifier: str
    name: str
    kind: str
    synonyms: tuple[str, ...]
    parents: tuple[str, ...]
    trees: tuple[str, ...]
    chebi: tuple[str, ...] = ()
    pubchem: tuple[str, ...] = ()


def lookup(name: str, lexicon: str | PathLike[str] | None = None, names: OwnTables = ()) -> list[Candidate]:
    """The concepts that a name can mean, as `load` links mentions, without the context of an article.

    `lookup("Ca2+")[0].identifier` is `MESH:D002118`. The first candidate is the concept that a mention with this text
    gets; the others are answers of later sieves. Each concept is returned once.

    Args:
        name: A name, a formula, a short form, or an identifier (`MESH:D002118`, `D002118`, `CHEBI:22984`,
            `PUBCHEM:5460341`).
        lexicon: A lexicon file, or `starter`. None: the lexicon that comes with the package.
        names: A table of names of your own (name, identifier, preferred name, class), or several. Without a file:
            `{"XR-9051": "MY:1"}`, rows, or a data frame with these columns.

    Returns:
        The candidates, best first. Empty if no sieve has an answer.

    Raises:
        TypeError: `name` is not a text.
        ResourceError: The lexicon cannot be opened.
    """
    from sieves.lexicon.looking_up import by_identifier, kind
    from sieves.registry import facts

    _require_text("lookup", "a name", name)
    opened, cascade = _opened(_place(lexicon), names)
    found = [
        Candidate(match.identifier, match.preferred_name, 1.0, match.name, "identifier", own_kind, match.identifiers)
        for match, own_kind in by_identifier(opened, name.strip())
    ]
    if any(map(str.isalnum, name)):
        for sieve, matches in cascade.explain(name):
            for match in matches:
                first, meaning = match.identifiers[0], kind(opened, match.identifiers)
                precision, preferred = facts(sieve).precision, opened.preferred_name(first)
                found.append(
                    Candidate(first, preferred, precision, match.matched_name, sieve, meaning, match.identifiers)
                )
    by_identifiers: dict[tuple[str, ...], Candidate] = {}
    for candidate in found:
        by_identifiers.setdefault(candidate.identifiers, candidate)
    return list(by_identifiers.values())


def define(identifier: str, lexicon: str | PathLike[str] | None = None, names: OwnTables = ()) -> Concept:
    """A concept with its names, kind and place in MeSH: `define("MESH:D002118").name` is `Calcium`.

    Args:
        identifier: `MESH:D002118`, in any spelling, or `CHEBI:22984`, or `PUBCHEM:5460341`.
        lexicon: A lexicon file, or `starter`. None: the lexicon that comes with the package.
        names: As in `lookup`.

    Raises:
        TypeError: `identifier` is not a text.
        ConfigurationError: The lexicon does not have the concept.
        ResourceError: The lexicon cannot be opened.
    """
    from sieves.lexicon.looking_up import CrossReferences, by_identifier, kind

    _require_text("define", "an identifier", identifier)
    opened, _ = _opened(_place(lexicon), names)
    wanted = identifier.strip()
    matches = by_identifier(opened, wanted)
    known = opened.concept(matches[0][0].identifier if len(matches) == 1 else wanted)
    if known is None:
        advice = "for a name, use nlmchem.lookup" if mesh_id(wanted) is None else "correct it, or name its lexicon"
        raise ConfigurationError(f"the lexicon has no concept {identifier!r}; {advice}")
    references = CrossReferences(opened)
    return Concept(
        known.identifier,
        known.preferred_name,
        kind(opened, [known.identifier]),
        tuple(name for name in opened.concepts.names_of(known.identifier) if name != known.preferred_name),
        opened.parents(known.identifier),
        opened.trees(known.identifier),
        *(references.of(known.identifier, database) for database in DATABASES),
    )


class PreferredNames:
    """The preferred names of the concepts of a lexicon. Articles have one for the names of their mentions.

    Copies share the lexicon. A pickled one has its path only: the lexicon is opened again where a name is needed.
    """

    __slots__ = ("_opened", "_place")

    def __init__(self, lexicon: str | PathLike[str] | None = None, opened: Callable[[], Lexicon] | None = None) -> None:
        """`lexicon`: as in `lookup`. `opened`: returns the lexicon if it is open already."""
        self._place = _place(lexicon)
        self._opened = opened

    def __call__(self, identifier: str) -> str | None:
        """The preferred name; None for an identifier that the lexicon does not have. Raises `ResourceError`."""
        lexicon = self._opened() if self._opened is not None else _opened(self._place)[0]
        return lexicon.preferred_name(identifier)

    def release(self) -> None:
        """Stop using the open lexicon of a pipeline, which is closed: `lookup` and this open it again."""
        self._opened = None

    def __deepcopy__(self, memo: object) -> PreferredNames:
        return self

    def __reduce__(self) -> tuple[type[PreferredNames], tuple[str | None]]:
        return PreferredNames, (self._place,)


def _place(lexicon: str | PathLike[str] | None) -> str | None:
    """None, `starter`, or an absolute path, which names the same file after a change of the current folder."""
    name = None if lexicon is None else str(lexicon)
    if not name:
        return name
    from sieves.lexicon.tables import STARTER

    return name if name == STARTER else str(Path(name).absolute())


def _opened(place: str | None, names: OwnTables = ()) -> tuple[Lexicon, Cascade]:
    """A lexicon that stays open for the next call. A file that has changed since is opened again."""
    from sieves.lexicon.database import stamp

    paths = tuple(Path(path).absolute() for path in names_files(names))
    return _open(place, paths, (place and stamp(Path(place)), *map(stamp, paths)))


def names_files(names: OwnTables) -> Sequence[str | PathLike[str]]:
    """The tables of names of the user. Names without a file are written into one until the end of this process, so that
    other processes can read it.

    Raises `TypeError` for something else.
    """
    if isinstance(names, str | PathLike):
        return [names]
    from nlmchem.api.inputs import is_missing, items_of

    header = ["name", "identifier", "preferred name", "class"]
    rows: list[Any]
    if hasattr(names, "columns"):
        header, rows = list(map(str, names.columns)), [list(record.values()) for record in items_of(names)]
    elif isinstance(names, Mapping):
        rows = [list(pair) for pair in names.items()]
    else:
        rows = list(names)
        if all(isinstance(row, str | PathLike) for row in rows):
            return rows
    text = io.StringIO()
    table = csv.writer(text, delimiter="\t", lineterminator="\n")
    table.writerow(header)
    for number, row in enumerate(rows, 1):
        is_row = isinstance(row, list | tuple) and 2 <= len(row) <= len(header)
        # In a data frame, the columns state what is what. A line that begins with # would be a comment.
        first = () if hasattr(names, "columns") or not is_row else row[:2]
        if not is_row or not all(isinstance(cell, str) and not cell.startswith("#") for cell in first):
            raise TypeError(
                f"names has {row!r} as row {number}; give a dictionary of names and identifiers, rows (name, "
                "identifier, preferred name, class) of texts, or the name of a table"
            )
        table.writerow("" if is_missing(cell) else " ".join(str(cell).split()) for cell in row)
    path = _folder_of_names() / f"{sha256(text.getvalue().encode()).hexdigest()[:16]}.tsv"
    if not path.exists():
        path.write_text(text.getvalue(), encoding="utf-8")
    return [path]


@cache
def _folder_of_names() -> Path:
    folder = TemporaryDirectory(prefix="nlmchem-names-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@lru_cache(maxsize=4)
def _open(lexicon: str | None, names: tuple[Path, ...], _: object) -> tuple[Lexicon, Cascade]:
    from sieves.cascade import Cascade
    from sieves.lexicon.lexicon import Lexicon

    opened = Lexicon.open(lexicon, names=names)
    return opened, Cascade(opened)


def _require_text(function: str, wanted: str, given: object) -> None:
    if not isinstance(given, str):
        several = f"; for several: [{function}(one) for one in ...]" if isinstance(given, list | tuple | set) else ""
        raise TypeError(f"{function} takes {wanted} as text, not {type(given).__name__}{several}")


NAMES = PreferredNames()
"""Those of the lexicon that comes with the package."""
