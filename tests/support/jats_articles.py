"""Articles in JATS for tests, and functions that read them."""

from __future__ import annotations

from bioc import BioCDocument, BioCPassage

from corpora.formats.jats import parse

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
