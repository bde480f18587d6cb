"""Markup that is left in plain text: `H<sub>2</sub>O`, `CO$_2$`, `&#946;-carotene`.

It is replaced by soft hyphens, which word pieces and lexicons ignore, so that offsets do not change.
"""

from __future__ import annotations

import html
import re

SOFT_HYPHEN = "\u00ad"
_MARKUP = re.compile(
    r"</?(?:sub|sup|i|b|em|strong|italic|bold)>"
    # LaTeX: `$_2$`, `$^{2+}$`.
    r"|\$(?=[_^])|[_^]\{?(?=[\d+-]{1,3}\}?\$)|[_^]\{?(?=[\d+-]{1,3}\}?[_^][\d{+-])|(?<=[\d+-])\}?\$|(?<=[\d+-])\}(?=[_^])"
    r"|&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|[a-zA-Z]{2,8});",
)


def without_markup(text: str) -> str:
    """The text with soft hyphens for markup; an entity becomes its character and soft hyphens.

    >>> without_markup("H<sub>2</sub>O").replace(SOFT_HYPHEN, ""), without_markup("&beta;-carotene")[0]
    ('H2O', 'β')
    >>> without_markup("p < 0.05 & $5") == "p < 0.05 & $5"
    True
    """
    if not ("<" in text or "$" in text or "&" in text):
        return text
    return _MARKUP.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    character = html.unescape(match[0]) if match[0].startswith("&") else ""
    # Only one character for one: an unknown entity stays.
    if len(character) > 1:
        return match[0]
    return character + SOFT_HYPHEN * (len(match[0]) - len(character))
