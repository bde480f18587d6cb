"""Charts, drawn with matplotlib: as files (SVG and PNG) and as SVG inside a page.

Needs the extra `report`. Import this module only after `corpora.extras.require("matplotlib", ...)`. Figures are made
without pyplot, so there is no global state; the same chart always has the same bytes for one version of matplotlib.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor

from lxml import etree
from matplotlib import rc_context, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nlmchem.report.pages import PALETTE, dash_of, printable, series_role, shortened

WIDTH, HEIGHT = 6.4, 4.0
"""Inches, without the legend."""
ROW = 0.26
"""Height of a row in a chart of rows, inches."""
DPI = 216
LEGEND_CHARACTERS = 84
"""How many characters of text fit in the width of a legend."""

_STYLE = {
    **{
        name: value
        for name, value in rcParamsDefault.items()
        if not name.startswith(("backend", "webagg")) and name not in ("interactive", "toolbar", "timezone")
    },
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titlecolor": PALETTE["ink"][0],
    "axes.labelcolor": PALETTE["ink"][0],
    "axes.edgecolor": PALETTE["muted"][0],
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.08,
    "figure.facecolor": "none",
    "grid.color": PALETTE["grid"][0],
    "legend.frameon": False,
    "legend.labelcolor": PALETTE["ink"][0],
    "text.color": PALETTE["ink"][0],
    "text.parse_math": False,
    "xtick.color": PALETTE["muted"][0],
    "ytick.color": PALETTE["muted"][0],
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "svg.fonttype": "none",
    "svg.hashsalt": "nlmchem",
}
"""All settings of matplotlib, so that a matplotlibrc file of the user has no effect. Text remains text in SVG."""


@dataclass(frozen=True, slots=True)
class Series:
    """A named line; `number` determines its colour and pattern. A line of one point is drawn as a square."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure with its title, which screen readers read."""

    title: str
    figure: Figure

    def svg(self) -> bytes:
        """The chart as an SVG file, in light colours on white."""
        return self._saved("svg", "white", {"Date": None, "Creator": None, "Title": printable(self.title)})

    def inline_svg(self, prefix: str) -> str:
        """The chart as an SVG element for an HTML page, without background.

        `prefix`: put before all ids, so that several charts fit in one page. Colours of the palette become the classes
        `fill-ROLE` and `stroke-ROLE` of `palette_css`: the Content-Security-Policy of our pages forbids style
        attributes, and allows presentation attributes and classes.
        """
        svg = self._saved("svg", "none", {"Date": None, "Creator": None})
        root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
        for element in list(root.iter(etree.Element)):
            if element.tag in _DROPPED:
                element.getparent().remove(element)
            else:
                _adapt(element, prefix)
        for name in ("width", "height", "version"):
            root.attrib.pop(name, None)
        # Instead of the style element, which would apply to the whole page.
        root.attrib.update({"stroke-linejoin": "round", "role": "img", "aria-label": printable(self.title)})
        etree.cleanup_namespaces(root)
        return str(etree.tostring(root, encoding="unicode"))

    def png(self) -> bytes:
        """The chart as a PNG file, in light colours on white."""
        return self._saved("png", "white", {"Software": None})

    def _saved(self, format: str, background: str, metadata: Mapping[str, str | None]) -> bytes:
        stream = io.BytesIO()
        with _style():
            self.figure.savefig(stream, format=format, facecolor=background, dpi=DPI, metadata=dict(metadata))
        return stream.getvalue()


def chart_files(charts: Mapping[str, Chart]) -> Iterator[tuple[str, bytes]]:
    """Name and content of the files of charts: `NAME.svg` and `NAME.png` of each."""
    for name, chart in charts.items():
        yield f"{name}.svg", chart.svg()
        yield f"{name}.png", chart.png()


# -- kinds of charts ----------------------------------------------------------------------------


def line_chart(
    title: str,
    x_name: str,
    y_name: str,
    series: Sequence[Series],
    x_range: tuple[float, float] = (0.0, 1.0),
    y_range: tuple[float, float] = (0.0, 1.0),
    y_numbers: bool = True,
) -> Chart:
    """Lines over two axes, with a legend below.

    A series without a name has no entry in the legend. `y_numbers`: whether the y axis has numbers.
    """
    with _style():
        shown = [line for line in series if line.name]
        columns = max(1, LEGEND_CHARACTERS // (8 + max((len(_label(line.name)) for line in shown), default=0)))
        figure, axes = _axes(title, HEIGHT + 0.2 * ceil(len(shown) / columns))
        axes.set(xlabel=x_name, ylabel=y_name, xlim=x_range, ylim=y_range)
        if not y_numbers:
            axes.set_yticks([])
        lines = []
        for each in series:
            colour, dashes = PALETTE[series_role(each.number)][0], dash_of(each.number) or (None, None)
            if len(each.xs) == 1:
                lines += axes.plot(each.xs, each.ys, color=colour, marker="s", markersize=5, linestyle="none", zorder=3)
            else:
                lines += axes.plot(each.xs, each.ys, color=colour, dashes=dashes)
        handles = [line for line, each in zip(lines, series, strict=True) if each.name]
        labels = [_label(each.name) for each in shown]
        figure.legend(handles, labels, loc="outside lower left", ncols=columns, handlelength=3)
    return Chart(title, figure)


def framed(values: Iterable[float]) -> tuple[float, float]:
    """The part of 0..1 that shows these values: ends with one decimal, and at least 0.2 between them."""
    shown = list(values) or [0.0, 1.0]
    low, high = floor(10 * min(shown)) / 10, ceil(10 * max(shown)) / 10
    return (max(0.0, min(low, high - 0.2)), min(1.0, max(high, low + 0.2)))


def interval_chart(title: str, x_name: str, rows: Sequence[tuple[str, float, float, float]]) -> Chart:
    """For each row (name, value, low, high) a line from low to high and a square at the value, which may be outside."""
    with _style():
        figure, axes = _rows(title, [row[0] for row in rows])
        low = max(0.0, floor(20 * min((row[2] for row in rows), default=0)) / 20)
        high = min(1.0, ceil(20 * max((row[3] for row in rows), default=1)) / 20)
        axes.set(xlabel=x_name, xlim=(low, high if high > low else low + 0.05))
        for number, (_, value, least, most) in enumerate(rows):
            colour = PALETTE[series_role(number)][0]
            axes.plot((least, most), (number, number), color=colour, marker="|", markersize=7)
            axes.plot((value,), (number,), color=colour, marker="s", markersize=5)
    return Chart(title, figure)


def bar_chart(title: str, x_name: str, rows: Sequence[tuple[str, float, str]]) -> Chart:
    """For each row (name, value, label) a horizontal bar of this length with the label at its end."""
    with _style():
        figure, axes = _rows(title, [row[0] for row in rows])
        lengths = [row[1] for row in rows]
        bars = axes.barh(range(len(rows)), lengths, height=0.7, color=PALETTE["series-1"][0])
        axes.xaxis.set_major_locator(MaxNLocator(integer=all(float(length).is_integer() for length in lengths)))
        axes.bar_label(bars, labels=[_label(row[2]) for row in rows], padding=4, color=PALETTE["muted"][0])
        longest = max(lengths, default=0.0)
        axes.set(xlabel=x_name, xlim=(0, 1.25 * longest or 1.0))
    return Chart(title, figure)


# -- parts --------------------------------------------------------------------------------------


@contextmanager
def _style() -> Iterator[None]:
    with rc_context(_STYLE), warnings.catch_warnings():
        # Names may contain characters that the font of PNG files does not have; they are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph ", category=UserWarning)
        yield


def _axes(title: str, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(_label(title, 90))
    return figure, axes


def _rows(title: str, names: Sequence[str]) -> tuple[Figure, Axes]:
    """Axes with one row for each name, the first at the top."""
    figure, axes = _axes(title, 1.2 + ROW * max(1, len(names)))
    axes.grid(False, axis="y")
    axes.set_yticks(range(len(names)), [_label(name, 36) for name in names])
    axes.tick_params(axis="y", labelcolor=PALETTE["ink"][0])
    axes.set_ylim(len(names) - 0.5, -0.5)
    return figure, axes


def _label(text: str, limit: int = 60) -> str:
    """Text for a chart: one line, printable, of at most `limit` characters."""
    return shortened(" ".join(printable(text).split()), limit)


# -- SVG in a page ----------------------------------------------------------------------------


_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {f"{_SVG}metadata", f"{_SVG}style", f"{_SVG}title"}
_FROM_PAGE = {"font-family"}
"""Style properties that the page sets."""
_ROLES = {colours[0]: role for role, colours in PALETTE.items()}


def _adapt(element: etree._Element, prefix: str) -> None:
    """Replace the style attribute by presentation attributes and classes, and put the prefix before all ids."""
    classes = []
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name in ("fill", "stroke") and value in _ROLES:
            classes.append(f"{name}-{_ROLES[value]}")
        elif name and name not in _FROM_PAGE:
            element.set(name, value)
    if classes:
        element.set("class", " ".join(classes))
    if "id" in element.attrib:
        element.set("id", f"{prefix}-{element.get('id')}")
    target = element.attrib.pop(_LINK, "")
    if target:
        element.set("href", f"#{prefix}-{target[1:]}" if target.startswith("#") else target)
    clip = element.get("clip-path")
    if clip is not None:
        element.set("clip-path", clip.replace("url(#", f"url(#{prefix}-"))
