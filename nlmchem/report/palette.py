"""Colours and line patterns of charts and pages, for light and dark screens."""

from __future__ import annotations

__all__ = ["PALETTE", "dash_of", "palette_css", "series_role"]

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
    """CSS: one variable for each role, in light and dark, and the classes `fill-ROLE` and `stroke-ROLE`."""
    light = "".join(f"--{role}:{colours[0]};" for role, colours in PALETTE.items())
    dark = "".join(f"--{role}:{colours[1]};" for role, colours in PALETTE.items())
    classes = "".join(f".{use}-{role}{{{use}:var(--{role})}}" for role in PALETTE for use in ("stroke", "fill"))
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{classes}"
