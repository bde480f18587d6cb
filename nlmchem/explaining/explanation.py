"""The table of `nlmchem explain`: for each text of an article, whether it stands, what it means, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from bioc import BioCDocument

from corpora.model.document import definitions
from nlmchem.deciding.decision import Decision
from nlmchem.deciding.knowledge import Knowledge, reasons
from nlmchem.deciding.linking import ConceptLink, probabilities_of
from nlmchem.deciding.meanings import Meanings, TextMeaning, in_words
from nlmchem.deciding.other_meanings import is_inside, no_chemicals_in
from nlmchem.tagging.inference.spans import PassageSpans, leave_out
from nlmchem.tagging.rules.article import Changes, follow_article
from nlmchem.tagging.rules.post_processing import Rules


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """One text of an article, what it means, and why it is a mention or not."""

    text: str
    stands: int
    """At how many of its `places` it is a mention."""
    places: int
    score: float
    """The mean score of the tagger, or the mean probability of a learnt decision (of its mentions, if any stands)."""
    sieve: str
    identifiers: tuple[str, ...]
    kind: str
    why: str
    """The reasons in words."""
    reasons: str
    """The numbers of a learnt decision, or what the knowledge did."""
    identifier_probability: float | None = None
    """Of a mention, that its identifiers are right (`nlmchem.deciding.linking`)."""


def explain(
    document: BioCDocument,
    passages: Sequence[PassageSpans],
    decide: Knowledge | Decision,
    min_score: float = 0.0,
    rules: Rules | None = None,
) -> list[ExplainedSpan]:
    """The texts that were considered, those that stand first, then by score and text. Changes the passages.

    `min_score`: spans with a lower score do not stand. `rules`: as in `follow_article`, which runs after the decision.
    """
    if isinstance(decide, Decision):
        rows = _by_decision(document, passages, decide, min_score)
    else:
        rows = _by_knowledge(document, passages, decide, min_score)
    changes = follow_article(passages, definitions(document), rules)
    leave_out(passages, min_score)
    meanings = (decide.knowledge if isinstance(decide, Decision) else decide).meanings(document, changes)
    rows = list(_followed(rows, changes, _scores(passages), meanings))
    links = {
        row.text: ConceptLink(row.text, row.identifiers, row.sieve) for row in rows if row.stands and row.identifiers
    }
    right = probabilities_of(links.values())
    rows = [replace(row, identifier_probability=right.get(links.get(row.text))) for row in rows]
    return sorted(rows, key=lambda row: (not row.stands, -row.score, row.text))


def _by_decision(
    document: BioCDocument, passages: Sequence[PassageSpans], decide: Decision, min_score: float
) -> list[ExplainedSpan]:
    scored = decide.score(document, passages)
    scored.write(passages)
    leave_out(passages, max(min_score, decide.lowest(scored)))
    left = _scores(passages)
    senses = scored.meanings.of_mentions(passages)
    chosen, scores, probabilities = set(scored.choice.chosen), scored.scores, scored.probabilities
    rows = []
    for text, places in scored.by_text().items():
        best = max(places, key=lambda at: (scored.choice.log_odds[at], -at))
        standing = [at for at in places if at in chosen]
        score = float((scores[standing] if standing else probabilities[places]).mean())
        stands = len(left.get(text, ()))
        outcome = ""
        if not stands and best in chosen:
            outcome = _too_low(float(scores[best]))
        elif not stands and float(probabilities[best]) > decide.threshold:
            outcome = "left out: it overlaps a more probable mention"
        elif not stands:
            outcome = f"left out: not probable enough (more than {decide.threshold:.2f} is needed)"
        sense = senses.get(text) or scored.meanings.of(text)
        why = (in_words(sense, scored.marked(places), len(places)), outcome)
        rows.append(_row(text, stands, len(places), score, sense, why, decide.reasons(scored, best)))
    return rows


def _by_knowledge(
    document: BioCDocument, passages: Sequence[PassageSpans], decide: Knowledge, min_score: float
) -> list[ExplainedSpan]:
    before = _scores(passages)
    suppliers: set[str] = set()
    for passage in passages:
        elsewhere = no_chemicals_in(passage.text) if passage.spans else []
        inside = (span for span in passage.spans if is_inside((span.start, span.end), elsewhere))
        suppliers.update(map(passage.text_of, inside))
    decide(document, passages)
    after = _scores(passages)
    leave_out(passages, min_score)
    left = _scores(passages)
    meanings = decide.meanings(document, before.keys() | after.keys())
    senses = meanings.of_mentions(passages)
    rows = []
    for text in {**before, **after}:
        sense = senses.get(text) or meanings.of(text)
        outcome = done = ""
        if text in left:
            done = reasons(text, text, sense) if text in before else "a part of a longer name that the tagger marked"
        elif text in after:
            outcome = _too_low(max(after[text]))
        elif text in suppliers:
            outcome = "left out: in the name or the place of a supplier"
        else:
            outcome = f"left out: only means {sense.kind}" if sense.is_no_chemical else "divided or trimmed"
        scores = after.get(text) or before[text]
        marked = len(before.get(text, ()))
        places = max(marked, len(after.get(text, ())))
        why = (in_words(sense, marked, places), outcome)
        rows.append(_row(text, len(left.get(text, ())), places, sum(scores) / len(scores), sense, why, done or outcome))
    return rows


def _followed(
    rows: Iterable[ExplainedSpan], changes: Changes, left: Mapping[str, Sequence[float]], meanings: Meanings
) -> Iterator[ExplainedSpan]:
    """The rows after the rules about the article, with those of texts that only these rules mark."""
    known = set()
    for row in rows:
        known.add(row.text)
        if row.text in changes:
            stands = len(left.get(row.text, ()))
            row = replace(row, stands=stands, places=max(row.places, stands), why=f"{row.why}; {changes[row.text]}")
        yield row
    for text, changed in changes.items():
        if text in left and text not in known:
            places, sense = len(left[text]), meanings.of(text)
            why = (in_words(sense, 0, places), changed)
            yield _row(text, places, places, fmean(left[text]), sense, why, changed)


def _scores(passages: Sequence[PassageSpans]) -> dict[str, list[float]]:
    """The scores of the spans by their texts."""
    scores: dict[str, list[float]] = {}
    for passage in passages:
        for span in passage.spans:
            scores.setdefault(passage.text_of(span), []).append(span.score)
    return scores


def _too_low(score: float) -> str:
    return f"left out: its score {round(score, 4):g} is too low"


def _row(
    text: str, stands: int, places: int, score: float, sense: TextMeaning, why: Sequence[str], reasons: str
) -> ExplainedSpan:
    identifiers = sense.candidates[0].identifiers if sense.candidates else ()
    words = "; ".join(filter(None, why))
    return ExplainedSpan(text, stands, places, score, sense.sieve, identifiers, sense.kind, words, reasons)
