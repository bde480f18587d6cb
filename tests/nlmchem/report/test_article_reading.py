"""How the page of an article is read: names in the text, sections, tables, errors, narrow screens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from lxml import html
from page_articles import mark, passage

from corpora.model.document import Definition, add_definition, add_mention, fresh_ids
from corpora.model.short_forms import Inferred, add_inferred
from corpora.writing import write
from nlmchem.report.articles import write_views

ESCAPE = "\ue00c"


def page_of(document: BioCDocument, folder: Path, gold: BioCDocument | None = None) -> Path:
    """Write the page of a document; return its path."""
    source, standard, page = folder / "run.json", folder / "gold.json", folder / "page.html"
    write([document], source, "biocjson")
    if gold is not None:
        write([gold], standard, "biocjson")
    write_views(str(source), page, None if gold is None else str(standard), lambda id, name: None, print)
    return page


def choose(browser: Any, selector: str, value: str) -> None:
    browser.run(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))",
        selector, value,
    )  # fmt: skip


@pytest.fixture
def narrow(browser: Any) -> Iterator[Any]:
    """The browser with a screen of 400 pixels."""
    browser.size(400, 800)
    yield browser
    browser.size(1200, 900)


@pytest.fixture
def tables() -> BioCDocument:
    """An article with a labelled figure and table, a structured abstract, subsections, and a repeated abbreviation."""
    document = BioCDocument()
    document.id = "99"
    title = passage(document, "Zinc in yeast", "TITLE")
    title.infons.update({"article-id_pmc": "PMC99", "article-id_pmid": "77", "article-id_doi": "10.1000/a<b"})
    for text, section, kind, label in (
        ("Background", "ABSTRACT", "abstract_title_1", ""),
        ("Yeast needs zinc.", "ABSTRACT", "abstract", ""),
        ("Introduction", "INTRO", "title_1", ""),
        ("glutathione (GSH) and zinc", "INTRO", "paragraph", ""),
        ("Methods", "METHODS", "title_1", ""),
        ("Plants and chemicals", "METHODS", "title_2", ""),
        ("GSH was from a shop, GSH again.", "METHODS", "paragraph", ""),
        ("Zinc in roots.", "TABLE", "table_caption", "Table 1"),
        ("Treatment\tZn\nnone\t41\nCdCl2\t38", "TABLE", "table", "Table 1"),
        ("Order of events.", "FIG", "fig_title_caption", "Figure 1"),
        ("More methods.", "METHODS", "paragraph", ""),
    ):
        added = passage(document, text, section)
        added.infons["type"] = kind
        if label:
            added.infons["label"] = label
    by_text = {one.text: one for one in document.passages}
    mark(document, title, "Zinc", "MESH:D015032")
    mark(document, by_text["Treatment\tZn\nnone\t41\nCdCl2\t38"], "Zn", "MESH:D015032")
    mark(document, by_text["Treatment\tZn\nnone\t41\nCdCl2\t38"], "CdCl2", "-")
    define = by_text["glutathione (GSH) and zinc"]
    long = (define.offset, define.offset + 11)
    short = (define.offset + 13, define.offset + 16)
    add_definition(define, Definition("GSH", "glutathione", short, long), fresh_ids(document, "A"))
    return document


# -- without a browser --------------------------------------------------------------------------


def test_links_lead_to_mesh_pmc_pubmed_and_the_publisher(tables: BioCDocument, tmp_path: Path) -> None:
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    addresses = {link.text_content(): link.get("href") for link in tree.xpath("//a[starts-with(@href, 'http')]")}
    assert addresses == {
        "PMC99": "https://pmc.ncbi.nlm.nih.gov/articles/PMC99",
        "PubMed 77": "https://pubmed.ncbi.nlm.nih.gov/77",
        "DOI 10.1000/a<b": "https://doi.org/10.1000/a%3Cb",
        "MESH:D015032": "https://meshb.nlm.nih.gov/record/ui?ui=D015032",
    }


@pytest.mark.parametrize("id", ["javascript:alert(1)", "77'><script>", "", "77 88"])
def test_an_odd_id_is_no_link(tables: BioCDocument, tmp_path: Path, id: str) -> None:
    tables.passages[0].infons = {"article-id_pmid": id, "article-id_pmc": id, "article-id_doi": id}
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    assert not tree.xpath("//header//a")


def test_tables_are_tables_and_labels_are_kept(tables: BioCDocument, tmp_path: Path) -> None:
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    rows = [[cell.text_content() for cell in row] for row in tree.xpath("//main//table//tr")]
    assert rows == [["Treatment", "Zn"], ["none", "41"], ["CdCl2", "38"]]
    assert [label.text_content() for label in tree.xpath("//main//*[@class='label']")] == ["Table 1", "Figure 1"]
    assert tree.xpath("string(//td//span[contains(@class, 'm u')])") == "CdCl2"


def test_sections_are_a_list_of_links(tables: BioCDocument, tmp_path: Path) -> None:
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    entries = [(link.getparent().get("class"), link.text_content()) for link in tree.xpath("//nav//a")]
    assert entries == [
        ("level2", "Abstract"), ("level3", "Background"), ("level2", "Introduction"), ("level2", "Methods"),
        ("level3", "Plants and chemicals"), ("level0", "Table 1"), ("level0", "Figure 1"),
        ("level2 narrow", "Concepts"),
    ]  # fmt: skip
    ids = set(tree.xpath("//@id"))
    assert all(link.get("href")[1:] in ids for link in tree.xpath("//nav//a"))
    assert [heading.text_content() for heading in tree.xpath("//main//h2")] == ["Abstract", "Introduction", "Methods"]


def test_an_abbreviation_has_one_row_with_a_count(tables: BioCDocument, tmp_path: Path) -> None:
    [methods] = [one for one in tables.passages if one.text.startswith("GSH was")]
    [intro] = [one for one in tables.passages if one.text.startswith("glutathione")]
    long = (intro.offset, intro.offset + 11)
    for start in (0, 21):
        short = (methods.offset + start, methods.offset + start + 3)
        again = Definition("GSH", "Glutathione", (intro.offset + 13, intro.offset + 16), long)
        add_definition(intro, again, fresh_ids(tables, "A"))
        annotation = intro.annotations[-2]
        annotation.locations[0].offset = short[0]
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    rows = [" ".join(row.text_content().split()) for row in tree.xpath("//*[@id='abbreviations']//dl/div")]
    assert rows == ["GSH 3 glutathione"]
    targets = [link.get("href")[1:] for link in tree.xpath("//*[@id='abbreviations']//a")]
    assert [tree.get_element_by_id(target).text_content() for target in targets] == ["GSH", "glutathione"]


def test_all_pages_count_the_same_mentions(annotated: BioCDocument, tmp_path: Path) -> None:
    """Annotations of abbreviations and mentions without text are not mentions."""
    write([annotated, annotated], tmp_path / "run.json", "biocjson")
    write_views(str(tmp_path / "run.json"), tmp_path / "out", None, lambda id, name: None, print)
    index = html.document_fromstring((tmp_path / "out" / "index.html").read_text("utf-8"))
    row = [cell.text_content() for cell in index.xpath("//tbody/tr[1]/td[@class='figure']")]
    page = html.document_fromstring((tmp_path / "out" / "articles" / "77.html").read_text("utf-8"))
    number = len(page.xpath("//span[contains(concat(' ', @class, ' '), ' m ') and @id]"))
    assert row[0] == str(number) == "7"
    assert "7 mentions of 4 concepts." in " ".join(page.xpath("string(//header)").split())


# -- in the browser -----------------------------------------------------------------------------


def test_names_and_ids_are_shown_in_the_text_on_request(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(page_of(annotated, tmp_path))
    label = "return getComputedStyle(document.getElementById(arguments[0]), '::after').content"
    assert browser.run(label, "m1") == "none"
    plain = browser.text("#text")
    choose(browser, "#labels", "both")
    assert browser.run(label, "m1") == '"Glutathione D005978"'
    assert browser.run(label, "m5") == '"PBS D012965 + PBS D010710"'
    choose(browser, "#labels", "ids")
    assert browser.run(label, "m1") == '"D005978"'
    choose(browser, "#labels", "names")
    assert browser.run(label, "m1") == '"Glutathione"'
    # Names are no part of the text: a copy of the text is the text of the article.
    assert browser.text("#text") == plain
    choose(browser, "#labels", "")
    assert browser.run(label, "m1") == "none"


def test_a_mention_without_concept_looks_different(browser: Any, tables: BioCDocument, tmp_path: Path) -> None:
    browser.open(page_of(tables, tmp_path))
    transparent = "rgba(0, 0, 0, 0)"
    assert browser.style("#m1", "backgroundColor") != transparent
    assert browser.style("#m2", "backgroundColor") == transparent
    assert browser.style("#m2", "boxShadow") != "none"
    browser.hover("#m2")
    assert "no concept" in browser.text("#tip")


def test_buttons_go_to_the_next_and_the_previous_mention(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(page_of(annotated, tmp_path))
    reached = []
    for button in ("#next", "#next", "#previous", "#previous"):
        browser.click(button)
        reached.append(browser.run("return document.querySelector('.m.current').id"))
    assert reached == ["m0", "m1", "m0", "m6"]
    assert browser.text("#position") == "mention 7 of 7"
    # The address can be shared as a link to the mention.
    assert browser.run("return location.hash") == "#m6"
    browser.keys("n")
    assert browser.run("return location.hash") == "#m0"


def test_a_concept_button_limits_the_steps(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(page_of(annotated, tmp_path))
    browser.click("button.concept[data-c='0']")
    browser.click("#next")
    browser.click("#next")
    assert browser.run("return document.querySelector('.m.current').id") == "m4"
    assert browser.text("#position") == "mention 2 of 2"


@pytest.mark.parametrize("only_differences", [False, True])
def test_steps_go_from_error_to_error(
    browser: Any, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path, only_differences: bool
) -> None:
    browser.open(page_of(annotated, tmp_path, gold))
    if only_differences:
        browser.click("#differences")
    reached = []
    for _ in range(8):
        browser.click("#next-error")
        script = "return Array.from(document.querySelectorAll('.m.current')).map(e => e.id).join(' ')"
        reached.append(browser.run(script))
        assert browser.run("return document.querySelector('.m.current').checkVisibility()")
    # Mentions of both sides that overlap are one error; after the last error comes the first.
    assert reached == ["g1 m1", "m2", "m3", "m4", "m5", "g2 m6", "g3", "g1 m1"]
    assert browser.text("#position") == "error 1 of 7"
    browser.keys("r")
    assert browser.text("#position") == "error 7 of 7"


def test_only_what_differs_hides_equal_passages_and_steps_over_equal_mentions(
    browser: Any, annotated: BioCDocument, tmp_path: Path
) -> None:
    other = BioCDocument()
    other.id = annotated.id
    for one in annotated.passages:
        passage(other, one.text, one.infons["section_type"])
    for text in ("Zinc", "glutathione"):
        mark(other, other.passages[0], text, "MESH:D015032" if text == "Zinc" else "MESH:D005978")
    browser.open(page_of(annotated, tmp_path, other))
    assert len(browser.shown("main .row:not(.names)")) == 3
    browser.click("#differences")
    assert len(browser.shown("main .row:not(.names)")) == 2
    browser.click("#next")
    assert browser.text("#position") == "mention 1 of 5"
    assert browser.run("return document.querySelector('.m.current').id") == "m2"
    # A link to a hidden passage shows it.
    browser.run("location.hash = '#m0'")
    assert browser.run(
        "return new Promise(done => setTimeout(() => done(document.getElementById('m0').checkVisibility()), 100))"
    )


def test_a_step_over_many_passages_ends_at_the_mention(browser: Any, tmp_path: Path) -> None:
    """Passages outside of the screen have an estimated height; the mention must be on the screen all the same."""
    document = BioCDocument()
    document.id = "long"
    for number in range(300):
        where = passage(document, "Yeast was kept for another day. " * (number % 37 + 1) + "It had zinc.", "RESULTS")
        mark(document, where, "zinc", "MESH:D015032")
    place = """
        return new Promise(done => setTimeout(() => {
          const at = document.querySelector('.m.current, :target').getBoundingClientRect();
          done([at.top, at.bottom, innerHeight]);
        }, 500));
    """
    page = page_of(document, tmp_path)
    browser.open(page)
    for steps in (1, 20, 7, 30, 90):
        # Names in the text change the heights of passages that are not on the screen.
        choose(browser, "#labels", "both" if steps > 10 else "")
        browser.run(f"for (let step = 0; step < {steps}; step++) {{ document.getElementById('next').click(); }}")
        top, bottom, height = browser.run(place)
        assert 0 < top < bottom < height
        assert browser.text("#details .mention") == "zinc"
    browser.open(page, "#m222")
    top, bottom, height = browser.run(place)
    assert 0 < top < bottom < height


def test_the_scores_of_the_article_are_shown(
    browser: Any, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    browser.open(page_of(annotated, tmp_path, gold))
    rows = browser.run("return Array.from(document.querySelectorAll('header tbody tr')).map(e => e.innerText)")
    # Mentions: 2 of 4 gold mentions are found, and 2 of 7 predicted mentions are right (spans only).
    assert rows[0].split() == ["Mentions", "0.3636", "0.2857", "0.5000", "4", "2", "5"]
    assert [row.split()[0] for row in rows] == ["Mentions", "Concepts", "Index"]


def test_sections_are_beside_the_text_on_wide_screens(browser: Any, tables: BioCDocument, tmp_path: Path) -> None:
    browser.size(1400, 900)
    try:
        browser.open(page_of(tables, tmp_path))
        assert "Plants and chemicals" in browser.shown("nav a")
        right = browser.run("return document.querySelector('nav').getBoundingClientRect().right")
        assert right <= browser.run("return document.querySelector('main h2').getBoundingClientRect().left")
        browser.click("nav a[href='#p6']")
        assert browser.run("return document.querySelector(':target').textContent") == "Plants and chemicals"
    finally:
        browser.size(1200, 900)


def test_narrow_screens_show_the_text_first(narrow: Any, tables: BioCDocument, tmp_path: Path) -> None:
    narrow.open(page_of(tables, tmp_path))
    assert narrow.shown("nav a") == []
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert narrow.run(top, "main .passage") < 600
    assert narrow.run(top, "main .passage") < narrow.run(top, "#concepts")
    assert narrow.run("return document.documentElement.scrollWidth") <= 400
    # The details of a mention appear at the bottom of the screen, and can be closed.
    assert narrow.shown("#details") == []
    narrow.run("document.getElementById('m0').click()")
    assert "MESH:D015032" in narrow.shown("#details")[0]
    narrow.click("#close")
    assert narrow.shown("#details") == []


BROKEN = """
// Words of plain letters that continue on the next line.
const broken = [];
const range = document.createRange();
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const node = walk.currentNode;
  if (!node.parentElement.checkVisibility() || node.parentElement.closest('script, style, .skip')) { continue; }
  for (const word of node.data.matchAll(/[A-Za-z]{2,}/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const tops = new Set(Array.from(range.getClientRects()).map(r => Math.round(r.top)));
    if (tops.size > 1) { broken.push(word[0]); }
  }
}
return broken;
"""


def test_narrow_screens_break_no_words(
    narrow: Any, annotated: BioCDocument, gold: BioCDocument, tables: BioCDocument, tmp_path: Path
) -> None:
    narrow.open(page_of(tables, tmp_path))
    assert narrow.run(BROKEN) == []
    narrow.open(page_of(annotated, tmp_path, gold))
    assert narrow.run(BROKEN) == []
    write([annotated, annotated], tmp_path / "two.json", "biocjson")
    write([gold], tmp_path / "gold.json", "biocjson")
    write_views(str(tmp_path / "two.json"), tmp_path / "out", str(tmp_path / "gold.json"), lambda i, n: None, print)
    narrow.open(tmp_path / "out" / "index.html")
    assert narrow.run(BROKEN) == []
    assert narrow.run("return document.documentElement.scrollWidth") <= 400


def test_narrow_screens_show_equal_passages_once(
    narrow: Any, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    for standard in (gold, annotated):
        title = standard.passages[0]
        title.annotations[:] = [one for one in title.annotations if one.text != "glutathione"]
    narrow.open(page_of(annotated, tmp_path, gold))
    assert len(narrow.shown("main .row:nth-of-type(2) > .passage")) == 1
    assert len(narrow.shown("main .row:nth-of-type(3) > .passage")) == 2


def test_a_mention_of_another_type_without_concept_is_marked_as_both(tables: BioCDocument, tmp_path: Path) -> None:
    where = tables.passages[-1]
    add_mention(where, [(where.offset, where.offset + 4)], id="X1", annotator=None, type="Disease")
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    assert tree.get_element_by_id("m3").get("class") == "m other u z"


def test_a_long_form_from_a_dictionary_is_shown_as_such(tables: BioCDocument, tmp_path: Path) -> None:
    passage = tables.passages[1]
    start = passage.offset
    add_inferred(passage, Inferred(passage.text[:3], "some long form", (start, start + 3), 0.93), "EXP1")
    tree = html.document_fromstring(page_of(tables, tmp_path).read_text("utf-8"))
    rows = [" ".join(row.text_content().split()) for row in tree.xpath("//*[@id='abbreviations']//dl/div")]
    wanted = "some long form (not defined here; from a dictionary, probability 0.93)"
    assert [row for row in rows if row.endswith(wanted)] == [f"{passage.text[:3]} 1 {wanted}"]
