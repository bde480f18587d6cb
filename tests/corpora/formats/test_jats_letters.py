"""JATS: no letter is lost or doubled, in random markup and in real articles."""

from __future__ import annotations

import io
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from bioc import BioCDocument
from hypothesis import given, settings
from hypothesis import strategies as st
from jats_articles import MML, article, read
from lxml import etree

from corpora.formats.format import Header
from corpora.formats.jats import parse, split
from corpora.parsing.inline_markup import tex_text

# -- nothing is lost ----------------------------------------------------------------------------

LEFT_OUT = set(
    """
    alt-text front front-stub glyph-data index-term institution-id label long-desc object-id permissions
    processing-meta ref sec-meta
    """.split()  # noqa: SIM905
)
"""docs/reference/jats.md lists these; labels and the details of references are infons."""

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
            assert list(split(io.BytesIO(raw), Header(), print)) == [raw]
            document = parse(raw, print)
            check_shape(document)
            root = etree.fromstring(raw, etree.XMLParser(huge_tree=True, remove_comments=True, remove_pis=True))
            expected, found = letters_of_source(root), letters_of_passages(document)
            if missing := expected - found:
                lost.append(f"{member.name}: {missing.total()} letters")
            labels = Counter(filter(str.isalpha, "".join("".join(label.itertext()) for label in root.iter("label"))))
            # Cells that span rows are repeated.
            for cell in root.iter("td", "th"):
                times = int(cell.get("rowspan") or 1) - 1
                labels.update(filter(str.isalpha, "".join(cell.itertext()) * times))
            assert found - expected <= labels, member.name
    assert not lost
