"""JATS, the XML format of PubMed Central and of publishers. It is only read.

docs/reference/jats.md lists which element becomes which passage, and what is left out.
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.errors import ArticleError, InputError, shortened
from corpora.formats.format import Header, Reader
from corpora.formats.jats_passages import Part, article_ids, article_parts, expand, sub_article_parts
from corpora.formats.jats_text import separate_footmarks, write_exponents
from corpora.formats.other_files import errors_in, is_web_page
from corpora.formats.streams import whole
from corpora.parsing.inline_markup import MATHML
from corpora.parsing.safe_xml import (
    Cutter,
    cut_off,
    parse_fragment,
    reason,
    refuse_entities,
    require_one_kind,
    root_name,
    with_namespaces,
)
from corpora.reporting import Report

MAX_DEPTH = 500
"""Depth of nested elements. Articles have about 30."""

_ARTICLE = re.compile(rb"<(?:\w+:)?article[\s>]")
_END = re.compile(rb"</(?:\w+:)?article\s*>")
_NAMED = re.compile(rb"<article-id\s[^>]*?pub-id-type=[\"'](?:pmc|pmcid|pmid|doi)[\"'][^>]*>([^<]{1,100})<")
_OTHER_ROOTS = frozenset(
    {"collection", "full-text-retrieval-response", "MedlineCitationSet", "PubmedArticleSet", "PubmedBookArticleSet"}
)
"""Of other formats: a file can be joined from several, or contain an `article` of its own."""
_WITHHELD = re.compile(
    rb"<!--((?:(?!-->).){0,300}\b(?:does not allow|not available|cannot be)\b(?:(?!-->).){0,300})-->", re.S
)
"""The comment that PMC writes in place of the body of an article that its publisher does not release."""
_MOST_AROUND = 1 << 26
"""Bytes around all articles of a file: the records of OAI-PMH have headers."""
_CHUNK = 1 << 16
_MAX_PROLOG = 1 << 20


def sniff(head: bytes) -> bool:
    """Whether the root is `article`, or an `article` element begins in the head."""
    root = root_name(head)
    if root is None or root in _OTHER_ROOTS or is_web_page(head, root):
        return False
    return root == "article" or _ARTICLE.search(head) is not None


# -- one article --------------------------------------------------------------------------------


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article as a BioC document, with the passages and infons that NCBI's BioC-PMC service gives it.

    The id is the PMCID without prefix, else the PMID, else the DOI, else "". Raises `ArticleError`.
    """
    article = _load(raw, report)
    _simplify(article)
    ids = article_ids(article)
    document = BioCDocument()
    document.id = ids.get("pmc") or ids.get("pmid") or ids.get("doi") or ""
    if article.find("body") is None and (withheld := _WITHHELD.search(raw)):
        words = " ".join(withheld[1].decode("utf-8", "replace").split())
        report(f"document {document.id!r} has no full text; the server states: {shortened(words, 200)}")
    offset = 0
    todo: list[Part] = article_parts(article)[::-1]
    while todo:
        item, place = todo.pop()
        if not isinstance(item, str):
            divide = sub_article_parts if item.tag in ("sub-article", "response") else expand
            todo.extend(reversed(divide(item, place)))
            continue
        passage = BioCPassage.of_text(item, offset)
        passage.infons = {**place.infons, "section_type": place.section, "type": place.kind}
        document.add_passage(passage)
        offset += len(item) + 1
    if not document.passages[0].text and not _has_text(article.find("body")):
        report(f"document {document.id!r} has neither a title nor text in its body; look whether its XML is complete")
    return document


def _has_text(element: etree._Element | None) -> bool:
    return element is not None and any(text.strip() for text in element.itertext())


# -- reading XML safely -------------------------------------------------------------------------

_ENCODING = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_EXTENDS_ASCII = re.compile(rb"utf-?8|(?:us-)?ascii|iso[-_]?8859-\d+|latin-?1|windows-125\d|cp125\d", re.IGNORECASE)
_REFERENCE = re.compile(rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&([A-Za-z][A-Za-z0-9._-]{0,40});", re.DOTALL)
_OF_JATS = frozenset(
    """
    back body floats-group floats-wrap front front-stub journal-meta article-meta processing-meta response sub-article
    """.split()  # noqa: SIM905
)
"""The children of an article."""
_OTHER_ARTICLES = (
    ("a web page", re.compile(r"w3\.org/1999/xhtml|child:(?:a|br|div|h[1-6]|header|img|main|script|span|ul)\b")),
    ("DocBook", re.compile(r"docbook|child:(?:artheader|info|sect1|section|para|simpara)\b", re.I)),
    ("Elsevier full text", re.compile(r"elsevier|child:(?:item-info|simple-head)\b", re.I)),
    ("the Royal Society of Chemistry", re.compile(r"RSCART|child:art-(?:admin|front|body|back)\b")),
)
"""Other vocabularies with the root `article`: their name, and the namespace, attribute or child that shows it."""
_PREDEFINED = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})


def _load(raw: bytes, report: Report) -> etree._Element:
    """The `article` element. Its tags have no namespace, except those of MathML."""
    try:
        _refuse_declarations(raw)
    except InputError as error:
        raise ArticleError(str(error)) from error
    try:
        root = parse_fragment(_name_characters(raw, report))
    except etree.XMLSyntaxError as error:
        named = _NAMED.search(raw)
        name = f"article {named[1].decode('utf-8', 'replace')!r}: " if named else ""
        raise ArticleError(f"{name}{_explain(error)}") from error
    _flatten_names(root)
    articles = [root] if root.tag == "article" else list(root.iter("article"))
    if len(articles) != 1:
        raise ArticleError(
            f"its root is <{root.tag}> with {len(articles)} <article> elements, where one JATS article is expected; "
            "read the file with corpora.formats.jats.split first"
        )
    _refuse_other_vocabulary(articles[0])
    return articles[0]


def _refuse_other_vocabulary(article: etree._Element) -> None:
    """Raise `ArticleError` for an `article` with children that JATS does not have."""
    tags = [str(child.tag) for child in article]
    if "front" in tags or not set(tags) - _OF_JATS:
        return
    shown = " ".join([*article.nsmap.values(), *article.attrib.values(), *(f"child:{tag}" for tag in tags)])
    name = next((name for name, mark in _OTHER_ARTICLES if mark.search(shown)), None)
    if name is None and set(tags) & _OF_JATS:
        return
    words = shortened(" ".join("".join(article.itertext()).split()), 60)
    what = f"an <article> of {name}" if name else f"an <article> with the elements {', '.join(sorted(set(tags)))[:100]}"
    raise ArticleError(f"it is {what} ({words!r}), not of JATS; get the article again, as JATS or plain text")


def _refuse_declarations(seen: bytes) -> None:
    """Raise `InputError` for bytes that may make a parser expand entities, or that may hide such declarations.

    Stricter than `refuse_entities`: in a file with a DOCTYPE, a declaration counts at any place. Encodings in which
    markup is not ASCII (UTF-7, EBCDIC) are not read, except UTF-16.
    """
    refuse_entities(seen)
    wide = seen[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in seen[:4]
    plain = seen.replace(b"\x00", b"") if wide else seen
    if b"<!DOCTYPE" in plain and b"<!ENTITY" in plain:
        raise InputError(
            "its DOCTYPE declares entities, which are never expanded here; "
            "write the characters themselves and remove the <!ENTITY ...> declarations"
        )
    declared = _ENCODING.match(plain)
    if declared and not wide and not _EXTENDS_ASCII.fullmatch(declared.group(1)):
        name = declared.group(1).decode()
        raise InputError(f"it is in the encoding {name}, which is not read here; save it as UTF-8")


def _name_characters(raw: bytes, report: Report) -> bytes:
    """Replace references to the named characters of HTML (`&alpha;`), which need a DTD, by their numbers."""
    resolved: set[str] = set()

    def number(match: re.Match[bytes]) -> bytes:
        name = match.group(1)
        if name is None or name in _PREDEFINED:
            return match.group()
        characters = html.entities.html5.get(f"{name.decode()};")
        if characters is None:
            return match.group()
        resolved.add(name.decode())
        return "".join(f"&#{ord(character)};" for character in characters).encode()

    numbered = _REFERENCE.sub(number, raw) if b"&" in raw else raw
    if resolved:
        names = ", ".join(f"&{name};" for name in sorted(resolved))
        report(f"named characters without a declaration were read as the characters of HTML with these names: {names}")
    return numbered


def _flatten_names(root: etree._Element) -> None:
    """Check depth and undeclared entities, level by level, and remove the namespaces of JATS from the tags."""
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ArticleError(f"its elements are nested deeper than {MAX_DEPTH} levels; correct or remove it")
        below: list[etree._Element] = []
        for element in level:
            tag = element.tag
            if not isinstance(tag, str):
                raise ArticleError(
                    f"it uses the entity &{element.name};, which is not declared; write the character itself"
                )
            if tag[0] == "{" and not tag.startswith(MATHML):
                element.tag = tag.rpartition("}")[2]
            below.extend(element)
        level = below


def _explain(fault: etree.XMLSyntaxError) -> str:
    line, message = fault.lineno or 1, reason(fault).strip()
    undeclared = re.match(r"Entity '([^']+)' not defined", message)
    if undeclared:
        return (
            f"line {line}: it uses the entity &{undeclared.group(1)};, which is not declared; "
            "write the character itself"
        )
    if "Excessive depth" in message:
        return f"its elements are nested deeper than {MAX_DEPTH} levels, at line {line}; correct or remove it"
    if "Premature end" in message or "empty" in message or "Couldn't find end" in message:
        return cut_off(line)
    if "encoding" in message.lower():
        return f"line {line}: its bytes are not valid in its encoding ({message}); save it as UTF-8"
    return f"the XML is broken at line {line} ({message}); correct it, or get the file again"


# -- elements that are not text -----------------------------------------------------------------

_LEFT_OUT_EVERYWHERE = ("object-id", "alt-text", "long-desc")
_LEFT_OUT_OF_TEXT = ("glyph-data", "index-term", "institution-id", "permissions", "sec-meta")
_FORMATTING = frozenset({"bold", "italic", "sub", "sup"})
_PICTURES = frozenset({"graphic", "inline-graphic", "media", "inline-media"})
_IN_PIECES = frozenset({"table", "array"})
_PREFERRED = (f"{MATHML}math", "math", "table", "array", "tex-math")


def _simplify(article: etree._Element) -> None:
    """Remove elements that are not text of the article, and all alternative representations but one."""
    etree.strip_elements(article, *_LEFT_OUT_EVERYWHERE, with_tail=False)
    for part in article:
        if part.tag != "front":
            etree.strip_elements(part, *_LEFT_OUT_OF_TEXT, with_tail=False)
    for choice in list(article.iter("alternatives", "inline-formula", "disp-formula")):
        _keep_one(choice)
    for script in article.iter("sub", "sup"):
        _join_script(script)
    separate_footmarks(article)
    write_exponents(article)


def _keep_one(choice: etree._Element) -> None:
    """Keep one of several representations: MathML or the table, else LaTeX, else the first that is not a picture.

    A table may consist of several elements. In a formula without `alternatives`, as in older JATS, LaTeX beside MathML
    is the same formula.
    """
    children = [child for child in choice if child.tag not in _PICTURES]
    ranked = sorted(children, key=lambda child: _rank(child.tag))
    if not ranked:
        return
    if choice.tag == "alternatives":
        best = ranked[0].tag
        others = [child for child in ranked[1:] if child.tag != best or best not in _IN_PIECES]
    else:
        has_mathml = _rank(ranked[0].tag) < 2
        others = [child for child in ranked[1:] if child.tag == "tex-math"] if has_mathml else []
    for other in others:
        other.tag = "object-id"
    if others:
        etree.strip_elements(choice, "object-id", with_tail=False)


_FOOTNOTE_MARK = re.compile(r"[a-z*∗#†‡§¶]")
_FORMULA = re.compile(r"(?:^|[\s·/,–-])[(\[{]*(?:[A-Z][a-z]?|\d|[()\[\]{}])*(?:[A-Z][a-z]?|[)\]}])$")
_CHARGE = re.compile(r"\s*\d{0,2}[+−–-]\s*")
_INDEX = re.compile(r"\s*(?![DL]\s*$)\w{1,4}\s*")


def _join_script(script: etree._Element) -> None:
    """Remove line breaks that only format the file: SO⏎<sub>4</sub>⏎<sup>2−</sup> is SO42−.

    Files of PMC have them between neighbouring elements, and inside them. Blanks stay, and so does a line break before
    a single letter or sign, which may be the mark of a footnote. Between a formula and its index or charge there is no
    other line break.
    """
    before = script.getprevious()
    above = script.getparent()
    around = (above.text if before is None else before.tail) or ""
    joined = around.rstrip()
    kind = _CHARGE if script.tag == "sup" else _INDEX
    if "\n" in around[len(joined) :] and _FORMULA.search(joined[-40:]) and kind.fullmatch("".join(script.itertext())):
        if before is None:
            above.text = joined
        else:
            before.tail = joined
    if before is not None and _is_line_break(before.tail):
        text = "".join(script.itertext()).strip()
        if before.tag in _FORMATTING and not _FOOTNOTE_MARK.fullmatch(text):
            before.tail = None
    if script.text and "\n" in script.text[: len(script.text) - len(script.text.lstrip())]:
        script.text = script.text.lstrip()
    if len(script) and _is_line_break(script[-1].tail) and not (script.tail or "")[:1].isalnum():
        script[-1].tail = None


def _is_line_break(text: str | None) -> bool:
    return bool(text) and "\n" in str(text) and str(text).isspace()


def _rank(tag: str) -> int:
    return _PREFERRED.index(tag) if tag in _PREFERRED else len(_PREFERRED)


# -- splitting files ----------------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The bytes of each article: the whole file where it is one article, else each `article` element.

    The root of such other files is PMC's `pmc-articleset`, an OAI-PMH record, or any element that contains articles;
    there may be several such files one after another. Raises `InputError` where the file cannot be read (further),
    after the articles before that place.
    """
    header.source = header.source or "PMC"
    head = b""
    while root_name(head) is None and len(head) < _MAX_PROLOG and (chunk := stream.read(_CHUNK)):
        head += chunk
    if root_name(head) is None:
        if not head.strip():
            raise InputError("it is empty; get the file again")
        raise InputError("it is not JATS: it has no root element; get the file again, or remove it from the input")
    _refuse_declarations(head)
    if root_name(head) != "article":
        yield from _articles_within(head, _Watched(head, stream), report)
        return
    content = head + whole(stream)
    if len(_END.findall(content)) < 2:
        yield content
    else:
        yield from _articles_within(content, stream, report)


def _articles_within(head: bytes, stream: BinaryIO | _Watched, report: Report) -> Iterator[bytes]:
    cutter = Cutter(cast(BinaryIO, stream), "article", head=head, most_around=_MOST_AROUND)
    count = 0
    for raw in cutter.documents():
        count += 1
        yield with_namespaces(raw, cutter.before)
    around = cutter.around
    messages = errors_in(around)
    for message in messages:
        report(f"instead of an article, the file contains an error message of the server it came from: {message}")
    # The last element around the articles must have an end.
    end = around.rstrip()[-200:]
    is_closed = end.endswith(b">") and (b"</" in end or end.endswith((b"/>", b"-->", b"?>")))
    if cutter.cut_off or not is_closed:
        raise InputError(cut_off(cutter.lines))
    if count:
        require_one_kind(around, "article")
    else:
        reason = f" but the error message of a server: {'; '.join(messages)}" if messages else ""
        root = root_name(around)
        raise InputError(f"it is not JATS: its root <{root}> contains no <article>{reason}; remove it from the input")


class _Watched:
    """A stream that raises `InputError` before a part of a file that declares entities is read."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._declares = b"<!DOCTYPE" in head.replace(b"\x00", b"")
        self._before = head
        self._stream = stream

    def read(self, size: int) -> bytes:
        chunk = self._stream.read(size)
        if self._declares and b"<!ENTITY" in (self._before[-32:] + chunk).replace(b"\x00", b""):
            _refuse_declarations(b"<!DOCTYPE <!ENTITY")
        self._before = chunk
        return chunk


READER = Reader(split, parse, sniff)
