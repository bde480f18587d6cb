"""Reading and writing of articles.

import corpora

for document in corpora.read("articles/"):
    for mention in corpora.mentions(document):
        print(document.id, mention.text, mention.identifiers)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from corpora.errors import ArticleError, ConfigurationError, InputError, NlmchemError, ResourceError

if TYPE_CHECKING:
    from corpora.model.document import Mention, mentions
    from corpora.reading import read
    from corpora.writing import write

__all__ = [
    "ArticleError",
    "ConfigurationError",
    "InputError",
    "Mention",
    "NlmchemError",
    "ResourceError",
    "mentions",
    "read",
    "write",
]

_MODULES = {
    "Mention": "corpora.model.document",
    "mentions": "corpora.model.document",
    "read": "corpora.reading",
    "write": "corpora.writing",
}
"""The modules of names that are imported when they are used, so that `nlmchem --help` does not load lxml and bioc."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
