"""The stage that corrects the mentions of another tagger by the rules of this project.

Post-processing of a ready tagger's output, as team 114 of the NLM-Chem track did with the output of its model. Without
the probabilities of a model, a marked occurrence counts as 1 and an occurrence without a mark as 0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from bioc import BioCDocument, BioCPassage

from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, Span, annotator, definitions, fresh_ids, mentions
from corpora.model.mention_infons import JOINED, REMOVED, add_repaired, copy_to, move, retype, take_out
from corpora.model.passages import passage_text, section_type
from nlmchem.tagging.inference.spans import Decide, PassageSpans, ScoredSpan, explain
from nlmchem.tagging.lexicon_tagger import MENTION_PREFIX, starter_votes
from nlmchem.tagging.rules.post_processing import LexiconVotes, Rules, post_process


@dataclass(slots=True)
class _Held:
    """The mentions of one passage.

    `free`: the span of each mention that the rules can change. `blocked`: the pieces of the others, which overlap each
    other, are outside the text or have several pieces. Spans are offsets in the text of the passage.
    """

    passage: BioCPassage
    text: str
    free: dict[Span, Mention] = field(default_factory=dict)
    blocked: list[Span] = field(default_factory=list)

    def divide(self, mentions: Sequence[Mention]) -> None:
        """Divide the mentions of the passage into those that can be changed and those that stay."""
        pieces = [
            [(start - self.passage.offset, end - self.passage.offset) for start, end in mention.spans]
            for mention in mentions
        ]
        every = sorted((piece, at) for at, spans in enumerate(pieces) for piece in spans)
        overlapping: set[int] = set()
        reached, last = -1, 0
        for (start, end), at in every:
            if start < reached:
                overlapping |= {at, last}
            if end > reached:
                reached, last = end, at
        for at, (mention, spans) in enumerate(zip(mentions, pieces, strict=True)):
            inside = all(0 <= start < end <= len(self.text) for start, end in spans)
            if len(spans) == 1 and inside and at not in overlapping:
                self.free[spans[0]] = mention
            else:
                self.blocked += [(max(0, start), end) for start, end in spans if max(0, start) < end <= len(self.text)]

    def spans(self) -> PassageSpans:
        """The spans as the rules take them: without overlaps; of blocked pieces that overlap, the longest."""
        spans = PassageSpans(self.text, ())
        for start, end in [*self.free, *sorted(self.blocked, key=lambda span: (span[0] - span[1], span))]:
            spans.add([ScoredSpan(start, end, 1.0)])
        return spans

    def in_document(self, span: ScoredSpan) -> Span:
        return self.passage.offset + span.start, self.passage.offset + span.end


def _overlapping(spans: Sequence[ScoredSpan], start: int, end: int) -> Sequence[ScoredSpan]:
    """Of spans that do not overlap, in the order of the text, those that overlap start..end."""
    first = bisect_right(spans, start, key=lambda span: span.end)
    return spans[first : bisect_left(spans, end, key=lambda span: span.start)]


class Repair:
    """A stage that changes, divides, removes and adds mentions by the rules and the decision.

    A mention that is changed or removed keeps what the other tagger wrote (`corpora.model.mention_infons`). Mentions
    that overlap others or have several pieces stay as they are. `types`: the types of mentions that are chemicals; all
    get the type `Chemical`. `skip_sections`: values of `section_type` (upper case) whose passages are
    not changed and whose occurrences do not count.
    """

    def __init__(
        self,
        version: str,
        rules: Rules | None = None,
        decide: Decide | None = None,
        *,
        types: Iterable[str] = (CHEMICAL,),
        skip_sections: Iterable[str] = (),
        lexicons: Sequence[LexiconVotes] | None = None,
    ) -> None:
        """`version`: of the lexicon, written into added mentions. `lexicons`: None is the starter lexicon."""
        self._rules = rules or Rules()
        self._decide = decide
        self._types = frozenset(types)
        self._skip = frozenset(skip_sections)
        if lexicons is None:
            lexicons = [starter_votes()] if self._rules.lexicon else []
        self._lexicons = tuple(lexicons)
        self._annotator = annotator("repair", version)

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            held = self._held(document)
            passages = [passage.spans() for passage in held]
            known = list(definitions(document)) if self._rules.abbreviations else []
            post_process(passages, self._rules, known, self._lexicons)
            if self._decide is not None:
                self._decide(document, passages)
            ids = fresh_ids(document, MENTION_PREFIX)
            for passage, corrected in zip(held, passages, strict=True):
                self._write(passage, corrected.spans, ids)

    def _held(self, document: BioCDocument) -> list[_Held]:
        """The passages that are repaired, with their mentions. All mentions get the type `Chemical`."""
        shown = [passage for passage in document.passages if section_type(passage) not in self._skip]
        held = {id(passage): _Held(passage, passage_text(passage)) for passage in shown}
        by_passage: dict[int, list[Mention]] = {key: [] for key in held}
        for mention in mentions(document, type=None):
            if mention.type in self._types:
                retype(mention)
                if id(mention.passage) in by_passage:
                    by_passage[id(mention.passage)].append(mention)
        for key, passage_held in held.items():
            passage_held.divide(by_passage[key])
        return list(held.values())

    def _write(self, held: _Held, spans: Sequence[ScoredSpan], ids: Iterator[str]) -> None:
        """Change the mentions of a passage into these spans."""
        # Blocked pieces that overlap are one span.
        blocked: list[ScoredSpan] = []
        for start, end in sorted(held.blocked):
            if blocked and start < blocked[-1].end:
                blocked[-1] = replace(blocked[-1], end=max(end, blocked[-1].end))
            else:
                blocked.append(ScoredSpan(start, end, 1.0))
        owned: set[ScoredSpan] = set()
        for (start, end), mention in sorted(held.free.items()):
            overlapping = _overlapping(spans, start, end)
            free = [span for span in overlapping if span not in owned]
            owned.update(free)
            if not free:
                take_out(mention, JOINED if overlapping else REMOVED)
            elif [(span.start, span.end) for span in free] == [(start, end)]:
                explain(mention, free[0])
            elif not any(_overlapping(blocked, span.start, span.end) for span in free):
                # The mention moves to the first of these spans, and is copied to the others.
                first, *others = free
                for span in others:
                    explain(copy_to(mention, held.in_document(span), held.text, next(ids)), span)
                move(mention, held.in_document(first), held.text)
                explain(mention, first)
        for span in spans:
            if span not in owned and not _overlapping(blocked, span.start, span.end):
                place, score = held.in_document(span), min(1.0, max(0.0, span.score))
                mention = add_repaired(
                    held.passage, place, id=next(ids), annotator=self._annotator, score=score, text=held.text
                )
                explain(mention, span)
