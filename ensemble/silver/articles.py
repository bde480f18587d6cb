"""The articles of a silver corpus between the vote and its files: on disk, and in an order of their own.

Runs have their articles in any order. A corpus has them in the order of their ids, so that equal runs give equal bytes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.model.language import is_english, word_counts
from corpora.model.metadata import join_key
from corpora.storage.spool import SpoolWriter, read_record
from corpora.tools.leaks import Fingerprint, fingerprint
from corpora.words.licences import Licence
from ensemble.votes import text_digest

Serialize = Callable[[BioCDocument], bytes]


@dataclass(frozen=True, slots=True)
class StoredArticle:
    """An article: its licence, its place among all, and where its serialised forms are.

    `is_english`: by its words. `content`: what tells whether it is a copy of another article; None where nothing
    depends on that.
    """

    order: tuple[Any, ...]
    licence: Licence
    places: Mapping[str, int]
    is_english: bool
    content: Fingerprint | None


class ArticleStore:
    """Articles, each in some serialised forms, in temporary files: one file for each form."""

    def __init__(self, folder: Path, forms: Mapping[str, Serialize], has_copies: bool) -> None:
        self._folder = folder
        self._forms = forms
        self._has_copies = has_copies
        self._articles: list[StoredArticle] = []
        self._stack = ExitStack()
        self._spools = {name: self._stack.enter_context(SpoolWriter(self._path(name))) for name in forms}

    def add(self, document: BioCDocument, licence: Licence) -> None:
        """Store an article. Raises `ArticleError` for text that a form cannot store."""
        key = join_key(document)
        places = {name: self._spools[name].append(serialize(document)) for name, serialize in self._forms.items()}
        self._articles.append(
            StoredArticle(
                # The numbers of PMC and PubMed in their order as numbers.
                (len(key), key, str(document.id), text_digest(document)),
                licence,
                places,
                is_english(word_counts(document)),
                fingerprint(document) if self._has_copies else None,
            )
        )

    def close(self) -> None:
        """No article is added after this."""
        self._stack.close()

    def articles(self) -> list[StoredArticle]:
        """All articles in the order of their ids."""
        self.close()
        return sorted(self._articles, key=lambda article: article.order)

    def read(self, form: str, articles: Iterable[StoredArticle]) -> Iterator[bytes]:
        """The serialised form of articles, one in memory at a time."""
        path = self._path(form)
        return (read_record(path, article.places[form]) for article in articles)

    def _path(self, form: str) -> Path:
        return self._folder / f"{form}.articles"


@contextmanager
def article_store(parent: Path, forms: Mapping[str, Serialize], has_copies: bool) -> Iterator[ArticleStore]:
    """A store whose temporary files are in `parent`, and are removed at the end.

    `has_copies`: whether copies of an article are to be found (`StoredArticle.content`).
    """
    folder = Path(tempfile.mkdtemp(prefix=".articles-", dir=parent))
    store = None
    try:
        store = ArticleStore(folder, forms, has_copies)
        yield store
    finally:
        if store is not None:
            store.close()
        shutil.rmtree(folder, ignore_errors=True)
