"""The component `nlmchem` for spaCy: `nlp.add_pipe("nlmchem")`. It needs the extra `[spacy]`.

spaCy finds the function `make` by the entry point `spacy_factories` of this package.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import islice
from typing import Any

from bioc import BioCDocument, BioCPassage
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import filter_spans

from nlmchem import load
from nlmchem.api.mention import Mention
from nlmchem.api.pipeline import CHUNK, Pipeline
from nlmchem.steps import abbreviate, normalize, tag

STEPS = [step.name for step in (abbreviate.STEP, tag.STEP, normalize.STEP)]
EXTENSION = "nlmchem"
"""`span._.nlmchem`: the values of the mention (the fields of `nlmchem.api.mention.Mention`); None for other spans."""

Span.set_extension(EXTENSION, default=None, force=True)


class Component:
    """Sets `doc.ents` and `doc.spans[spans_key]`: spans with label, `kb_id_` and `span._.nlmchem`.

    `kb_id_`: the MeSH identifiers, joined by commas. A span that begins or ends inside a token of the pipeline's
    tokenizer grows to whole tokens. `set_ents`: `doc.ents` gets the spans that do not overlap, the longest first;
    entities that are there already stay, and `doc.spans` has the mentions that overlap them.
    """

    def __init__(self, options: Mapping[str, Any], spans_key: str, set_ents: bool) -> None:
        """`options`: arguments of `nlmchem.load`. Raises the errors of `nlmchem.load`."""
        self._options = dict(options)
        self._spans_key = spans_key
        self._set_ents = set_ents
        self._loaded = os.getpid(), load(**self._options)

    @property
    def _pipeline(self) -> Pipeline:
        """The pipeline of this process: with `n_process`, spaCy forks."""
        process, pipeline = self._loaded
        if process != os.getpid():
            # A forked process that uses the threads of its parent waits for ever; several processes need no more.
            if (torch := sys.modules.get("torch")) is not None:
                torch.set_num_threads(1)
            pipeline = load(**self._options)
            self._loaded = os.getpid(), pipeline
        return pipeline

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one doc in place."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = CHUNK) -> Iterator[Doc]:
        """Annotate docs in place, in order, `batch_size` at a time."""
        source = iter(stream)
        while docs := list(islice(source, batch_size)):
            articles = self._pipeline.pipe(map(_article, docs), batch_size=len(docs))
            for doc, article in zip(docs, articles, strict=True):
                self._set(doc, article.mentions)
                yield doc

    def _set(self, doc: Doc, annotated: Iterable[Mention]) -> None:
        # spaCy 3 has one value for a start and an end: that of the entity, which is the first mention there.
        kept = {(entity.start, entity.end) for entity in doc.ents if entity._.get(EXTENSION)}
        spans = []
        for mention in annotated:
            identifiers = ",".join(mention.identifiers)
            span = doc.char_span(
                *mention.spans[0],
                label=mention.type,
                kb_id=identifiers,
                span_id=mention.annotation.id,
                alignment_mode="expand",
            )
            spans.append(span)
            if (span.start, span.end) not in kept:
                kept.add((span.start, span.end))
                # The doc has its own id, and positions are those of the text.
                row = {
                    field.name: getattr(mention, field.name) for field in fields(mention) if field.name != "document"
                }
                span._.set(EXTENSION, {**row, "identifiers": identifiers})
        doc.spans[self._spans_key] = SpanGroup(doc, name=self._spans_key, spans=spans)
        if self._set_ents:
            taken = {token.i for entity in doc.ents for token in entity}
            free = [span for span in spans if taken.isdisjoint(range(span.start, span.end))]
            doc.ents = [*doc.ents, *filter_spans(free)]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": (0, None)}

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


def make(nlp: Language, name: str, spans_key: str, set_ents: bool, options: dict[str, Any], **given: Any) -> Component:
    """The component. The configuration has the arguments of `nlmchem.load`: `{"tagger": "lexicon"}`.

    `options`: the former place of these arguments.
    """
    if options:
        warnings.warn('write the options of nlmchem without "options" around them', DeprecationWarning, stacklevel=2)
    return Component({**given, **options}, spans_key, set_ents)


def _described() -> tuple[inspect.Signature, dict[str, Any]]:
    """The signature of `make` and the default configuration, with the arguments of `nlmchem.load`."""
    of_make = [
        parameter
        for parameter in inspect.signature(make).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    of_load = [
        parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=Any)
        for parameter in inspect.signature(load).parameters.values()
    ]
    defaults = {
        parameter.name: list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
        for parameter in of_load
    }
    signature = inspect.Signature([*of_make, *(parameter.replace(default=parameter.empty) for parameter in of_load)])
    return signature, {"spans_key": "nlmchem", "set_ents": True, "options": {}, **defaults, "steps": STEPS}


make.__signature__, _DEFAULTS = _described()  # type: ignore[attr-defined]
Language.factory("nlmchem", default_config=_DEFAULTS, func=make)
