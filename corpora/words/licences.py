"""Licences by their codes, their addresses, and their names in sentences; the licence of an article.

PMC defines the codes: SPDX without the hyphen after `CC`, and without the version (`CC BY-NC` for `CC-BY-NC-4.0`).
Articles state their licence in these infons:

| infon | of | value |
|---|---|---|
| `license` | the document | the code of PMC's metadata, such as `CC BY-NC` |
| `license` | the document or its first passage | a code, or the text of the licence, in BioC and JATS |
| `license-url` | the first passage | the address of the licence, in JATS |

A code and an address alone are certain. In a text, a licence counts only where nothing in its sentence restricts or
denies it: `Figure 2 is CC BY`, `not under CC BY` and `CC BY after a year` do not license the article.
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
    r"(?:(?<![\w./=-])https?://|(?<![\w./=:-])(?://)?)(?:www\.)?creativecommons\.org/"
    r"(?:licen[cs]es/(?P<kind>by(?:-nc)?(?:-nd|-sa)?|by-nd-nc)|publicdomain/(?P<public>zero|mark))(?![\w-])"
    r"(?:/(?P<version>[1-4]\.[0-9]))?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\s*(?:(?:https?:)?//)?\S+\s*")
"""A statement that is an address and nothing else."""
_NON_COMMERCIAL = r"non[\s-]?commercial"
_NOT_COMMERCIAL = re.compile(rf"{_NON_COMMERCIAL}|\bnot\b[^.;]{{0,60}}\bcommercial", re.IGNORECASE)
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
_SENTENCE_END = re.compile(r"(?:(?<=[a-z0-9)\]/'\"’”])|(?<=[\s-](?:BY|NC|SA|ND)))[.!]\s+(?=[A-Z©(])")
_TERMS = re.compile(
    r"indicat\w+ (?:if|whether) changes were made|(?:any|if) changes (?:are |were )?made"
    r"|(?:unless|except)(?: where| as| when| if)? otherwise \w+|no[\s-]+(?:modif|deriv|adapt|chang|restrict|further)\w*"
    r"|not (?:be )?(?:used|utili[sz]ed|altered|changed|modified|transformed|adapted)|not for commercial",
    re.IGNORECASE,
)
"""What the terms of licences say in the sentence that grants them."""
_DOUBT = re.compile(
    r"""\b(?:
        no | not | none | never | neither | nor | cannot | n[o']t | nicht | kein\w* | pas | refus\w* | den(?:y|ied|ies)
      | prohibit\w* | forbid\w* | revok\w* | withdr[ae]w\w* | reserved | incompatible | pending
      | only | except\w* | exclud\w* | unless | if | option\w* | request\w* | part | parts | preprint | draft
      | (?:rather|other|more\s\w+|less\s\w+)\s+than | instead | unlike | similar\w* | compar\w* | such\sas | e\.?\s?g
      | equivalent | former\w* | previous\w* | originally | earlier | was | were | will | would | until | after | before
      | months? | embargo\w*
      | fig(?:ure)?s? | tables? | images? | photo\w* | pictures? | illustrations? | drawings? | maps? | logos? | icons?
      | videos? | movies? | schemes? | structures? | box(?:es)? | abstracts? | cover | supplement\w* | appendi\w*
      | data | data\s?sets? | databases? | metadata | software | code | scripts?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What denies a licence, restricts it to a part or a time, or only compares with it."""
_NO_LICENCE = re.compile(r"\ball other rights\b|\bnot (?:\w+ )?licen[cs]ed\b", re.IGNORECASE)
"""What denies a licence in another sentence."""
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
    certain, doubtful = (
        [licence for text in stated for licence, is_certain in licences_in(text) if is_certain is wanted]
        for wanted in (True, False)
    )
    if certain:
        # A doubtful one can only make it stricter.
        return strictest([*certain, *doubtful])
    return Licence(UNKNOWN if doubtful else OTHER)


def licences_in(text: str) -> Iterator[tuple[Licence, bool]]:
    """The licences that a statement names, as a code, by addresses and by names, and whether each is certain."""
    by_code = {normal_licence(code): code for code in CODES}
    if (code := by_code.get(normal_licence(text))) is not None:
        yield Licence(code), True
        return
    is_address = _ADDRESS.fullmatch(text) is not None
    found = False
    for sentence in _SENTENCE_END.split(text):
        prose = _TERMS.sub(" ", _NAME.sub(" ", _URL.sub(" ", sentence)))
        is_certain = is_address or not (_DOUBT.search(prose) or "?" in prose or _NO_LICENCE.search(text))
        for licence in _named(sentence):
            found = True
            yield licence, is_certain
    # "Attribution License ... for non-commercial use".
    if found and not _URL.search(text) and _NOT_COMMERCIAL.search(text):
        yield Licence("CC BY-NC"), False


def _named(sentence: str) -> Iterator[Licence]:
    for match in _URL.finditer(sentence):
        version = match["version"]
        if match["public"]:
            public = match["public"].lower()
            code = "CC0" if public == "zero" else PUBLIC_DOMAIN
            yield Licence(code, f"https://creativecommons.org/publicdomain/{public}/{version}/" if version else "")
        else:
            kind = match["kind"].lower().replace("by-nd-nc", "by-nc-nd")
            url = f"https://creativecommons.org/licenses/{kind}/{version}/" if version else ""
            yield Licence(f"CC {kind.upper()}", url)
    for match in _NAME.finditer(_URL.sub(" ", sentence)):
        if match["zero"] or match["public"]:
            yield Licence("CC0" if match["zero"] else PUBLIC_DOMAIN)
        else:
            terms = "-NC" if match["nc"] or match["later_nc"] else ""
            yield Licence(f"CC BY{terms}{'-ND' if match['nd'] else '-SA' if match['sa'] else ''}")
