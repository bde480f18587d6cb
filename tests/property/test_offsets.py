"""The offset invariant holds for whatever is annotated, and nothing that lies passes it."""

from __future__ import annotations

import io

from bioc import BioCDocument, BioCPassage, BioCSentence
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from corpora.formats import biocjson, biocxml
from corpora.formats.format import Header
from corpora.model import document as view
from corpora.model import invariant, passages
from corpora.model.document import Definition, add_definition

settings.register_profile("quick", max_examples=80, deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])  # fmt: skip
quick = settings(settings.get_profile("quick"))

letters = st.sampled_from(["a", "β", "𝛼", "e\u0301", " ", "\r\n", "\u2028", "Zinc", "\ufeff"])
texts = st.lists(letters, min_size=1, max_size=15).map("".join)


def document(parts: list[str], gap: int) -> BioCDocument:
    made = BioCDocument()
    made.id = "1"
    offset = gap
    for text in parts:
        passage = BioCPassage()
        passage.offset, passage.text = offset, text
        made.passages.append(passage)
        offset += len(text) + gap
    return made


@st.composite
def spans(draw: st.DrawFn, passage: BioCPassage) -> list[tuple[int, int]]:
    cuts = draw(st.lists(st.integers(0, len(passage.text)), min_size=2, max_size=6, unique=True).map(sorted))
    return [(passage.offset + a, passage.offset + b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


@quick
@given(st.data(), st.lists(texts, min_size=1, max_size=3), st.integers(0, 3))
def test_what_is_added_holds_there_and_back(data: st.DataObject, parts: list[str], gap: int) -> None:
    article = document(parts, gap)
    ids = view.fresh_ids(article, "C")
    for passage in article.passages:
        places = data.draw(spans(passage))
        mention = view.add_mention(passage, places, id=next(ids), annotator="nlmchem:test@1")
        whole = {passage.offset + at: character for at, character in enumerate(passage.text)}
        assert mention.text == " ".join("".join(whole[at] for at in range(*place)) for place in places)
        add_definition(passage, Definition("x", "y", places[0], places[-1]), ids)
    invariant.require_invariant(article)
    for writer in (biocxml, biocjson):
        stream = io.BytesIO(writer.opening(Header()) + writer.dumps(article, print) + writer.closing(Header()))
        (raw,) = writer.split(stream, Header(), print)
        again = writer.parse(raw, print)
        invariant.require_invariant(again)
        assert [m.spans for m in view.mentions(again)] == [m.spans for m in view.mentions(article)]
        assert list(view.definitions(again)) == list(view.definitions(article))


@quick
@given(st.data(), texts, st.integers(0, 3), st.integers(-4, 4), st.integers(-4, 4))
def test_a_span_that_is_moved_is_found_unless_the_same_text_stands_there(
    data: st.DataObject, text: str, gap: int, shift: int, growth: int
) -> None:
    article = document([text], gap)
    (passage,) = article.passages
    ((start, end),) = data.draw(spans(passage).filter(lambda found: len(found) == 1))
    mention = view.add_mention(passage, [(start, end)], id="C1", annotator="a")
    place = mention.annotation.locations[0]
    place.offset += shift
    place.length += growth
    inside = gap <= place.offset and place.offset + place.length <= gap + len(text) and place.length > 0
    there = text[place.offset - gap : place.offset - gap + place.length] if inside else None
    assert bool(invariant.check(article)) == (there != mention.text)


@quick
@given(st.lists(texts, min_size=1, max_size=4), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_sentences_make_the_text_of_a_passage_without_one(parts: list[str], gaps: list[int]) -> None:
    passage = BioCPassage()
    passage.offset = reached = 7
    for text, gap in zip(parts, gaps, strict=False):
        sentence = BioCSentence()
        sentence.offset, sentence.text = reached + gap, text
        passage.sentences.append(sentence)
        reached = sentence.offset + len(text)
    whole = passages.passage_text(passage)
    assume(whole)
    assert len(whole) == reached - passage.offset
    for sentence in passage.sentences:
        at = sentence.offset - passage.offset
        assert whole[at : at + len(sentence.text)] == sentence.text
