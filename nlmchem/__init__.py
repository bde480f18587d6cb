"""Finds chemicals in full-text articles, links them to MeSH and indexes the articles. Reads and writes BioC.

import nlmchem

pipe = nlmchem.load()
print(pipe("Rats were given glucose.").mentions)
for article in pipe(nlmchem.read("articles/")):
    for mention in article.mentions:
        print(mention.text, mention.identifier, mention.name)
"""

from __future__ import annotations

from importlib.metadata import version

from nlmchem import own_packages

own_packages.require()

# After the check of the packages.
from nlmchem.concepts import Candidate, Concept, define, lookup  # noqa: E402
from nlmchem.files import read, write  # noqa: E402
from nlmchem.loading import load  # noqa: E402
from nlmchem.mention import Mention  # noqa: E402
from nlmchem.results import Article, Collection  # noqa: E402

__all__ = [
    "Article", "Candidate", "Collection", "Concept", "Mention",
    "__version__", "define", "load", "lookup", "read", "write",
]  # fmt: skip

__version__ = version("nlmchem")
