"""Gold articles as a tagger sees them: its spans in copies without mentions, and the gold spans."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.document import Span, mentions, remove_mentions
from corpora.model.metadata import join_key
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.training.data import read_corpus
from sieves.lexicon.lexicon import Lexicon

CHUNK = 8
Tagged = tuple[BioCDocument, Sequence[PassageSpans], set[tuple[Span, ...]]]
"""An article with its definitions, its passages with the spans of the tagger, its gold spans (document offsets)."""


def read_tagged(
    corpora: Sequence[str],
    leave_out: Sequence[str],
    choice: TaggerChoice,
    lexicon: Lexicon,
    number: int = 0,
    seed: int = 0,
    report: Report = log,
) -> Iterator[Tagged]:
    """The articles of corpora, tagged. `number`: of a sample (0: all).

    Raises `ConfigurationError` if no article is left, and the errors of the readers.
    """
    hidden = {join_key(document) for name in leave_out for document in read_corpus(name, report=report).documents}
    documents = [document for name in corpora for document in read_corpus(name, report=report).documents]
    kept = [document for document in documents if join_key(document) not in hidden]
    report(f"used: {len(kept)} of {quantity(len(documents), 'article')}; left out: {len(documents) - len(kept)}")
    if not kept:
        raise ConfigurationError("no article is left to train on; give other corpora")
    if 0 < number < len(kept):
        kept = random.Random(seed).sample(kept, number)
    yield from tagged(kept, choice, lexicon)


def tagged(documents: Sequence[BioCDocument], choice: TaggerChoice, lexicon: Lexicon) -> Iterator[Tagged]:
    """The documents with the spans of a tagger and their gold spans. Gold mentions are removed, in place."""
    spans: list[Sequence[PassageSpans]] = []
    stage = choice.stage(lexicon, lambda _, passages: spans.append(passages))
    abbreviate = AbbreviationStage()
    for at in range(0, len(documents), CHUNK):
        chunk = documents[at : at + CHUNK]
        gold = [{tuple(sorted(mention.spans)) for mention in mentions(document)} for document in chunk]
        for document in chunk:
            remove_mentions(document)
        abbreviate(chunk)
        spans.clear()
        stage(chunk)
        yield from zip(chunk, list(spans), gold, strict=True)
