"""The stage that marks chemical mentions with trained models."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from bioc import BioCDocument, BioCPassage
from numpy.typing import NDArray

from corpora.errors import ConfigurationError, OptionError
from corpora.model.document import Span, add_mention, annotator, definitions, fresh_ids, note_left_out
from corpora.model.passages import passage_text, section_type
from corpora.words.folding import SOFT_HYPHEN, without_markup
from nlmchem.tagging.inference.labels import Scheme, spans_of_roles
from nlmchem.tagging.inference.scoring import Coverage, Model, ScoredPassage, best_roles
from nlmchem.tagging.inference.spans import Decide, PassageSpans, ScoredSpan, explain, leave_out
from nlmchem.tagging.lexicon_tagger import MENTION_PREFIX, starter_votes
from nlmchem.tagging.rules.article import follow_article
from nlmchem.tagging.rules.boundaries import balance
from nlmchem.tagging.rules.post_processing import LexiconVotes, Rules, post_process
from nlmchem.tagging.tokenization.shown_text import folded, without_citations
from sieves.lexicon.lexicon import Lexicon

_TAG = re.compile(r"<(sub|sup|i|b|em|strong|italic|bold)>$")
_LONGEST_TAG = 8
_CHARGE = re.compile(r"[-+−]?\}\$?")


@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """How scores become mentions. `min_score` (0 to 1): mentions with a lower score are left out.

    `skip_sections`: values of `section_type` (upper case) whose passages are not tagged. `budget`: as in `Model.score`.
    """

    rules: Rules = field(default_factory=Rules)
    min_score: float = 0.0
    skip_sections: frozenset[str] = frozenset()
    budget: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.min_score <= 1.0:
            raise OptionError("min_score", f"is {self.min_score:g}; give a number from 0 to 1")


_Shown = tuple[BioCPassage, str, str]
"""A passage to tag, its text, and the text without markup, of the same length, which models and rules read."""


class NeuralTagger:
    """A stage that adds a mention for every span that its models predict together.

    `lexicons` vote if the rule `lexicon` is on (None: the starter lexicon). `decide` changes the spans of each article
    after the rules (None: no change). `names`: the lexicon that separates numbers of references from
    names (None: nothing does). `coverage` counts the word pieces of all calls, and those that no model saw
    (always 0).
    """

    def __init__(
        self,
        models: Sequence[Model],
        options: TaggerOptions | None = None,
        lexicons: Sequence[LexiconVotes] | None = None,
        decide: Decide | None = None,
        names: Lexicon | None = None,
    ) -> None:
        if not models:
            raise ConfigurationError("the tagger has no model; give at least one")
        self.models = tuple(models)
        self._options = options or TaggerOptions()
        if lexicons is None:
            lexicons = [starter_votes()] if self._options.rules.lexicon else []
        self._lexicons = tuple(lexicons)
        self._decide = decide
        self._names = names
        self._alike = alike(models)
        self._skip = self._options.skip_sections
        version = models[0].version
        if len(models) > 1:
            version = hashlib.sha256(" ".join(model.version for model in models).encode()).hexdigest()
        self._annotator = annotator("+".join(model.name for model in models), version)
        self.coverage = Coverage()

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        rules = self._options.rules
        articles: list[list[_Shown]] = []
        for document in documents:
            texts = [(p, passage_text(p)) for p in document.passages if section_type(p) not in self._skip]
            articles.append([(passage, text, self._without_markup(text)) for passage, text in texts])
        folded_texts = [[folded(shown) for _, _, shown in article] for article in articles]
        views = []
        for model in self.models:
            scored, seen = model.score(folded_texts, self._options.budget)
            self.coverage.add(seen)
            views.append(scored)
        for number, (document, article) in enumerate(zip(documents, articles, strict=True)):
            passages: list[PassageSpans] = []
            for position, (passage, _, shown) in enumerate(article):
                of_models = [view[number][position] for view in views]
                if self._alike:
                    of_models = [average(of_models, self.models[0].labels.scheme)]
                    spans = spans_of(of_models[0])
                else:
                    spans = vote([spans_of(of_model) for of_model in of_models])
                passages.append(PassageSpans(shown, of_models, spans, offset=passage.offset))
            known = list(definitions(document)) if rules.abbreviations else []
            post_process(passages, rules, known, self._lexicons)
            if self._decide is not None:
                self._decide(document, passages)
            follow_article(passages, known, rules)
            if rules.boundaries:
                # Votes and decisions may have added or cut spans.
                for of_passage in passages:
                    balance(of_passage)
            self._write(document, article, passages)

    def _without_markup(self, text: str) -> str:
        shown = without_markup(text)
        return shown if self._names is None else without_citations(shown, self._names)

    def with_decision(self, decide: Decide) -> NeuralTagger:
        """A tagger with the same models and another decision."""
        changed = copy(self)
        changed._decide = decide
        return changed

    def _write(self, document: BioCDocument, article: Sequence[_Shown], passages: Sequence[PassageSpans]) -> None:
        ids = fresh_ids(document, MENTION_PREFIX)
        if self._options.min_score > 0:
            note_left_out(document, leave_out(passages, self._options.min_score))
        for (passage, text, shown), decided in zip(article, passages, strict=True):
            for span in decided.spans:
                start, end = _with_markup(text, shown, span)
                place = (passage.offset + start, passage.offset + end)
                score = min(1.0, max(0.0, span.score))
                mention = add_mention(passage, [place], id=next(ids), annotator=self._annotator, score=score, text=text)
                explain(mention, span)


def _with_markup(text: str, shown: str, span: ScoredSpan) -> Span:
    """A span with its markup: `<i>N</i>-acetylcysteine`, `H<sub>2</sub>`, `SO$_4^{2-}$`."""
    start, end = span.start, span.end
    tag = _TAG.search(text, max(0, start - _LONGEST_TAG), start)
    if tag is not None and f"</{tag[1]}>" in text[start:end]:
        start = tag.start()
    if text is shown:
        return start, end
    if text.count("{", span.start, end) > text.count("}", span.start, end):
        charge = _CHARGE.match(text, end)
        return start, end if charge is None else charge.end()
    if SOFT_HYPHEN in shown[span.start : end] and not shown[end - 1].isalpha():
        # The markup that closes the last index.
        while end < len(text) and shown[end] == SOFT_HYPHEN != text[end]:
            end += 1
    return start, end


def alike(models: Sequence[Model]) -> bool:
    """Whether the models have the same tokenizer and the same roles, so their probabilities can be averaged."""
    return len({(model.cutter.version, model.labels.scheme) for model in models}) == 1


def average(scored: Sequence[ScoredPassage], scheme: Scheme) -> ScoredPassage:
    """The scores of several models for one passage, averaged and decoded again."""
    if len(scored) == 1:
        return scored[0]
    encoded = scored[0].encoded
    mean: NDArray[np.float32] = np.stack([passage.probabilities for passage in scored]).mean(axis=0, dtype=np.float32)
    return ScoredPassage(encoded, mean, best_roles(mean, encoded.glued, scheme))


def spans_of(scored: ScoredPassage) -> list[ScoredSpan]:
    """The spans that the roles of a passage describe. The score is the mean probability of their pieces."""
    spans: list[ScoredSpan] = []
    for first, last in spans_of_roles(scored.roles):
        span = scored.encoded.span(first, last)
        if span is not None:
            spans.append(ScoredSpan(*span, scored.support_of_pieces(first, last)))
    return spans


def vote(votes: Sequence[Sequence[ScoredSpan]]) -> list[ScoredSpan]:
    """The spans that at least half of the models predict, to the character. The score is the mean over all models.

    Of overlapping spans the one with more votes is kept, then the higher score, the longer, the first.
    """
    ballots: dict[tuple[int, int], list[float]] = {}
    for of_model in votes:
        for span in of_model:
            ballots.setdefault((span.start, span.end), []).append(span.score)
    elected = [
        (len(scores), sum(scores) / len(votes), span)
        for span, scores in ballots.items()
        if 2 * len(scores) >= len(votes)
    ]
    elected.sort(key=lambda entry: (-entry[0], -entry[1], entry[2][0] - entry[2][1], entry[2][0]))
    kept: list[ScoredSpan] = []
    for _, mean, (start, end) in elected:
        if all(end <= other.start or other.end <= start for other in kept):
            kept.append(ScoredSpan(start, end, mean))
    return sorted(kept, key=lambda span: span.start)
