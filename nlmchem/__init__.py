"""Finds chemicals in full-text articles, links them to MeSH and indexes the articles. Reads and writes BioC.

import corpora, nlmchem

pipe = nlmchem.load()
print(pipe("Rats were given glucose.").mentions)
for article in pipe(corpora.read("articles/")):
    for mention in article.mentions:
        print(mention.text, mention.identifiers, mention.evidence)
"""

from __future__ import annotations

from importlib.metadata import version

from nlmchem import own_packages

own_packages.require()

from nlmchem.loading import load  # noqa: E402 (after the check of the packages)

__all__ = ["__version__", "load"]

__version__ = version("nlmchem")
