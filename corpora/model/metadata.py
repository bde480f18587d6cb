"""What is known about a whole article: ids, keywords, headings of NLM, year, line in its file, language.

The values are infons of the document or of its first passage, named as in PMC's BioC. The MeSH headings that NLM's
indexers gave to an article are annotations of the first passage without location, with a type of their own: they are
neither mentions nor index terms of ours, so no step changes them and no measure counts them by accident.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile

from bioc import BioCAnnotation, BioCDocument

from corpora.model.document import every_annotation, fresh_ids
from corpora.model.passages import passage_text, section_type
from corpora.model.sections import WITHOUT_ABBREVIATIONS
from corpora.words.english import LINKING_WORDS, counts_of

_SOURCE_FILE = "_nlmchem_source_file"
STDIN = "-"
HEADING = "MeSH_Heading"
"""The infon `type` of a heading."""
FEWEST_WORDS = 100
"""A text with fewer words is short: too little is known of it."""
ENGLISH = 0.1
"""The least share of articles and prepositions among the words of an English text. It is about 0.25; in German and
French texts, 0.04 or less are equal to an English one."""


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


def keyword_infons(words: Iterable[str], language: str = "") -> dict[str, str]:
    """The infons of single keywords: `kwd_0`, `kwd_1` ...; a keyword that occurs twice is stored once.

    `language`: the code of another language than that of the article: `kwd-pt_0` ...
    """
    name = f"kwd-{language}" if language else "kwd"
    return {f"{name}_{number}": word for number, word in enumerate(dict.fromkeys(filter(None, words)))}


def set_keywords(document: BioCDocument, words: Sequence[str], language: str = "") -> None:
    """Store keywords in the first passage: one by one and, if in the article's language, joined, as PMC's BioC does."""
    if words and document.passages:
        infons = document.passages[0].infons
        infons.update(keyword_infons(words, language))
        if not language:
            infons["kwd"] = " ".join(words)


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


# -- headings of NLM ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heading:
    """A descriptor or a supplementary concept, such as `MESH:D014867`."""

    identifier: str
    name: str
    major: bool = False
    """Whether it is a main topic of the article."""
    qualifiers: tuple[str, ...] = ()
    """Names of subheadings, such as `metabolism`."""


def add_headings(document: BioCDocument, headings: Sequence[Heading]) -> int:
    """Add headings to the first passage. Returns the number that was added: 0 for a document without passages."""
    if not document.passages:
        return 0
    ids = fresh_ids(document, "MH")
    for heading in headings:
        annotation = BioCAnnotation()
        annotation.id = next(ids)
        annotation.text = heading.name
        annotation.infons = {"type": HEADING, "identifier": heading.identifier, "entry_term": heading.name}
        if heading.major:
            annotation.infons["major"] = "yes"
        if heading.qualifiers:
            annotation.infons["qualifiers"] = "; ".join(heading.qualifiers)
        document.passages[0].add_annotation(annotation)
    return len(headings)


def headings(document: BioCDocument) -> Iterator[Heading]:
    """The headings of a document, in the order of the file."""
    for annotation, _ in every_annotation(document):
        infons = annotation.infons
        if infons.get("type") == HEADING:
            qualifiers = tuple(part for part in str(infons.get("qualifiers") or "").split("; ") if part)
            name = str(infons.get("entry_term") or "")
            yield Heading(str(infons.get("identifier")), name, infons.get("major") == "yes", qualifiers)


# -- language -----------------------------------------------------------------------------------


def texts_of(document: BioCDocument) -> Iterator[str]:
    """The texts of an article without its references."""
    return (
        passage_text(passage) for passage in document.passages if section_type(passage) not in WITHOUT_ABBREVIATIONS
    )


def word_counts(document: BioCDocument) -> Counter[str]:
    """The counts of the folded words of an article, without its references."""
    return counts_of(texts_of(document))


def is_english(counts: Mapping[str, int]) -> bool:
    """Whether a text is English, by its articles and prepositions. Short texts count as English."""
    total = sum(counts.values())
    return total < FEWEST_WORDS or sum(counts.get(word, 0) for word in LINKING_WORDS) >= ENGLISH * total
