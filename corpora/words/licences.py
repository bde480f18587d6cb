"""Licences by their codes, their addresses, and their names in sentences; the licence of an article.

PMC defines the codes: SPDX without the hyphen after `CC`, and without the version (`CC BY-NC` for `CC-BY-NC-4.0`).
Articles state their licence in these infons:

| infon | of | value |
|---|---|---|
| `license` | the document | the code of PMC's metadata, such as `CC BY-NC` |
| `license` | the document or its first passage | a code, or the text of the licence, in BioC and JATS |
| `license-url` | the first passage | the address of the licence, in JATS |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bioc import BioCDocument

PUBLIC_DOMAIN = "public domain"
OTHER = "other"
"""A licence that is stated, but has none of the codes."""
UNKNOWN = "not known"
CODES = (
    "CC0", PUBLIC_DOMAIN, "CC BY", "CC BY-SA", "CC BY-ND", "CC BY-NC", "CC BY-NC-SA", "CC BY-NC-ND", OTHER, UNKNOWN,
)  # fmt: skip
"""All codes, the most liberal first. Of several that an article states, the last one of this list holds."""

_URL = re.compile(
    r"creativecommons\.org/(?:licenses/(?P<kind>by(?:-nc)?(?:-nd|-sa)?|by-nd-nc)|publicdomain/(?P<public>zero|mark))"
    r"(?:/(?P<version>[1-4]\.[0-9]))?",
    re.IGNORECASE,
)
_NON_COMMERCIAL = r"non[\s-]?commercial"
_NAME = re.compile(
    rf"""\b(?:
        (?P<zero>CC[\s-]?0 | CC[\s-]zero | Creative\sCommons\s(?:Zero|CC0|Public\sDomain\sDedication))
      | (?:CC[\s-]?BY | Creative\sCommons,?\sAttribution)
        (?P<nc>[\s,–-]*(?:NC\b|{_NON_COMMERCIAL}))?
        (?:(?P<nd>[\s,–-]*(?:ND\b|no[\s-]?deriv\w*)) | (?P<sa>[\s,–-]*(?:SA\b|share[\s-]?alike)))?
        (?P<later_nc>[\s,–-]*(?:NC\b|{_NON_COMMERCIAL}))?
      | (?P<public>public\sdomain)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_VERSION = re.compile(r" [0-9](\.[0-9])?\Z")


@dataclass(frozen=True, slots=True)
class Licence:
    """`code`: one of `CODES`. `url`: the address of the licence with its version; empty where it is not stated."""

    code: str
    url: str = ""


def strictest(licences: Iterable[Licence]) -> Licence:
    """The strictest of licences, with its address where one of them has it. There must be at least one."""
    every = list(licences)
    code = max((licence.code for licence in every), key=CODES.index)
    return Licence(code, max(licence.url for licence in every if licence.code == code))


def normal_licence(code: str) -> str:
    """A licence as it is compared: `CC BY` for `cc-by` and `CC BY 4.0`."""
    return _VERSION.sub("", " ".join(re.split(r"[\s_-]+", code.upper().strip())))


def is_one_of(code: str, wanted: Iterable[str]) -> bool:
    """Whether a licence is one of those that a user names; their spelling and version do not count."""
    return normal_licence(code) in map(normal_licence, wanted)


def licence_of(document: BioCDocument) -> Licence:
    """The licence of an article. Where its statements differ, the strictest one holds."""
    infons = (
        holder.infons.get(key) for holder in (document, *document.passages[:1]) for key in ("license", "license-url")
    )
    stated = [str(text) for text in infons if text and str(text).strip()]
    if not stated:
        return Licence(UNKNOWN)
    licences = [licence for text in stated for licence in licences_in(text)]
    return strictest(licences) if licences else Licence(OTHER)


def licences_in(text: str) -> Iterator[Licence]:
    """The licences that a statement names: as a code, by addresses, and by their names in sentences."""
    by_code = {normal_licence(code): code for code in CODES}
    if (code := by_code.get(normal_licence(text))) is not None:
        yield Licence(code)
        return
    addresses = list(_URL.finditer(text))
    for match in addresses:
        version = match["version"]
        if match["public"]:
            public = match["public"].lower()
            code = "CC0" if public == "zero" else PUBLIC_DOMAIN
            yield Licence(code, f"https://creativecommons.org/publicdomain/{public}/{version}/" if version else "")
        else:
            kind = match["kind"].lower().replace("by-nd-nc", "by-nc-nd")
            url = f"https://creativecommons.org/licenses/{kind}/{version}/" if version else ""
            yield Licence(f"CC {kind.upper()}", url)
    for match in _NAME.finditer(_URL.sub(" ", text)):
        if match["zero"] or match["public"]:
            yield Licence("CC0" if match["zero"] else PUBLIC_DOMAIN)
        else:
            terms = "-NC" if match["nc"] or match["later_nc"] else ""
            yield Licence(f"CC BY{terms}{'-ND' if match['nd'] else '-SA' if match['sa'] else ''}")
    # "Attribution License ... for non-commercial use".
    if not addresses and re.search(_NON_COMMERCIAL, text, re.IGNORECASE):
        yield Licence("CC BY-NC")
