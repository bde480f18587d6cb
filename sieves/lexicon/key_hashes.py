"""The keys of a lexicon as sorted hashes: all parts of a text that can be names are found in one pass with numpy.

A key is that of `sieves.lexicon.keys.relaxed`. The hash of characters c0, c1, ... is the sum of c_j * BASE^j modulo
2^64, so that the hash of each part of a text follows from running sums (R. M. Karp and M. O. Rabin, Efficient
randomized pattern-matching algorithms, 1987). Two keys with one hash do no harm: a text whose hash is here is looked up
in the lexicon itself.

The hashes of a lexicon in a file are written once, into the cache folder, and mapped into the memory of all processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.reporting import Report, log
from corpora.storage import cache
from corpora.storage.atomic import make_folder
from sieves.lexicon.lexicon import Lexicon

CACHE = "name-keys"
"""The folder of the cache."""
STARTS = (8, 16, 32)
"""Characters. The beginnings of keys of these lengths are stored, too: most texts are excluded by their first ones."""
_RULES = "2"
"""To be changed with the hash or the layout of the file: older files are not used then."""
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_CHUNK = 50_000
_DIGEST = 4
"""Words of the SHA-256 at the beginning of the file; the sizes of the tables follow."""

_BITS_FOR_EACH = 8
"""Bits for each hash of a table; a smaller number would exclude fewer."""
_LEAST_BITS = 6
_THREE, _SEVEN = np.uint64(3), np.uint64(7)

Hashes = NDArray[np.uint64]


class HashTable:
    """Sorted hashes, and a bit for the first bits of each: seven of eight other hashes are excluded by it.

    The bits stay in a cache of the processor; a search in a million hashes does not.
    """

    def __init__(self, hashes: Hashes) -> None:
        self.hashes = hashes
        bits = max(_LEAST_BITS, (_BITS_FOR_EACH * len(hashes)).bit_length())
        self._shift = np.uint64(64 - bits)
        taken = np.zeros(1 << bits, dtype=bool)
        taken[hashes >> self._shift] = True
        self._taken = np.packbits(taken, bitorder="little")

    def has(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Whether each of some hashes is in the table."""
        first = hashes >> self._shift
        bits = self._taken[first >> _THREE] >> (first & _SEVEN).astype(np.uint8)
        known: NDArray[np.bool_] = (bits & 1).astype(bool)
        places = np.flatnonzero(known)
        if len(places):
            searched = hashes[places]
            at = np.minimum(np.searchsorted(self.hashes, searched), len(self.hashes) - 1)
            known[places] = self.hashes[at] == searched
        return known


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class KeyHashes:
    """The hashes of keys, and of their beginnings by length (`STARTS`).

    `symbols`: the keys without a letter or digit.
    """

    keys: HashTable
    starts: dict[int, HashTable]
    symbols: frozenset[str] = frozenset()

    @classmethod
    def of(cls, keys: Iterable[str]) -> KeyHashes:
        """The hashes of some keys."""
        known = list(keys)
        starts = {length: _table(key[:length] for key in known if len(key) >= length) for length in STARTS}
        return cls(_table(known), starts, frozenset(key for key in known if not any(map(str.isalnum, key))))

    def begins(self, hashes: Hashes, length: int) -> NDArray[np.bool_]:
        """Whether a key can begin with a text of `length` (of `STARTS`) with this hash."""
        return self.starts[length].has(hashes)

    def has_keys(self, keys: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each of some texts can be a key."""
        return self.has(_hashed(keys))

    def has(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Whether a text with this hash can be a key."""
        return self.keys.has(hashes)


def letters_of(text: str) -> NDArray[np.uint32]:
    """The code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def running_sums(letters: NDArray[np.uint32]) -> Hashes:
    """The sums of which `part_hashes` makes the hash of any part of a text; one more than it has code points."""
    sums = np.zeros(len(letters) + 1, dtype=np.uint64)
    np.cumsum(letters.astype(np.uint64) * _powers(_BASE, len(letters)), out=sums[1:])
    return sums


def part_hashes(sums: Hashes, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> Hashes:
    """The hashes of the parts from `starts` to `ends` (exclusive) of the text with these running sums."""
    return (sums[ends] - sums[starts]) * _powers(_INVERSE, len(sums))[starts]


_OPEN: WeakValueDictionary[Path, KeyHashes] = WeakValueDictionary()
"""The files that scanners of this process use: each is read once."""


def key_hashes(lexicon: Lexicon, report: Report = log) -> KeyHashes:
    """The hashes of the keys of all names of a lexicon.

    Those of an SQLite file are read from the cache folder. If they are missing or damaged there, they are made, which
    is reported. If the cache folder cannot be written, they are made in memory.
    """
    if lexicon.database.in_memory:
        return KeyHashes.of(lexicon.database.keys())
    try:
        file = cache.folder(CACHE) / f"{lexicon.database.content()[:32]}-{_RULES}.hashes"
        hashes = _OPEN.get(file) or _read(file)
        if hashes is not None:
            _OPEN[file] = hashes
            return hashes
        make_folder(file.parent)
        with cache.locked(file.parent, report):
            # Another process may have written it while this one waited.
            if (hashes := _read(file)) is not None:
                return hashes
            report(f"listing the names of {lexicon.database.place}, once on this machine: {file}")
            made = KeyHashes.of(lexicon.database.keys())
            tables = [table.hashes for table in (made.keys, *(made.starts[length] for length in STARTS))]
            symbols = "\n".join(sorted(made.symbols)).encode()
            padded = np.frombuffer(symbols + b"\n" * (-len(symbols) % 8), dtype="<u8")
            sizes = np.array([len(table) for table in tables], dtype="<u8")
            content = np.concatenate([sizes, *tables, padded]).tobytes()
            with cache.storing(CACHE, file.name, lexicon.database.place) as out:
                out.write(hashlib.sha256(content).digest() + content)
            if (hashes := _read(file)) is not None:
                return hashes
            raise ResourceError(f"{file} is damaged; check the disk")
    except (OSError, RuntimeError, ResourceError) as error:
        # `Path.home` raises RuntimeError for a user without a home.
        report(f"the list of names cannot be stored ({error}); each process makes its own; set NLMCHEM_HOME")
        return KeyHashes.of(lexicon.database.keys())


def _read(file: Path) -> KeyHashes | None:
    """The hashes in a file, mapped into memory; None if there is no such file or it is damaged."""
    try:
        words = np.memmap(file, dtype="<u8", mode="r")
    except (OSError, ValueError):
        return None
    first = _DIGEST + 1 + len(STARTS)
    if len(words) < first or hashlib.sha256(words[_DIGEST:].data).digest() != words[:_DIGEST].tobytes():
        return None
    bounds = first + np.concatenate(([0], np.cumsum(words[_DIGEST:first]))).astype(int)
    keys, *starts = (HashTable(words[low:high]) for low, high in pairwise(bounds))
    symbols = words[bounds[-1] :].tobytes().decode().split("\n")
    return KeyHashes(keys, dict(zip(STARTS, starts, strict=True)), frozenset(symbols) - {""})


def _table(keys: Iterable[str]) -> HashTable:
    rest = iter(keys)
    hashes = [np.zeros(0, dtype=np.uint64)]
    while chunk := list(islice(rest, _CHUNK)):
        hashes.append(_hashed(chunk))
    return HashTable(np.unique(np.concatenate(hashes)))


def _hashed(keys: Sequence[str]) -> Hashes:
    bounds = np.concatenate(([0], np.cumsum([len(key) for key in keys], dtype=np.intp)))
    return part_hashes(running_sums(letters_of("".join(keys))), bounds[:-1], bounds[1:])


def _powers(base: int, number: int) -> Hashes:
    """The first powers of a number modulo 2^64."""
    return _all_powers(base, 1 << max(12, (number - 1).bit_length()))[:number]


@lru_cache(maxsize=8)
def _all_powers(base: int, size: int) -> Hashes:
    factors = np.full(size, base, dtype=np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)
