"""`nlmchem.read` and `nlmchem.write`: articles as a pipeline returns them, from and to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any

from bioc import BioCCollection, BioCDocument

import corpora
from nlmchem.api.results import Articles, article_of


def read(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    lines: bool = False,
    offsets: str | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
) -> Articles:
    """The articles of files, folders, globs, archives or `-`, in any format that is read, one in memory at a time.

    Args:
        source: The name of a file or folder, a glob, or several of them.
        include: A glob pattern of names, or several; other files are left out.
        exclude: A glob pattern of names that are left out, or several.
        lines: Text files contain one article in each line.
        offsets: What the offsets of annotations count, where their texts are not at them: `bytes`, `utf16`,
            `passage` or `crlf`; they are changed to code points.
        text_column: The column of CSV and TSV, or the key of JSON lines, with the texts. None: `text`, `abstract`,
            `title` and other usual names.
        id_column: That of the ids. None: `id`, `pmid` and other usual names.

    Raises:
        ConfigurationError: A path does not exist, or none is given. This is raised immediately.
        InputError: A file cannot be read.
        ArticleError: An article cannot be read.
    """
    are_names = isinstance(source, Sequence) and all(isinstance(name, str | PathLike) for name in source)
    if not isinstance(source, str | PathLike) and not are_names:
        wanted = "read takes the name of a file or folder, or a list of names"
        raise TypeError(f"{wanted}, not {type(source).__name__}; read a file that is open by its name")
    documents = corpora.read(
        source, include=include, exclude=exclude, lines=lines, offsets=offsets,
        text_column=text_column, id_column=id_column,
    )  # fmt: skip
    return Articles(map(article_of, documents), repr(str(source) if isinstance(source, PathLike) else source))


def write(
    articles: BioCDocument | BioCCollection | Iterable[BioCDocument],
    path: str | PathLike[str],
    format: str | None = None,
    with_abbreviations: bool = False,
    identifiers: str | None = None,
) -> int:
    """Write an article, a collection or an iterable of articles into one file or folder. Returns their number.

    The output is complete or absent.

    Args:
        articles: What to write. An iterable is written while it is read.
        path: A file. Its suffix selects the format (`.xml`, `.json`, `.jsonl`, `.tsv` ...); `.gz` after it compresses.
        format: The name of the format, instead of the suffix.
        with_abbreviations: TSV, CSV and PubTator have a row for each short form, with its long form.
        identifiers: The spelling of MeSH identifiers: `mesh` (`MESH:D014867`), `curie` (`mesh:D014867`) or `uri`. None:
            as they are.

    Raises:
        TypeError: `articles` or an item of it is something else.
        ConfigurationError: The format is unknown, or the path cannot be written.
        ArticleError: The format cannot store a text.
    """
    if not isinstance(path, str | PathLike):
        raise TypeError(f"write takes the articles, then the name of a file, not {type(path).__name__} as the name")
    return corpora.write(
        _documents(articles), path, format, with_abbreviations=with_abbreviations, identifiers=identifiers
    )


def _documents(articles: object) -> Iterator[BioCDocument]:
    """What is written. Raises `TypeError` for other types at once, and for other items where they are."""

    def checked(given: object, kind: type) -> Any:
        if not isinstance(given, kind) or isinstance(given, str | bytes | PathLike):
            remedy = "; annotate it first: nlmchem.write(nlp(text), path)" if isinstance(given, str) else ""
            raise TypeError(f"write takes an nlmchem.Article, or many, not {type(given).__name__}{remedy}")
        return given

    if isinstance(articles, BioCDocument):
        return iter([articles])
    if isinstance(articles, BioCCollection):
        return iter(articles.documents)
    return (checked(item, BioCDocument) for item in checked(articles, Iterable))
