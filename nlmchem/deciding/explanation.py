"""The table of `nlmchem explain`: for each text of an article, whether it stands, what it means, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bioc import BioCDocument

from nlmchem.deciding.decision import Decision
from nlmchem.deciding.knowledge import Knowledge, is_no_chemical, reasons
from nlmchem.deciding.linking import ConceptLink, probabilities_of
from nlmchem.deciding.meanings import TextMeaning, in_words
from nlmchem.deciding.other_meanings import no_chemicals_in
from nlmchem.deciding.suppliers import is_inside
from nlmchem.tagging.inference.spans import PassageSpans, leave_out


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """One text of an article. `stands`: at how many of its `places` it is a mention.

    `score`: the mean score of the tagger, or the mean probability of a learnt decision (of its mentions, if any
    stands). `sieve`, `identifiers` and `kind`: what it means. `why`: the reasons in words. `reasons`: the numbers of a
    learnt decision, or what the knowledge did. `identifier_probability`: of a mention, that its identifiers are right
    (`nlmchem.deciding.linking`).
    """

    text: str
    stands: int
    places: int
    score: float
    sieve: str
    identifiers: tuple[str, ...]
    kind: str
    why: str
    reasons: str
    identifier_probability: float | None = None


def explain(
    document: BioCDocument, passages: Sequence[PassageSpans], decide: Knowledge | Decision, min_score: float = 0.0
) -> list[ExplainedSpan]:
    """The texts that were considered, those that stand first, then by score and text. Changes the passages.

    `min_score`: spans with a lower score do not stand.
    """
    if isinstance(decide, Decision):
        rows = _learnt(document, passages, decide, min_score)
    else:
        rows = _known(document, passages, decide, min_score)
    links = {
        row.text: ConceptLink(row.text, row.identifiers, row.sieve) for row in rows if row.stands and row.identifiers
    }
    right = probabilities_of(links.values())
    rows = [replace(row, identifier_probability=right.get(links.get(row.text))) for row in rows]
    return sorted(rows, key=lambda row: (not row.stands, -row.score, row.text))


def _learnt(
    document: BioCDocument, passages: Sequence[PassageSpans], decide: Decision, min_score: float
) -> list[ExplainedSpan]:
    considered = decide.consider(document, passages)
    considered.write(passages)
    left = _left(passages, max(min_score, decide.lowest(considered)))
    senses = considered.meanings.of_mentions(passages)
    rows = []
    for text, places in considered.by_text().items():
        best = max(places, key=lambda at: (considered.log_odds[at], -at))
        standing = [at for at in places if at in considered.chosen]
        score = float((considered.scores[standing] if standing else considered.probabilities[places]).mean())
        reasons = decide.reasons(considered, [best])[0]
        stands = len(left.get(text, ()))
        marked = considered.marked(places)
        outcome = ""
        if not stands:
            rejected = _left_out(float(considered.probabilities[best]), decide.threshold)
            outcome = _too_low(float(considered.scores[best])) if best in considered.chosen else rejected
        sense = senses.get(text) or considered.meanings.of(text)
        rows.append(_row(text, stands, len(places), score, sense, marked, outcome, reasons))
    return rows


def _left_out(probability: float, threshold: float) -> str:
    if probability > threshold:
        return "left out: it overlaps a more probable mention"
    return f"left out: not probable enough (more than {threshold:.2f} is needed)"


def _too_low(score: float) -> str:
    return f"left out: its score {round(score, 4):g} is too low"


def _left(passages: Sequence[PassageSpans], min_score: float) -> dict[str, list[float]]:
    """Remove the spans with a lower score. Returns the scores of the others by their texts."""
    leave_out(passages, min_score)
    return _scores(passages)


def _known(
    document: BioCDocument, passages: Sequence[PassageSpans], decide: Knowledge, min_score: float
) -> list[ExplainedSpan]:
    before = _scores(passages)
    suppliers = set(_of_suppliers(passages))
    decide(document, passages)
    after = _scores(passages)
    left = _left(passages, min_score)
    meanings = decide.meanings(document, before.keys() | after.keys())
    senses = meanings.of_mentions(passages)
    rows = []
    for text in before.keys() | after.keys():
        sense = senses.get(text) or meanings.of(text)
        outcome = ""
        if text in after and text not in left:
            outcome = why = _too_low(max(after[text]))
        elif text in after:
            why = reasons(text, text, sense) if text in before else "a part of a longer name that the tagger marked"
        elif text in suppliers:
            outcome = why = "left out: in the name or the place of a supplier"
        else:
            outcome = why = f"left out: only means {sense.kind}" if is_no_chemical(sense) else "divided or trimmed"
        scores = after.get(text) or before[text]
        places = max(len(before.get(text, ())), len(after.get(text, ())))
        marked, score = len(before.get(text, ())), sum(scores) / len(scores)
        rows.append(_row(text, len(left.get(text, ())), places, score, sense, marked, outcome, why))
    return rows


def _of_suppliers(passages: Sequence[PassageSpans]) -> Iterator[str]:
    for passage in passages:
        elsewhere = no_chemicals_in(passage.text) if passage.spans else []
        yield from (passage.text_of(span) for span in passage.spans if is_inside((span.start, span.end), elsewhere))


def _scores(passages: Sequence[PassageSpans]) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for passage in passages:
        for span in passage.spans:
            scores.setdefault(passage.text_of(span), []).append(span.score)
    return scores


def _row(
    text: str, stands: int, places: int, score: float, sense: TextMeaning, marked: int, outcome: str, reasons: str
) -> ExplainedSpan:
    identifiers = sense.candidates[0].identifiers if sense.candidates else ()
    why = "; ".join(filter(None, (in_words(sense, marked, places), outcome)))
    return ExplainedSpan(text, stands, places, score, sense.sieve, identifiers, sense.kind, why, reasons)
