"""What servers return in place of an article: error messages in XML, JSON and text, empty sets, and web pages.

A program that downloads articles stores such an answer under the name of the article.
"""

from __future__ import annotations

import html
import json
import re

from corpora.errors import DAMAGE, shortened

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
    """Why a file that begins with `head` (UTF-8) is no article but the answer of a server; None where it is none."""
    if is_web_page(head, root):
        title = _TITLE.search(head)
        name = f" with the title {_plain(title[1])!r}" if title else ""
        return f"it is a web page{name}, as a server returns it in place of an article"
    words = _of_xml(head, root) if root is not None else _of_json(head) or _of_text(head)
    if words is None:
        return None
    if not words:
        return f"it is a set of articles, <{root}>, without any article"
    return f"it is the error message of a server in place of an article: {words}"


def _of_xml(head: bytes, root: str | None) -> str | None:
    """The words of a server in XML; empty where a set of articles is empty."""
    name = (root or "").lower()
    if not (name in _ANSWERS or _FAULT.search(name)) or _ARTICLES.search(head):
        return None
    words = shortened("; ".join(errors_in(head)), 300)
    return words or ("" if name in _SETS and head.rstrip().endswith(b">") else None)


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


def _of_text(head: bytes) -> str | None:
    text = head.decode("utf-8", "replace").strip()
    is_message = len(head) <= MOST and (_TEXT.match(text) or _SHORT_TEXT.fullmatch(text))
    return _plain(head) if is_message else None


def _plain(text: bytes) -> str:
    """The text without markup, in one line."""
    return shortened(" ".join(html.unescape(_TAGS.sub(" ", text.decode("utf-8", "replace"))).split()), 300)
