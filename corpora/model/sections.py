"""The sections of an article, the section of each passage, and the outline: headings, captions, tables.

The names are the values of the infon `section_type` in NCBI's BioC-PMC service (Comeau et al. 2019, Bioinformatics
35:3533). The service's mapping of headings is not published. The tables below were made from headings of open-access
articles. The kinds of passages are the values of the infon `type` in that service. If a file does not state them, a
passage that only names a section is a heading, and text with tabs in a section of tables is a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.errors import ArticleError
from corpora.model.passages import (
    passage_kind,
    passage_label,
    passage_text,
    section_type,
    set_section_type,
    table_markup,
)
from corpora.parsing.safe_xml import parse_fragment

TITLE = "TITLE"
ABSTRACT = "ABSTRACT"
KEYWORD = "KEYWORD"
INTRO = "INTRO"
CASE = "CASE"
METHODS = "METHODS"
RESULTS = "RESULTS"
DISCUSS = "DISCUSS"
CONCL = "CONCL"
FIG = "FIG"
TABLE = "TABLE"
SUPPL = "SUPPL"
APPENDIX = "APPENDIX"
ABBR = "ABBR"
ACK_FUND = "ACK_FUND"
AUTH_CONT = "AUTH_CONT"
COMP_INT = "COMP_INT"
REVIEW_INFO = "REVIEW_INFO"
REF = "REF"
OTHER = "OTHER"

WITHOUT_ABBREVIATIONS = frozenset({REF, AUTH_CONT})
"""Sections whose capital letters are no abbreviations of the article: titles of other articles, initials of authors."""

_PHRASES: dict[str, str] = {
    TITLE: "title|article title|document title",
    ABSTRACT: "abstract|graphical abstract|structured abstract|plain language summary|lay summary|elife digest"
    "|author summary|key message|key point|key contribution|highlight|synopsis",
    KEYWORD: "keyword|key word|index term|mesh term",
    INTRO: "introduction|background|intro|general introduction|introductory remark|aim|objective|purpose"
    "|background information|overview|preamble|rationale|problem statement|literature review|related work",
    CASE: "case|case report|case presentation|case description|case study|case history|case series"
    "|clinical case|patient presentation|clinical presentation|presentation of case",
    METHODS: "method|methodology|methodologies|material|materials|material and method|materials and method"
    "|method and material|methods and material|experimental|experimental section|experimental procedure"
    "|experimental method|experimental part|experimental design|experimental detail|experimental setup"
    "|experimental work|experiment|patient|subject|participant|procedure|protocol|study design|study population"
    "|study protocol|statistical analysis|statistical analyses|statistical method|statistics|data analysis"
    "|data analyses|data collection|computational method|computational detail|online method|star method"
    "|star★method|method summary|methods summary|method detail|methods detail|general method|general procedure"
    "|model|the model|mathematical model|model description|model development|model formulation|modeling|modelling"
    "|simulation|simulation method"
    "|analytical method|search strategy|animal|reagent|chemical|chemicals and reagent|materials and reagent"
    "|material and reagent|implementation|method and analysis|method and analyses|theory|theory and method"
    "|design and method|study setting|setting|in vitro method|in vivo method|theoretical method|calculation",
    RESULTS: "result|main result|finding|key finding|experimental result|our result|observation|outcome",
    DISCUSS: "discussion|general discussion|interpretation|commentary|comment|limitation|limitations of the study"
    "|limitations of this study|study limitation|strengths and limitation|implication",
    CONCL: "conclusion|concluding remark|conclusive remark|concluding statement|conclusion remark|summary"
    "|final remark|closing remark|future perspective|future direction|future work|future prospect|perspective"
    "|outlook|future outlook|prospect|take home message|final consideration",
    FIG: "figure|figures and table|figure legend|figure caption|legend to figure|scheme",
    TABLE: "table|table legend|table caption",
    SUPPL: "supplementary material|supplementary data|supplementary information|supplementary file"
    "|supplementary method|supplementary figure|supplementary table|supplementary|supplement"
    "|supplemental material|supplemental data|supplemental information|supplemental file|supplemental digital content"
    "|supporting information|supporting material|supporting data|supporting file|additional file|additional data"
    "|additional data file|additional material|additional information file|electronic supplementary material"
    "|electronic supplementary information|extended data|associated content|web extra material|multimedia appendix",
    APPENDIX: "appendix|appendices|annex|annexe|annexes|appendices and supplement",
    ABBR: "abbreviation|abbreviations used|list of abbreviation|abbreviation list|abbreviation and acronym"
    "|abbreviations and acronym|acronym|list of acronym|glossary|nomenclature|list of symbol|abbreviated term"
    "|abbreviation used in this paper|abbreviations used in this paper|nonstandard abbreviation"
    "|non-standard abbreviation|non standard abbreviation|abbreviations and symbol|symbol",
    ACK_FUND: "acknowledgement|acknowledgment|funding|funding information|funding source|source of funding"
    "|sources of funding|funding statement|funding/support|financial support|financial disclosure|grant support"
    "|sources of support|source of support|role of the funding source|role of funding source|grant sponsor"
    "|funding and acknowledgement|thanks|grant|support",
    AUTH_CONT: "author contribution|author's contribution|authors' contribution|authors contribution|contribution"
    "|contributorship|contributor|author contributions statement|contribution of author|contributions of author"
    "|contributions of the author|author statement|credit authorship contribution statement|author information"
    "|credit author statement|authorship",
    COMP_INT: "competing interest|competing financial interest|conflict of interest|conflicts of interest"
    "|conflict of interest statement|conflicts of interest statement|declaration of interest"
    "|declaration of competing interest|declaration of conflicting interest|disclosure|disclosure statement"
    "|declaration of conflict of interest|declaration of conflicts of interest|conflict of interests"
    "|competing interests statement|potential conflict of interest|potential conflicts of interest"
    "|disclosure of interest|statement of competing interest|financial and competing interests disclosure"
    "|competing interest statement|conflict-of-interest statement|duality of interest|author disclosure",
    REVIEW_INFO: "pre-publication history|prepublication history|decision letter|author response|peer review"
    "|peer review file|peer review information|peer reviewer report|reviewer comment|review history"
    "|reviewers' comment|editor's evaluation|elife assessment|elife's review process",
    REF: "reference|reference list|literature cited|bibliography|literature|cited literature|references and note"
    "|works cited|further reading|references cited|note and reference|notes and reference",
    OTHER: "declaration|ethics|ethics statement|ethics approval|ethical approval|ethical statement"
    "|ethical consideration|ethics approval and consent to participate|consent for publication"
    "|consent to publish|informed consent|publisher's note|publisher note|data availability"
    "|data availability statement|data accessibility|code availability|availability of data and material"
    "|availability of data|availability of supporting data|data and software availability|author note"
    "|accession number|accession code|accession|trial registration|additional information|reporting summary"
    "|availability and requirement|dataset|major dataset|note|endnote|footnote|provenance and peer review",
}


_SECTION_OF = {phrase: section for section, joined in _PHRASES.items() for phrase in joined.split("|")}

SECTIONS: frozenset[str] = frozenset(_PHRASES)
"""All section types that nlmchem writes."""

# Values of JATS @sec-type, @notes-type and @fn-type that do not occur as headings.
_SECTION_OF_TYPE: dict[str, str] = {
    "intro": INTRO,
    "cases": CASE,
    "subjects": METHODS,
    "methods": METHODS,
    "conclusions": CONCL,
    "supplementary-material": SUPPL,
    "supplementary-materials": SUPPL,
    "supplementary": SUPPL,
    "supplemental-material": SUPPL,
    "appendix": APPENDIX,
    "abbr": ABBR,
    "abbreviations": ABBR,
    "glossary": ABBR,
    "ack": ACK_FUND,
    "funding-information": ACK_FUND,
    "financial-disclosure": ACK_FUND,
    "funding-statement": ACK_FUND,
    "supported-by": ACK_FUND,
    "con": AUTH_CONT,
    "participating-researchers": AUTH_CONT,
    "author-contributions": AUTH_CONT,
    "author-contribution": AUTH_CONT,
    "coi-statement": COMP_INT,
    "coi": COMP_INT,
    "conflict": COMP_INT,
    "competing-interest": COMP_INT,
    "competing-interests": COMP_INT,
    "conflict-of-interest": COMP_INT,
    "ref-list": REF,
    "data-availability": OTHER,
    "ethics-statement": OTHER,
    "additional-information": OTHER,
    "datasets": OTHER,
}

# Words that name a section if they are the whole heading, but not if they are a part of it
# ("Patients with diabetes", "Chemicals and their fate").
_WEAK = """
    aim animal calculation chemical comment commentary experiment figure grant implementation
    implication interpretation limitation model modeling modelling note objective observation outcome
    overview participant patient perspective procedure prospect protocol purpose reagent scheme setting
    simulation statistics subject summary supplement support symbol table thanks theory title
"""
_ALONE = frozenset(_WEAK.split())

# Numbers before a heading: "2.", "2.1", "IV.", "B)", "Section 3:", "§ 2".
_NUMBER = re.compile(
    r"^(?:section|chapter|part|§)?\s*(?:\d{1,3}(?:\.\d{1,3}){0,5}\s*[.):|-]*|[ivx]{1,5}\s*[.):|-]+|[a-z]\s*[.)]+)\s+"
)
_TIGHT_NUMBER = re.compile(r"^(?:\d{1,3}\.){1,6}(?=[a-z])")
_APPENDIX = re.compile(r"^(?:appendix|annex|annexe)\b")
_SUPPLEMENT = re.compile(
    r"^(?:additional file|supporting information|(?:electronic )?supplement(?:ary|al)\s+(?:online\s+)?(?:"
    r"analys[ei]s|appendix|contents?|data|datasets?|digital|discussion|documents?|experiment\w*|figs?|figures?|files?|"
    r"information|legends?|materials?|methods?|movies?|notes?|online|procedures?|references?|results?|schemes?|"
    r"sections?|tables?|text|videos?))\b"
)
"""A supplement of the article. Supplementary zinc, feeding and irrigation are not."""
_JOINTS = re.compile(r"\s*(?:[:;,/|&–—]|\s-\s|\band\b|\bor\b|\bwith\b|\()\s*")
_LONGEST = 120
"""A longer text (in characters) is not a heading."""
LONGEST_TITLE = 400
"""Characters. A longer first passage is no title: of 11,100 titles of BC5CDR, BioRED and CHEMDNER none has over 294."""

_SENTENCE_END = re.compile(r"[a-z0-9)\]][.?!][\"'”’)]?\s+[A-Z0-9\"'“(]")
"""Between two sentences: in 2,098 of 2,100 abstracts of BC5CDR and BioRED, and in 67 of their titles."""

_MAIN = {INTRO: 1, CASE: 2, METHODS: 3, RESULTS: 4, DISCUSS: 5, CONCL: 6}
"""The main sections of an article in their usual order."""
_CLOSED = frozenset({TITLE, ABSTRACT, REF, FIG, TABLE, SUPPL, APPENDIX, ABBR, COMP_INT, REVIEW_INFO})
_BACK_MATTER = frozenset({ABBR, ACK_FUND, APPENDIX, AUTH_CONT, COMP_INT, REF, REVIEW_INFO, SUPPL})
_CONTINUED = frozenset({INTRO, CASE, METHODS, RESULTS, DISCUSS})


def section_of_heading(heading: str, sec_type: str | None = None) -> str | None:
    """The PMC section of a heading, else of JATS' `sec-type`, else None.

    Numbers before the heading, case, plural, and punctuation at its end are ignored. In a combined heading ("Results
    and Discussion") the first part with a section counts.
    """
    section = _of_heading(heading)
    # Several types are joined by a bar: `materials|methods`, `results|discussion`.
    for part in (sec_type or "").casefold().split("|"):
        part = part.strip()
        section = section or _SECTION_OF_TYPE.get(part) or _lookup(part.replace("-", " "))
    return section


def section_below(parent: str, heading: str, sec_type: str | None = None) -> str:
    """The section of a subsection: that of its parent, unless its own heading names a better one.

    All subsections of a closed section (abstract, references, appendices ...) have its name. In other sections, a
    heading of back matter counts, and that of a later main section ("Conclusions" inside a discussion). Inside OTHER,
    every heading counts.
    """
    if parent in _CLOSED:
        return parent
    # A diet has supplements and a model has symbols: inside a main section, such a word names no part of the article.
    unclear = parent in _MAIN and _is_weak(heading)
    section = section_of_heading("" if unclear else heading, sec_type)
    if section is None or section in _BACK_MATTER or parent == OTHER:
        return section or parent
    later = parent in _MAIN and _MAIN.get(section, 0) > _MAIN[parent]
    movable = parent == INTRO or (parent != METHODS and section != METHODS)
    return section if later and movable and not unclear else parent


def next_section(before: str, heading: str, sec_type: str | None = None) -> str:
    """The section of a heading at the top level of an article's body; `before` is the section before it.

    An unknown heading continues the main section before it, so the chapters of a review are INTRO. After a conclusion
    or back matter, it is OTHER.
    """
    section = section_of_heading(heading, sec_type)
    if section is not None:
        return section
    return before if before in _CONTINUED else OTHER


def _of_heading(heading: str) -> str | None:
    text = _plain(heading) if len(heading) <= _LONGEST else ""
    if not text:
        return None
    if (whole := _lookup(text)) is not None:
        return whole
    if _APPENDIX.match(text):
        return APPENDIX
    if _SUPPLEMENT.match(text):
        return SUPPL
    parts = ((_lookup(part), part) for part in _JOINTS.split(text))
    return next((section for section, part in parts if section is not None and not _is_weak(part)), None)


def _plain(heading: str) -> str:
    """A heading in lower case with single blanks, without its number and the punctuation at its end."""
    text = " ".join(heading.casefold().replace("’", "'").replace("ʼ", "'").replace("`", "'").split())
    text = _TIGHT_NUMBER.sub("", _NUMBER.sub("", text, count=1), count=1)
    return text.replace(" & ", " and ").strip(" .:;,*–—-|")


def _is_weak(heading: str) -> bool:
    text = _plain(heading)
    return text in _ALONE or text.removesuffix("s") in _ALONE


def _lookup(text: str) -> str | None:
    text = text.strip(" .()")
    return _SECTION_OF.get(text) or (_SECTION_OF.get(text[:-1]) if text.endswith("s") else None)


# -- sections of a document ---------------------------------------------------------------------


def sections_of(document: BioCDocument) -> list[str]:
    """The section of every passage: the stated one, else the one that headings and position determine.

    A heading is a short passage without a full stop that names a section. The first passage is the title, or the
    beginning of the abstract if it is too long for a title. A passage without others that has several sentences is an
    abstract too. The passages after the title are the abstract, up to the first heading. An abstract that begins with
    a heading is a structured abstract: it ends where a heading occurs for the second time (Background, Methods,
    Results; Background ...).
    """
    sections: list[str] = []
    section = TITLE
    seen: set[str] = set()
    abstract_has_text = False
    for passage in document.passages:
        stated = section_type(passage)
        text = passage_text(passage).strip() if stated is None else ""
        named = section_of_heading(text) if text and not text.endswith((".", ",", ";")) else None
        in_abstract = section in (TITLE, ABSTRACT)
        if stated is not None:
            section = stated
        elif not sections:
            text, alone = passage_text(passage), len(document.passages) == 1
            abstract_has_text = len(text) > LONGEST_TITLE or (alone and _SENTENCE_END.search(text) is not None)
            section = ABSTRACT if abstract_has_text else TITLE
        elif named is None or named == ABSTRACT:
            abstract_has_text |= in_abstract and named is None and not seen
            section = ABSTRACT if in_abstract or named == ABSTRACT else section
        elif in_abstract and not abstract_has_text and named not in seen:
            seen.add(named)
            section = ABSTRACT
        else:
            section = named
        sections.append(section)
    return sections


def add_sections(document: BioCDocument) -> int:
    """State the section of every passage that states none (see `sections_of`). Returns the number of these passages."""
    given = 0
    for passage, section in zip(document.passages, sections_of(document), strict=True):
        if section_type(passage) is None:
            set_section_type(passage, section)
            given += 1
    return given


# -- the outline --------------------------------------------------------------------------------

_HEADING = re.compile(r"(?:abstract_)?title(?:_(\d))?")
_CAPTION = re.compile(r"(?:fig|table)_(?:title_)?caption|(?:fig|table)_title|table_caption_title")
_NOTE = re.compile(r"table_foot(?:note)?(?:_title)?|footnote")


class PassageKind(StrEnum):
    """What a passage is."""

    TITLE = "title"
    HEADING = "heading"
    TEXT = "text"
    CAPTION = "caption"
    TABLE = "table"
    NOTE = "note"
    FORMULA = "formula"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Part:
    """What a passage is."""

    kind: PassageKind
    level: int = 0
    """Of a heading, from 1."""
    label: str = ""
    """Text before the passage that is not part of it (`Figure 1`)."""
    rows: tuple[int, ...] = ()
    """Of a table whose text does not separate rows, the number of cells with text in each row; empty: unknown."""


def outline(document: BioCDocument, sections: Sequence[str]) -> tuple[Part, ...]:
    """The part of each passage. `sections`: the section of each passage (`sections_of`)."""
    parts: list[Part] = []
    before = ""
    for passage, section in zip(document.passages, sections, strict=True):
        part = _part(passage, section, first=not parts)
        label = part.label
        if label and label == before and part.kind is not PassageKind.REFERENCE:
            # Title, caption and cells of a table state the same label: it is shown once.
            part = Part(part.kind, part.level, "", part.rows)
        before = label
        parts.append(part)
    return tuple(parts)


def _part(passage: BioCPassage, section: str, first: bool) -> Part:
    kind, label, text = passage_kind(passage), passage_label(passage), passage_text(passage)
    if section == TITLE and (first or kind == "front"):
        return Part(PassageKind.TITLE, 1)
    if kind == "table" or (section == TABLE and "\t" in text):
        return Part(PassageKind.TABLE, 0, label, () if "\n" in text else _rows(table_markup(passage), text))
    if _CAPTION.fullmatch(kind):
        return Part(PassageKind.CAPTION, 0, label)
    if _NOTE.fullmatch(kind):
        return Part(PassageKind.NOTE, 0, label)
    if kind == "formula":
        return Part(PassageKind.FORMULA, 0, label)
    if kind == "ref":
        return Part(PassageKind.REFERENCE, 0, label)
    stated, named = _HEADING.fullmatch(kind), section_of_heading(text)
    if (stated is None or section == TITLE) and (named is None or text.rstrip().endswith(".")):
        return Part(PassageKind.TEXT)
    level = int(stated[1] or 1) if stated else 1
    # The parts of a structured abstract are below the abstract.
    below = section == ABSTRACT and named != ABSTRACT
    return Part(PassageKind.HEADING, level + below)


def _rows(markup: str, text: str) -> tuple[int, ...]:
    """The number of filled cells in each row of the table's XML; empty if they are not the cells of the text."""
    # Declarations could hide entities; the table of an article has none.
    if not markup or "<!" in markup:
        return ()
    try:
        root = parse_fragment(markup.encode("utf-8"))
    except (ArticleError, etree.XMLSyntaxError, ValueError):
        return ()
    rows = [
        sum(1 for cell in row.iter("{*}td", "{*}th", "{*}entry") if "".join(cell.itertext()).strip())
        for row in root.iter("{*}tr", "{*}row")
    ]
    filled = sum(1 for cell in text.split("\t") if cell.strip())
    return tuple(rows) if sum(rows) == filled else ()
