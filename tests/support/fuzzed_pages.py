"""Fuzzes HTML pages: articles full of markup, shown in Chromium. No script of a text may run, and no text may be lost.

The browser starts at the first page and stays until the process ends; forked processes use the same one.
"""

from __future__ import annotations

import atexit
import functools
import random
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bioc import BioCDocument
from page_articles import mark, passage
from webdriver import Browser, started

from corpora.model.document import Definition, Evidence, IndexTerm, add_definition, add_index_term, fresh_ids
from corpora.writing import write

__all__ = ["pages"]

PARTS = (
    *("<script>window.owned=1</script>", "<img src=x onerror=\"window.owned=1\">", "</script>", "<!--", "-->", "]]>"),
    *("\" onmouseover=\"window.owned=1", "' autofocus onfocus='window.owned=1", "javascript:window.owned=1", "</span>"),
    *("<svg onload=window.owned=1>", "<base href=//x>", "<style>*{display:none}</style>", "{{7*7}}", "{% raw %}"),
    *("&#x3c;b>", "&lt;", "\\u003cscript>", "</title>", "</textarea>", "<plaintext>", "${window.owned=1}"),
    *("\u202e", "\u2028", "\ufeff", "\U0001f9ea", "\ud800", "\0", "\r\n", "\t", "e\u0301" * 9, "zinc", "a" * 300),
)  # fmt: skip
FOREIGN = """
const bad = [];
if (window.owned) bad.push('a script of a text ran');
for (const element of document.querySelectorAll('*')) {
  for (const name of element.getAttributeNames()) if (name.startsWith('on')) bad.push(element.tagName + ' ' + name);
  if (['IMG', 'BASE', 'IFRAME', 'OBJECT', 'SVG', 'PLAINTEXT', 'TEXTAREA'].includes(element.tagName.toUpperCase()))
    bad.push(element.tagName);
}
for (const link of document.querySelectorAll('a[href]'))
  if (!['https:', 'http:', 'file:'].includes(link.protocol)) bad.push(link.href);
return bad;
"""
TEXTS = "return Array.from(document.querySelectorAll(arguments[0])).map(e => e.textContent)"


def pages(chance: random.Random, folder: Path) -> None:
    """Show an article of markup, with or without a gold standard, and use the page."""
    from nlmchem.report.articles import write_views

    page = folder / "page.html"
    predicted, gold = folder / "run.json", folder / "gold.json"
    documents = [_article(chance) for _ in range(chance.choice((1, 1, 2)))]
    write(documents, predicted, "biocjson")
    paired = chance.random() < 0.5
    if paired:
        write([_gold(document, chance) for document in documents], gold, "biocjson")
    write_views(str(predicted), page, str(gold) if paired else None, lambda id, name: f"{id}{name}", lambda text: None)
    shown = browser()
    shown.errors()
    for path in (page, *sorted(folder.glob("page/*.html"))):
        shown.open(path)
        _check(shown)
        _use(shown)
        _check(shown)
    if not paired and len(documents) == 1:
        _check_text(shown, documents[0])


def _use(shown: Browser) -> None:
    """Click on everything that does something, with the mouse over every mention."""
    shown.run("""
        for (const element of document.querySelectorAll('.m, .d, button, summary, th')) {
          element.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
          element.click();
        }
        const labels = document.getElementById('labels');
        if (labels) { labels.value = 'both'; labels.dispatchEvent(new Event('change')); }
    """)


def _check(shown: Browser) -> None:
    bad = shown.run(FOREIGN)
    if bad or (bad := shown.errors()):
        raise AssertionError("; ".join(bad)[:500])


def _check_text(shown: Browser, document: BioCDocument) -> None:
    """Every passage is on the page, but for characters that HTML cannot store."""
    texts = [_letters(text) for text in shown.run(TEXTS, ".passage")]
    for one in document.passages:
        if not any(_letters(one.text) in text for text in texts):
            raise AssertionError(f"a passage is not on the page: {one.text!r}"[:500])


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isascii() and character.isalnum())


def _words(chance: random.Random, most: int = 6) -> str:
    return " ".join(chance.choices(PARTS, k=chance.randrange(1, most)))


def _article(chance: random.Random) -> BioCDocument:
    document = BioCDocument()
    document.id = _words(chance, 3)
    for _ in range(chance.randrange(1, 4)):
        where = passage(
            document, f"zinc {_words(chance)} Glc {_words(chance)}", chance.choice(("TITLE", _words(chance)))
        )
        where.infons.update({"type": chance.choice(("title", "fig_caption", "table", _words(chance, 3)))})
        mark(document, where, "zinc", _identifier(chance), Evidence(_words(chance, 3), 0.5, _words(chance, 3)))
        mark(document, where, where.text[: chance.randrange(1, len(where.text))], _identifier(chance))
        start = where.offset + where.text.index("Glc")
        definition = Definition("Glc", _words(chance, 3), (start, start + 3), (where.offset, where.offset + 4))
        add_definition(where, definition, fresh_ids(document, "A"))
    add_index_term(document, IndexTerm(_identifier(chance), _words(chance, 3), 0.5))
    return document


def _gold(document: BioCDocument, chance: random.Random) -> BioCDocument:
    """The same passages with another mention."""
    made = BioCDocument()
    made.id = document.id
    for one in document.passages:
        where = passage(made, one.text, one.infons.get("section_type"))
        mark(made, where, where.text[: chance.randrange(1, len(where.text))], _identifier(chance))
    return made


def _identifier(chance: random.Random) -> str:
    return chance.choice(("MESH:D015032", "-", _words(chance, 3)))


@functools.cache
def browser() -> Browser:
    """A browser for all pages of this process and of its children. Raises `FileNotFoundError` without chromium."""
    stack = ExitStack()
    profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    shown = stack.enter_context(started(Path(profile)))
    atexit.register(stack.close)
    return shown
