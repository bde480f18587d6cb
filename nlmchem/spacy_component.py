"""The component `nlmchem` for spaCy: `nlp.add_pipe("nlmchem")`. It needs the extra `[spacy]`.

spaCy finds the function `make` by the entry point `spacy_factories` of this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from bioc import BioCDocument, BioCPassage
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.util import filter_spans

from corpora.model.document import Mention, mentions
from nlmchem import load
from nlmchem.pipeline import CHUNK, Pipeline

__all__ = ["Component", "make"]

STEPS = ("abbreviate", "tag", "normalize")


class Component:
    """Sets `doc.spans[spans_key]`: spans with label, `kb_id_` (MeSH identifiers, joined by commas) and `id_`.

    A span that begins or ends inside a token of the pipeline's tokenizer grows to whole tokens. `set_ents`: spans that
    do not overlap are also added to `doc.ents`, the longest first; entities that are there already stay.
    """

    def __init__(self, pipeline: Pipeline, spans_key: str, set_ents: bool) -> None:
        self._pipeline = pipeline
        self._spans_key = spans_key
        self._set_ents = set_ents

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one doc in place."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = CHUNK) -> Iterator[Doc]:
        """Annotate docs in place, in order, `batch_size` at a time."""
        source = iter(stream)
        while docs := list(islice(source, batch_size)):
            for doc, article in zip(docs, self._pipeline([_article(doc) for doc in docs]), strict=True):
                self._set(doc, list(mentions(article)))
                yield doc

    def _set(self, doc: Doc, found: Iterable[Mention]) -> None:
        spans = [
            doc.char_span(
                *mention.spans[0],
                label=mention.type,
                kb_id=",".join(mention.identifiers),
                span_id=mention.annotation.id,
                alignment_mode="expand",
            )
            for mention in found
        ]
        doc.spans[self._spans_key] = SpanGroup(doc, name=self._spans_key, spans=spans)
        if self._set_ents:
            doc.ents = filter_spans([*doc.ents, *filter_spans(spans)])

    def to_bytes(self, **options: Any) -> bytes:
        """Nothing: the component has no state of its own; its configuration is stored with the pipeline."""
        return b""

    def from_bytes(self, data: bytes, **options: Any) -> Component:
        """The component itself."""
        return self

    def to_disk(self, path: Any, **options: Any) -> None:
        """Store nothing."""

    def from_disk(self, path: Any, **options: Any) -> Component:
        """The component itself."""
        return self


def _article(doc: Doc) -> BioCDocument:
    document = BioCDocument()
    document.id = "doc"
    document.passages = [BioCPassage.of_text(doc.text)]
    return document


@Language.factory("nlmchem", default_config={"spans_key": "nlmchem", "set_ents": False, "options": {}})
def make(nlp: Language, name: str, spans_key: str, set_ents: bool, options: dict[str, Any]) -> Component:
    """The component. `options`: arguments of `nlmchem.load`, for example `{"tagger": "lexicon"}`."""
    return Component(load(**{"steps": STEPS, **options}), spans_key, set_ents)
