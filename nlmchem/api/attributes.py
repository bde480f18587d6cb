"""Attributes of articles that installed packages add, by the entry point `nlmchem.attributes`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from bioc import BioCDocument


@dataclass(frozen=True, slots=True)
class Attribute:
    """What an article has under one name: `article.NAME` is a list, and `Article.to_dict` contains it.

    `read`: the values in the annotations of a document, as dataclasses; none where the document has none. It is cheap:
    it reads what a step has written and computes nothing.
    """

    read: Callable[[BioCDocument], Iterable[Any]]
