"""JATS files: dangerous and broken ones are refused, wrappers are split into articles."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from jats_articles import _unexpected, article, read, texts

from corpora.errors import ArticleError, InputError, UnclaimedError
from corpora.formats.detection import sniff
from corpora.formats.format import Header
from corpora.formats.jats import MAX_DEPTH, parse, split

# -- hostile and broken files -------------------------------------------------------------------


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE article [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE article [<!ENTITY % p SYSTEM "http://x.example/p.dtd"> %p;]>',
        '<!DOCTYPE article [<!-- ]> <article> --><!ENTITY a "hidden">]>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declared_entities_are_refused(doctype: str, encoding: str) -> None:
    raw = (doctype + article("<p>x</p>").decode()).encode(encoding)
    with pytest.raises(ArticleError, match="declares entities"):
        read(raw)
    with pytest.raises(InputError, match="declares entities"):
        list(split(io.BytesIO(raw), Header(), _unexpected))
    wrapped = (doctype.replace("article", "set") + "<set>" + article().decode() + "</set>").encode(encoding)
    with pytest.raises(InputError, match="declares entities"):
        list(split(io.BytesIO(wrapped), Header(), _unexpected))


def test_a_declaration_far_into_the_prolog_is_refused() -> None:
    raw = b"<!DOCTYPE set [<!-- ]> <set> " + b" " * 200_000 + b'--><!ENTITY a "x">]><set>' + article() + b"</set>"
    with pytest.raises(InputError, match="declares entities"):
        list(split(io.BytesIO(raw), Header(), _unexpected))


def test_encodings_that_hide_markup_are_refused() -> None:
    raw = b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE article>' + article()
    with pytest.raises(ArticleError, match="encoding UTF-7"):
        read(raw)


def test_utf_16_is_read() -> None:
    assert texts(article("<p>α</p>").decode().encode("utf-16")) == ["α"]


def test_names_of_characters_that_need_a_dtd_are_read_and_reported() -> None:
    messages: list[str] = []
    document = parse(article("<p>&alpha;-<![CDATA[&beta;]]> &amp; &alpha;</p>"), messages.append)
    assert document.passages[1].text == "α-&beta; & α"
    assert len(messages) == 1
    assert "&alpha;" in messages[0]


def test_comments_without_end_are_read_in_linear_time() -> None:
    with pytest.raises(ArticleError):
        read(b"<article>&#65;" + b"<!--" * 250_000)


@pytest.mark.parametrize("doctype", ["", '<!DOCTYPE article PUBLIC "-//NLM//DTD X" "x.dtd">'])
def test_unknown_entities_are_named(doctype: str) -> None:
    with pytest.raises(ArticleError, match="&myglyph;"):
        read(doctype.encode() + article("<p>&myglyph;</p>"))


@pytest.mark.parametrize("depth", [MAX_DEPTH, 10_000])
@pytest.mark.parametrize("tag", ["sec", "italic", "list", "mml:mrow"])
def test_excessive_nesting_is_an_error_and_not_a_crash(depth: int, tag: str) -> None:
    with pytest.raises(ArticleError, match="nested deeper"):
        read(article(f"<{tag}>" * depth + "x" + f"</{tag}>" * depth))


@pytest.mark.parametrize("tag", ["sec", "italic", "list", "mml:mrow", "def", "td", "boxed-text", "fn"])
def test_deep_nesting_is_read(tag: str) -> None:
    depth = MAX_DEPTH - 10
    assert "x" in "".join(texts(article(f"<{tag}>" * depth + "<p>x</p>" + f"</{tag}>" * depth)))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "ends too early"),
        (b"<article><body>", "ends too early, at line 1"),
        (b"<article>\n<p></q></article>", "broken at line 2"),
        (b"<article>\xff</article>", "encoding"),
        (b"<html/>", "root is <html> with 0 <article>"),
        (b"<set><article/><article/></set>", "with 2 <article>"),
    ],
)
def test_a_broken_article_has_an_error_of_one_sentence(raw: bytes, message: str) -> None:
    with pytest.raises(ArticleError, match=message) as error:
        read(raw)
    assert "\n" not in str(error.value)


# -- splitting ----------------------------------------------------------------------------------


def pieces(raw: bytes) -> list[bytes]:
    return list(split(io.BytesIO(raw), Header(), _unexpected))


def test_one_article_stays_as_it_is_byte_for_byte() -> None:
    raw = (
        b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- c --><!DOCTYPE article SYSTEM "x.dtd">\n'
        + article("<p>x</p>")
        + b"\n"
    )
    assert pieces(raw) == [raw]
    broken = b"<article><body>"
    assert pieces(broken) == [broken]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"<pmc-articleset>", b"</pmc-articleset>"),
        (
            b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><metadata>',
            b"</metadata></record></ListRecords></OAI-PMH>",
        ),
    ],
)
def test_wrappers_give_one_article_each(before: bytes, after: bytes) -> None:
    articles = [article(f"<p>{n}</p>").replace(b"PMC77", b"PMC%d" % n) for n in range(3)]
    found = [read(raw) for raw in pieces(before + b"\n".join(articles) + after)]
    assert [document.id for document in found] == ["0", "1", "2"]
    assert [document.passages[1].text for document in found] == ["0", "1", "2"]


def test_articles_before_a_fault_are_read() -> None:
    stream = io.BytesIO(b"<set>" + article() + b"\n<article></oops>")
    found: list[bytes] = []
    with pytest.raises(InputError, match="line 2"):
        found.extend(_collected(split(stream, Header(), _unexpected), found))
    assert len(found) == 1


def _collected(items: Iterator[bytes], into: list[bytes]) -> Iterator[bytes]:
    for item in items:
        into.append(item)
    yield from ()


def test_a_wrapper_that_breaks_off_is_an_error() -> None:
    with pytest.raises(InputError, match="ends too early"):
        pieces(b"<set>" + article())


@pytest.mark.parametrize(("raw", "message"), [(b"", "is empty"), (b"<a><b/></a>", "contains no <article>")])
def test_other_files_than_jats_are_refused(raw: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pieces(raw)


def test_errors_of_pmcs_server_are_reported() -> None:
    messages: list[str] = []
    raw = b'<pmc-articleset><Reply Id="1" error="not available"/>' + article() + b"</pmc-articleset>"
    assert len(list(split(io.BytesIO(raw), Header(), messages.append))) == 1
    assert "not available" in messages[0]


def test_a_wrapper_is_read_one_article_at_a_time() -> None:
    """The first articles are returned before the end of the stream is read."""
    one = article("<p>" + "x" * 100_000 + "</p>")
    stream = io.BytesIO(b"<set>" + one * 20 + b"</set>")
    next(iter(split(stream, Header(), _unexpected)))
    assert stream.tell() < 4 * len(one)


def test_one_broken_article_of_a_set_does_not_end_the_others() -> None:
    named = b'<article-id pub-id-type="pmid">5</article-id>'
    bad = b"<article><front><article-meta>" + named + b"</article-meta></front><p></article>"
    raw = b"<set>" + article() + bad + article() + b"</set>"
    first, broken, last = split(io.BytesIO(raw), Header(), print)
    assert [len(parse(one, print).passages) for one in (first, last)] == [len(parse(article(), print).passages)] * 2
    with pytest.raises(ArticleError, match="article '5': the XML is broken at line 1"):
        parse(broken, print)


def test_prefixes_that_are_declared_around_an_article_stay_known() -> None:
    link = b'<article><body><p>A<ext-link l:href="x">b</ext-link></p></body></article>'
    raw = b'<set xmlns:l="http://www.w3.org/1999/xlink">' + link + b"</set>"
    (found,) = split(io.BytesIO(raw), Header(), print)
    assert parse(found, print).passages[1].text == "Ab"


def test_the_article_of_a_web_page_is_refused() -> None:
    with pytest.raises(ArticleError, match="it is an <article> of a web page"):
        parse(b"<article><h1>Access denied</h1><p>x</p></article>", print)


ELSEVIER = """<full-text-retrieval-response xmlns="http://www.elsevier.com/xml/svapi/article/dtd"><originalText>
<ja:article xmlns:ja="http://www.elsevier.com/xml/ja/dtd"><item-info/><ja:head><title>Zinc</title></ja:head>
<ja:body><para>Lead.</para></ja:body></ja:article></originalText></full-text-retrieval-response>"""


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ('<article xmlns="http://docbook.org/ns/docbook"><title>Zinc</title><para>x</para></article>', "DocBook"),
        ("<article><title>Zinc</title><sect1><title>A</title><para>x</para></sect1></article>", "DocBook"),
        (ELSEVIER[ELSEVIER.index("<ja:") : ELSEVIER.index("</orig")], "Elsevier full text"),
        (f"<answers>{ELSEVIER}</answers>", "Elsevier full text"),
        ('<article type="ART" dtd="RSCART3.8"><art-admin/><art-body/></article>', "the Royal Society of"),
        ("<article><item>Zinc</item></article>", "with the elements item"),
    ],
)
def test_other_vocabularies_with_the_root_article_are_refused_by_name(raw: str, name: str) -> None:
    with pytest.raises(ArticleError, match=f"an <article> (?:of )?{name}.*get the article again, as JATS or"):
        parse(raw.encode(), print)


def test_elsevier_full_text_is_refused_before_it_is_split() -> None:
    with pytest.raises(UnclaimedError, match="it is Elsevier full text, which is not read; get the article as JATS"):
        sniff(ELSEVIER.encode(), "a.xml")


def test_an_article_with_elements_of_its_publisher_is_read() -> None:
    raw = b"<article><front/><x-meta/><body><p>Zinc</p></body></article>"
    assert [passage.text for passage in parse(raw, print).passages] == ["", "Zinc"]
    assert parse(raw.replace(b"<front/>", b""), print).passages[1].text == "Zinc"
