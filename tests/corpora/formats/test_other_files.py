"""What servers return in place of an article: their words are in the sentence; lists of citations; other XML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import corpora
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


RECORD = "TY  - JOUR\nTI  - Zinc\nAB  - Lead.\nER  - \n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("RIS", RECORD),
        ("RIS", "Provider: EBSCO\nDatabase: MEDLINE\n\n" + RECORD),
        ("RIS", "1. \r\n" + RECORD.replace("\n", "\r\n")),
        ("RIS", "Search: zinc AND lead\nRecords: 2\n" + RECORD * 2),
        ("MEDLINE (nbib)", "\nPMID- 1\nOWN - NLM\nTI  - Zinc\nAB  - Lead that\n      was given.\nAU  - A\n"),
        ("EndNote", "\ufeff%0 Journal Article\n%T Zinc\n%X Lead.\n"),
        ("EndNote", "%T Zinc\n%A Nobody, A.\n%D 2020\n"),
        ("Web of Science", "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Nobody, A\nTI Zinc\nER\n"),
        ("Web of Science", "PT J\nAU Nobody, A\n   Other, B\nTI Zinc\nAB Lead.\nER\n"),
        ("BibTeX", "% Encoding: UTF-8\n\n@article{a2020,\n  title = {Zinc},\n  year = 2020\n}\n"),
        ("BibTeX", '@Misc{x:1,\ntitle="Zinc",\nabstract="Lead."}\n'),
        ("RefWorks", "RT Journal Article\nSR Electronic\nT1 Zinc\nAB Lead.\n"),
        ("Ovid", "<1>\nUnique Identifier\n  1\nTitle\n  Zinc.\n\n<2>\nTitle\n  Lead.\n"),
        ("Scopus", "Scopus\nEXPORT DATE: 1 May 2020\n\nNobody, A.\nZinc\nABSTRACT: Given.\nSOURCE: Scopus\n\n"),
        ("Cochrane", "Record #1 of 2\nID: CN-1\nTI: Zinc\nAB: Lead.\n\nRecord #2 of 2\nID: CN-2\n"),
        ("PubMed's abstracts as text", "1. A N. Zinc. J. 2020. PMID: 1.\n\n2. A N. Iron. J. 2020. PMID: 2.\n\n"),
        ("PubMed's abstracts as text",
         "1. J Test. 2020 Jan.\n\nZinc.\n\nGiven.\n\nPMID: 1\n\n2. J Test. 2021.\n\nIron.\n\nPMID: 2  [Indexed]\n"),
    ],
)  # fmt: skip
def test_a_list_of_citations_is_no_text(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(
        InputError, match=re.escape(f"it is a list of citations in the form of {name}, not a text; export")
    ):
        list(corpora.read(path))


@pytest.mark.parametrize(
    "content",
    [
        "Zinc was given.\n\nReferences\n1. Nobody A. Zinc. 2020.\nPMID: 1\n2. Nobody B. Iron. 2021.\nPMID: 2\n",
        "1. Introduction\nZinc.\nReferences\n1. Nobody A. 2020.\nPMID: 1\n2. Nobody B. 2020.\nPMID: 2\n",
        "TY - the group of Tyr mutants - was given zinc.\nAB - the other one - was not.\n",
        "%Zinc was measured.\n%Iron was not.\n",
        "@zinc was given.\nx = 5\ny = 6\n",
        "<5 mg/L zinc was found.",
        "<0.5% of the zinc dissolved. Iron did not.",
        "<LOD values of zinc were halved. p>0.05 for iron.",
        "<LOD> was the limit for zinc.",
        "<10 and >5 mg were given.",
        "<zinc, lead> was the order.",
        "<i>Zinc</i> and lead were measured.",
        '<sup>14</sup>C and <span class="small">zinc</span> were measured.',
        "<b>Zinc</b><sub>2</sub>",
    ],
)
def test_prose_is_text(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_text(content)
    [document] = corpora.read(tmp_path / "a.txt")
    assert " ".join(str(passage.text) for passage in document.passages).split() == content.split()
    assert detection.sniff(content.encode(), detection.PIPE) == "text"


@pytest.mark.parametrize(
    "content",
    [
        "<notes><p>Zinc</p></notes>",
        '<notes lang="en">Zinc',
        "<?xml version='1.0'?><notes/>",
        "<!-- a --><notes/>",
        "<notes><i>Zinc</i></notes>",
    ],
)
def test_other_xml_is_no_text(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(InputError, match="it is XML with the root <notes>"):
        list(corpora.read(tmp_path / "a.txt"))
