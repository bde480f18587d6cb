"""Drawings of lines, boxes and words, written as SVG (inline or a file) and as PNG.

A drawing names colours by role ("ink", "grid", "series-0"): inline SVG takes them from the page's style,
and so follows light and dark; files have the light palette on white.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Any

from nlmchem.report.html import escape

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "DASHES",
    "PALETTE",
    "SERIES",
    "Box",
    "Drawing",
    "Label",
    "Line",
    "palette_css",
    "series_colour",
    "series_dash",
]

Point = tuple[float, float]

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
"""Role -> colour in light, in dark. Series have a contrast of at least 4.5 to either ground."""

SERIES = 8
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 3), (2, 3), (9, 3, 2, 3), (4, 2), (12, 4))
"""Line patterns, beside colours, for those who do not see colours, or print without."""


def series_colour(number: int) -> str:
    return f"series-{number % SERIES}"


def series_dash(number: int) -> tuple[float, ...]:
    return DASHES[number % len(DASHES)]


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, in units of the drawing."""

    points: tuple[Point, ...]
    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str


@dataclass(frozen=True, slots=True)
class Label:
    """Words that begin, are centred, or end (`anchor`: start, middle, end) at a point of their base line.

    `upright`: turned to read from below.
    """

    x: float
    y: float
    text: str
    anchor: str = "start"
    colour: str = "ink"
    size: float = 12.0
    upright: bool = False


@dataclass(slots=True)
class Drawing:
    """Things to draw, in order; `title` is what a screen reader says."""

    width: float
    height: float
    title: str
    items: list[Line | Box | Label] = field(default_factory=list)

    def inline_svg(self) -> str:
        """An SVG element whose colours the page gives (classes `stroke-ROLE`, `fill-ROLE`)."""
        body = "".join(_svg(item, inline=True) for item in self.items)
        return (
            f'<svg viewBox="0 0 {_n(self.width)} {_n(self.height)}" role="img" aria-label="{escape(self.title)}" '
            f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
        )

    def svg(self) -> str:
        """A file of its own, light, on white."""
        body = "\n".join(_svg(item, inline=False) for item in self.items)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(self.width)}" height="{_n(self.height)}" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" font-family="Helvetica, Arial, sans-serif">\n'
            f"<title>{escape(self.title)}</title>\n"
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'
        )

    def png(self, scale: float = 3.0) -> bytes:
        """The same picture, `scale` dots for each unit. Raises `ImportError` where Pillow is not installed."""
        from PIL import Image, ImageDraw

        fine = scale * 2  # drawn twice as large and made smaller: Pillow's lines have no soft edges
        size = (round(self.width * fine), round(self.height * fine))
        image = Image.new("RGB", size, "#ffffff")
        draw = ImageDraw.Draw(image)
        for item in self.items:
            _paint(image, draw, item, fine)
        small = image.reduce(2)
        stream = io.BytesIO()
        small.save(stream, "PNG", dpi=(96 * scale, 96 * scale))
        return stream.getvalue()


# -- SVG ----------------------------------------------------------------------------------------


def _svg(item: Line | Box | Label, inline: bool) -> str:
    if isinstance(item, Box):
        return (
            f'<rect x="{_n(item.x)}" y="{_n(item.y)}" width="{_n(item.width)}" height="{_n(item.height)}" '
            f"{_colour('fill', item.colour, inline)}/>"
        )
    if isinstance(item, Line):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in item.points)
        dash = f' stroke-dasharray="{" ".join(_n(part) for part in item.dash)}"' if item.dash else ""
        return (
            f'<polyline points="{points}" fill="none" stroke-width="{_n(item.width)}" stroke-linejoin="round"'
            f"{dash} {_colour('stroke', item.colour, inline)}/>"
        )
    turn = f' transform="rotate(-90 {_n(item.x)} {_n(item.y)})"' if item.upright else ""
    return (
        f'<text x="{_n(item.x)}" y="{_n(item.y)}" text-anchor="{item.anchor}" font-size="{_n(item.size)}"{turn} '
        f"{_colour('fill', item.colour, inline)}>{escape(item.text)}</text>"
    )


def _colour(use: str, role: str, inline: bool) -> str:
    return f'class="{use}-{role}"' if inline else f'{use}="{PALETTE[role][0]}"'


def _n(number: float) -> str:
    """Two decimals at most: a hundredth of a unit is not seen, and thousands of points are written."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


# -- PNG ----------------------------------------------------------------------------------------


def _paint(image: Image, draw: Any, item: Line | Box | Label, scale: float) -> None:
    if isinstance(item, Box):
        corners = (item.x * scale, item.y * scale, (item.x + item.width) * scale, (item.y + item.height) * scale)
        draw.rectangle(corners, fill=PALETTE[item.colour][0])
    elif isinstance(item, Line):
        points = [(x * scale, y * scale) for x, y in item.points]
        width = max(1, round(item.width * scale))
        for piece in _dashed(points, [part * scale for part in item.dash]):
            if len(piece) > 1:
                draw.line(piece, fill=PALETTE[item.colour][0], width=width, joint="curve")
    else:
        _paint_label(image, draw, item, scale)


def _paint_label(image: Image, draw: Any, item: Label, scale: float) -> None:
    from PIL import Image as images
    from PIL import ImageDraw, ImageFont

    font = ImageFont.load_default(size=item.size * scale)
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[item.anchor]
    colour = PALETTE[item.colour][0]
    if not item.upright:
        draw.text((item.x * scale, item.y * scale), item.text, fill=colour, font=font, anchor=anchor)
        return
    left, top, right, bottom = font.getbbox(item.text, anchor=anchor)
    mask = images.new("L", (round(right - left), round(bottom - top)), 0)
    ImageDraw.Draw(mask).text((-left, -top), item.text, fill=255, font=font, anchor=anchor)
    turned = mask.transpose(images.Transpose.ROTATE_90)
    # What lay `left` of the anchor lies below it now, what lay above lies left of it.
    corner = (round(item.x * scale + top), round(item.y * scale - right))
    image.paste(colour, corner, turned)


def _dashed(points: Sequence[Point], dash: Sequence[float]) -> Iterator[list[Point]]:
    """The drawn pieces of a dashed line; the whole line where there are no dashes."""
    if not dash:
        yield list(points)
        return
    part, left, drawn = 0, dash[0], True
    piece = [points[0]]
    for start, end in pairwise(points):
        length = hypot(end[0] - start[0], end[1] - start[1])
        done = 0.0
        while length - done > left:
            done += left
            at = (start[0] + (end[0] - start[0]) * done / length, start[1] + (end[1] - start[1]) * done / length)
            if drawn:
                yield [*piece, at]
            piece, drawn = [at], not drawn
            part = (part + 1) % len(dash)
            left = dash[part]
        left -= length - done
        piece.append(end)
    if drawn:
        yield piece


def palette_css() -> str:
    """The roles as CSS variables, in light and dark, and the classes that inline drawings use."""
    light = "".join(f"--{role}:{colours[0]};" for role, colours in PALETTE.items())
    dark = "".join(f"--{role}:{colours[1]};" for role, colours in PALETTE.items())
    uses = "".join(f".{use}-{role}{{{use}:var(--{role})}}" for role in PALETTE for use in ("stroke", "fill"))
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{uses}"
