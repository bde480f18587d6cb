"""JATS: which text becomes which passage; no text is lost or doubled; dangerous files are refused."""

from __future__ import annotations

import io
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from corpora.errors import ArticleError, InputError
from corpora.formats.header import Header
from corpora.formats.jats.article import MAX_DEPTH, parse, split
from corpora.formats.jats.math import tex_text
from corpora.model import document as typed

MML = "http://www.w3.org/1998/Math/MathML"
NAMESPACES = f'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="{MML}"'
IDS = '<article-id pub-id-type="pmc">PMC77</article-id><article-id pub-id-type="pmid">88</article-id>'


def article(body: str = "", back: str = "", meta: str = "", title: str = "Water", after: str = "") -> bytes:
    return (
        f'<article article-type="research-article" {NAMESPACES}><front><article-meta>{IDS}'
        f"<title-group><article-title>{title}</article-title></title-group>{meta}</article-meta></front>"
        f"<body>{body}</body><back>{back}</back>{after}</article>"
    ).encode()


def read(raw: bytes) -> BioCDocument:
    return parse(raw, _unexpected)


def _unexpected(sentence: str) -> None:
    raise AssertionError(sentence)


def shape(raw: bytes) -> list[tuple[str, str, str]]:
    """Section, type and text of all passages except the title."""
    return [(p.infons["section_type"], p.infons["type"], p.text) for p in read(raw).passages[1:]]


def texts(raw: bytes) -> list[str]:
    return [text for _, _, text in shape(raw)]


def line(markup: str) -> str:
    """The one passage that a paragraph with this markup becomes."""
    (text,) = texts(article(f"<p>{markup}</p>"))
    return text


def by_type(raw: bytes, kind: str) -> list[BioCPassage]:
    return [passage for passage in read(raw).passages if passage.infons["type"] == kind]


# -- the document -------------------------------------------------------------------------------


def test_the_title_passage_has_the_metadata_of_the_article() -> None:
    meta = """
      <contrib-group><contrib contrib-type="author"><name><surname>Curie</surname><given-names>M</given-names></name>
      </contrib><contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib>
      <contrib><collab>The Team</collab></contrib></contrib-group>
      <pub-date pub-type="epub"><year>2019</year></pub-date><pub-date pub-type="ppub"><year>2020</year></pub-date>
      <volume>7</volume><issue>2</issue><fpage>10</fpage><lpage>19</lpage>
      <permissions><license><license-p>CC <bold>BY</bold></license-p></license></permissions>
      <kwd-group><kwd>water</kwd><kwd>CO<sub>2</sub></kwd></kwd-group><kwd-group><kwd>water</kwd></kwd-group>"""
    document = read(article(meta=meta))
    assert document.id == "77"
    assert document.passages[0].text == "Water"
    assert document.passages[0].infons == {
        "article-type": "research-article",
        "article-id_pmc": "77",
        "article-id_pmid": "88",
        "year": "2020",
        "volume": "7",
        "issue": "2",
        "fpage": "10",
        "lpage": "19",
        "kwd": "water CO2",
        "license": "CC BY",
        "name_0": "surname:Curie;given-names:M",
        "name_1": "collab:The Team",
        "section_type": "TITLE",
        "type": "front",
    }
    assert typed.article_ids(document) == {"pmc": "77", "pmid": "88"}
    assert typed.join_key(document) == "77"


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([("doi", "10.1/x"), ("pmid", "5"), ("pmcid", "PMC9")], "9"),
        ([("doi", "10.1/x"), ("pmid", "5")], "5"),
        ([("publisher-id", "z"), ("doi", "10.1/x")], "10.1/x"),
        ([("publisher-id", "z")], ""),
    ],
)
def test_the_id_is_the_pmcid_else_the_pmid_else_the_doi(ids: list[tuple[str, str]], expected: str) -> None:
    marked = "".join(f'<article-id pub-id-type="{kind}">{value}</article-id>' for kind, value in ids)
    assert read(article().replace(IDS.encode(), marked.encode())).id == expected


def test_offsets_count_code_points_and_skip_one_between_passages() -> None:
    document = read(article("<p>𝛼-Pinene</p><p>x</p>", title="Ωmega"))
    assert [(p.offset, p.text) for p in document.passages] == [(0, "Ωmega"), (6, "𝛼-Pinene"), (15, "x")]


def test_an_article_without_text_has_an_empty_title() -> None:
    document = read(b"<article/>")
    assert [(p.offset, p.text, p.infons["type"]) for p in document.passages] == [(0, "", "front")]
    assert document.id == ""


def test_tags_with_a_namespace_are_read() -> None:
    raw = article("<p>x</p>").replace(b"<article ", b'<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" ')
    assert shape(raw) == shape(article("<p>x</p>"))


# -- sections -----------------------------------------------------------------------------------


def test_headings_give_depth_and_section() -> None:
    body = """<p>Before.</p><sec><label>2.</label><title>Methods</title><p>a</p>
      <sec><title>Cells</title><p>b</p></sec></sec><sec sec-type="results"><title>What we saw</title><p>c</p></sec>
      <sec><title>Results and Discussion</title><p>d</p></sec><sec><title>More</title><p>e</p></sec>"""
    assert shape(article(body)) == [
        ("INTRO", "paragraph", "Before."),
        ("METHODS", "title_1", "2. Methods"),
        ("METHODS", "paragraph", "a"),
        ("METHODS", "title_2", "Cells"),
        ("METHODS", "paragraph", "b"),
        ("RESULTS", "title_1", "What we saw"),
        ("RESULTS", "paragraph", "c"),
        ("RESULTS", "title_1", "Results and Discussion"),
        ("RESULTS", "paragraph", "d"),
        ("RESULTS", "title_1", "More"),
        ("RESULTS", "paragraph", "e"),
    ]


def test_abstracts_of_all_kinds_and_languages() -> None:
    meta = """<abstract><title>Abstract</title><sec><title>Aim</title><p>a</p></sec></abstract>
      <abstract abstract-type="graphical"><p>b</p></abstract>
      <trans-abstract xml:lang="de"><p>c</p></trans-abstract>"""
    found = read(article(meta=meta)).passages[1:]
    assert [(p.infons["type"], p.text) for p in found] == [
        ("abstract_title_1", "Abstract"),
        ("abstract_title_1", "Aim"),
        ("abstract", "a"),
        ("abstract", "b"),
        ("abstract", "c"),
    ]
    assert {p.infons["section_type"] for p in found} == {"ABSTRACT"}
    assert found[3].infons["abstract_type"] == "graphical"
    assert found[4].infons["lang"] == "de"


def test_subtitles_translated_titles_and_their_footnotes_follow_the_title() -> None:
    raw = article(title="Water<fn><p>Dedicated to rain.</p></fn>").replace(
        b"</article-title>",
        b'</article-title><subtitle>A life</subtitle><trans-title-group xml:lang="fr"><trans-title>Eau'
        b"</trans-title></trans-title-group>",
    )
    document = read(raw)
    assert [(p.infons["type"], p.text) for p in document.passages] == [
        ("front", "Water"),
        ("footnote", "Dedicated to rain."),
        ("subtitle", "A life"),
        ("trans_title", "Eau"),
    ]
    assert document.passages[3].infons["lang"] == "fr"
    assert {p.infons["section_type"] for p in document.passages} == {"TITLE"}


def test_notes_of_the_front_are_kept() -> None:
    meta = """<author-notes><corresp>me@x.org</corresp><fn fn-type="COI-statement"><p>None.</p></fn></author-notes>
      <funding-group><funding-statement>Paid by X.</funding-statement></funding-group>"""
    raw = article(meta=meta).replace(b"</front>", b"<notes><title>Data Availability</title><p>Ask.</p></notes></front>")
    assert shape(raw) == [
        ("OTHER", "title_1", "Data Availability"),
        ("OTHER", "paragraph", "Ask."),
        ("COMP_INT", "footnote", "None."),
        ("ACK_FUND", "paragraph", "Paid by X."),
    ]


def test_back_matter() -> None:
    back = """<ack><title>Thanks</title><p>To all.</p></ack>
      <sec><title>Declarations</title><sec><title>Funding</title><p>None.</p></sec></sec>
      <fn-group><title>Author contributions</title><fn fn-type="con"><label>a</label><p>All.</p></fn></fn-group>
      <notes notes-type="COI-statement"><p>No.</p></notes>
      <app-group><app><title>Appendix A</title><sec><title>Results</title><p>More.</p></sec></app></app-group>"""
    assert shape(article(back=back)) == [
        ("ACK_FUND", "title_1", "Thanks"),
        ("ACK_FUND", "paragraph", "To all."),
        ("OTHER", "title_1", "Declarations"),
        ("ACK_FUND", "title_2", "Funding"),
        ("ACK_FUND", "paragraph", "None."),
        ("AUTH_CONT", "title_1", "Author contributions"),
        ("AUTH_CONT", "footnote", "All."),
        ("COMP_INT", "paragraph", "No."),
        ("APPENDIX", "title_1", "Appendix A"),
        ("APPENDIX", "title_2", "Results"),
        ("APPENDIX", "paragraph", "More."),
    ]
    assert by_type(article(back=back), "footnote")[0].infons["fn_label"] == "a"


def test_abbreviation_lists_keep_the_term_beside_its_definition() -> None:
    back = """<glossary><title>Abbreviations</title><def-list>
      <def-item><term>ABA</term><def><p>abscisic acid</p></def></def-item>
      <def-item><term>GA<sub>3</sub>:</term><def><p>gibberellic acid</p></def></def-item></def-list></glossary>"""
    assert shape(article(back=back)) == [
        ("ABBR", "title_1", "Abbreviations"),
        ("ABBR", "paragraph", "ABA: abscisic acid"),
        ("ABBR", "paragraph", "GA3: gibberellic acid"),
    ]


def test_sub_articles_have_their_own_passages_without_the_ids_of_the_article() -> None:
    after = """<sub-article article-type="decision-letter"><front-stub>
      <article-id pub-id-type="doi">10.1/letter</article-id><article-id pub-id-type="pmc">PMC1</article-id>
      <title-group><article-title>Decision letter</article-title></title-group></front-stub>
      <body><sec><title>Methods</title><p>Please mend.</p></sec></body></sub-article>
      <sub-article article-type="translation" xml:lang="es"><front-stub>
      <title-group><article-title>Agua</article-title></title-group></front-stub>
      <body><sec><title>Methods</title><p>Dos.</p></sec></body></sub-article>"""
    document = read(article("<p>Main.</p>", after=after))
    assert document.id == "77"
    assert [
        (p.infons.get("sub_article"), p.infons["section_type"], p.infons["type"], p.text) for p in document.passages
    ] == [
        (None, "TITLE", "front", "Water"),
        (None, "INTRO", "paragraph", "Main."),
        ("decision-letter", "REVIEW_INFO", "front", "Decision letter"),
        ("decision-letter", "REVIEW_INFO", "title_1", "Methods"),
        ("decision-letter", "REVIEW_INFO", "paragraph", "Please mend."),
        ("translation", "TITLE", "front", "Agua"),
        ("translation", "METHODS", "title_1", "Methods"),
        ("translation", "METHODS", "paragraph", "Dos."),
    ]
    assert typed.article_ids(document) == {"pmc": "77", "pmid": "88"}
    assert not any(key.startswith("article-id") for p in document.passages[1:] for key in p.infons)


# -- floats, tables, lists ----------------------------------------------------------------------

FIGURE = """<fig id="f1"><object-id>10.1/f1</object-id><label>Figure 1.</label><caption><title>A drop.</title>
  <p>It falls.</p></caption><alt-text>picture</alt-text><graphic xlink:href="drop.jpg"/></fig>"""


def test_figures_have_their_file_and_label_as_infons() -> None:
    title, caption = read(article(FIGURE)).passages[1:]
    assert (title.text, caption.text) == ("A drop.", "It falls.")
    assert (title.infons["type"], caption.infons["type"]) == ("fig_title_caption", "fig_caption")
    assert caption.infons == {
        "file": "drop.jpg",
        "id": "f1",
        "label": "Figure 1.",
        "section_type": "FIG",
        "type": "fig_caption",
    }


def test_a_float_inside_a_paragraph_follows_it() -> None:
    assert texts(article(f"<p>Water (Fig. <xref>1</xref>{FIGURE}) is wet.</p><p>So.</p>")) == [
        "Water (Fig. 1) is wet.",
        "A drop.",
        "It falls.",
        "So.",
    ]


def test_tables_are_rows_of_cells() -> None:
    body = """<table-wrap id="t1"><label>Table 1</label><caption><p>Drugs.</p></caption><table>
      <thead><tr><th/><th>Dose<break/>(mg)</th></tr></thead>
      <tbody><tr><td>Aspirin<xref ref-type="table-fn"><sup>a</sup></xref></td><td><p>5</p><p>6</p></td></tr>
      <tr><td/><td><hr/></td></tr></tbody></table>
      <table-wrap-foot><fn><label>a</label><p>Tablets.</p></fn></table-wrap-foot></table-wrap>"""
    assert shape(article(body)) == [
        ("TABLE", "table_caption", "Drugs."),
        ("TABLE", "table", "\tDose (mg)\nAspirin a\t5 6"),
        ("TABLE", "table_foot", "Tablets."),
    ]


def test_a_table_of_several_elements_is_one_passage() -> None:
    piece = "<table><tr><td>{}</td></tr></table>"
    body = f"<table-wrap><alternatives><graphic/>{piece.format('a')}{piece.format('b')}</alternatives></table-wrap>"
    assert texts(article(body)) == ["a", "b"]


def test_blocks_inside_a_paragraph_divide_it_in_document_order() -> None:
    body = """<p>One <bold>two</bold>: <list><list-item><label>(i)</label><p>three</p></list-item>
      <list-item><p>four</p><p>five</p></list-item></list> six
      <disp-formula id="e1"><label>(1)</label>E = mc<sup>2</sup></disp-formula> seven
      <disp-quote><p>eight</p></disp-quote></p>"""
    assert texts(article(body)) == ["One two:", "(i) three", "four", "five", "six", "E = mc2", "seven", "eight"]
    (formula,) = by_type(article(body), "formula")
    assert (formula.infons["id"], formula.infons["label"]) == ("e1", "(1)")


@pytest.mark.parametrize(
    "block",
    [
        "<boxed-text><title>Box</title><p>x</p></boxed-text>",
        "<verse-group><title>Box</title><verse-line>x</verse-line></verse-group>",
        "<statement><title>Box</title><p>x</p></statement>",
        "<speech><speaker>Box</speaker><p>x</p></speech>",
        "<supplementary-material><caption><title>Box</title><p>x</p></caption></supplementary-material>",
        "<something-new><title>Box</title><p>x</p></something-new>",
    ],
)
def test_every_other_block_keeps_its_text(block: str) -> None:
    assert texts(article(f"<sec><p>a</p>{block}</sec>")) == ["a", "Box", "x"]


def test_supplementary_material() -> None:
    body = """<supplementary-material id="s1"><label>S1</label><caption><p>Raw data.</p></caption>
      <media xlink:href="s1.xlsx"><caption><p>Click here.</p></caption></media></supplementary-material>"""
    first, second = read(article(body)).passages[1:]
    assert (first.text, first.infons["section_type"], first.infons["file"]) == ("Raw data.", "SUPPL", "s1.xlsx")
    assert second.text == "Click here."


# -- references ---------------------------------------------------------------------------------


def test_a_reference_has_its_title_as_text_and_the_rest_as_infons() -> None:
    back = """<ref-list><title>References</title><ref id="r1"><label>1.</label><element-citation>
      <person-group><name><surname>Curie</surname><given-names>M</given-names></name></person-group>
      <article-title>On <italic>radium</italic></article-title><source>C R</source><year>1898</year>
      <volume>127</volume><fpage>1215</fpage><pub-id pub-id-type="pmid">99</pub-id></element-citation></ref>
      </ref-list>"""
    heading, reference = read(article(back=back)).passages[1:]
    assert (heading.text, heading.infons["section_type"], heading.infons["type"]) == ("References", "REF", "title_1")
    assert reference.text == "On radium"
    assert reference.infons == {
        "name_0": "surname:Curie;given-names:M",
        "source": "C R",
        "year": "1898",
        "volume": "127",
        "fpage": "1215",
        "pub-id_pmid": "99",
        "id": "r1",
        "label": "1.",
        "section_type": "REF",
        "type": "ref",
    }


@pytest.mark.parametrize(
    ("citation", "text"),
    [
        ("<mixed-citation>Curie M. <source>C R</source>, 1898.</mixed-citation>", "Curie M. C R, 1898."),
        ("<element-citation><name><surname>A</surname></name><source>Book</source></element-citation>", "Book"),
        ("<element-citation><collab>WHO</collab><year>2000</year></element-citation>", "WHO 2000"),
        ("<note><p>See also water.</p></note>", "See also water."),
    ],
)
def test_a_reference_without_a_title_has_its_source_or_whole_text(citation: str, text: str) -> None:
    back = f"<ref-list><ref>{citation}</ref></ref-list>"
    assert shape(article(back=back)) == [("REF", "ref", text)]


# -- lines of text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("H<sub>2</sub>O and Ca<sup>2+</sup>", "H2O and Ca2+"),
        ("<italic>N</italic>,<italic>N</italic>-dimethyl", "N,N-dimethyl"),
        ("SO<sub>4</sub>\n<sup>2−</sup> ions", "SO42− ions"),
        ("PtF<sub>\n<italic>n</italic>\n</sub> (n = 1)", "PtFn (n = 1)"),
        ("IC<sub>50</sub>\n<sup>a</sup>", "IC50 a"),
        ("a\n  b\t c", "a b c"),
        ("5\u00a0mM\u2009NaCl", "5\u00a0mM\u2009NaCl"),
        ("one<break/>two", "one two"),
        ("see <ext-link>x.org</ext-link><inline-graphic/>.", "see x.org."),
        ("<name><surname>Curie</surname><given-names>M</given-names></name>", "Curie M"),
        ("a<!-- not this --><?nor this?>b", "ab"),
        ("a &lt; b &#945;", "a < b α"),
    ],
)
def test_inline_markup_is_removed(markup: str, text: str) -> None:
    assert line(markup) == text


CITE = '<xref ref-type="bibr">{}</xref>'


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (f"water<sup>{CITE.format(1)}</sup> is", "water 1 is"),
        (f"water.<sup>{CITE.format(1)},{CITE.format(2)}</sup> It", "water. 1,2 It"),
        (f"water{CITE.format('<sup>1</sup>')},{CITE.format('<sup>2</sup>')} is", "water 1,2 is"),
        (f"water<sup>[{CITE.format(1)}]</sup>is", "water [1] is"),
        (f"water {CITE.format('[1]')}, see ({CITE.format('Curie')})", "water [1], see (Curie)"),
        (f"water{CITE.format(1)}", "water 1"),
        ('Cd<xref ref-type="table-fn"><sup>a</sup></xref>', "Cd a"),
        ('Fig. <xref ref-type="fig">1</xref>A', "Fig. 1A"),
        ("10<sup>−3</sup>", "10−3"),
    ],
)
def test_a_citation_is_separated_from_the_word_before_it(markup: str, text: str) -> None:
    assert line(markup) == text


def mathml(tokens: str) -> str:
    return f"<inline-formula><mml:math>{tokens}</mml:math></inline-formula>".replace("<m", "<mml:m").replace(
        "</m", "</mml:m"
    ).replace("mml:mml:", "mml:")  # fmt: skip


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>", "H2O"),
        ("<msup><mi>Ca</mi><mrow><mn>2</mn><mo>+</mo></mrow></msup>", "Ca2+"),
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E = mc2"),
        ("<mfrac><mi>dose</mi><mi>time</mi></mfrac>", "dose/time"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<msqrt><mi>x</mi></msqrt><mo>=</mo><mo>−</mo><mn>1</mn>", "√x = −1"),
        ("<mi>total</mi><mi>cases</mi>", "total cases"),
        ("<mi>f</mi><mo>\u2061</mo><mi>x</mi>", "fx"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>", "a b"),
        ("<msemantics><mi>a</mi></msemantics>", "a"),
    ],
)
def test_mathml_is_read_as_text(tokens: str, text: str) -> None:
    assert line(mathml(tokens)) == text


TEX = r"\documentclass{minimal}\usepackage{x}\begin{document}$$k_{cat}$$\end{document}"


def test_a_formula_in_two_notations_is_read_once() -> None:
    math = "<mml:math><mml:mi>k</mml:mi></mml:math>"
    tex = f"<tex-math>{TEX}</tex-math>"
    for both in (f"<alternatives>{tex}{math}<inline-graphic/></alternatives>", tex + math):
        assert line(f"the <inline-formula>{both}</inline-formula> is") == "the k is"


def test_latex_is_read_without_its_preamble() -> None:
    assert line(f"<inline-formula><tex-math>{TEX}</tex-math></inline-formula>") == "k_{cat}"
    assert line("<tex-math>$x$</tex-math>") == "x"


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
    said: list[str] = []
    document = parse(article("<p>&alpha;-<![CDATA[&beta;]]> &amp; &alpha;</p>"), said.append)
    assert document.passages[1].text == "α-&beta; & α"
    assert len(said) == 1
    assert "&alpha;" in said[0]


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
    said: list[str] = []
    raw = b'<pmc-articleset><Reply Id="1" error="not available"/>' + article() + b"</pmc-articleset>"
    assert len(list(split(io.BytesIO(raw), Header(), said.append))) == 1
    assert "not available" in said[0]


def test_a_wrapper_is_read_one_article_at_a_time() -> None:
    """The first articles are returned before the end of the stream is read."""
    one = article("<p>" + "x" * 100_000 + "</p>")
    stream = io.BytesIO(b"<set>" + one * 20 + b"</set>")
    next(iter(split(stream, Header(), _unexpected)))
    assert stream.tell() < 4 * len(one)


# -- nothing is lost ----------------------------------------------------------------------------

LEFT_OUT = set(
    """
    alt-text front front-stub glyph-data index-term institution-id label long-desc object-id permissions
    processing-meta ref related-article sec-meta
    """.split()  # noqa: SIM905
)
"""docs/jats.md lists these; labels and the details of references are infons."""

FRONT_TEXT = (
    "title-group/article-title",
    "title-group/subtitle",
    "title-group/fn-group",
    "title-group//trans-title",
    "abstract",
    "trans-abstract",
    "author-notes/fn",
    "funding-group/funding-statement",
)


def letters_of_source(root: etree._Element) -> Counter[str]:
    """Every letter of titles, abstracts, notes, body, back and floats; formulas in one notation."""
    wanted = [child for child in root if child.tag in ("body", "back", "floats-group", "sub-article", "response")]
    for meta in [*root.iterfind("front/article-meta"), *root.iter("front-stub")]:
        for path in FRONT_TEXT:
            wanted += meta.iterfind(path)
    wanted += root.iterfind("front/notes")
    letters: Counter[str] = Counter()
    for element in wanted:
        _count(element, letters)
    return letters


def _count(element: etree._Element, letters: Counter[str]) -> None:
    if element.tag in LEFT_OUT or (
        element.tag == "tex-math" and element.getparent().find(f"{{{MML}}}math") is not None
    ):
        return
    if element.tag == "tex-math":
        letters.update(filter(str.isalpha, tex_text(element)))
        return
    letters.update(filter(str.isalpha, element.text or ""))
    for child in element:
        _count(child, letters)
        letters.update(filter(str.isalpha, child.tail or ""))


def letters_of_passages(document: BioCDocument) -> Counter[str]:
    return Counter(
        letter for p in document.passages if p.infons["type"] != "ref" for letter in p.text if letter.isalpha()
    )


def check_shape(document: BioCDocument) -> None:
    offset = 0
    for number, passage in enumerate(document.passages):
        assert passage.offset == offset
        assert passage.text.strip() or number == 0
        assert passage.text == passage.text.strip(" \n")
        assert "  " not in passage.text
        assert passage.infons["section_type"]
        assert passage.infons["type"]
        assert all(isinstance(value, str) and value for value in passage.infons.values())
        offset += len(passage.text) + 1


TAGS = sorted(
    """
    sec p title bold italic sub sup xref list list-item def-list def-item term def fig caption
    table-wrap table tbody tr td fn boxed-text disp-formula inline-formula named-content ack glossary
    disp-quote supplementary-material media graphic break styled-content verse-line unknown-thing
    mixed-citation array statement
    """.split()  # noqa: SIM905
)
TREES = st.recursive(
    st.text("ab 1.\n", max_size=4),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=4)).map(
        lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0]}>"
    ),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(TREES, max_size=5), st.lists(TREES, max_size=3))
def test_no_letter_is_lost_or_doubled_in_random_markup(body: list[str], back: list[str]) -> None:
    raw = article("".join(body), "".join(back))
    document = read(raw)
    check_shape(document)
    assert letters_of_passages(document) == letters_of_source(etree.fromstring(raw))


@pytest.mark.realdata
def test_no_letter_of_real_articles_is_lost(shared_data: Path) -> None:
    """A hundred articles of twenty publishers; labels of list items and sections are extra text."""
    lost: list[str] = []
    with tarfile.open(shared_data / "pmc" / "jats.tar.gz") as archive:
        for member in archive:
            opened = archive.extractfile(member)
            if opened is None:
                continue
            raw = opened.read()
            assert pieces(raw) == [raw]
            document = parse(raw, print)
            check_shape(document)
            root = etree.fromstring(raw, etree.XMLParser(huge_tree=True, remove_comments=True, remove_pis=True))
            missing = letters_of_source(root) - letters_of_passages(document)
            if missing:
                lost.append(f"{member.name}: {missing.total()} letters")
            labels = Counter(filter(str.isalpha, "".join("".join(label.itertext()) for label in root.iter("label"))))
            assert letters_of_passages(document) - letters_of_source(root) <= labels, member.name
    assert not lost
