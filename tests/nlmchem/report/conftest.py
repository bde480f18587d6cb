"""A browser, and articles to show."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bioc import BioCDocument
from page_articles import mark, passage
from webdriver import MISSING, Browser, present, started

from corpora.model.document import Definition, Evidence, IndexTerm, add_definition, add_index_term, fresh_ids

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> & 'quoted' \"text\""


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not present():
        pytest.skip(MISSING)
    with started(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def annotated() -> BioCDocument:
    """Two sections, a definition, mentions with evidence (one of them with two concepts), index terms."""
    document = BioCDocument()
    document.id = "77"
    title = passage(document, "Zinc and glutathione in yeast", "TITLE")
    intro = passage(document, "Yeast kept glutathione (GSH) low while zinc was high. PBS was the buffer.", "INTRO")
    methods = passage(document, "GSH was measured twice.", "METHODS")
    mark(document, title, "Zinc", "MESH:D015032", Evidence("exact", 1.0, "zinc"))
    mark(document, title, "glutathione", "MESH:D005978", Evidence("exact", 1.0, "glutathione"))
    mark(document, intro, "glutathione", "MESH:D005978", Evidence("exact", 1.0, "glutathione"))
    mark(document, intro, "GSH", "MESH:D005978", Evidence("abbreviation", 0.9, "glutathione"))
    mark(document, intro, "zinc", "MESH:D015032", Evidence("exact", 1.0, "zinc"))
    mark(document, intro, "PBS", "MESH:D012965,MESH:D010710", Evidence("fuzzy", 0.7, "PBS"))
    mark(document, methods, "GSH", "MESH:D005978", Evidence("abbreviation", 0.9, "glutathione"))
    long = intro.offset + intro.text.index("glutathione")
    short = intro.offset + intro.text.index("GSH")
    definition = Definition("GSH", "glutathione", (short, short + 3), (long, long + 11))
    add_definition(intro, definition, fresh_ids(document, "A"))
    add_index_term(document, IndexTerm("MESH:D005978", "Glutathione", 0.93))
    add_index_term(document, IndexTerm("MESH:D000001", "Calcimycin", 0.2))
    return document


@pytest.fixture
def gold() -> BioCDocument:
    """The same text with an equal mention, a different concept, different boundaries, and a mention in gold only."""
    document = BioCDocument()
    document.id = "77"
    title = passage(document, "Zinc and glutathione in yeast", "TITLE")
    passage(document, "Yeast kept glutathione (GSH) low while zinc was high. PBS was the buffer.", "INTRO")
    methods = passage(document, "GSH was measured twice.", "METHODS")
    mark(document, title, "Zinc", "MESH:D015032")
    mark(document, title, "glutathione", "MESH:D000001")
    mark(document, methods, "GSH was", "MESH:D005978")
    mark(document, methods, "measured", "-")
    add_index_term(document, IndexTerm("MESH:D015032", "Zinc"))
    return document


@pytest.fixture
def hostile() -> BioCDocument:
    """A document in which every text contains HTML markup."""
    document = BioCDocument()
    document.id = f"../{HOSTILE}"
    where = passage(document, f"{HOSTILE} zinc {HOSTILE} </script><!-- GSH", HOSTILE)
    mark(document, where, "zinc", HOSTILE.replace(",", ""), Evidence(HOSTILE, 1.0, f"</script>{HOSTILE}"))
    mark(document, where, HOSTILE, "MESH:D1")
    start = where.text.index("GSH")
    definition = Definition("GSH", "<script>", (start, start + 3), (0, 8))
    add_definition(where, definition, fresh_ids(document, "A"))
    add_index_term(document, IndexTerm(HOSTILE, f"</script>{HOSTILE}", 0.5))
    return document
