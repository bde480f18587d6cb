"""Figures: the same picture as SVG, inline SVG and PNG."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from nlmchem.report.charts import Series, interval_chart, line_chart, ticks
from nlmchem.report.drawing import PALETTE, Box, Drawing, Label, Line, palette_css

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawing() -> Drawing:
    return Drawing(
        100,
        60,
        "A & <B>",
        [
            Box(10, 10, 20, 30, "series-0"),
            Line(((50, 5), (50, 55)), "series-1", 4, (10, 10)),
            Label(70, 30, "<a>", "middle", upright=True),
        ],
    )


def test_svg_is_xml_with_fixed_colours(drawing: Drawing) -> None:
    root = ElementTree.fromstring(drawing.svg())
    assert root.findtext(f"{SVG}title") == "A & <B>"
    assert root.findall(f"{SVG}rect")[1].get("fill") == PALETTE["series-0"][0]
    assert root.find(f"{SVG}polyline").get("stroke-dasharray") == "10 10"  # type: ignore[union-attr]
    assert root.findtext(f"{SVG}text") == "<a>"


def test_inline_svg_takes_colours_from_the_page(drawing: Drawing) -> None:
    root = ElementTree.fromstring(drawing.inline_svg())
    assert root.get("role") == "img"
    assert root.get("aria-label") == "A & <B>"
    assert root.find(f"{SVG}rect").get("class") == "fill-series-0"  # type: ignore[union-attr]
    assert ".fill-series-0{fill:var(--series-0)}" in palette_css()


def test_png_is_the_same_picture(drawing: Drawing) -> None:
    images = pytest.importorskip("PIL.Image", reason="PNG needs Pillow")
    picture = images.open(io.BytesIO(drawing.png(scale=2)))
    assert picture.size == (200, 120)

    def at(x: int, y: int) -> str:
        return "#" + bytes(picture.getpixel((x * 2, y * 2))).hex()

    assert at(20, 25) == PALETTE["series-0"][0]
    # The line is drawn from 5 to 15, left out to 25, drawn to 35 ...
    assert at(50, 10) == PALETTE["series-1"][0]
    assert at(50, 20) == "#ffffff"
    assert at(50, 30) == PALETTE["series-1"][0]
    assert at(99, 1) == "#ffffff"
    # The upright label has ink left of its base line, about its middle.
    assert any(at(x, y) != "#ffffff" for x in range(60, 72) for y in range(20, 40))


def test_png_is_the_same_every_time(drawing: Drawing) -> None:
    pytest.importorskip("PIL.Image", reason="PNG needs Pillow")
    assert drawing.png() == drawing.png()


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.8, 0.95, [0.8, 0.825, 0.85, 0.875, 0.9, 0.925, 0.95]),
        (0.5, 0.5, [0.5]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == expected


def test_a_line_chart_shows_every_series_and_thins_long_ones() -> None:
    xs = tuple(number / 5000 for number in range(5001))
    chart = line_chart("T", "x", "y", [Series("one", xs, xs, 0), Series("dot", (0.5,), (0.5,), 1)])
    lines = [item for item in chart.items if isinstance(item, Line) and item.colour == "series-0"]
    assert len(lines[0].points) == 400
    assert lines[0].points[0][0] < lines[0].points[-1][0]
    assert any(isinstance(item, Box) and item.colour == "series-1" for item in chart.items)
    assert {"one", "dot"} <= {item.text for item in chart.items if isinstance(item, Label)}


def test_an_interval_chart_keeps_bars_inside() -> None:
    chart = interval_chart("T", [("a run with a very long name, longer than there is room for", 0.5, 0.4, 0.61)])
    for item in chart.items:
        if isinstance(item, Line):
            assert all(0 <= x <= chart.width and 0 <= y <= chart.height for x, y in item.points)


def contrast(one: str, other: str) -> float:
    """WCAG 2.1 relative luminance."""

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", [role for role in PALETTE if role != "grid"])
def test_colours_can_be_told_from_the_ground(role: str) -> None:
    light, dark = PALETTE[role]
    assert contrast(light, "#ffffff") >= 4.5
    assert contrast(dark, "#15181c") >= 4.5
