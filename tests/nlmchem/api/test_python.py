"""The Python interface: what a pipeline takes, what it returns, and how its errors read."""

from __future__ import annotations

import pickle
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCCollection, BioCDocument, BioCPassage

import nlmchem
from corpora.errors import ArticleError, ConfigurationError, ResourceError
from nlmchem.api.pipeline import CHUNK, Pipeline
from nlmchem.api.results import FOLDED_AFTER, LINKED, UNLINKED

TEXT = "Rats were given <b>glucose</b> & water."


@pytest.fixture(scope="module")
def pipe() -> Pipeline:
    return nlmchem.load(lexicon="starter", tagger="lexicon", steps=("tag", "normalize"))


def document(text: str = TEXT, id: str = "1") -> BioCDocument:
    made = BioCDocument()
    made.id = id
    made.passages = [BioCPassage.of_text(text)]
    return made


def test_a_text_gives_an_article(pipe: Pipeline) -> None:
    article = pipe(TEXT)
    assert repr(article) == "Article('1', 1 passage, 2 mentions)"
    assert repr(article.mentions) == "[Mention('glucose', 19-26, MESH:D005947), Mention('water', 33-38, MESH:D014867)]"
    assert (article.abbreviations, article.index_terms) == ([], [])


def test_definitions_and_occurrences_are_apart() -> None:
    article = nlmchem.load(steps="abbreviate")("Palmitic acid (PA). PA is fat. PA rose.")
    assert [(one.short_form, one.long_form, one.short_span) for one in article.abbreviations] == [
        ("PA", "Palmitic acid", (15, 17))
    ]
    assert [(one.long_form, one.short_span, one.long_span) for one in article.occurrences] == [
        ("Palmitic acid", (20, 22), (0, 13)),
        ("Palmitic acid", (31, 33), (0, 13)),
    ]
    values = article.to_dict()
    assert [len(values[name]) for name in ("abbreviations", "occurrences")] == [1, 2]


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
    assert [mention.text for mention in shown.documents[1].mentions] == ["Zinc"]
    assert [len(one.passages[0].annotations) for one in collection.documents] == [2, 1]
    assert repr(shown) == "Collection(2 articles)"
    assert (len(shown), list(shown), shown[1].id, bool(pipe(BioCCollection()))) == (2, shown.documents, "2", True)
    assert shown._repr_html_().count("<mark") == 3


def test_an_iterable_is_annotated_lazily_and_in_order(pipe: Pipeline) -> None:
    taken: list[int] = []

    def texts() -> Any:
        for number in range(3 * CHUNK):
            taken.append(number)
            yield TEXT if number % 2 else document(id=str(number))

    articles = pipe(texts())
    assert (next(articles).id, len(taken)) == ("0", CHUNK)
    assert [article.id for article in articles][:3] == ["2", "2", "4"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (b"text", "not bytes; decode it first"),
        (
            None,
            r"takes a text, an nlmchem.Article \(or BioCDocument\), a record \(a dictionary\), a data frame, "
            "or an iterable of these, not None",
        ),
        (5, "not int"),
        ({"remark": "x"}, r"no column of texts is known \(the columns: 'remark'\); name it: nlp\(records, text=...\)"),
        (Path("a.xml"), r"not PosixPath; read it first: nlp\(nlmchem.read\('a.xml'\)\)"),
        (BioCPassage(), "not BioCPassage; put it into an nlmchem.Article"),
        (__file__, "is the name of a file, not a text; read it first"),
    ],
)
def test_anything_else_is_a_type_error_that_names_what_is_wanted(pipe: Pipeline, given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        pipe(given)
    # `test_first_hour_python.py` has the sentence for a missing value of a table.
    in_list = "is a missing value" if given is None else message
    with pytest.raises(TypeError, match=rf"^text 2 \(counted from 1\).*{in_list}"):
        list(pipe([TEXT, given]))


def test_a_missing_value_of_a_table_is_a_text(pipe: Pipeline) -> None:
    assert [len(article.mentions) for article in pipe.pipe(["glucose", ".", "..", "/", "zinc"])] == [1, 0, 0, 0, 1]


def test_a_document_that_is_given_twice_is_not_annotated_twice(pipe: Pipeline) -> None:
    given = document()
    with pytest.raises(ArticleError, match="already"):
        list(pipe.pipe([given, given]))
    assert len(given.passages[0].annotations) == 2
    again = nlmchem.load(lexicon="starter", tagger="lexicon", steps=("tag", "normalize"), existing="replace")
    assert [len(article.mentions) for article in again.pipe([given, again(given)])] == [2, 2]


def test_an_article_can_be_made_without_a_pipeline() -> None:
    article = nlmchem.Article()
    assert (article.mentions, article.text, repr(article)) == ([], "", "Article('', 0 passages, 0 mentions)")


def test_an_article_keeps_its_names_in_a_pipeline_without_lexicon(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("MESH:D005947\tmy own name\tquxamide\n")
    article = nlmchem.load(lexicon=tmp_path / "own.tsv", tagger="lexicon", steps=("tag", "normalize"))(
        "We gave quxamide."
    )
    assert nlmchem.load(steps="abbreviate")(article).mentions[0].name == "my own name"


def test_identifiers_have_one_form_however_a_file_writes_them(tmp_path: Path) -> None:
    text = "Glucose and sodium rose."
    rows = "1\t0\t7\tGlucose\tChemical\tD005947\n1\t12\t18\tsodium\tChemical\tD012964|D005947\n"
    (tmp_path / "own.pubtator").write_text(f"1|t|{text}\n{rows}\n")
    (article,) = nlmchem.read(tmp_path / "own.pubtator")
    assert [one.identifiers for one in article.mentions] == [
        ("MESH:D005947",), ("MESH:D012964", "MESH:D005947"),
    ]  # fmt: skip
    assert article.mentions[0].name == "Glucose"


def test_one_pattern_is_a_pattern_and_an_empty_name_is_refused(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(TEXT)
    assert [article.id for article in nlmchem.read(tmp_path, include="a*")] == ["a"]
    assert [article.id for article in nlmchem.read(tmp_path, exclude="a*")] == ["b"]
    with pytest.raises(ConfigurationError, match="the name of an input is empty"):
        nlmchem.read("")
    with pytest.raises(ConfigurationError, match="no input"):
        nlmchem.read([])


def test_a_notebook_shows_the_marked_up_text_escaped(pipe: Pipeline) -> None:
    html = pipe(TEXT)._repr_html_()
    assert "&lt;b&gt;<mark" in html
    assert 'title="MESH:D005947 (glucose)">glucose</mark>&lt;/b&gt; &amp; <mark' in html
    assert "<b>glucose" not in html


def structured(*texts: str, id: str = "<long>") -> BioCDocument:
    """A title, a heading and paragraphs."""
    made = BioCDocument()
    made.id = id
    offset = 0
    for number, text in enumerate(texts):
        passage = BioCPassage.of_text(text)
        passage.offset = offset
        kinds = [("TITLE", "front"), ("INTRO", "title_1")]
        section, kind = kinds[number] if number < 2 else ("INTRO", "paragraph")
        passage.infons = {"section_type": section, "type": kind}
        made.passages.append(passage)
        offset += len(text) + 1
    return made


def test_a_notebook_shows_title_and_headings(pipe: Pipeline) -> None:
    article = pipe(structured("Zinc in cells", "Introduction", "Water."))
    html = article._repr_html_()
    assert article.title == "Zinc in cells"
    assert re.findall(r'<p style="[^"]*font-size:(.*?)em', html) == ["1.4", "1.15"]
    # The id stands under the title.
    assert html.index("Zinc</mark> in cells") < html.index("&lt;long&gt;") < html.index("Introduction")
    assert pipe("Zinc")._repr_html_().count("font-size") == 0


@pytest.mark.parametrize("at", [FOLDED_AFTER - 30, FOLDED_AFTER - 3, FOLDED_AFTER, FOLDED_AFTER + 30])
def test_the_rest_of_a_long_article_is_folded_between_words_and_outside_mentions(pipe: Pipeline, at: int) -> None:
    words = ("word " * FOLDED_AFTER)[: at - 1].rpartition(" ")[0]
    article = pipe(f"{words} magnesium sulfate {words}")
    html = article._repr_html_()
    visible, _, rest = html.partition("<details><summary>")
    assert html.count("<mark") == 1
    shown = unescape(re.sub(r"<[^>]+>", "", visible)).removeprefix("1")
    assert FOLDED_AFTER - 30 < len(shown) <= FOLDED_AFTER
    left = f"{len(article.text) - len(shown):,} more characters"
    assert rest.startswith(left)
    assert shown + re.sub(r"<[^>]+>", "", rest).removeprefix(left) == article.text


def test_a_collection_shows_beginnings(pipe: Pipeline) -> None:
    collection = BioCCollection()
    collection.documents = [document("Zinc " * 1000, str(number)) for number in range(25)]
    html = pipe(collection)._repr_html_()
    assert html.count("and 3,000 more characters") == 20
    assert "and 5 more articles" in html


def test_the_colours_are_those_of_the_pages() -> None:
    style = (Path(nlmchem.__file__).parent / "report" / "assets" / "article.css").read_text("utf-8")
    light = style.partition("@media")[0]
    colours = dict(re.findall(r"--([\w-]+): (#\w+)", light))
    assert LINKED.startswith(f"background:{colours['mention']};color:{colours['mention-ink']};")
    assert UNLINKED.endswith(colours["edge"])


def test_errors_name_arguments_and_not_flags(pipe: Pipeline) -> None:
    given = document()
    pipe(given)
    with pytest.raises(ArticleError, match=r'use existing="keep" or existing="replace"$'):
        pipe(given)
    with pytest.raises(ResourceError, match="leave lexicon out to use the default lexicon"):
        nlmchem.load(lexicon="nowhere.sqlite")
    with pytest.raises(ConfigurationError, match=r"^tagger is 'a,a'; give"):
        nlmchem.load(tagger="a,a")
