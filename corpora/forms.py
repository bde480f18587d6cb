"""Files of one article in several formats, such as `smith.xml` and `smith.txt`: the best of them is read.

Names alone do not tell whether two files contain one article. They do where each file contains one article, and all
articles that have ids share one. A plain text has no ids: it is taken as a form of the article beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from bioc import BioCDocument

from corpora.model.metadata import article_ids
from corpora.reading import ReadArticle, articles
from corpora.reporting import ignore
from corpora.storage.inputs import InputFile
from corpora.storage.members import Selection, unpacked_name
from corpora.storage.pmc_files import preference

_TEXT = "text"


def best_form(files: Sequence[InputFile], selection: Selection) -> InputFile | None:
    """The file to read, where files of one name, apart from the suffix, contain one article; None where they do not."""
    if any(unpacked_name(file.relative)[1] for file in files):
        # What an archive contains has names of its own.
        return None
    if len(files) < 2 or len({(file.relative.parent, file.path.rpartition("/")[0]) for file in files}) > 1:
        return None
    ids: frozenset[str] | None = None
    for file in files:
        article = _only_article(file, selection)
        if article is None:
            return None
        if article.format != _TEXT:
            of_file = _ids(article.document)
            if ids is not None and not of_file & ids:
                return None
            ids = of_file if ids is None else ids | of_file
    # Two texts are two articles.
    return None if ids is None else max(files, key=lambda file: preference(file.relative.name))


def _only_article(file: InputFile, selection: Selection) -> ReadArticle | None:
    """The article of a file; None where the file contains several, or none that can be read."""
    read = list(islice(_articles(file, selection), 2))
    return read[0] if len(read) == 1 and isinstance(read[0], ReadArticle) else None


def _articles(file: InputFile, selection: Selection) -> Iterator[object]:
    return articles([file], ignore, selection)


def _ids(document: BioCDocument) -> frozenset[str]:
    ids = {str(document.id), *article_ids(document).values()}
    return frozenset(id.upper().removeprefix("PMC") for id in ids)
