"""Articles of the input that have mentions already: counted before a run, if the user did not say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora import reading
from corpora.errors import ArticleError, InputError, OptionError
from corpora.formats import registry
from corpora.model.chemical import CHEMICAL
from corpora.model.document import mentions
from corpora.reporting import ignore
from corpora.storage import inputs
from corpora.storage.selection import Selection
from nlmchem.batch.ledger import Ledger
from nlmchem.progress import counted

__all__ = ["refuse_mentions"]

_TYPE = re.compile(rb'[>"\s-]' + CHEMICAL.encode() + rb'[<"\s]|\tB\r?\n')
"""A mention's type in any of the formats (in CoNLL, a tag without type is a chemical). Other bytes may match, too."""


def refuse_mentions(ledger: Ledger, selection: Selection) -> None:
    """Raise `OptionError` if articles that are still to be annotated have mentions of chemicals.

    The inputs are read once for this; articles in formats that cannot contain mentions are not. Standard input can
    be read only once, so it is not checked here.
    """
    articles = found = 0
    first = ""
    for place, has_mentions in counted(_checked(ledger, selection), "articles checked for mentions"):
        articles += 1
        if has_mentions:
            found += 1
            first = first or place
    if found:
        raise OptionError(
            "existing",
            f"must be given: {found} of {articles} articles already have mentions (the first: {first}). keep: they "
            "stay, and new mentions that overlap them are not added; replace: they are removed first; error: these "
            "articles fail. nothing was done",
        )


def _checked(ledger: Ledger, selection: Selection) -> Iterator[tuple[str, bool]]:
    """The place of each article that could have mentions, and whether it has some."""
    for file in ledger.files():
        members = {one.member for one in ledger.sources_of(file.path) if ledger.source_state(one)[0] != "done"}
        if not members or inputs.is_pipe(file.path):
            continue
        for source in reading.sources([file], selection):
            if source.member.name in members and source.unclaimed() is None:
                yield from ((str(source.member), one) for one in _have_mentions(source))


def _have_mentions(source: reading.Source) -> Iterator[bool]:
    try:
        for article in source.raw_articles(ignore):
            may = registry.named(article.format).stores_mentions and _TYPE.search(article.raw) is not None
            yield may and _has_mentions(article, source.member.fallback_id)
    # Not silent: the run reads the source again, and its reader reports every error with its traceback. Here an error
    # must not end the run before any work. Articles after it that have mentions fail one by one.
    except Exception:
        return


def _has_mentions(article: reading.RawArticle, fallback_id: str) -> bool:
    try:
        document = reading.parse(article.format, article.raw, fallback_id, ignore)
    except (ArticleError, InputError):
        return False
    return any(mentions(document))
