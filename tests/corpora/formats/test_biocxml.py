"""BioC XML: the reader is tolerant, the writer is strict, and an error in one article does not affect another."""

from __future__ import annotations

import io
import re

import pytest
from bioc import BioCDocument
from bioc import biocxml as peer

from corpora.errors import ArticleError, InputError
from corpora.formats import biocxml, detection
from corpora.formats.format import Header
from corpora.parsing import safe_xml

HEAD = "<collection><source>PMC</source><date>20240101</date><key>a.key</key>"


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def article(id: str = "1", text: str = "zinc", more: str = "") -> str:
    return (
        f"<document><id>{id}</id><passage><infon key='type'>title</infon><offset>0</offset><text>{text}</text>"
        f"<annotation id='a'><infon key='type'>Chemical</infon><location offset='0' length='4'/><text>zinc</text>"
        f"</annotation>{more}</passage></document>"
    )


def collection(*articles: str) -> bytes:
    return (HEAD + "\n".join(articles) + "</collection>").encode()


def documents(data: bytes, reports: list[str] | None = None, header: Header | None = None) -> list[BioCDocument]:
    report = silent if reports is None else reports.append
    raws = detection.split(io.BytesIO(data), header or Header(), report)
    return [biocxml.parse(raw, report) for _, raw in raws]


def until_fault(data: bytes) -> tuple[list[str], str]:
    """The ids of the documents before the fault, and the fault."""
    found: list[str] = []
    try:
        for _, raw in detection.split(io.BytesIO(data), Header(), silent):
            found.append(biocxml.parse(raw, silent).id)
    except InputError as error:
        return found, str(error)
    return found, ""


def only(data: bytes | str, reports: list[str] | None = None) -> BioCDocument:
    (found,) = documents(data if isinstance(data, bytes) else data.encode(), reports)
    return found


# -- what is read -------------------------------------------------------------------------------


def test_all_parts_of_a_document_are_read() -> None:
    data = collection(
        "<document><id>1</id><infon key='license'>CC</infon><passage><infon key='type'>p</infon><offset>5</offset>"
        "<text>zinc</text><sentence><infon key='n'>1</infon><offset>5</offset><text>zinc</text>"
        "<annotation id='s'><location offset='5' length='4'/><text>zinc</text></annotation>"
        "<relation id='rs'/></sentence>"
        "<annotation id='a'><infon key='type'>C</infon><location offset='5' length='1'/>"
        "<location offset='7' length='2'/><text>z nc</text></annotation>"
        "<relation id='r'><infon key='type'>R</infon><node refid='a' role='x'/></relation></passage>"
        "<annotation id='d'><text/></annotation><relation id='rd'><node refid='r' role='y'/></relation></document>"
    )
    theirs = peer.load(io.BytesIO(data)).documents[0]
    ours = only(data)
    for document in (theirs, ours):
        passage = document.passages[0]
        assert (document.id, document.infons) == ("1", {"license": "CC"})
        assert (passage.offset, passage.text, passage.infons) == (5, "zinc", {"type": "p"})
        assert passage.sentences[0].annotations[0].locations[0].length == 4
        assert passage.sentences[0].relations[0].id == "rs"
        assert [place.offset for place in passage.annotations[0].locations] == [5, 7]
        assert passage.relations[0].nodes[0].refid == "a"
        assert document.annotations[0].id == "d"
        assert document.relations[0].nodes[0].role == "y"


def test_a_header_is_read_on_both_sides_of_the_documents() -> None:
    header = Header()
    data = (
        "<collection><source>S</source><infon key='a'>1</infon>"
        + article("1")
        + "<date>D</date>"
        + article("2")
        + article("3")
        + "<key>K</key><infon key='b'>2</infon></collection>"
    )
    assert len(documents(data.encode(), None, header)) == 3
    assert header == Header("S", "D", "K", {"a": "1", "b": "2"})


def test_a_bare_document_is_read() -> None:
    assert only('<?xml version="1.0"?><!DOCTYPE document SYSTEM "BioC.dtd">\n' + article("7")).id == "7"


def test_a_collection_in_a_namespace_is_read() -> None:
    header = Header()
    data = collection(article("1"), article("2")).replace(b"<collection>", b"<collection xmlns='http://bioc.org'>")
    assert [document.id for document in documents(data, [], header)] == ["1", "2"]
    assert header.source == "PMC"


def test_element_names_with_a_prefix_are_refused() -> None:
    data = re.sub(rb"<(/?)", rb"<\1b:", collection(article())).replace(
        b"<b:collection", b"<b:collection xmlns:b='x'", 1
    )
    with pytest.raises(InputError, match="prefix"):
        documents(data)


def test_a_collection_without_documents_is_reported() -> None:
    reports: list[str] = []
    assert documents(collection(), reports) == []
    assert reports == ["the collection contains no document"]


def test_a_document_without_id_infons_and_text_is_read() -> None:
    document = only("<document><passage><offset>0</offset></passage></document>")
    assert (document.id, document.infons, document.passages[0].text) == ("", {}, "")
    assert only("<document><id>1</id></document>").passages == []
    annotation = only(article().replace("id='a'", "")).passages[0].annotations[0]
    assert annotation.id == ""


def test_elements_and_attributes_that_are_left_out_are_reported() -> None:
    reports: list[str] = []
    only(
        "<document xml:lang='en'><id>1</id><title/><passage foo='1'><offset>0</offset><text><b>z</b>inc</text>"
        "<infon key='a'>1</infon><infon key='a'>2</infon><annotation id='x' source='y'><note/></annotation>"
        "<relation id='r'><label role='z'/></relation></passage></document>",
        reports,
    )
    assert reports == [
        "document '1': element <title> is not part of BioC and was left out",
        "document '1', passage at offset 0: markup inside <text> was reduced to its text",
        "document '1', passage at offset 0: it has two infons 'a'; the last one was kept",
        "document '1', passage at offset 0, annotation 'x': element <note> is not part of BioC and was left out",
        "document '1', passage at offset 0, relation 'r': element <label> is not part of BioC and was left out",
        "document '1': attributes that are not part of BioC were left out: "
        "foo of <passage>, role of <label>, source of <annotation>, "
        "{http://www.w3.org/XML/1998/namespace}lang of <document>",
    ]


@pytest.mark.parametrize("place", ["document", "passage", "annotation"])
def test_text_between_elements_is_reported(place: str) -> None:
    reports: list[str] = []
    only(article().replace(f"</{place}>", f" stray &amp; odd</{place}>"), reports)
    assert reports == [f"document '1': text between the elements of a <{place}> was left out: 'stray & odd'"]


def test_attributes_are_read_in_any_order_and_quotes() -> None:
    assert only(article(more="<relation id=\"r\"><node role='x' refid='a'/></relation>")).passages[0].relations


def test_all_characters_are_kept() -> None:
    text = "a&amp;b &lt;c&gt; &#13; &#x85; \u2028 \ufdd5\ufdee\ufdef 𝛼 é <![CDATA[<&\x7f]]>"
    assert only(article(text=text)).passages[0].text == "a&b <c> \r \x85 \u2028 \ufdd5\ufdee\ufdef 𝛼 é <&\x7f"
    document = only(article().replace("key='type'", "key='a&#10;b&#9;c&quot;'"))
    assert list(document.passages[0].infons) == ['a\nb\tc"']


@pytest.mark.parametrize("size", [1, 2, 3, 17])
def test_the_size_of_chunks_does_not_matter(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_xml, "CHUNK", size)
    data = collection(article("1", "é&#13;𝛼"), article("2", "\ufdd0&amp;"))
    assert [document.passages[0].text for document in documents(data)] == ["é\r𝛼", "\ufdd0&"]


# -- what costs one article ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\x00b", "U+0000"),
        ("a\x0bb", "U+000B, which XML forbids"),
        ("a&#11;b", "U+000B, which XML forbids"),
        ("a&#x0000b;b", "U+000B, which XML forbids"),
        ("a&#xD800;b", "U+D800, which XML forbids"),
        ("a\ufffeb", "U+FFFE, which XML forbids"),
        ("a&foo;b", "the entity &foo; is not defined"),
        ("a & b", "correct it"),
        ("a<b>c", "correct it"),
    ],
)
def test_a_broken_article_fails_alone_and_is_named(text: str, message: str) -> None:
    data = collection(article("1"), article("bad", text), article("3"))
    raws = list(biocxml.split(io.BytesIO(data), Header(), silent))
    assert [biocxml.parse(raw, silent).id for raw in (raws[0], raws[2])] == ["1", "3"]
    with pytest.raises(ArticleError, match=r"document 'bad'") as caught:
        biocxml.parse(raws[1], silent)
    assert message in str(caught.value)


def test_bytes_that_are_not_utf_8_fail_one_article() -> None:
    data = collection(article("1"), article("bad", "caf@")).replace(b"caf@", b"caf\xe9")
    raws = list(biocxml.split(io.BytesIO(data), Header(), silent))
    assert biocxml.parse(raws[0], silent).id == "1"
    with pytest.raises(ArticleError, match=r"document 'bad'.* the byte 0xE9 is not UTF-8"):
        biocxml.parse(raws[1], silent)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<offset>0</offset>", "", "a passage has the offset None"),
        ("<offset>0</offset>", "<offset>1.5</offset>", "a passage has the offset '1.5'"),
        ("offset='0'", "", "a location has the offset None and the length '4'"),
        ("length='4'", "length='four'", "a location has the offset '0' and the length 'four'"),
        ("length='4'", f"length='{'9' * 5000}'", "a location has"),
        ("<id>1</id>", "<id>1</id><sentence/>", None),
    ],
)
def test_invalid_numbers_are_reported_with_their_place(old: str, new: str, message: str | None) -> None:
    data = article().replace(old, new).encode()
    if message is None:
        reports: list[str] = []
        biocxml.parse(data, reports.append)
        assert reports == ["document '1': element <sentence> is not part of BioC and was left out"]
        return
    with pytest.raises(ArticleError, match="document '1'") as caught:
        biocxml.parse(data, silent)
    assert message in str(caught.value)


def test_an_element_document_without_id_and_passages_is_refused() -> None:
    with pytest.raises(ArticleError, match="not a BioC document"):
        biocxml.parse(b"<document><body>Word</body></document>", silent)


def test_ten_thousand_nested_elements_fail_one_article() -> None:
    deep = "<b>" * 10_000 + "</b>" * 10_000
    raws = list(biocxml.split(io.BytesIO(collection(article("bad", deep), article("2"))), Header(), silent))
    with pytest.raises(ArticleError, match=r"document 'bad'.*depth"):
        biocxml.parse(raws[0], silent)
    assert biocxml.parse(raws[1], silent).id == "2"


# -- what costs the rest of the file ------------------------------------------------------------


@pytest.mark.parametrize("size", [7, 1 << 16])
def test_documents_before_the_place_where_a_file_is_cut_off_are_read(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_xml, "CHUNK", size)
    whole = b'<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd">' + collection(
        article("1", "é𝛼"), article("2", "<![CDATA[<]]>"), article("3", "<!-- c -->")
    )
    ends = [found.end() for found in re.finditer(b"</document>", whole)]
    for cut in range(1, len(whole)):
        found, fault = until_fault(whole[:cut])
        assert re.search("ends too early|no root element|around its documents", fault), cut
        assert found == ["1", "2", "3"][: sum(end <= cut for end in ends)], cut


def test_a_cut_off_file_names_its_last_line() -> None:
    with pytest.raises(InputError, match="ends too early, at line 2: the file was cut off; get it again"):
        documents(collection(article("1"), article("2"))[:-40])


def test_a_header_is_kept_when_the_file_breaks_off() -> None:
    header = Header()
    with pytest.raises(InputError):
        documents(collection(article("1"))[:-5], None, header)
    assert (header.source, header.key) == ("PMC", "a.key")


def test_a_broken_collection_is_reported_after_its_documents() -> None:
    data = collection(article("1")).replace(b"</source>", b"</sourc>")
    found, fault = until_fault(data)
    assert found == ["1"]
    assert "around its documents is broken" in fault


# -- what is written ----------------------------------------------------------------------------


def written(document: BioCDocument, reports: list[str] | None = None) -> bytes:
    header = Header("S & T", "20240101", "k", {"a": "<1>"})
    raw = biocxml.dumps(document, silent if reports is None else reports.append)
    return biocxml.opening(header) + raw + biocxml.closing(header)


def test_what_is_written_is_read_by_the_bioc_package() -> None:
    document = only(article("1", "a&amp;b &lt;c&gt;"))
    theirs = peer.load(io.BytesIO(written(document)))
    assert (theirs.source, theirs.infons) == ("S & T", {"a": "<1>"})
    assert theirs.documents[0].passages[0].text == "a&b <c>"
    assert theirs.documents[0].passages[0].annotations[0].total_span.length == 4


def test_the_output_is_valid_by_the_dtd_of_bioc() -> None:
    from lxml import etree

    dtd = etree.DTD(
        io.StringIO(
            "<!ELEMENT collection (source, date, key, infon*, document+)><!ELEMENT source (#PCDATA)>"
            "<!ELEMENT date (#PCDATA)><!ELEMENT key (#PCDATA)><!ELEMENT infon (#PCDATA)>"
            "<!ATTLIST infon key CDATA #REQUIRED><!ELEMENT id (#PCDATA)><!ELEMENT text (#PCDATA)>"
            "<!ELEMENT document (id, infon*, passage+, annotation*, relation*)><!ELEMENT offset (#PCDATA)>"
            "<!ELEMENT passage (infon*, offset, ((text?, sentence*)), annotation*, relation*)>"
            "<!ELEMENT sentence (infon*, offset, text?, annotation*, relation*)>"
            "<!ELEMENT annotation (infon*, location*, text)><!ATTLIST annotation id CDATA #IMPLIED>"
            "<!ELEMENT location EMPTY><!ATTLIST location offset CDATA #REQUIRED length CDATA #REQUIRED>"
            "<!ELEMENT relation (infon*, node*)><!ATTLIST relation id CDATA #IMPLIED>"
            "<!ELEMENT node EMPTY><!ATTLIST node refid CDATA #REQUIRED role CDATA ''>"
        )
    )
    more = "<relation id='r'><infon key='t'>x</infon><node refid='a' role='b'/></relation>"
    sentence = "<sentence><offset>0</offset><text>zinc</text></sentence>"
    tree = etree.fromstring(written(only(article("1", "zinc", sentence + more))))
    assert dtd.validate(tree), dtd.error_log


@pytest.mark.parametrize("text", ["a\x0bb", "a\x00b", "a\ud800b", "a\uffffb"])
@pytest.mark.parametrize("where", ["text", "infon", "key", "id"])
def test_characters_that_xml_forbids_fail_the_article(text: str, where: str) -> None:
    document = only(article("1"))
    passage = document.passages[0]
    if where == "text":
        passage.text = text
    elif where == "id":
        passage.annotations[0].id = text
    else:
        passage.infons = {"k": text} if where == "infon" else {text: "v"}
    with pytest.raises(
        ArticleError, match=r"document '1' contains U\+.*which XML forbids; remove it, or write BioC JSON"
    ):
        biocxml.dumps(document, silent)


def test_losses_are_counted_in_one_sentence() -> None:
    document = only(article("1"))
    passage = document.passages[0]
    passage.infons = {"none": None, "number": 1.5, "yes": True, "list": [1, "é"], "text": "x"}
    passage.extra = {"added": 1}
    passage.annotations[0].locations[0].extra = {"added": 1}
    reports: list[str] = []
    again = only(written(document, reports))
    assert reports == [
        "left out, because BioC XML cannot store it: JSON keys that BioC does not define (2), null values (1), "
        "types of infon values (stored as text) (3)"
    ]
    assert again.passages[0].infons == {"number": "1.5", "yes": "true", "list": '[1, "é"]', "text": "x"}


def test_characters_in_the_header_that_xml_forbids_are_replaced() -> None:
    header = Header("a\x0bb", "d", "k", {"n": None, "\x00": "x"})
    data = biocxml.opening(header) + biocxml.dumps(only(article()), silent) + biocxml.closing(header)
    found = Header()
    assert len(documents(data, None, found)) == 1
    assert found == Header("a\ufffdb", "d", "k", {"\ufffd": "x"})


def test_objects_of_the_bioc_package_can_be_written_as_they_are() -> None:
    document = peer.load(
        io.BytesIO(collection(article().replace("<text>zinc</text></annotation>", "<text/></annotation>")))
    )
    document.documents[0].id = None
    assert b"<id></id>" in written(document.documents[0])
