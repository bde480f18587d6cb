"""HTML pages from jinja2 templates. A page contains its styles and script and loads nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined

from nlmchem.report.palette import palette_css

__all__ = ["printable", "render_page"]

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """The text with U+FFFD in place of each character that HTML and XML do not allow."""
    return _UNPRINTABLE.sub("\ufffd", text)


def render_page(template: str, style: str, script: str, context: Mapping[str, object]) -> str:
    """Fill a template of `templates/` and return the whole page.

    `style` and `script`: file names in `assets/`; the common style and the palette are added. `context`: values of
    the template; all strings in it are escaped (autoescape).

    The page has a Content-Security-Policy that allows this style and this script only, by hash. If escaping failed,
    markup in an article still could not run code.
    """
    styles = "\n".join((_asset("page.css"), palette_css(), _asset(style)))
    code = _asset(script)
    policy = (
        f"default-src 'none'; style-src 'sha256-{_hash(styles)}'; script-src 'sha256-{_hash(code)}'; "
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
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


def _asset(name: str) -> str:
    return resources.files("nlmchem.report").joinpath("assets", name).read_text("utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
