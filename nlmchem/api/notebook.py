"""What a notebook shows of an article: its title, and its text with the mentions marked, in the colours of the pages.

Styles are inside the elements: notebooks and the sites that show them remove style sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice

from bioc import BioCDocument

from corpora.model.document import Mention, mentions
from corpora.model.passages import passage_kind, passage_text, section_type
from corpora.model.sections import Part, PassageKind, outline, sections_of

FOLDED_AFTER = 2000
"""Code points of an article that are visible; the rest is folded away."""
SHOWN = 20
"""Articles of a collection that are shown."""

LINKED = "background:#d6e8fa;color:#0b2f52;border-radius:3px;padding:0 1px"
UNLINKED = "background:none;color:inherit;border-radius:3px;padding:0 1px;box-shadow:inset 0 0 0 1.5px #4a7fb5"
"""The colours of nlmchem/report/assets/article.css."""
_STYLES = {
    PassageKind.TITLE: "font-size:1.4em;font-weight:700;line-height:1.25;margin:0 0 .4em",
    PassageKind.HEADING: "font-size:1.15em;font-weight:700;margin:1em 0 .3em",
}
_PLAIN = "margin:0 0 .6em;white-space:pre-line"
_QUIET = "opacity:.7;margin:0 0 .6em"

_Paragraph = tuple[str, str, int, list[Mention]]
"""The style, the text and the offset of a passage or of a part of one, and the mentions of the passage."""


def article_html(document: BioCDocument, folded: bool = True) -> str:
    """An article as HTML: title, id, and text. Of mentions that overlap, the first and longest is marked.

    `folded`: the text after `FOLDED_AFTER` code points can be unfolded; otherwise it is left out.
    """
    shown, rest = _divided(list(_paragraphs(document)))
    pieces = [_html(paragraph) for paragraph in shown]
    quiet = f'<p style="{_QUIET}">{escape(str(document.id))}</p>'
    # The title comes first, the id under it; an article without title has its id only.
    at = 1 if shown and shown[0][0] == _STYLES[PassageKind.TITLE] else 0
    pieces.insert(at, quiet)
    if rest:
        left = f"{sum(len(text) for _, text, _, _ in rest):,} more characters"
        if folded:
            pieces.append(f"<details><summary>{left}</summary>{''.join(map(_html, rest))}</details>")
        else:
            pieces.append(f'<p style="{_QUIET}">and {left}</p>')
    return f'<div style="max-width:46rem">{"".join(pieces)}</div>'


def collection_html(documents: Iterable[BioCDocument]) -> str:
    """The beginnings of the first `SHOWN` articles as HTML, and the number of the others."""
    items = iter(documents)
    shown = [article_html(document, folded=False) for document in islice(items, SHOWN)]
    more = sum(1 for _ in items)
    return "<hr>".join(shown) + (f"<p>and {more} more articles</p>" if more else "")


def parts(document: BioCDocument) -> tuple[Part, ...]:
    """What each passage is. A single passage that states nothing is a text, not a title."""
    passages = document.passages
    if len(passages) == 1 and section_type(passages[0]) is None and not passage_kind(passages[0]):
        return (Part(PassageKind.TEXT),)
    return outline(document, sections_of(document))


def _paragraphs(document: BioCDocument) -> Iterator[_Paragraph]:
    """The passages with text."""
    by_passage: dict[int, list[Mention]] = {}
    for mention in mentions(document):
        by_passage.setdefault(id(mention.passage), []).append(mention)
    for passage, part in zip(document.passages, parts(document), strict=True):
        text = passage_text(passage)
        if text.strip():
            yield _STYLES.get(part.kind, _PLAIN), text, passage.offset, by_passage.get(id(passage), [])


def _divided(paragraphs: list[_Paragraph]) -> tuple[list[_Paragraph], list[_Paragraph]]:
    """What is visible and what is folded. A long passage is divided between two words, outside mentions."""
    left = FOLDED_AFTER
    for at, (style, text, offset, of_paragraph) in enumerate(paragraphs):
        if len(text) > left:
            cut = _cut(text, left, offset, of_paragraph)
            first, second = (style, text[:cut], offset, of_paragraph), (style, text[cut:], offset + cut, of_paragraph)
            return [*paragraphs[:at], *([first] if cut else [])], [second, *paragraphs[at + 1 :]]
        left -= len(text)
    return paragraphs, []


def _cut(text: str, limit: int, offset: int, of_paragraph: list[Mention]) -> int:
    cut = text.rfind(" ", 0, limit) + 1
    for start, end in sorted((span for mention in of_paragraph for span in mention.spans), reverse=True):
        if start - offset < cut < end - offset:
            cut = start - offset
    return cut


def _html(paragraph: _Paragraph) -> str:
    style, text, offset, of_paragraph = paragraph
    return f'<p style="{style}">{_marked(text, offset, of_paragraph)}</p>'


def _marked(text: str, offset: int, of_paragraph: Iterable[Mention]) -> str:
    spans = sorted(
        ((start - offset, end - offset, mention) for mention in of_paragraph for start, end in mention.spans),
        key=lambda span: (span[0], -span[1]),
    )
    pieces: list[str] = []
    reached = 0
    for start, end, mention in spans:
        if start < reached or end > len(text):
            continue
        pieces += [escape(text[reached:start]), _mark(text[start:end], mention)]
        reached = end
    return "".join([*pieces, escape(text[reached:])])


def _mark(text: str, mention: Mention) -> str:
    identifiers = ", ".join(mention.identifiers)
    name = mention.evidence.matched_name
    tooltip = identifiers + (f" ({name})" if identifiers and name else "") or "no concept"
    style = LINKED if identifiers else UNLINKED
    return f'<mark style="{style}" title="{escape(tooltip)}">{escape(text)}</mark>'
