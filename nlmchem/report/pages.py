"""HTML pages from jinja2 templates: their tables, links, colours and file names.

A page contains its styles and script and loads nothing from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import PurePosixPath

from jinja2 import Environment, PackageLoader, StrictUndefined

from corpora.words.quantities import quantity

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """The text with U+FFFD in place of each character that HTML and XML do not allow."""
    return _UNPRINTABLE.sub("\ufffd", text)


def shortened(text: str, limit: int) -> str:
    """The text, or its beginning and an ellipsis, with at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def render_page(
    template: str, context: Mapping[str, object], style: str = "evaluation.css", script: str = "filter.js"
) -> str:
    """Fill a template of `templates/` and return the whole page.

    `context`: values of the template; all strings in it are escaped (autoescape). `style` and `script`: file names in
    `assets/`; the common style and the palette are added.

    The page has a Content-Security-Policy that allows this style and this script only, by hash. If escaping failed,
    markup in an article still could not run code.
    """
    assets = resources.files("nlmchem.report").joinpath("assets")
    page_style, own_style, code = (assets.joinpath(name).read_text("utf-8") for name in ("page.css", style, script))
    styles = "\n".join((page_style, palette_css(), own_style))
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii") for text in (styles, code)
    ]
    policy = (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    frame = {"policy": policy, "style": styles, "script": code}
    return printable(_environment().get_template(template).render({**context, **frame}))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("nlmchem.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["quantity"] = quantity
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


# -- parts of pages ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to an address: an URL, or a path relative to the page."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page. `rows` have as many cells as `head`."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    """Columns that contain words, the first ones; the others contain numbers."""
    id: str = ""
    """The HTML id, empty for none."""
    winners: frozenset[tuple[int, int]] = frozenset()
    """Cells (row, column) that are highlighted."""
    links: Mapping[tuple[int, int], tuple[Link, ...]] = field(default_factory=dict)
    """Cells (row, column) that are shown as links; their texts, joined by blanks, are the text of the cell."""
    sortable: bool = False
    sorted_by: int | None = None
    """The column that the rows are sorted by, in ascending order."""
    cards: bool = False
    """On narrow screens, the cells of a row are shown below each other instead of in columns."""


class PageNames:
    """File names made from document ids: safe characters only, and different for each document."""

    def __init__(self, folder: PurePosixPath) -> None:
        self._folder = folder
        self._taken: set[str] = set()

    def next(self, document: str) -> PurePosixPath:
        """The path of the next page."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", document)[:100] or "article"
        name, number = plain, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return self._folder / f"{name}.html"


# -- colours ----------------------------------------------------------------------------------


PALETTE = {
    "ink": ("#1b1f24", "#e8eaed"),
    "muted": ("#57606a", "#a9b1ba"),
    "grid": ("#d8dde3", "#3a4048"),
    "series-0": ("#0b62a4", "#6db4f2"),
    "series-1": ("#c24a00", "#ff9a5c"),
    "series-2": ("#00785a", "#4fd0a5"),
    "series-3": ("#8f3f97", "#d79be0"),
    "series-4": ("#8a6d00", "#e3c04a"),
    "series-5": ("#b3243c", "#ff8095"),
    "series-6": ("#00707d", "#5fd0de"),
    "series-7": ("#555b61", "#b9c0c7"),
}
"""Role -> colour on a light and on a dark background. Text and series have a contrast of at least 4.5 on both."""

_SERIES = 8
_DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 3), (9, 3, 2, 3), (4, 2), (12, 4))


def series_role(number: int) -> str:
    """The palette role of series `number` (from 0); roles repeat after eight series."""
    return f"series-{number % _SERIES}"


def dash_of(number: int) -> tuple[float, ...]:
    """Dash lengths of series `number`, in points; empty for a solid line.

    Patterns repeat after six series and colours after eight, so 24 series differ without relying on colour alone.
    """
    return _DASHES[number % len(_DASHES)]


def palette_css() -> str:
    """CSS: a variable for each role, in light and dark (print is black), and the classes `fill-ROLE`, `stroke-ROLE`."""
    light = "".join(f"--{role}:{colours[0]};" for role, colours in PALETTE.items())
    dark = "".join(f"--{role}:{colours[1]};" for role, colours in PALETTE.items())
    black = "".join(f"--{role}:#000000;" for role in ("ink", "muted"))
    classes = "".join(f".{use}-{role}{{{use}:var(--{role})}}" for role in PALETTE for use in ("stroke", "fill"))
    screen = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f"{screen}@media print{{:root{{{black}}}}}{classes}"
