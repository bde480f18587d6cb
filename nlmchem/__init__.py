"""Finds chemicals in full-text articles, links them to MeSH and indexes the articles. Reads and writes BioC.

import nlmchem

pipe = nlmchem.load()
print(pipe("Rats were given glucose.").mentions)
for article in pipe(nlmchem.read("articles/")):
    for mention in article.mentions:
        print(mention.text, mention.identifier, mention.name)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nlmchem.api import own_packages

own_packages.require()

__all__ = [
    "Article", "Articles", "Candidate", "Collection", "Concept", "Mention",
    "__version__", "commands", "define", "load", "lookup", "read", "write",
]  # fmt: skip

_MODULES = {
    "Article": "results", "Articles": "results", "Candidate": "concepts", "Collection": "results",
    "Concept": "concepts", "Mention": "mention",
    "define": "concepts", "load": "loading", "lookup": "concepts", "read": "files", "write": "files",
}  # fmt: skip
"""The modules of the names. They are imported when a name is used, so that `nlmchem --help` does not load them."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from corpora.plugins import project_version

        return project_version()
    if name == "commands":
        return import_module("nlmchem.commands")
    if name not in _MODULES:
        from nlmchem.api.other_tools import MODULE, answer

        raise AttributeError(answer(MODULE, name) or f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"nlmchem.api.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
