"""The Python interface: what a pipeline takes, what it returns, and how its errors read."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCCollection, BioCDocument, BioCPassage

import nlmchem
from corpora.errors import ArticleError, ConfigurationError, ResourceError
from nlmchem.pipeline import CHUNK, Pipeline

TEXT = "Rats were given <b>glucose</b> & water."


@pytest.fixture(scope="module")
def pipe() -> Pipeline:
    return nlmchem.load("starter", tagger="lexicon", steps=("tag", "normalize"))


def document(text: str = TEXT, id: str = "1") -> BioCDocument:
    made = BioCDocument()
    made.id = id
    made.passages = [BioCPassage.of_text(text)]
    return made


def test_a_text_gives_an_article(pipe: Pipeline) -> None:
    article = pipe(TEXT)
    assert repr(article) == "Article('text', 1 passages, 2 mentions)"
    assert repr(article.mentions) == "[Mention('glucose', 19-26, MESH:D005947), Mention('water', 33-38, MESH:D014867)]"
    assert (article.definitions, article.index_terms) == ([], [])


def test_a_document_is_annotated_in_place(pipe: Pipeline) -> None:
    given = document()
    article = pipe(given)
    assert [mention.annotation for mention in article.mentions] == given.passages[0].annotations != []
    given.id = "2"
    assert article.id == "2"
    assert len(pickle.loads(pickle.dumps(article)).mentions) == 2


def test_a_collection_is_annotated_in_place(pipe: Pipeline) -> None:
    collection = BioCCollection()
    collection.documents = [document(), document("Zinc", "2")]
    shown = pipe(collection)
    assert shown.documents is collection.documents
    assert [len(one.passages[0].annotations) for one in collection.documents] == [2, 1]
    assert repr(shown) == "Collection(2 articles)"
    assert shown._repr_html_().count("<mark") == 3


def test_an_iterable_is_annotated_lazily_and_in_order(pipe: Pipeline) -> None:
    taken: list[int] = []

    def texts() -> Any:
        for number in range(3 * CHUNK):
            taken.append(number)
            yield TEXT if number % 2 else document(id=str(number))

    articles = pipe(texts())
    assert (next(articles).id, len(taken)) == ("0", CHUNK)
    assert [article.id for article in articles][:3] == ["text", "2", "text"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (b"text", "not bytes; decode it first"),
        (
            None,
            "a pipeline takes text, a BioCDocument, a BioCCollection, or an iterable of texts and documents, not None",
        ),
        (5, "not int"),
        ({"text": "x"}, "not dict"),
        (Path("a.xml"), r"not PosixPath; read it first: pipe\(corpora.read\('a.xml'\)\)"),
        (BioCPassage(), "not BioCPassage; put it into a BioCDocument"),
        (__file__, "is the name of a file, not a text; read it first"),
    ],
)
def test_anything_else_is_a_type_error_that_names_what_is_wanted(pipe: Pipeline, given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        pipe(given)
    with pytest.raises(TypeError, match=message):
        list(pipe([TEXT, given]))


def test_a_notebook_shows_the_marked_up_text_escaped(pipe: Pipeline) -> None:
    html = pipe(TEXT)._repr_html_()
    assert "&lt;b&gt;<mark" in html
    assert 'title="MESH:D005947 (glucose)">glucose</mark>&lt;/b&gt; &amp; <mark' in html
    assert "<b>glucose" not in html


def test_only_the_beginning_of_a_long_article_is_shown(pipe: Pipeline) -> None:
    long = BioCDocument()
    long.id = "<long>"
    long.passages = [BioCPassage.of_text("Zinc") for _ in range(25)]
    for number, passage in enumerate(long.passages):
        passage.offset = 5 * number
    html = pipe(long)._repr_html_()
    assert html.count("<mark") == 20
    assert "and 5 more passages" in html
    assert "&lt;long&gt;" in html


def test_errors_name_arguments_and_not_flags(pipe: Pipeline) -> None:
    given = document()
    pipe(given)
    with pytest.raises(ArticleError, match=r'use existing="keep" or existing="replace"$'):
        pipe(given)
    with pytest.raises(ResourceError, match="leave lexicon out to use the default lexicon"):
        nlmchem.load("nowhere.sqlite")
    with pytest.raises(ConfigurationError, match=r"^tagger is 'a,a'; give"):
        nlmchem.load(tagger="a,a")
