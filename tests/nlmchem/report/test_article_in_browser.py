"""`nlmchem view`: pages of articles in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage
from page_articles import shown

from corpora.model.document import (
    Evidence,
    add_mention,
    mentions,
    set_identifiers,
    set_reasons,
)


def test_hover_and_focus_show_the_details_of_a_mention(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    browser.hover("#m3")
    tip = browser.text("#tip")
    for part in ("Glutathione (MESH:D005978)", "abbreviation of glutathione", "sieve abbreviation", "score 0.9000"):
        assert part in tip
    browser.hover("h1")
    assert browser.shown("#tip") == []
    browser.run("document.getElementById('m5').focus()")
    assert "MESH:D012965" in browser.text("#tip")
    assert "MESH:D010710" in browser.text("#tip")
    assert browser.run("return document.activeElement.getAttribute('aria-describedby')") == "tip"
    browser.keys("\ue00c")  # Escape
    assert browser.shown("#tip") == []


def test_the_tip_leaves_after_a_click_and_stays_away(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    browser.hover("#m3")
    assert browser.shown("#tip") != []
    browser.click("#m3")
    assert "Glutathione" in browser.text("#details")
    assert browser.shown("#tip") == []
    browser.keys("n")  # the panel shows what a step selects
    assert browser.shown("#tip") == []
    browser.hover("#m4")
    assert browser.shown("#tip") != []


@pytest.mark.parametrize("width", [1280, 1000, 400])
def test_the_tip_does_not_cover_the_panel(browser: Any, annotated: BioCDocument, tmp_path: Path, width: int) -> None:
    browser.size(width, 700)
    try:
        browser.open(shown(annotated, tmp_path)[0])
        browser.click("#m2")
        script = """const t = document.getElementById('tip').getBoundingClientRect();
            const p = document.getElementById('mention').getBoundingClientRect();
            return t.width > 0 && (t.right <= p.left || t.bottom <= p.top)"""
        for id in ("m1", "m3", "m4", "m5"):
            browser.run(f"document.getElementById('{id}').focus()")
            assert browser.run(script), id
    finally:
        browser.size(1200, 900)


def test_the_sieve_and_the_decision_are_explained_in_words(
    browser: Any, annotated: BioCDocument, tmp_path: Path
) -> None:
    set_reasons(next(mentions(annotated)), "in MeSH as a chemical; <b>probability</b> 0.9")
    browser.open(shown(annotated, tmp_path)[0])
    browser.click("#m0")
    lines = browser.run("return Array.from(document.querySelectorAll('#details p')).map(e => e.textContent)")
    assert "the text is a name in the lexicon (sieve exact)" in lines
    assert any(re.fullmatch(r"right with a probability of 0\.9\d", line) for line in lines)
    assert "decision: in MeSH as a chemical; <b>probability</b> 0.9" in lines
    browser.click("#m3")  # a sieve that is in no registry
    assert "sieve abbreviation" in browser.text("#details")
    assert "decision" not in browser.text("#details")
    assert "probability" not in browser.text("#details")


@pytest.mark.parametrize(
    ("field", "value", "selected"),
    [
        ("section", "Introduction", ["m2", "m3", "m4", "m5"]),
        ("lowest", "0.95", ["m0", "m1", "m2", "m4"]),
        ("highest", "0.9", ["m3", "m5", "m6"]),
        ("unlinked", None, ["m7"]),
    ],
)
def test_filters_by_section_score_and_missing_concept(
    browser: Any, annotated: BioCDocument, tmp_path: Path, field: str, value: str | None, selected: list[str]
) -> None:
    where = annotated.passages[2]
    at = where.offset + where.text.index("twice")
    set_identifiers(add_mention(where, [(at, at + 5)], id="C9", annotator="test"), [], Evidence())
    browser.open(shown(annotated, tmp_path)[0])
    browser.click(".filter summary")
    if value is None:
        browser.click(f"#{field}")
    else:
        script = "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
        browser.run(f"{script} f.dispatchEvent(new Event('input'))", field, value)
    marked = "return Array.from(document.querySelectorAll('.m.on[id]')).map(e => e.id)"
    assert browser.run(marked) == selected
    assert browser.text("#position") == f"{len(selected)} of 8 mentions"
    browser.keys("n")
    assert browser.run("return document.activeElement.id") == selected[0]
    browser.click("#reset")
    assert browser.run(marked) == []
    assert browser.text("#position") == ""


def test_a_filter_without_a_mention_names_itself(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    script = "const f = document.getElementById('lowest'); f.value = '2'; f.dispatchEvent(new Event('input'))"
    browser.run(script)
    assert browser.text("#position") == "0 of 7 mentions: none has a score from 2"


def test_filters_and_a_concept_select_together(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    browser.click("button.concept[data-c='0']")
    assert browser.text("#position") == "2 of 7 mentions"
    script = "const f = document.getElementById('section'); f.value = 'Title'; f.dispatchEvent(new Event('input'))"
    browser.run(script)
    assert browser.text("#position") == "1 of 7 mentions"
    browser.keys("\ue00c")  # Escape
    assert browser.count(".m.on") == 0


def test_the_tab_key_reaches_every_mention(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    browser.run("document.querySelector('h1').setAttribute('tabindex', '-1'); document.querySelector('h1').focus()")
    reached = []
    for _ in range(30):
        browser.keys("\ue004")  # Tab
        reached.append(browser.run("return document.activeElement.id"))
    assert [id for id in reached if id.startswith("m")] == ["m0", "m1", "m2", "m3", "m4", "m5", "m6"]


def test_a_concept_button_highlights_its_mentions(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    button = "button.concept[data-c='0']"  # concepts are numbered in text order
    name = browser.text(button)
    browser.click(button)
    assert browser.run("return document.body.classList.contains('filtering')")
    on = browser.run("return Array.from(document.querySelectorAll('.m.on')).map(e => e.textContent.toLowerCase())")
    assert sorted(on) == ["zinc", "zinc"]
    assert "zinc" in name
    assert "2 mentions" in browser.text("#details")
    assert browser.run("return document.querySelector(arguments[0]).getAttribute('aria-pressed')", button) == "true"
    # n selects the next mention; after the last comes the first.
    places = []
    for _ in range(3):
        browser.keys("n")
        places.append(browser.run("return document.activeElement.id"))
    assert places == ["m0", "m4", "m0"]
    browser.keys("\ue00c")  # Escape
    assert browser.count(".m.on") == 0


def test_a_mention_of_two_concepts_is_highlighted_for_both(
    browser: Any, annotated: BioCDocument, tmp_path: Path
) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    for number in browser.run("return document.getElementById('m5').dataset.c").split():
        browser.click(f"button.concept[data-c='{number}']")
        assert browser.run("return document.getElementById('m5').classList.contains('on')")
        browser.click(f"button.concept[data-c='{number}']")


def test_the_search_box_filters_concepts(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    assert len(browser.shown("#concepts li")) == 4
    browser.type("#concept-search", "D0059")
    assert [text.split()[0] for text in browser.shown("#concepts li")] == ["Glutathione"]


def test_index_terms_link_to_their_mentions(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    links = """return Array.from(document.querySelectorAll('#index-terms a[href^="#"]')).map(e => e.hash)"""
    assert browser.run(links) == ["#m1", "#m2", "#m3", "#m6"]
    assert "not mentioned in the text" in browser.text("#index-terms li:nth-child(2)")
    browser.click("#index-terms a[href='#m6']")
    assert browser.run("return document.querySelector(':target').textContent") == "GSH"


def test_an_abbreviation_links_to_its_definition(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    browser.run("document.getElementById('m6').focus()")
    browser.keys("\ue007")  # Enter
    assert "abbreviation of glutathione" in browser.text("#details")
    browser.click("#details a[href^='#']")
    assert browser.run("return document.querySelector(':target').textContent") == "glutathione"
    assert browser.run("return document.querySelector(':target').closest('.passage').textContent").startswith(
        "Yeast kept"
    )


def test_gold_and_prediction_side_by_side(
    browser: Any, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    browser.open(shown(annotated, tmp_path, gold)[0])
    script = "return Array.from(document.querySelectorAll('.m[id]')).map(e => [e.id, e.textContent, e.className])"
    found = {id: (text, kind) for id, text, kind in browser.run(script)}
    assert found["g0"] == ("Zinc", "m s-same z")
    assert found["m0"] == ("Zinc", "m s-same z")
    assert found["g1"] == ("glutathione", "m s-concept z")
    assert found["g2"] == ("GSH was", "m s-cut z")
    assert found["m6"] == ("GSH", "m s-cut z")
    assert found["g3"] == ("measured", "m u s-alone z")
    assert found["m2"] == ("glutathione", "m s-alone z")
    # The two columns are side by side.
    tops = "return ['g2', 'm6'].map(id => document.getElementById(id).getBoundingClientRect().top)"
    gold_top, predicted_top = browser.run(tops)
    assert abs(gold_top - predicted_top) < 40
    assert "not in gold" in browser.text("#index-terms")
    assert "in gold only" in browser.text("#index-terms")
    browser.click("#differences")
    transparent = "rgba(0, 0, 0, 0)"
    assert browser.style("#m0", "backgroundColor") == transparent
    assert browser.style("#m6", "backgroundColor") != transparent


def test_hostile_text_stays_text(browser: Any, hostile: BioCDocument, tmp_path: Path) -> None:
    page, _ = shown(hostile, tmp_path, hostile)
    browser.errors()
    browser.open(page)
    browser.hover("#m0")
    browser.click("#m0")
    browser.click("button.concept")
    assert browser.run("return document.title") != "owned"
    assert browser.count("img") == 0
    assert browser.count("script") == 2  # the data and the script of the page
    assert "<script>document.title='owned'</script>" in browser.text("main")
    assert "<img src=x" in browser.text("#details") + browser.text("#tip")
    assert browser.errors() == []


def test_the_page_loads_nothing_and_reports_no_error(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.errors()
    browser.open(shown(annotated, tmp_path)[0])
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.errors() == []


def test_headings_and_landmarks(browser: Any, annotated: BioCDocument, tmp_path: Path) -> None:
    browser.open(shown(annotated, tmp_path)[0])
    assert browser.count("h1") == 1
    assert browser.count("main") == browser.count("header") == browser.count("aside") == 1
    assert browser.shown("main h2") == ["Introduction", "Methods"]
    controls = "Array.from(document.querySelectorAll('button, input, a'))"
    assert browser.run(f"return {controls}.filter(e => !(e.textContent || e.labels?.length)).length") == 0
    ids = browser.run("return Array.from(document.querySelectorAll('[id]')).map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_of_all_text(
    browser: Any, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path, scheme: str
) -> None:
    """WCAG 2.1, success criterion 1.4.3: a contrast of at least 4.5 between text and background."""
    browser.scheme(scheme)
    try:
        browser.open(shown(annotated, tmp_path, gold)[0])
        browser.click("button.concept")
        browser.hover("#m3")
        worst = browser.run(CONTRAST)
        assert worst[0] >= 4.5, worst
        dark = browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
        assert dark == (scheme == "dark")
    finally:
        browser.scheme("light")


CONTRAST = """
const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
  if (!/, 0\\)$/.test(c) && c !== 'transparent') { return c; } } return 'rgb(255, 255, 255)'; };
let worst = [99, ''];
for (const e of document.querySelectorAll('body *')) {
  const words = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
  if (!words || !e.checkVisibility()) { continue; }
  if (e.closest('.skip, svg')) { continue; }
  const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < worst[0]) { worst = [ratio, e.outerHTML.slice(0, 200), getComputedStyle(e).color, ground(e)]; }
}
return worst;
"""


def test_a_page_of_3_mb_can_be_used(browser: Any, tmp_path: Path) -> None:
    """3 million characters and 20,000 mentions: filters and links work."""
    document = BioCDocument()
    document.id = "large"
    text = "Yeast kept zinc low while glutathione was high, and nothing else was ever to be seen in it. " * 16
    offset = 0
    while offset < 3_000_000:
        where = BioCPassage()
        where.offset, where.text = offset, text
        for count in range(10):
            start = text.index("zinc", count * 92)
            annotation = BioCAnnotation()
            annotation.id = str(count)
            annotation.text = "zinc"
            annotation.infons = {"type": "Chemical", "identifier": f"MESH:D{offset % 97:06}"}
            annotation.add_location(BioCLocation(offset + start, 4))
            where.add_annotation(annotation)
        document.add_passage(where)
        offset += len(text) + 1
    page, _ = shown(document, tmp_path)
    browser.open(page)
    number = browser.count(".m[id]")
    assert number > 20_000
    browser.run("document.querySelector('button.concept').click()")
    assert browser.count(".m.on") > 100
    browser.open(page, f"#m{number - 1}")
    assert browser.run("return document.querySelector(':target').getBoundingClientRect().top < innerHeight")
