"""Escaping, and the frame of a page that needs nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources

__all__ = ["asset", "escape", "page", "script_data", "table"]

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escape(text: str) -> str:
    """Text for HTML and SVG, in elements and in quoted attributes; what neither may hold becomes U+FFFD."""
    return html.escape(_UNPRINTABLE.sub("\ufffd", text), quote=True)


def script_data(value: object) -> str:
    """JSON that may stand in a script element: nothing in it can end the element or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = _UNPRINTABLE.sub("\ufffd", text)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def asset(name: str) -> str:
    """A style or script that is part of the package."""
    return resources.files("nlmchem.report").joinpath(name).read_text("utf-8")


def page(title: str, body: str, styles: tuple[str, ...], script: str = "", language: str = "en") -> str:
    """A whole page. `body` is HTML; `styles` and `script` are trusted text of ours.

    The page's policy lets run and apply these alone, by their hashes: nothing that a text smuggled in
    could run, even if escaping failed.
    """
    style = "\n".join(styles)
    scripts = f"'sha256-{_hash(script)}'" if script else "'none'"
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src {scripts}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n" + (f"<script>{script}</script>\n" if script else "") + "</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def table(
    head: list[str], rows: list[list[str]], *, caption: str = "", id: str = "", texts: int = 1, row_headers: bool = True
) -> str:
    """A table of plain texts, all escaped. The first `texts` columns hold words, the others figures, set right."""
    name = f' id="{escape(id)}"' if id else ""
    cells = "".join(
        f'<th scope="col"{"" if column < texts else _FIGURE}>{escape(text)}</th>' for column, text in enumerate(head)
    )
    lines = [f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption or id)}"><table{name}>']
    if caption:
        lines.append(f"<caption>{escape(caption)}</caption>")
    lines.append(f"<thead><tr>{cells}</tr></thead><tbody>")
    for row in rows:
        lines.append(
            "<tr>"
            + "".join(
                f'<th scope="row">{escape(text)}</th>'
                if column == 0 and row_headers
                else f"<td{'' if column < texts else _FIGURE}>{escape(text)}</td>"
                for column, text in enumerate(row)
            )
            + "</tr>"
        )
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


_FIGURE = ' class="figure"'
