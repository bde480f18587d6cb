"""Names of other tools (spaCy, pandas, ...) work in Python, or their error names what does."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import Any

import pytest
from bioc import BioCCollection
from first_hour import TEXT

import nlmchem
from benchmarks.release.other_tools import PAGE, page_with, section
from nlmchem.api.other_tools import (
    ARTICLE,
    ARTICLES,
    CALL,
    COLLECTION,
    GUESSES,
    ITEMS,
    LENGTH,
    LOAD,
    MENTION,
    MODULE,
    PIPE,
    PIPELINE,
    Guess,
)
from nlmchem.api.pipeline import Pipeline
from nlmchem.api.results import Article


@pytest.fixture(scope="module")
def owners(nlp: Pipeline, article: Article) -> dict[str, object]:
    """An object of each kind that the table of names has."""
    collection = nlp(BioCCollection())
    reading = nlmchem.read(__file__)
    return {
        ARTICLE: article, MENTION: article.mentions[0], PIPELINE: nlp, MODULE: nlmchem, ARTICLES: reading,
        COLLECTION: collection,
    }  # fmt: skip


@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: f"{guess.owner} {guess.name}")
def test_each_name_of_the_table_works_or_names_what_does(
    owners: dict[str, object], guess: Guess, nlp: Pipeline
) -> None:
    functions = {
        LOAD: nlmchem.load,
        CALL: lambda **given: nlp(TEXT, **given),
        PIPE: lambda **given: nlp.pipe([], **given),
    }
    if guess.owner in functions:
        if guess.works:
            assert guess.name in inspect.signature(nlp.pipe).parameters
            return
        with pytest.raises(TypeError) as raised:
            functions[guess.owner](**{guess.name: 1})
        assert str(raised.value) == f"{guess.owner}() has no argument {guess.name!r}; {guess.use}"
        return
    owner = owners[guess.owner]
    if guess.works:
        with warnings.catch_warnings(action="ignore"):
            getattr(owner, guess.name)
        return
    operations: dict[str, list[Callable[[Any], object]]] = {
        LENGTH: [len],
        ITEMS: [itemgetter(-1)] if guess.owner == ARTICLES else [itemgetter(0), list],
    }
    for operation in operations.get(guess.name, [lambda owner: getattr(owner, guess.name)]):
        with pytest.raises((AttributeError, TypeError)) as failed:
            operation(owner)
        assert str(failed.value) == f"{guess.owner} has no {guess.name}; {guess.use}"


def test_what_the_table_names_exists(owners: dict[str, object]) -> None:
    """`.name` in an answer is an attribute of the object, and `nlmchem.name` one of the module."""
    for guess in GUESSES:
        for name in re.findall(r"(?<![\w)])\.(\w+)", guess.use):
            assert any(hasattr(owner, name) for key, owner in owners.items() if key in (guess.owner, ARTICLE)), guess
        for path in re.findall(r"nlmchem\.((?:commands\.)?\w+)\(", guess.use):
            assert attrgetter(path)(nlmchem), guess


def test_the_page_has_the_table() -> None:
    page = PAGE.read_text("utf-8")
    assert page_with(section(), page) == page, "python -m benchmarks.release.other_tools"


def test_names_of_spacy_mean_what_they_mean_there(nlp: Pipeline, article: Article) -> None:
    for mention in article.mentions:
        assert article.text[mention.start_char : mention.end_char] == mention.text
        assert (mention.label_, mention.kb_id_) == ("Chemical", ",".join(mention.identifiers))
    assert nlp.pipe_names == ["abbreviate", "tag", "normalize", "index"]
    (unlinked,) = nlmchem.load("lexicon", steps="tag")("Zinc").mentions
    assert unlinked.kb_id_ == ""
