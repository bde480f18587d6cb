"""The charts of an evaluation: curves, distributions, scores with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from nlmchem.report.drawing import Box, Drawing, Label, Line, series_colour, series_dash

__all__ = ["Series", "interval_chart", "line_chart", "ticks"]

WIDTH, HEIGHT = 640.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 60.0, 16.0, 38.0, 52.0
LEGEND_ROW = 20.0
MOST_POINTS = 400
"""Points of a line that are drawn: more cannot be told apart at this size."""


@dataclass(frozen=True, slots=True)
class Series:
    """A named line; `number` gives it colour and pattern."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    number: int


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return self.start + (min(max(value, self.low), self.high) - self.low) / span * (self.end - self.start)


def ticks(low: float, high: float, number: int = 6) -> list[float]:
    """Round values between two ends, at about that many places."""
    span = high - low
    if span <= 0:
        return [low]
    rough = span / number
    power = 10 ** floor(log10(rough))
    step = power * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [round(count * step, 10) for count in range(first, last + 1)]


def line_chart(
    title: str,
    x_name: str,
    y_name: str,
    series: Sequence[Series],
    x_range: tuple[float, float] = (0.0, 1.0),
    y_range: tuple[float, float] = (0.0, 1.0),
    y_figures: bool = True,
) -> Drawing:
    """Lines over two axes, with a legend below. `y_figures` False: heights mean nothing but their proportion."""
    legend = _legend_rows(series)
    drawing = Drawing(WIDTH, HEIGHT + LEGEND_ROW * len(legend), title)
    across = _Axis(*x_range, LEFT, WIDTH - RIGHT)
    upward = _Axis(*y_range, HEIGHT - BOTTOM, TOP)
    _frame(drawing, across, upward, x_name, y_name, y_figures)
    for line in series:
        points = tuple((across.at(x), upward.at(y)) for x, y in _thinned(line))
        if len(points) == 1:
            x, y = points[0]
            drawing.items.append(Box(x - 3, y - 3, 6, 6, series_colour(line.number)))
        elif points:
            drawing.items.append(Line(points, series_colour(line.number), 2, series_dash(line.number)))
    _legend(drawing, legend)
    return drawing


def _frame(drawing: Drawing, across: _Axis, upward: _Axis, x_name: str, y_name: str, y_figures: bool) -> None:
    drawing.items.append(Label(LEFT, 22, drawing.title, size=14))
    for value in ticks(across.low, across.high):
        x = across.at(value)
        drawing.items.append(Line(((x, upward.end), (x, upward.start)), "grid"))
        drawing.items.append(Label(x, upward.start + 18, _figure(value), "middle", "muted"))
    for value in ticks(upward.low, upward.high) if y_figures else []:
        y = upward.at(value)
        drawing.items.append(Line(((across.start, y), (across.end, y)), "grid"))
        drawing.items.append(Label(across.start - 8, y + 4, _figure(value), "end", "muted"))
    corner = ((across.start, upward.end), (across.start, upward.start), (across.end, upward.start))
    drawing.items.append(Line(corner, "muted"))
    drawing.items.append(Label((across.start + across.end) / 2, upward.start + 40, x_name, "middle"))
    drawing.items.append(Label(18, (upward.start + upward.end) / 2, y_name, "middle", upright=True))


def _figure(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"


def _thinned(line: Series) -> list[tuple[float, float]]:
    points = list(zip(line.xs, line.ys, strict=True))
    if len(points) <= MOST_POINTS:
        return points
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(number * step)] for number in range(MOST_POINTS)]


def _legend_rows(series: Sequence[Series]) -> list[list[tuple[float, Series]]]:
    """Entries with their place from the left, in as many rows as they need."""
    rows: list[list[tuple[float, Series]]] = []
    x = WIDTH
    for line in series:
        width = 44 + 6.6 * len(_short(line.name))
        if not rows or x + width > WIDTH - RIGHT:
            rows.append([])
            x = LEFT
        rows[-1].append((x, line))
        x += width
    return rows


def _legend(drawing: Drawing, rows: list[list[tuple[float, Series]]]) -> None:
    for number, row in enumerate(rows):
        y = HEIGHT + LEGEND_ROW * number + 8
        for x, line in row:
            drawing.items.append(Line(((x, y), (x + 26, y)), series_colour(line.number), 2, series_dash(line.number)))
            drawing.items.append(Label(x + 32, y + 4, _short(line.name)))


def _short(name: str, limit: int = 60) -> str:
    return name if len(name) <= limit else f"{name[: limit - 3]}..."


def interval_chart(title: str, rows: Sequence[tuple[str, float, float, float]]) -> Drawing:
    """For each row (name, value, low, high) a bar from low to high with a mark at the value."""
    left = min(260.0, max(80.0, 24 + 6.6 * max((len(_short(row[0], 36)) for row in rows), default=0)))
    height = TOP + 28 * len(rows) + BOTTOM
    drawing = Drawing(WIDTH, height, title)
    low = max(0.0, floor(20 * min((row[2] for row in rows), default=0)) / 20)
    high = min(1.0, ceil(20 * max((row[3] for row in rows), default=1)) / 20)
    across = _Axis(low, high if high > low else low + 0.05, left, WIDTH - 40)
    bottom = height - BOTTOM
    drawing.items.append(Label(16, 22, title, size=14))
    for value in ticks(across.low, across.high):
        x = across.at(value)
        drawing.items.append(Line(((x, TOP), (x, bottom)), "grid"))
        drawing.items.append(Label(x, bottom + 18, _figure(value), "middle", "muted"))
    for number, (name, value, least, most) in enumerate(rows):
        y = TOP + 28 * number + 14
        colour = series_colour(number)
        drawing.items.append(Label(left - 10, y + 4, _short(name, 36), "end"))
        drawing.items.append(Line(((across.at(least), y), (across.at(most), y)), colour, 2))
        for end in (least, most):
            drawing.items.append(Line(((across.at(end), y - 5), (across.at(end), y + 5)), colour, 2))
        drawing.items.append(Box(across.at(value) - 4, y - 4, 8, 8, colour))
    drawing.items.append(Label((left + WIDTH - 40) / 2, bottom + 40, "F1, with the middle 95% of samples", "middle"))
    return drawing
