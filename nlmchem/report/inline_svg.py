"""SVG of matplotlib as an element of a page: colours from the page's palette, no style attributes, unique ids.

The Content-Security-Policy of our pages forbids style attributes; presentation attributes and classes are allowed.
"""

from __future__ import annotations

from lxml import etree

from nlmchem.report.pages import printable
from nlmchem.report.palette import PALETTE

__all__ = ["inline_svg"]

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {f"{_SVG}metadata", f"{_SVG}style", f"{_SVG}title"}
_FROM_PAGE = {"font-family"}
"""Style properties that the page sets."""
_ROLES = {colours[0]: role for role, colours in PALETTE.items()}


def inline_svg(svg: bytes, title: str, prefix: str) -> str:
    """The SVG file as an element for an HTML page.

    `title`: what a screen reader reads. `prefix`: put before all ids, so that several charts fit in one page.
    Colours of the palette become the classes `fill-ROLE` and `stroke-ROLE` of `palette_css`.
    """
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    for element in list(root.iter(etree.Element)):
        if element.tag in _DROPPED:
            element.getparent().remove(element)
            continue
        _set_style(element)
        _prefix_ids(element, prefix)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    # Instead of the style element, which would apply to the whole page.
    root.attrib.update({"stroke-linejoin": "round", "role": "img", "aria-label": printable(title)})
    etree.cleanup_namespaces(root)
    return str(etree.tostring(root, encoding="unicode"))


def _set_style(element: etree._Element) -> None:
    """Replace the style attribute by presentation attributes and classes."""
    classes = []
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name in ("fill", "stroke") and value in _ROLES:
            classes.append(f"{name}-{_ROLES[value]}")
        elif name and name not in _FROM_PAGE:
            element.set(name, value)
    if classes:
        element.set("class", " ".join(classes))


def _prefix_ids(element: etree._Element, prefix: str) -> None:
    if "id" in element.attrib:
        element.set("id", f"{prefix}-{element.get('id')}")
    target = element.attrib.pop(_LINK, "")
    if target.startswith("#"):
        element.set("href", f"#{prefix}-{target[1:]}")
    elif target:
        element.set("href", target)
    clip = element.get("clip-path")
    if clip is not None:
        element.set("clip-path", clip.replace("url(#", f"url(#{prefix}-"))
