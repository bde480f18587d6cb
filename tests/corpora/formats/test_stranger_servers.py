"""Answers of servers and other files in place of an article, under any name."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, check

CASES: dict[str, Case] = {
    "reply.nxml": (
        (
            '<?xml version="1.0"?><!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN'
            '" "x.dtd"><pmc-articleset><Reply id="PMC9" error="The following PMCID is not availabl'
            'e: PMC9"/></pmc-articleset>'
        ),
        [("! it is the error message of a server in place of an article: The following PMCID is not available: PM")],
    ),
    "reply_el.xml": (
        ("<pmc-articleset><Reply><error>The PMCID 9 is not Open Access</error></Reply></pmc-articleset>"),
        [("! it is the error message of a server in place of an article: The PMCID 9 is not Open Access; request")],
    ),
    "oai.xml": (
        (
            '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI'
            '/2.0/"><responseDate>2024</responseDate><request verb="GetRecord">https://x</request>'
            '<error code="idDoesNotExist">no such record</error></OAI-PMH>'
        ),
        [("! it is the error message of a server in place of an article: no such record; request the article agai")],
    ),
    "oai_code.xml": (
        '<OAI-PMH><error code="cannotDisseminateFormat"/></OAI-PMH>',
        [("! it is the error message of a server in place of an article: cannotDisseminateFormat; request the art")],
    ),
    "noresult.xml": (
        "[Error] : No result can be found. <BR><HR><B>Please check:</B>",
        [("! it is the error message of a server in place of an article: [Error] : No result can be found. Please")],
    ),
    "noresult.txt": (
        "[Error] : No result can be found. <BR><HR><B>Please check:</B>",
        [("! it is the error message of a server in place of an article: [Error] : No result can be found. Please")],
    ),
    "noresult.nxml": (
        "[Error] : No result can be found.",
        [("! it is the error message of a server in place of an article: [Error] : No result can be found.; reque")],
    ),
    "apikey.json": (
        ('{"error":"API rate limit exceeded","api-key":"1.2.3.4","count":"4","limit":"3"}'),
        [("! it is the error message of a server in place of an article: API rate limit exceeded; request the art")],
    ),
    "apikey.xml": (
        ('{"error":"API rate limit exceeded","api-key":"1.2.3.4","count":"4","limit":"3"}'),
        [("! it is the error message of a server in place of an article: API rate limit exceeded; request the art")],
    ),
    "apikey.txt": (
        ('{"error":"API rate limit exceeded","api-key":"1.2.3.4","count":"4","limit":"3"}'),
        [("! it is the error message of a server in place of an article: API rate limit exceeded; request the art")],
    ),
    "detail.json": (
        '{"detail":"Not Found"}',
        [("! it is the error message of a server in place of an article: Not Found; request the article again, or")],
    ),
    "detail_list.json": (
        ('{"detail":[{"loc":["query"],"msg":"field required","type":"value_error"}]}'),
        [('! it is the error message of a server in place of an article: [{"loc": ["query"], "msg": "field requir')],
    ),
    "pubtator_empty.json": ('{"PubTator3": []}', ["~ the collection contains no document"]),
    "empty_collection.json": (
        '{"source":"PMC","date":"","key":"","documents":[]}',
        ["~ the collection contains no document"],
    ),
    "list_empty.json": ("[]", ["~ the collection contains no document"]),
    "page.html": (
        ("<html><head><title>Checking your browser - reCAPTCHA</title></head><body><article>x</article></body></html>"),
        [("! it is a web page with the title 'Checking your browser - reCAPTCHA', as a server returns it in place")],
    ),
    "page.nxml": (
        (
            '<!DOCTYPE html>\n<html lang="en"><head><title>Preparing to download ...</title></head>'
            "<body><article><p>x</p></article></body></html>"
        ),
        [("! it is a web page with the title 'Preparing to download ...', as a server returns it in place of an a")],
    ),
    "page_xhtml.xml": (
        (
            '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http:/'
            '/www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtm'
            'l"><head><title>404 Not Found</title></head><body><article>Gone</article></body></htm'
            "l>"
        ),
        [("! it is a web page with the title '404 Not Found', as a server returns it in place of an article; requ")],
    ),
    "page.txt": (
        (
            "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h"
            "1></center></body></html>"
        ),
        [("! it is a web page with the title '502 Bad Gateway', as a server returns it in place of an article; re")],
    ),
    "article_html5.xml": (
        ('<article class="post"><header><h1>Zinc</h1></header><p>Lead</p></article>'),
        ["! it is an <article> of a web page ('ZincLead'), not of JATS; get the article again"],
    ),
    "main_html.xml": (
        ('<main id="main"><article><section><h2>Zinc</h2><p>x</p></section></article></main>'),
        [("! it is a web page, as a server returns it in place of an article; request the article again, or remov")],
    ),
    "efetch.xml": (
        ('<?xml version="1.0"?><eFetchResult><ERROR>Empty id list; nothing todo</ERROR></eFetchResult>'),
        [("! it is the error message of a server in place of an article: Empty id list; nothing todo; request the")],
    ),
    "efetch2.txt": (
        ("id: 99999999 Error occurred: The following PMID is not available: 99999999"),
        [("! it is the error message of a server in place of an article: id: 99999999 Error occurred: The followi")],
    ),
    "s3.xml": (
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The spec'
            "ified key does not exist.</Message><Key>x</Key></Error>"
        ),
        [("! it is the error message of a server in place of an article: NoSuchKey The specified key does not exi")],
    ),
    "europepmc.xml": (
        ('<?xml version="1.0"?><errorBean><errCode>404</errCode><errMsg>No article found</errMsg></errorBean>'),
        [("! it is the error message of a server in place of an article: No article found; request the article ag")],
    ),
    "elsevier.xml": (
        (
            "<service-error><status><statusCode>RESOURCE_NOT_FOUND</statusCode><statusText>The res"
            "ource specified cannot be found.</statusText></status></service-error>"
        ),
        [("! it is the error message of a server in place of an article: The resource specified cannot be found.;")],
    ),
    "xml_429.xml": (
        "429 Too Many Requests",
        [("! it is the error message of a server in place of an article: 429 Too Many Requests; request the artic")],
    ),
    "unavailable.xml": (
        ("upstream connect error or disconnect/reset before headers. reset reason: overflow"),
        [("! it is the error message of a server in place of an article: upstream connect error or disconnect/res")],
    ),
    "empty.xml": ("", ["! it is empty; get the file again"]),
    "empty.txt": ("", ["! it is empty; get the file again"]),
    "null.json": ("null", ["! it has none of the formats that are read"]),
    "lfs.json": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
        [("! it is the pointer of a file in Git LFS, not the file; fetch the file with git lfs pull, or remove it")],
    ),
    "lfs.txt": (
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22"
            "eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
        ),
        [("! it is the pointer of a file in Git LFS, not the file; fetch the file with git lfs pull, or remove it")],
    ),
    "curl.xml": (
        "curl: (6) Could not resolve host: eutils.ncbi.nlm.nih.gov",
        [("! it is the error message of a server in place of an article: curl: (6) Could not resolve host: eutils")],
    ),
    "err_then_ok.pubtator": (
        "[Error] : No result can be found.\n\n11|t|Zinc.\n11|a|x\n",
        [("! it is the error message of a server in place of an article: [Error] : No result can be found. 11|t|Z")],
    ),
    "e404.txt": (
        "Error 404",
        [("! it is the error message of a server in place of an article: Error 404; request the article again, or")],
    ),
    "oa.xml": (
        (
            '<?xml version="1.0"?><OA><responseDate>2024</responseDate><request id="PMC1">x</reque'
            'st><error code="idDoesNotExist">PMC1 not found</error></OA>'
        ),
        [("! it is the error message of a server in place of an article: PMC1 not found; request the article agai")],
    ),
    "pdf.nxml": (
        b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n",
        ["! it is a PDF, which is not read; take the XML of the article, or convert it: pdftotext FILE.pdf FILE.txt "],
    ),
    "cm.xml": (
        ("<!-- x -->\n<html><head><title>Oops</title></head><body><article/></body></html>"),
        [("! it is a web page with the title 'Oops', as a server returns it in place of an article; request the a")],
    ),
    "esum.json": (
        '{"header":{"type":"esummary","version":"0.3"},"error":"Invalid uid 9"}',
        [("! it is the error message of a server in place of an article: Invalid uid 9; request the article again")],
    ),
    "msg.json": (
        '{"message":"Forbidden"}',
        [("! it is the error message of a server in place of an article: Forbidden; request the article again, or")],
    ),
    "oaideleted.xml": (
        (
            '<OAI-PMH><GetRecord><record><header status="deleted"><identifier>oai:pmc:1</identifie'
            "r></header></record></GetRecord></OAI-PMH>"
        ),
        [("! it is a set of articles, <OAI-PMH>, without any article; request the article again, or remove the fi")],
    ),
    "resp.xml": (
        ("<response><status>error</status><message>Quota exceeded</message></response>"),
        [("! it is the error message of a server in place of an article: Quota exceeded; request the article agai")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
