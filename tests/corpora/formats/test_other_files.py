"""What servers return in place of an article: their words are in the sentence."""

from __future__ import annotations

import pytest

from corpora.errors import InputError, UnclaimedError
from corpora.formats import detection

OAI = b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="idDoesNotExist">No such id</error></OAI-PMH>'


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("a.xml", b"<pmc-articleset><Reply Id=\"1\" error='not &lt;open&gt;'/></pmc-articleset>", "not <open>"),
        ("a.xml", OAI, "No such id"),
        ("a.xml", b"<eFetchResult><ERROR>ID list is empty!</ERROR></eFetchResult>", "ID list is empty!"),
        ("a.xml", b"<Error><Code>NoKey</Code><Message>No such key.</Message></Error>", "NoKey No such key."),
        ("a.json", b"[Error] : No result can be found. <BR><HR><B> - x</B>", "[Error] : No result can be found. - x"),
        ("a.json", b'{"error":"API rate limit exceeded","api-key":"1","count":"4"}', "API rate limit exceeded"),
        ("a.json", b'{"detail":"Not found."}', "Not found."),
        ("a.json", b'{"status": 500, "errors": [{"title": "x"}]}', '[{"title": "x"}]'),
        ("a.jsonl", b'{"message": "Forbidden"}', "Forbidden"),
        ("a.txt", b"429 Too Many Requests", "429 Too Many Requests"),
        ("-", b"upstream: \n[Error]", ""),
        ("a.pubtator", b"Error: PMID 1 is not available\n", "Error: PMID 1 is not available"),
    ],
)
def test_the_words_of_the_server_are_reported(name: str, head: bytes, words: str) -> None:
    if not words:
        assert detection.sniff(head, name) == "text"
        return
    with pytest.raises(InputError) as caught:
        detection.sniff(head, name)
    assert not isinstance(caught.value, UnclaimedError), "it is not skipped beside other files"
    assert f"in place of an article: {words}" in str(caught.value)
    assert str(caught.value).endswith("; request the article again, or remove the file")


@pytest.mark.parametrize(
    "head",
    [
        b"<!DOCTYPE html>\n<html><head><title>Just a\n moment...</title></head><body><article/></body></html>",
        b"<HTML><body><article>x</article></body></HTML>",
        b"<!doctype html><p>x<article>",
        b"<body><article class='post'>x</article></body>",
    ],
)
def test_a_web_page_is_no_article(head: bytes) -> None:
    for name in ("a.xml", "a.nxml", "a.json", "a.txt", ""):
        with pytest.raises(InputError, match="it is a web page"):
            detection.sniff(head, name)
    with pytest.raises(UnclaimedError):
        detection.sniff(head, "saved.html")


@pytest.mark.parametrize(
    ("name", "head", "format"),
    [
        ("a.json", b'{"id": "1", "error": "none", "passages": []}', "biocjson"),
        ("a.xml", b'<pmc-articleset><Reply error="x"/><article></article></pmc-articleset>', "jats"),
        ("a.txt", b"Errors of dosing: zinc", "text"),
        ("a.txt", b"500 rats were given zinc.", "text"),
    ],
)
def test_articles_are_not_taken_for_messages(name: str, head: bytes, format: str) -> None:
    assert detection.sniff(head, name) == format


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(InputError, match="it is a set of articles, <pmc-articleset>, without any article"):
        detection.sniff(b"<pmc-articleset></pmc-articleset>", "a.xml")
