"""Files that are no articles although they have the suffix of one: what each is, and what to do.

A program that downloads articles stores the answer of a server under the name of the article: an error message in XML,
JSON or text, an empty set, or a web page. Files of other programs can have the content of a text: without the list of
them here, such a file with the suffix `.txt` would be annotated as prose, and another one would be refused without the
remedy.
"""

from __future__ import annotations

import csv
import html
import json
import os
import re

from corpora.errors import DAMAGE, InputError, UnclaimedError, command, shortened

# -- answers of servers -------------------------------------------------------------------------

_ARTICLES = re.compile(rb"<(?:\w+:)?(?:article|PubmedArticle|PubmedBookArticle|MedlineCitation|document|passage)[\s>/]")
_SETS = frozenset({"pmc-articleset", "oai-pmh"})
"""Roots of answers that contain articles, in lower case."""
_ANSWERS = _SETS | {"efetchresult", "oa", "response"}
_FAULT = re.compile(r"error|exception|fault", re.I)
"""What the root of an error message is called, such as `service-error` and `errorBean`."""
_ATTRIBUTE = re.compile(rb"<Reply\b[^>]*?\serror\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ELEMENT = re.compile(
    rb"<((?:\w+:)?(?:error|errormessage|errmsg|message|errorlist|faultstring|statustext|detail))\b[^>]*>(.*?)</\1\s*>",
    re.S | re.I,
)
_CODE = re.compile(rb"<(?:\w+:)?error\s[^>]*?\bcode\s*=\s*[\"']([^\"']+)[\"']", re.I)
_TAGS = re.compile(r"<[^>]*>")
_WEB_PAGE = re.compile(rb"\s*(?:<!--.*?-->\s*)*<!doctype\s+html\b", re.I | re.S)
_WEB_ROOTS = frozenset({"html", "head", "body", "div", "script", "main", "meta", "h1", "center"})
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title\s*>", re.S | re.I)
_KEYS = frozenset(
    {
        "code", "detail", "details", "error", "error_code", "error_description", "errors", "fault", "message", "path",
        "reason", "request_id", "status", "status_code", "statuscode", "success", "timestamp", "title", "type", "url",
    }
)  # fmt: skip
"""Keys of error messages in JSON, in lower case."""
_OF_ARTICLES = frozenset({"annotations", "data", "documents", "id", "passages", "pubtator3", "text"})
_WORDS = ("error", "errors", "error_description", "detail", "details", "message", "fault", "reason")
"""The keys that have the message, the most precise ones first."""
_TEXT = re.compile(
    r"\[error\]|error\s*:|(?:id: \S+ )?error occurred|api rate limit exceeded|too many requests|service unavailable"
    r"|(?:http/\S+ )?[45]\d\d (?:bad|unauthorized|forbidden|not found|internal|service|gateway|too many|request)"
    r"|curl: \(\d+\)|upstream (?:connect|request) |internal server error|bad gateway|gateway time-?out",
    re.I,
)
_SHORT_TEXT = re.compile(
    r"(?:error \d{3}|not found|forbidden|unauthorized|access denied"
    r"|(?:connection|request|read) (?:timed out|timeout|refused|reset)"
    r"|no (?:such )?(?:article|document|record|result)s? (?:was |were )?found|unknown (?:id|pmid|pmcid))\b[^\n]{0,60}",
    re.I,
)
"""A message that could begin a text as well: it is the whole file."""
MOST = 4000
"""Bytes of a message as text or JSON."""


def is_web_page(head: bytes, root: str | None) -> bool:
    """Whether a file that begins with `head` and has the root element `root` is a web page."""
    return _WEB_PAGE.match(head) is not None or (root or "").lower() in _WEB_ROOTS


def server_message(head: bytes, root: str | None) -> str | None:
    """Why a file that begins with `head` (UTF-8) is the answer of a server and no article; None for other files."""
    if is_web_page(head, root):
        title = _TITLE.search(head)
        name = f" with the title {_plain(title[1])!r}" if title else ""
        return f"it is a web page{name}, as a server returns it in place of an article"
    words: str | None = None
    if root is not None:
        name = root.lower()
        if (name in _ANSWERS or _FAULT.search(name)) and not _ARTICLES.search(head):
            is_empty_set = name in _SETS and head.rstrip().endswith(b">")
            words = shortened("; ".join(errors_in(head)), 300) or ("" if is_empty_set else None)
    else:
        text = head.decode("utf-8", "replace").strip()
        is_message = len(head) <= MOST and (_TEXT.match(text) or _SHORT_TEXT.fullmatch(text))
        words = _of_json(head) or (_plain(head) if is_message else None)
    if words is None:
        return None
    if not words:
        return f"it is a set of articles, <{root}>, without any article"
    return f"it is the error message of a server in place of an article: {words}"


def errors_in(xml: bytes) -> list[str]:
    """The error messages in XML without articles: PMC `<Reply error="...">`, `<error>` of OAI-PMH and E-utilities."""
    messages = [_plain(first or second) for first, second in _ATTRIBUTE.findall(xml)]
    messages = messages or [_plain(text) for _, text in _ELEMENT.findall(xml)]
    return list(dict.fromkeys(filter(None, messages))) or [_plain(code) for code in _CODE.findall(xml)]


def _of_json(head: bytes) -> str | None:
    if not head.startswith(b"{") or len(head) > MOST:
        return None
    try:
        value = json.loads(head)
        keys = {key.lower(): text for key, text in value.items()}
    except DAMAGE:
        return None
    words = next((keys[key] for key in _WORDS if keys.get(key)), None)
    is_message = keys.keys() <= _KEYS or ("error" in keys and not keys.keys() & _OF_ARTICLES)
    if words is None or not is_message:
        return None
    return _plain((words if isinstance(words, str) else json.dumps(words, ensure_ascii=False)).encode())


def _plain(text: bytes) -> str:
    """The text without markup, in one line."""
    return shortened(" ".join(html.unescape(_TAGS.sub(" ", text.decode("utf-8", "replace"))).split()), 300)


# -- files of other programs --------------------------------------------------------------------

_CITATIONS = (
    ("RIS", rb"^TY {1,2}- ?[A-Z]", rb"[A-Z][A-Z0-9] {1,2}-(?: |$)"),
    ("MEDLINE (nbib)", rb"^(?:PMID|OWN|STAT)- ", rb"[A-Z]{2,4} {0,2}- "),
    ("EndNote", rb"^%[0AT] \S", rb"%[A-Z0-9@!?+~^*$&()<>#\[\]] ?"),
    ("Web of Science", rb"^(?:PT [JBSPC]$|FN \S.*(?:Clarivate|Thomson|ISI|Web))", rb"(?:AU|TI|SO|AB|PY|UT|VR)(?: |$)"),
    ("BibTeX", rb"^[ \t]*@[A-Za-z]+[ \t]*[{(][ \t]*[^\s,{}\"=]*,", rb"\s*[A-Za-z_-]+\s*=\s*[{\"\w]"),
    ("RefWorks", rb"^RT [A-Z]", rb"(?:SR|ID|A1|T1|AB|JF|YR|DO) \S"),
    ("Ovid", rb"^<1>$", rb"<\d+>$|(?:Title|Abstract|Authors?|Source|Accession Number|Unique Identifier)\.?$"),
    ("Scopus", rb"^EXPORT DATE:", rb"(?:ABSTRACT|AUTHOR KEYWORDS|DOCUMENT TYPE|PUBLICATION STAGE|SOURCE|DOI): "),
    ("Cochrane", rb"^Record #\d+ of \d+$", rb"(?:ID|AU|TI|AB|SO|YR|DOI|US): "),
    ("PubMed's abstracts as text", rb"\A1[.:] .*\b(?:19|20)\d\d\b", rb"(?:.*\s)?PMID: \d+"),
)  # fmt: skip
"""Lists of citations: a line with which a record begins, and the lines of which two more follow.

Headers of databases, lines of the query and numbers can stand before the first record.
"""
_FEW_LINES = 3
_LOOKED_AT = 200
"""Lines of a table that are compared."""

_SAVE = "which is not read; save it as text with LibreOffice"
WEB_PAGES = (".html", ".htm", ".xhtml")
"""Suffixes of pages that the user may have saved."""
SAVED_PAGE = "if it is the article, take its XML, or convert it: pandoc FILE.html -t plain -o FILE.txt"

_AS_CAS = "which is not read; export the article as UIMA CAS JSON"
_XML = rb"(?:<\?xml[^>]*>\s*)?"
_KINDS = (
    (rb"%PDF-", "it is a PDF, which is not read; take the XML of the article, or convert it: "
     "pdftotext FILE.pdf FILE.txt (of poppler)", False),
    (rb"\{\\rtf", "it is a text in RTF, which is not read; convert it: pandoc FILE.rtf -t plain -o FILE.txt", False),
    (rb"%!PS", "it is PostScript, which is not read; convert it: ps2ascii FILE.ps FILE.txt (of ghostscript)", False),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", f"it is an old Word document, {_SAVE}", False),
    # The archives of office programs have the names of their members at the beginning.
    (rb"(?s)PK\x03\x04.*?word/",
     "it is a Word document, which is not read; convert it: pandoc FILE.docx -t plain -o FILE.txt", False),
    (rb"(?s)PK\x03\x04.*?xl/", "it is a workbook of Excel, which is not read; save it as CSV", False),
    (rb"(?s)PK\x03\x04.*?ppt/", f"it is a presentation of PowerPoint, {_SAVE}", False),
    (rb"(?s)PK\x03\x04.*?mimetypeapplication/epub",
     "it is an e-book, which is not read; convert it: pandoc FILE.epub -t plain -o FILE.txt", False),
    (rb"(?s)PK\x03\x04.*?mimetypeapplication/vnd\.oasis", f"it is a document of LibreOffice, {_SAVE}", False),
    (rb"version https://git-lfs",
     "it is the pointer of a file in Git LFS, not the file; fetch the file with git lfs pull", True),
    (rb"#FORMAT=WebAnno TSV", f"it is WebAnno TSV of INCEpTION, {_AS_CAS}", False),
    (_XML + rb"<(?:xmi:)?XMI[\s>]", f"it is a UIMA CAS in XMI, {_AS_CAS}", False),
    (rb"""\{\s*"%TYPES"\s*:""", "it is a UIMA CAS in JSON without the layer Passage of nlmchem; only articles that "
     "nlmchem exported to INCEpTION are read", False),
    (rb"(?![\[{])[^\n]*\bannotation_id\b[^\n]*\blead_time\b",
     "it is a table of Label Studio, whose regions are not read; export the project as JSON", False),
    (rb'\[\s*(?:\[\s*)?"(?:[^"\\]|\\.)*"\s*,\s*\{\s*"entities"\s*:',
     "it is training data of spaCy 2, which is not read; write a line for each text, as Prodigy does: "
     '{"text": ..., "spans": [{"start": 0, "end": 4, "label": "Chemical"}]}', False),
    (_XML + rb"(?:<!DOCTYPE[^>]*>\s*)?<(?:\w+:)?full-text-retrieval-response[\s>]",
     "it is Elsevier full text, which is not read; get the article as JATS or plain text", False),
    (_XML + rb"(?:<!DOCTYPE[^>]*>\s*)?<eSummaryResult[\s>]",
     "it is an answer of E-utilities with titles only (esummary); request the articles with efetch", True),
    (_XML + rb"(?:<!DOCTYPE[^>]*>\s*)?<eSearchResult[\s>]",
     "it is an answer of E-utilities with ids only (esearch); request the articles with efetch", True),
)  # fmt: skip
"""How a file of another program begins, after blanks; what it is, and what to do; whether it is in the place of an
article, which is missing."""


_FILE_NAME = re.compile(rb"[^\t\n<>{}\"|;]{1,4096}\.[A-Za-z][A-Za-z0-9]{0,9}")


def _names_files(text: bytes) -> bool:
    """Whether a file has the names of files, one a line or ended by NUL, and nothing else."""
    mark = b"\0" if b"\0" in text else b"\n"
    names = [name.strip() for name in text.split(mark) if name.strip()]
    names = names[: max(1, len(names) - 1)]
    if not all(map(_FILE_NAME.fullmatch, names)):
        return False
    return mark == b"\0" or not any(b" " in name for name in names) or any(map(os.path.lexists, names[:_LOOKED_AT]))


def refuse(head: bytes, kind_of_error: type[InputError] = UnclaimedError) -> None:
    """Raise an error for a file that begins with `head` and is of such a kind: what it is, and what to do.

    It is of the given kind, or an `InputError` where an article is missing.
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for begins, advice, stands_for_article in _KINDS:
        if re.match(begins, text):
            raise (InputError if stands_for_article else kind_of_error)(f"{advice}, or remove it from the input")
    if text and _names_files(text):
        raise UnclaimedError(
            f"it is a list of names of files, not a text; read these with {command('annotate', files_from='FILE')}"
        )
    text = b"\n".join(line.rstrip() for line in _complete_lines(text))
    for name, first, others in _CITATIONS:
        begun = re.search(first, text, re.MULTILINE)
        if begun and sum(re.match(others, line) is not None for line in text[begun.end() :].split(b"\n")) > 1:
            raise kind_of_error(
                f"it is a list of citations in the form of {name}, not a text; export PubMed XML in its place, or CSV "
                "with titles and abstracts, or remove it from the input"
            )


def refuse_other_than_prose(head: bytes) -> bool:
    """False for prose. Raises the errors of `refuse`, and `UnclaimedError` for a table."""
    refuse(head)
    if columns := _columns_of_table(head):
        raise UnclaimedError(
            f"it is a table of {columns} columns, not a text; convert it to a format that is read, or remove it "
            "from the input"
        )
    return False


def _columns_of_table(head: bytes) -> int:
    """The number of columns, if all lines of a file have the same number of tabs, commas or semicolons; else 0.

    In a table with commas, as opposed to prose, no blank follows them outside of quotes.
    """
    lines = _complete_lines(head)
    tabs = {line.rstrip(b"\r").count(b"\t") for line in lines}
    if len(tabs) == 1 and min(tabs) >= (2 if len(lines) < _FEW_LINES else 1):
        return min(tabs) + 1
    rows = [line.decode("utf-8", "replace").rstrip("\r") for line in lines[:_LOOKED_AT]]
    for mark in ",;|":
        if len(rows) < _FEW_LINES or not all(row.count(mark) > 1 for row in rows):
            continue
        cells = list(csv.reader(rows, delimiter=mark))
        widths = set(map(len, cells))
        if len(widths) == 1 and min(widths) > 2 and not any(cell[:1] == " " for row in cells for cell in row):
            return min(widths)
    return 0


def _complete_lines(head: bytes) -> list[bytes]:
    """The lines that are not blank, without the last one, which may be cut off, unless it is the only one."""
    lines = head.split(b"\n")
    return [line for line in lines[: max(1, len(lines) - 1)] if line.strip()]
