"""Charts: SVG files, SVG in a page, and PNG files."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lxml import etree

pytest.importorskip("matplotlib", reason="charts need the extra report")

from nlmchem.report.charts import (
    Chart,
    Series,
    bar_chart,
    chart_files,
    framed,
    interval_chart,
    line_chart,
)
from nlmchem.report.pages import PALETTE, dash_of, palette_css, series_role

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "_<script>a</script> & \x00\ud800 $x^2$"
CLEANED = "_<script>a</script> & \ufffd\ufffd $x^2$"


def charts() -> dict[str, Chart]:
    """One chart of each kind, with a hostile name in each."""
    xs = tuple(number / 1000 for number in range(1001))
    return {
        "lines": line_chart("T", "x", "y", [Series(HOSTILE, xs, xs, 0), Series("_point", (0.5,), (0.5,), 1)]),
        # The value may be outside of its interval.
        "intervals": interval_chart("T", "F1", [(HOSTILE, 0.5, 0.52, 0.61), ("b", 0.4, 0.4, 0.4)]),
        "bars": bar_chart("T", "x", [(HOSTILE, 3.0, "3"), ("zero", 0.0, "0")]),
    }


def texts(svg: bytes) -> list[str | None]:
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", charts())
def test_names_are_text_in_svg_files(kind: str) -> None:
    chart = charts()[kind]
    svg = chart.svg()
    assert any(text and text.startswith(CLEANED) for text in texts(svg))
    assert b"<script" not in svg
    assert ElementTree.fromstring(svg).findtext(f"{SVG}title") in (chart.title, CLEANED)


@pytest.mark.parametrize("kind", charts())
def test_equal_charts_have_equal_bytes(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = charts()[kind]
    expected = first.svg(), first.png(), first.inline_svg("p")
    # Settings of the user have no effect.
    import matplotlib

    monkeypatch.setitem(matplotlib.rcParams, "font.size", 30)
    monkeypatch.setitem(matplotlib.rcParams, "svg.hashsalt", None)
    second = charts()[kind]
    assert (second.svg(), second.png(), second.inline_svg("p")) == expected


def test_files_contain_no_date_and_no_version() -> None:
    files = dict(chart_files({"bars": charts()["bars"]}))
    svg, png = files["bars.svg"], files["bars.png"]
    assert png.startswith(b"\x89PNG")
    for word in (b"dc:date", b"Matplotlib", b"matplotlib v"):
        assert word not in svg
        assert word not in png


def test_drawing_does_not_use_pyplot() -> None:
    charts()
    assert "matplotlib.pyplot" not in sys.modules


@pytest.mark.parametrize("kind", charts())
def test_svg_in_a_page_has_palette_classes_and_no_style_attributes(kind: str) -> None:
    element = etree.fromstring(replace(charts()[kind], title=f"A & <B> {HOSTILE}").inline_svg("p"))
    assert element.get("role") == "img"
    assert element.get("aria-label") == f"A & <B> {CLEANED}"
    assert not element.xpath("//@style | //*[local-name()='style'] | //*[local-name()='metadata']")
    assert all(id.startswith("p-") for id in element.xpath("//@id"))
    ids = set(element.xpath("//@id"))
    assert {link.removeprefix("#") for link in element.xpath("//@href") if link[0] == "#"} <= ids
    assert {clip[5:-1] for clip in element.xpath("//@clip-path")} <= ids
    classes = {name for value in element.xpath("//@class") for name in value.split()}
    assert "fill-ink" in classes
    assert classes <= {f"{use}-{role}" for use in ("fill", "stroke") for role in PALETTE}


def test_palette_classes_are_defined_in_the_style() -> None:
    assert ".fill-series-0{fill:var(--series-0)}" in palette_css()


def test_every_named_series_is_in_the_legend() -> None:
    series = [Series(name, (0.0, 1.0), (0.0, 1.0), number) for number, name in enumerate(["one", "_two", ""])]
    shown = texts(line_chart("T", "x", "y", series).svg())
    assert [text for text in shown if text in ("one", "_two", "")] == ["one", "_two"]


def test_whole_numbers_have_whole_ticks() -> None:
    shown = texts(bar_chart("T", "x", [("a", 1.0, "1"), ("b", 2.0, "2")]).svg())
    assert not [text for text in shown if text and "." in text]


@pytest.mark.parametrize(
    ("values", "shown"),
    [((0.83, 0.97), (0.8, 1.0)), ((0.95, 0.99), (0.8, 1.0)), ((0.0, 0.05), (0.0, 0.2)), ((), (0.0, 1.0))],
)
def test_the_axes_of_a_curve_have_the_part_that_it_uses(values: tuple[float, ...], shown: tuple[float, float]) -> None:
    assert framed(values) == pytest.approx(shown)


def test_24_series_differ_in_colour_or_pattern() -> None:
    assert len({(series_role(number), dash_of(number)) for number in range(24)}) == 24


def contrast(one: str, other: str) -> float:
    """Contrast ratio, WCAG 2.1."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", [role for role in PALETTE if role != "grid"])
def test_colours_are_readable_on_light_and_dark_backgrounds(role: str) -> None:
    light, dark = PALETTE[role]
    assert contrast(light, "#ffffff") >= 4.5
    assert contrast(dark, "#15181c") >= 4.5
