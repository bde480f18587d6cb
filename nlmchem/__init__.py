"""Chemicals in folders of full-text articles: found, linked to MeSH, indexed; BioC in, BioC out.

import corpora, nlmchem

annotate = nlmchem.load()
for document in annotate(corpora.read("articles/")):
    for mention in corpora.mentions(document):
        print(mention.text, mention.identifiers, mention.evidence)
"""

from __future__ import annotations

from typing import Any

__all__ = ["load"]


def __getattr__(name: str) -> Any:
    # `nlmchem --help` imports this package and must stay fast: the pipeline is loaded when asked for.
    if name == "load":
        from nlmchem.pipeline import load

        return load
    raise AttributeError(f"module 'nlmchem' has no attribute {name!r}")
