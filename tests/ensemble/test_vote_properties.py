"""Properties of votes over arbitrary runs."""

from __future__ import annotations

from fractions import Fraction

from bioc import BioCDocument, BioCPassage
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.model.document import mentions
from ensemble import OVERLAPS
from ensemble.combine import Combiner, Rule
from ensemble.runs import Ballot
from ensemble.tally import IdentifierVote, VotedSpan, growth, passing, resolved, tally
from ensemble.votes import Vote, VotedMention, dump, load

TEXT = "x" * 30
IDENTIFIERS = st.sampled_from([None, (), ("MESH:D000001",), ("MESH:C000001",), ("MESH:D000001", "MESH:D000002")])
SPANS = st.tuples(st.integers(0, 28), st.integers(1, 6)).map(lambda pair: (pair[0], min(30, pair[0] + pair[1])))
MENTIONS = st.builds(
    lambda passage, span, ids: VotedMention(passage, (span,), ids), st.integers(0, 1), SPANS, IDENTIFIERS
)
VOTES = st.lists(MENTIONS, max_size=8, unique_by=lambda mention: (mention.passage, mention.spans)).map(
    lambda mentions: Vote(tuple(sorted(mentions, key=lambda one: (one.passage, one.spans))))
)
RUNS = st.lists(VOTES, min_size=1, max_size=6)
THRESHOLDS = st.integers(0, 10_000).map(lambda value: value / 10_000)


def document() -> BioCDocument:
    article = BioCDocument()
    article.id = "1"
    for offset in (0, 31):
        passage = BioCPassage()
        passage.offset, passage.text = offset, TEXT
        article.add_passage(passage)
    return article


def shifted(vote: Vote) -> Vote:
    """Votes on the second passage count from the document's start."""
    return Vote(
        tuple(
            VotedMention(
                mention.passage,
                tuple((s + 31 * mention.passage, e + 31 * mention.passage) for s, e in mention.spans),
                mention.identifiers,
            )
            for mention in vote.mentions
        )
    )


def ballot(runs: list[Vote], weights: list[int] | None = None) -> Ballot:
    return Ballot(document(), tuple(weights or [1] * len(runs)), tuple(map(shifted, runs)))


def shape(spans: list[VotedSpan]) -> list[tuple[object, ...]]:
    return [(span.passage, span.spans, span.score, len(span.voters)) for span in spans]


@given(RUNS, st.randoms(), THRESHOLDS, st.sampled_from(OVERLAPS))
def test_the_order_of_runs_has_no_effect(runs: list[Vote], random: object, threshold: float, overlaps: str) -> None:
    other = list(runs)
    random.shuffle(other)  # type: ignore[attr-defined]
    here, there = (resolved(passing(tally(ballot(some)), threshold), overlaps) for some in (runs, other))
    assert shape(here) == shape(there)
    one, two = IdentifierVote(ballot(runs)), IdentifierVote(ballot(other))
    assert [one.of(span) for span in here] == [two.of(span) for span in there]


@given(RUNS, THRESHOLDS, THRESHOLDS)
def test_a_higher_threshold_never_adds_a_span_before_merging(runs: list[Vote], one: float, two: float) -> None:
    spans = tally(ballot(runs))
    low, high = sorted((one, two))
    assert set(shape(passing(spans, high))) <= set(shape(passing(spans, low)))
    # The best-scored spans are chosen from the top, so that what a high threshold keeps a low one keeps too.
    assert set(shape(resolved(passing(spans, high), "best"))) <= set(shape(resolved(passing(spans, low), "best")))


@given(RUNS, THRESHOLDS, st.sampled_from(OVERLAPS))
def test_no_two_spans_overlap_and_merging_covers_all(runs: list[Vote], threshold: float, overlaps: str) -> None:
    given_spans = passing(tally(ballot(runs)), threshold)
    result = resolved(given_spans, overlaps)
    taken: set[tuple[int, int]] = set()
    for span in result:
        ground = {(span.passage, at) for at in range(span.start, span.end)}
        assert not ground & taken
        taken |= ground
    if overlaps == "merge":
        assert taken == {(span.passage, at) for span in given_spans for at in range(span.start, span.end)}
        assert {end for span in result for end in (span.start, span.end)} <= {
            end for span in given_spans for end in (span.start, span.end)
        }
    else:
        assert set(shape(result)) <= set(shape(given_spans))


@given(RUNS, st.sampled_from(OVERLAPS))
def test_growth_gives_the_voted_spans_at_every_threshold(runs: list[Vote], overlaps: str) -> None:
    spans = tally(ballot(runs))
    standing: dict[tuple[object, ...], VotedSpan] = {}
    changes = list(growth(spans, overlaps))
    assert [score for score, *_ in changes] == sorted((score for score, *_ in changes), reverse=True)
    for position, (score, removed, added) in enumerate(changes):
        for span in removed:
            del standing[span.passage, span.spans]
        standing[added.passage, added.spans] = added
        last_of_its_score = position + 1 == len(changes) or changes[position + 1][0] < score
        if last_of_its_score:
            expected = resolved(passing(spans, score), overlaps)
            assert sorted(shape(list(standing.values()))) == sorted(shape(expected))


@given(VOTES, THRESHOLDS, st.sampled_from(OVERLAPS), st.booleans())
def test_the_ensemble_of_one_run_is_this_run(vote: Vote, threshold: float, overlaps: str, per_mention: bool) -> None:
    # A run whose own mentions overlap is not a run that an ensemble could give: take what does not.
    apart = {(span.passage, span.spans) for span in resolved(tally(ballot([vote])), "best")}
    run = Vote(tuple(mention for mention in shifted(vote).mentions if (mention.passage, mention.spans) in apart))
    one = Ballot(document(), (1,), (run,))
    spans = resolved(passing(tally(one), threshold), overlaps)
    assert {(span.passage, span.spans) for span in spans} == apart
    if per_mention:
        answers = IdentifierVote(one, per_mention=True)
        expected = {(mention.passage, mention.spans): mention.identifiers for mention in run.mentions}
        for span in spans:
            found = answers.of(span)
            assert (None if found is None else found.identifiers) == expected[span.passage, span.spans]


@given(RUNS, st.data())
def test_a_weight_of_n_is_n_equal_runs(runs: list[Vote], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(runs), max_size=len(runs)))
    repeated = [run for run, weight in zip(runs, weights, strict=True) for _ in range(weight)]
    weighted, plain = ballot(runs, weights), ballot(repeated)
    assert [(s.spans, s.score) for s in tally(weighted)] == [(s.spans, s.score) for s in tally(plain)]
    one, two = IdentifierVote(weighted), IdentifierVote(plain)
    assert [one.of(span) for span in tally(weighted)] == [two.of(span) for span in tally(plain)]


@given(RUNS)
def test_scores_are_shares_of_the_runs(runs: list[Vote]) -> None:
    for span in tally(ballot(runs)):
        exact = Fraction(len(span.voters), len(runs))
        assert abs(Fraction(span.score) - exact) <= Fraction(1, 20_000) + Fraction(1, 10**12)


@given(VOTES)
def test_a_stored_vote_is_read_unchanged(vote: Vote) -> None:
    assert load(dump(vote)) == vote
    assert dump(load(dump(vote))) == dump(vote)


class _Poll:
    """What a combiner asks of a poll."""

    digest = "0" * 64

    def __init__(self, runs: int) -> None:
        self.names = tuple(f"run{number}" for number in range(runs))


@settings(max_examples=50)
@given(RUNS, THRESHOLDS, st.sampled_from(OVERLAPS))
def test_written_annotations_keep_the_offset_invariant(runs: list[Vote], threshold: float, overlaps: str) -> None:
    one = ballot(runs)
    combiner = Combiner(_Poll(len(runs)), Rule(("identifiers",), threshold, overlaps))  # type: ignore[arg-type]
    article = combiner(one)
    for mention in mentions(article):
        start, end = mention.spans[0]
        assert mention.text == mention.passage.text[start - mention.passage.offset : end - mention.passage.offset]
    assert combiner.counts.mentions == len(list(mentions(article)))
