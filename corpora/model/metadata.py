"""What is known about a whole article: ids, keywords of its authors, year, line in its file.

The values are infons of the document or of its first passage, named as in PMC's BioC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, takewhile

from bioc import BioCDocument

_SOURCE_FILE = "_nlmchem_source_file"
STDIN = "-"


def article_ids(document: BioCDocument) -> dict[str, str]:
    """The ids of the article by kind (`pmc`, `pmid`, `doi`, ...), from the infons of the document or first passage."""
    ids: dict[str, str] = {}
    for holder in (document, *document.passages[:1]):
        for key, value in holder.infons.items():
            if key.startswith("article-id_") and value:
                ids.setdefault(key.removeprefix("article-id_"), str(value))
    return ids


def set_facts(document: BioCDocument, infons: Mapping[str, str]) -> None:
    """Store what metadata beside the file state about the article. Ids that the article has itself stay."""
    known = article_ids(document)
    for key, value in infons.items():
        if key.removeprefix("article-id_") not in known:
            document.infons[key] = value


def join_key(document: BioCDocument) -> str:
    """The key that joins documents of the same article: PMCID without prefix, else PMID, else the document id."""
    ids = article_ids(document)
    key = ids.get("pmc") or ids.get("pmid") or str(document.id)
    return key.removeprefix("PMC")


def pmid(document: BioCDocument) -> str | None:
    """The PMID of the article as the file states it (infon `article-id_pmid`); None if it does not."""
    return article_ids(document).get("pmid")


def pmcid(document: BioCDocument) -> str | None:
    """The PMCID of the article, with the prefix `PMC`, as the file states it (infon `article-id_pmc`), or None."""
    number = article_ids(document).get("pmc")
    return number and f"PMC{number.removeprefix('PMC')}"


def source_file(document: BioCDocument) -> str | None:
    """The file that the document was read from, for tables; None if it was not read from a file.

    It is no infon: what is written does not depend on the name of the input.
    """
    name: str | None = document.__dict__.get(_SOURCE_FILE)
    return name


def set_source_file(document: BioCDocument, path: str, member: str | None) -> None:
    """Store the path of the file that the document was read from, with its member of an archive."""
    if path != STDIN:
        document.__dict__[_SOURCE_FILE] = path if member is None else f"{path}/{member}"


def keywords(document: BioCDocument) -> str:
    """The keywords of authors or journal, joined as in PMC's BioC; empty if there are none."""
    return next((str(passage.infons["kwd"]) for passage in document.passages if passage.infons.get("kwd")), "")


def keyword_list(document: BioCDocument) -> tuple[str, ...]:
    """The keywords of the authors, one by one; empty if there are none, or if the file has them joined only."""
    for passage in document.passages:
        values = (passage.infons.get(f"kwd_{number}") for number in count())
        words = tuple(map(str, takewhile(lambda word: word is not None, values)))
        if words:
            return words
    return ()


def keyword_infons(words: Iterable[str]) -> dict[str, str]:
    """The infons of single keywords: `kwd_0`, `kwd_1` ...; a keyword that occurs twice is stored once."""
    return {f"kwd_{number}": word for number, word in enumerate(dict.fromkeys(filter(None, words)))}


def set_keywords(document: BioCDocument, words: Sequence[str]) -> None:
    """Store keywords in the first passage: joined, as PMC's BioC does, and one by one."""
    if words and document.passages:
        document.passages[0].infons["kwd"] = " ".join(words)
        document.passages[0].infons.update(keyword_infons(words))


def publication_year(document: BioCDocument) -> int | None:
    """The year of publication, as PMC's BioC states it in the document or the first passage; None if it is unknown."""
    for holder in (document, *document.passages[:1]):
        value = str(holder.infons.get("year") or "")
        if len(value) == 4 and value.isdecimal():
            return int(value)
    return None


def line_number(document: BioCDocument) -> int | None:
    """The number of the line, from 1, that contains the article; None where a file is not read by lines."""
    value = document.infons.get("line")
    return int(value) if value is not None and str(value).isdecimal() else None


def set_line_number(document: BioCDocument, number: int) -> None:
    """Store the number of the line that contains the article."""
    document.infons["line"] = str(number)
