"""Taggers of plugins: spans with scores for texts. All else is done for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument, BioCPassage
from hypothesis import given
from hypothesis import strategies as st
from plugin_entries import add_entries

from corpora.errors import ArticleError, ConfigurationError
from corpora.model.document import mentions
from nlmchem.tagging import registry
from nlmchem.tagging.inference.scoring import SpanModel
from nlmchem.tagging.registry import Tagger, TaggerChoice
from nlmchem.tagging.tagger import spans_of
from sieves.lexicon.lexicon import Lexicon

Spans = list[tuple[int, int, float]]
NAME = re.compile(r"\b[A-Z]?[a-z]+olol\b")


def article(*texts: str, section: str = "") -> BioCDocument:
    """An article with these passages; the last one is in a section."""
    document, offset = BioCDocument(), 0
    document.id = "1"
    for text in texts:
        passage = BioCPassage()
        passage.text, passage.offset = text, offset
        document.add_passage(passage)
        offset += len(text) + 1
    if section:
        document.passages[-1].infons["section_type"] = section
    return document


def found(document: BioCDocument) -> list[tuple[str, float | None]]:
    return [(mention.text, mention.evidence.score) for mention in mentions(document)]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The texts that the tagger `stems` receives, article by article."""
    received: list[list[str]] = []

    def spans(texts: Sequence[str]) -> Iterator[Spans]:
        received.append(list(texts))
        return ([(*match.span(), 0.75) for match in NAME.finditer(text)] for text in texts)

    add_entries(
        monkeypatch, registry, "TAGGERS",
        stems=Tagger(spans=lambda choice, lexicon: spans, version=lambda: "weights 1"),
        whole=Tagger(make=lambda choice, lexicon, decide: lambda documents: None),
    )  # fmt: skip
    return received


def test_sections_thresholds_rules_and_decisions_are_done_for_it(seen: list[list[str]]) -> None:
    texts = ("<i>Atenolol</i> and MK-801.", "Metoprolol.")
    document = article(*texts, section="REF")
    decided: list[int] = []
    choice = TaggerChoice(("stems",), rules="none", skip_sections=frozenset({"REF"}))
    choice.stage(Lexicon.open(), lambda _, passages: decided.append(len(passages)))([document])
    assert seen == [["\u00ad" * 3 + "Atenolol" + "\u00ad" * 4 + " and MK-801."]], "soft hyphens are there for markup"
    assert found(document) == [("Atenolol", 0.75)]
    assert decided == [1]
    document = article("Atenolol.")
    TaggerChoice(("stems",), rules="none", min_score=0.8).stage(Lexicon.open())([document])
    assert found(document) == []
    # The starter lexicon and the vote belong to the rules.
    document = article("Atenolol and acetaminophen.")
    TaggerChoice(("stems",)).stage(Lexicon.open())([document])
    assert [text for text, _ in found(document)] == ["Atenolol", "acetaminophen"]


def test_it_can_be_joined(seen: list[list[str]], make_model: Callable[..., Path]) -> None:
    folder = make_model("bert")
    (folder / "nlmchem.json").write_text('{"outside_bias": -20}')  # It finds nothing by itself.
    choice = TaggerChoice(("stems", str(folder)), rules="none")
    assert choice.versions()["tagger 1"] == "stems weights 1"
    document = article("Atenolol rose.")
    choice.stage(Lexicon.open())([document])
    ((text, score),) = found(document)
    # Half of the taggers find it; the score is the mean over all.
    assert (text, score) == ("Atenolol", 0.375)
    document = article("Atenolol and ethanol.")
    TaggerChoice(("lexicon", "stems")).stage(Lexicon.open())([document])
    assert ("Atenolol", 0.75) in found(document)


def test_a_tagger_that_does_everything_itself_works_alone(seen: list[list[str]]) -> None:
    document = article("Atenolol.")
    TaggerChoice(("whole",)).stage(Lexicon.open())([document])
    assert found(document) == []
    with pytest.raises(ConfigurationError, match="the tagger 'whole' cannot be joined with others; give it alone"):
        TaggerChoice(("whole", "stems")).stage(Lexicon.open())
    both: dict[str, Any] = {"make": len, "spans": len}
    for wrong in ({}, both):
        with pytest.raises(ValueError, match="either make or spans"):
            Tagger(**wrong)


@given(st.text("ab1- .(", max_size=30), st.data())
def test_spans_that_do_not_overlap_stay_to_the_character(text: str, data: st.DataObject) -> None:
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [
        (start, end, 0.25 * data.draw(st.integers(1, 4)))
        for start, end in zip(bounds[::2], bounds[1::2], strict=False)
        if not text[start].isspace() and not text[end - 1].isspace()
    ]
    ((passages,), coverage) = SpanModel.of("own", "1", lambda texts: [spans[::-1]]).score([[text]])
    assert [(span.start, span.end, span.score) for span in spans_of(passages[0])] == spans
    assert coverage.unseen == 0


def test_of_overlapping_spans_the_surest_stays() -> None:
    model = SpanModel.of("own", "1", lambda texts: [[(0, 9, 0.5), (0, 4, 0.75), (5, 9, 0.5)]])
    ((passages,), _) = model.score([["zinc salt"]])
    assert [(span.start, span.end) for span in spans_of(passages[0])] == [(0, 4), (5, 9)]


@pytest.mark.parametrize("blanks", [(4, 5), (9, 10)])
def test_a_span_of_blanks_is_left_out(blanks: tuple[int, int]) -> None:
    model = SpanModel.of("own", "1", lambda texts: [[(*blanks, 0.5), (0, 4, 0.75)]])
    ((passages,), _) = model.score([["zinc salt "]])
    assert [(span.start, span.end) for span in spans_of(passages[0])] == [(0, 4)]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ([[(0, 10, 1.0)]], r"the span \(0, 10\) with the score 1 in a text of 4 characters"),
        ([[(2, 2, 1.0)]], r"the span \(2, 2\)"),
        ([[(0, 4, 1.5)]], "the score 1.5"),
        ([[(0, 4, float("nan"))]], "the score nan"),
        ([[], []], "2 lists of spans for 1 text"),
    ],
)
def test_spans_that_cannot_be_are_refused(answer: list[Spans], named: str) -> None:
    with pytest.raises(ArticleError, match=f"the tagger 'own' gives .*{named}.*correct the package"):
        SpanModel.of("own", "1", lambda texts: answer).score([["zinc"]])
