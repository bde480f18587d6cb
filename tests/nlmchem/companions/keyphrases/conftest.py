"""Articles with sections, for the tests of keyphrases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from bioc import BioCDocument, BioCPassage

from nlmchem.companions.keyphrases.candidates import Candidates, candidates_of, words_of

Sections = Sequence[tuple[str, str]]


def made(sections: Sections, identifier: str = "1", keywords: Sequence[str] = ()) -> BioCDocument:
    """An article; a section `INTRO/title_1` has the kind `title_1`."""
    document = BioCDocument()
    document.id = identifier
    offset = 0
    for section, text in sections:
        name, _, kind = section.partition("/")
        passage = BioCPassage.of_text(text)
        passage.offset = offset
        offset += len(text) + 1
        passage.infons = {"section_type": name} if name else {}
        if kind:
            passage.infons["type"] = kind
        document.passages.append(passage)
    for number, word in enumerate(keywords):
        document.passages[0].infons[f"kwd_{number}"] = word
    return document


@pytest.fixture
def article() -> Callable[..., BioCDocument]:
    return made


@pytest.fixture
def candidates() -> Callable[[Sections], Candidates]:
    return lambda sections: candidates_of(words_of(made(sections)))


TOPICS = ("zinc uptake", "membrane transport", "nitrogen fixation", "leaf senescence")


@pytest.fixture
def labelled_documents() -> list[BioCDocument]:
    """Twenty-four articles; each has its topic in title and abstract, and as its keyword."""
    documents = []
    for number in range(24):
        topic = TOPICS[number % len(TOPICS)]
        text = (
            f"We measured {topic} in {number + 3} samples. The {topic} of control plants was low. Soil water was high."
        )
        documents.append(
            made(
                [("TITLE", f"Studies of {topic}"), ("ABSTRACT", text), ("INTRO", f"Many plants show {topic}.")],
                identifier=str(number),
                keywords=[topic],
            )
        )
    return documents
