"""Reading and writing of articles.

import corpora

for document in corpora.read("articles/"):
    for mention in corpora.mentions(document):
        print(document.id, mention.text, mention.identifiers)
"""

from __future__ import annotations

from corpora.errors import ArticleError, ConfigurationError, InputError, NlmchemError, ResourceError
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
