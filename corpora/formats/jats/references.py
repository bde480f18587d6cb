"""References: the text of each cited work, and its other metadata as infons."""

from __future__ import annotations

from corpora.formats.jats.text import Element, clean, tags, text_of

_CITATIONS = frozenset({"element-citation", "mixed-citation", "citation", "nlm-citation"})
_TITLES = ("article-title", "chapter-title", "part-title", "data-title", "trans-title")
_DETAILS = tags(
    """
    source year volume issue fpage lpage elocation-id page-range publisher-name publisher-loc edition
    conf-name patent version comment
    """
)


def person(element: Element) -> str:
    """A `name`, `string-name` or `collab` as NCBI writes authors: `surname:Curie;given-names:M`."""
    parts = [f"{tag}:{text_of(part)}" for tag in ("surname", "given-names") for part in element.iter(tag)]
    return ";".join(parts) or f"{'collab' if element.tag == 'collab' else 'name'}:{text_of(element)}"


def reference(ref: Element) -> list[tuple[str, dict[str, str]]]:
    """The text and the infons of each work that a `ref` cites, and of its notes.

    The text is the cited title, as in NCBI's service. Without title it is the `source` of an `element-citation`, else
    the whole citation, which contains titles that are not marked up.
    """
    texts: list[tuple[str, dict[str, str]]] = []
    for child in _parts(ref):
        if child.tag in _CITATIONS:
            texts.append((_title(child), _details(child)))
        else:
            texts.append((text_of(child), {}))
    if not texts:
        texts.append((text_of(ref), {}))
    return [(text, infons) for text, infons in texts if text]


def _parts(ref: Element) -> list[Element]:
    parts: list[Element] = []
    for child in ref:
        if child.tag == "citation-alternatives":
            parts += child[:1]
        elif child.tag != "label":
            parts.append(child)
    return parts


def _title(citation: Element) -> str:
    for tag in _TITLES:
        titles = [text for text in map(text_of, citation.iter(tag)) if text]
        if titles:
            return " ".join(titles)
    source = citation.find("source") if citation.tag == "element-citation" else None
    return (text_of(source) if source is not None else "") or text_of(citation)


def _details(citation: Element) -> dict[str, str]:
    infons: dict[str, str] = {}
    people = 0
    for element in citation.iter():
        tag = element.tag
        if tag in ("name", "string-name", "collab"):
            if element.getparent().tag != "collab":
                infons[f"name_{people}"] = person(element)
                people += 1
        elif tag == "pub-id":
            infons.setdefault(f"pub-id_{element.get('pub-id-type') or 'other'}", _plain(element))
        elif tag in _DETAILS:
            value = _plain(element)
            infons[tag] = f"{infons[tag]}; {value}" if tag in infons else value
    return {key: value for key, value in infons.items() if value}


def _plain(element: Element) -> str:
    return text_of(element) if len(element) else clean(element.text or "")
