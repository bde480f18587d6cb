"""JATS: which element becomes which passage, in which section, with which infons."""

from __future__ import annotations

import pytest
from jats_articles import IDS, article, by_type, read, shape, texts

from corpora.errors import ArticleError
from corpora.formats.jats import parse
from corpora.model import metadata

# -- the document -------------------------------------------------------------------------------


def test_the_title_passage_has_the_metadata_of_the_article() -> None:
    meta = """
      <contrib-group><contrib contrib-type="author"><name><surname>Curie</surname><given-names>M</given-names></name>
      </contrib><contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib>
      <contrib><collab>The Team</collab></contrib></contrib-group>
      <pub-date pub-type="epub"><year>2019</year></pub-date><pub-date pub-type="ppub"><year>2020</year></pub-date>
      <volume>7</volume><issue>2</issue><fpage>10</fpage><lpage>19</lpage>
      <permissions><license xlink:href="https://creativecommons.org/licenses/by/4.0/"
        ><license-p>CC <bold>BY</bold></license-p></license></permissions>
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
        "kwd_0": "water",
        "kwd_1": "CO2",
        "license": "CC BY",
        "license-url": "https://creativecommons.org/licenses/by/4.0/",
        "name_0": "surname:Curie;given-names:M",
        "name_1": "collab:The Team",
        "section_type": "TITLE",
        "type": "front",
    }
    assert metadata.article_ids(document) == {"pmc": "77", "pmid": "88"}
    assert metadata.join_key(document) == "77"


def test_keywords_of_other_languages_are_stored_one_by_one() -> None:
    meta = """<kwd-group xml:lang="pt"><kwd>zinco</kwd><kwd>ferro</kwd></kwd-group>
      <kwd-group xml:lang="en"><kwd>zinc</kwd><kwd>iron ore</kwd></kwd-group>"""
    infons = read(article(meta=meta)).passages[0].infons
    assert {name: word for name, word in infons.items() if name.startswith("kwd")} == {
        "kwd": "zinco ferro zinc iron ore",
        "kwd-pt_0": "zinco",
        "kwd-pt_1": "ferro",
        "kwd_0": "zinc",
        "kwd_1": "iron ore",
    }


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ("<kwd-group><title>W</title><kwd>soil zinc;</kwd><kwd> </kwd><kwd>x</kwd></kwd-group>", ("soil zinc", "x")),
        ('<kwd-group kwd-group-type="author"><kwd>a, b</kwd></kwd-group>', ("a, b",)),
        ('<kwd-group kwd-group-type="abbr"><kwd>D</kwd></kwd-group><kwd-group><kwd>c</kwd></kwd-group>', ("c",)),
        ('<kwd-group kwd-group-type="research-organism"><kwd>Mouse</kwd></kwd-group>', ()),
        ('<kwd-group xml:lang="de"><kwd>a</kwd></kwd-group><kwd-group xml:lang="en"><kwd>w</kwd></kwd-group>', ("w",)),
        ("", ()),
    ],
)  # fmt: skip
def test_the_keywords_of_the_authors_are_kept_apart(groups: str, expected: tuple[str, ...]) -> None:
    document = read(article(meta=groups))
    assert metadata.keyword_list(document) == expected
    assert [passage.offset for passage in document.passages] == [passage.offset for passage in read(article()).passages]


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
    notes: list[str] = []
    document = parse(b"<article/>", notes.append)
    assert [(p.offset, p.text, p.infons["type"]) for p in document.passages] == [(0, "", "front")]
    assert document.id == ""
    assert notes == ["document '' has neither a title nor text in its body; look whether its XML is complete"]


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
    assert metadata.article_ids(document) == {"pmc": "77", "pmid": "88"}
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


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            '<tr><td rowspan="2">Zn</td><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr><tr><td>Fe</td></tr>',
            "Zn\ta\t1\nZn\tb\t2\nFe",
        ),
        (
            '<thead><tr><th rowspan="2">M</th><th colspan="2">Dose</th></tr><tr><th>low</th><th>high</th></tr></thead>'
            '<tbody><tr><td>Zn</td><td/><td rowspan="2">5</td></tr><tr><td>Cu</td><td>7</td></tr></tbody>',
            "M\tDose\t\nM\tlow\thigh\nZn\t\t5\nCu\t7\t5",
        ),
        ('<tr><td colspan="3">Metals</td></tr><tr><td/><td colspan="2">Zn</td></tr>', "Metals\n\tZn\t"),
        ('<tr><td rowspan="2" colspan="2">Zn</td><td>a</td></tr><tr><td>b</td></tr>', "Zn\t\ta\nZn\t\tb"),
        ('<tr><td rowspan="0">Zn</td><td colspan="x">a</td></tr>', "Zn\ta"),
        ('<thead><tr><td rowspan="9">Zn</td><td>a</td></tr></thead><tr><td>b</td></tr><tr/>', "Zn\ta\nb"),
        ('<tr><td rowspan="9">Zn</td><td>a</td></tr><tr><td/></tr><tr><td>b</td></tr>', "Zn\ta\nZn\tb"),
    ],
)
def test_the_columns_of_rows_agree_where_cells_span_rows_or_columns(rows: str, text: str) -> None:
    assert [one.text for one in by_type(article(f"<table-wrap><table>{rows}</table></table-wrap>"), "table")] == [text]


def test_cells_that_span_too_much_are_an_error_of_the_article() -> None:
    rows = f'<tr><td rowspan="1000">{"x" * 60_000}</td><td>y</td></tr>' + "<tr><td>y</td></tr>" * 999
    with pytest.raises(ArticleError, match="the text of a table has more than 50000000 characters"):
        read(article(f"<table>{rows}</table>"))


def test_a_formula_has_its_own_number_also_as_a_picture() -> None:
    picture = '<disp-formula id="e1"><label>(2.1)</label><graphic xlink:href="e1.gif"/></disp-formula>'
    (formula,) = by_type(article(f"<p>So {picture} holds.</p>"), "formula")
    assert formula.text == "(2.1)"
    assert (formula.infons["label"], formula.infons["file"]) == ("(2.1)", "e1.gif")
    inside = "<disp-formula>a</disp-formula>"
    (formula,) = by_type(article(f"<fig><label>Figure 1</label><caption><p>{inside}</p></caption></fig>"), "formula")
    assert "label" not in formula.infons


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
