"""The description for package indexes: README.md with absolute links. Everything else is in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent


def absolute(text: str, repository: str, version: str) -> str:
    """A page with links and pictures at the address of the repository: of this version, of `main` before a release."""
    place = "main" if ".dev" in version else f"v{version}"
    relative = r"(?![a-z]+:|#)"
    text = re.sub(rf"(!\[[^]]*\]\(|src(?:set)?=\"){relative}", rf"\1{repository}/raw/{place}/", text)
    return re.sub(rf"(\]\(|href=\"){relative}", rf"\1{repository}/blob/{place}/", text)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    readme = (ROOT / "README.md").read_text("utf-8")
    setup(
        long_description=absolute(readme, project["urls"]["Repository"], project["version"]),
        long_description_content_type="text/markdown",
    )
