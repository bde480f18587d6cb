"""A sieve: a CAS registry number has the concept of the substance that a table gives for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sieves.lookup.rewriting import Rewriting
from sieves.registry import SieveEntry

NAMES = {
    "50-00-0": "formaldehyde",
    "56-81-5": "glycerol",
    "58-08-2": "caffeine",
    "64-17-5": "ethanol",
    "67-64-1": "acetone",
    "7440-43-9": "cadmium",
}
_NUMBER = re.compile(r"(?:CAS(?: RN| No\.?)? ?)?(\d{2,7}-\d\d-\d)")


def names(text: str) -> Iterator[str]:
    """The name of the substance with a registry number.

    >>> list(names("CAS 64-17-5")), list(names("ethanol"))
    (['ethanol'], [])
    """
    found = _NUMBER.fullmatch(text)
    if found is not None and found[1] in NAMES:
        yield NAMES[found[1]]


SIEVE = SieveEntry(lambda name, by: Rewriting(name, names, by.names), trusted=True)
