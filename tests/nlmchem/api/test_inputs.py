"""What a pipeline takes: texts, articles, records, data frames, and many of them. Each article gets an id."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from data_frames import Frame

import nlmchem
from corpora.errors import ArticleError, ConfigurationError
from nlmchem.api.pipeline import Pipeline
from nlmchem.api.results import Article, Articles

ROWS = [
    {"pmid": 11, "title": "On zinc", "abstract": "Rats were given glucose.", "year": 2020},
    {"pmid": 12, "title": None, "abstract": "Zinc was low.", "year": 2021},
]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return nlmchem.load(lexicon="starter", tagger="lexicon", steps=("tag", "normalize"))


def ids(articles: Articles) -> list[str]:
    return [article.id for article in articles]


@pytest.mark.parametrize("given", [ROWS, Frame(ROWS), iter(ROWS), tuple(ROWS)], ids=lambda given: type(given).__name__)
def test_records_are_read_as_rows_of_csv(nlp: Pipeline, given: Any) -> None:
    first, second = nlp(given)
    assert (first.id, first.title, first.abstract, first.pmid) == ("11", "On zinc", ROWS[0]["abstract"], "11")
    assert first.infons["year"] == "2020"
    assert [mention.section for mention in first.mentions] == ["TITLE", "ABSTRACT"]
    assert (second.id, second.title, second.text) == ("12", "", "Zinc was low.")


def test_a_data_frame_of_pandas_is_records_and_so_is_its_row(nlp: Pipeline) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    frame = pandas.DataFrame(ROWS)
    stream = nlp.pipe(frame)
    assert (len(stream), ids(stream)) == (2, ["11", "12"])
    assert [article.id for article in frame.apply(nlp, axis=1)] == ["11", "12"]
    assert ids(nlp(frame.abstract)) == ["1", "2"]
    assert ids(nlp(frame.abstract, id=frame.pmid)) == ["11", "12"]
    # A column of whole numbers with a gap has decimals.
    assert ids(nlp(pandas.DataFrame({"id": [5, None], "text": ["Zinc", ""]}))) == ["5", "2"]
    names = pandas.DataFrame({"id": ["MY:1"], "name": ["XR-9051"], "label": [None]})
    (mention,) = nlmchem.load("lexicon", names=names)("Rats got XR-9051.").mentions
    assert (mention.identifier, mention.name) == ("MY:1", "XR-9051")


def test_markup_that_is_removed_is_reported(nlp: Pipeline, caplog: pytest.LogCaptureFixture) -> None:
    assert nlp({"text": "H<sub>2</sub>O"}).text == "H2O"
    assert [article.text for article in nlp([{"text": "CO<sub>2</sub>"}] * 2)] == ["CO2", "CO2"]
    first, second = (record.getMessage() for record in caplog.records)
    assert (first[:17], second[:19]) == ("1 text has markup", "2 texts have markup")


def test_columns_are_named(nlp: Pipeline) -> None:
    rows = [{"nr": "a", "heading": "On iron", "remark": "Zinc."}]
    article = nlp(rows, text="remark", id="nr", title="heading")[0]
    assert (article.id, article.title, article.text) == ("a", "On iron", "On iron\nZinc.")
    assert nlp(rows[0], text="remark", id="nr").id == "a"


def test_a_text_has_an_id_and_a_title(nlp: Pipeline) -> None:
    for article in (nlp("Zinc.", id=7, title="On iron"), nlp(nlmchem.Article("Zinc.", id="7", title="On iron"))):
        assert (article.id, article.title, article.text) == ("7", "On iron", "On iron\nZinc.")
        assert [mention.document for mention in article.mentions] == ["7", "7"]
    assert nlp("Zinc.").id == "1"


def test_ids_in_a_stream_count_on(nlp: Pipeline) -> None:
    given = ["Zinc", nlmchem.Article("Iron"), {"text": "Lead"}, nlmchem.Article("Tin", id="own"), "Water"]
    assert ids(nlp(given)) == ["1", "2", "3", "own", "5"]
    assert ids(nlp.pipe(["Zinc", "Iron"], id=["a", 5])) == ["a", "5"]


def test_pairs_keep_what_is_given_and_take_its_id(nlp: Pipeline) -> None:
    pairs = [("Zinc", {"id": "n1"}), ("Iron", "note"), ({"pmid": 9, "text": "Tin"}, {"id": "other"})]
    found = list(nlp.pipe(pairs, as_tuples=True))
    assert [(article.id, given) for article, given in found] == [
        ("n1", {"id": "n1"}), ("2", "note"), ("9", {"id": "other"}),
    ]  # fmt: skip
    assert [article.id for article, _ in nlp.pipe([("Zinc", 1)], as_tuples=True, id=["x"])] == ["x"]
    (named,) = nlp.pipe([("Zinc", {"nr": 4})], as_tuples=True, id="nr")
    assert named[0].id == "4"


MISTAKES: list[tuple[Callable[[Pipeline], Any], str]] = [
    (lambda nlp: nlp({"remark": "Zinc"}), "no column of texts is known (the columns: 'remark'); name it"),
    (lambda nlp: nlp([{"text": "Zinc"}], text="remark"), "there is no column 'remark'; the columns are 'text'"),
    (lambda nlp: nlp([{"text": "Zinc"}], id="nr"), "there is no column 'nr'; the columns are 'text'"),
    (
        lambda nlp: nlp({"text": ["Zinc", "Iron"]}),
        "'text' is list, not a text; for many texts: nlp.pipe(batch['text'])",
    ),
    (lambda nlp: nlp({"text": None}), "its text is a missing value; leave out such rows"),
    (lambda nlp: nlp.pipe({"text": "Zinc"}), "for one text, call the pipeline itself: nlp(text)"),
    (lambda nlp: nlp(["Zinc"], id="pmid"), "id cannot be used here: these are texts, which have no columns"),
    (lambda nlp: nlp("Zinc", text="abstract"), "text names a column of records, and a text has none"),
    (lambda nlp: nlp(nlmchem.Article("Zinc"), id="7"), "id cannot be used here: an article has its own"),
    (lambda nlp: nlp(["Zinc"], id=[]), "text 1 (counted from 1) has no id; give as many ids as texts"),
    (lambda nlp: nlp(["Zinc"], id=[1, 2]), "there are more ids than texts"),
    (lambda nlp: nlp.pipe(["Zinc"], id=7), "id is the name of a column, or an iterable of ids, not int"),
    (lambda nlp: nlp("Zinc", id=["7"]), "an id is a text or a number, not ['7']"),
]


@pytest.mark.parametrize(("call", "sentence"), MISTAKES, ids=[sentence for _, sentence in MISTAKES])
def test_what_is_no_article_is_a_type_error(nlp: Pipeline, call: Callable[[Pipeline], Any], sentence: str) -> None:
    with pytest.raises(TypeError) as raised:
        list(call(nlp))
    assert sentence in str(raised.value)


# -- streams ------------------------------------------------------------------------------------


def test_a_stream_has_a_length_if_it_is_known(nlp: Pipeline) -> None:
    assert [len(nlp(given)) for given in (["Zinc"], Frame(ROWS), ())] == [1, 2, 0]
    assert repr(nlp(["Zinc"])) == "Articles(1 text)"
    stream = nlp(text for text in ["Zinc"])
    assert (repr(stream), bool(stream)) == ("Articles(texts)", True)
    with pytest.raises(TypeError, match="their number is not known before they are read"):
        len(stream)


def test_places_of_a_stream_look_ahead_and_take_nothing(nlp: Pipeline) -> None:
    stream = nlp(["Zinc", "Iron", "Lead"])
    assert (stream[1].text, [article.text for article in stream[:2]]) == ("Iron", ["Zinc", "Iron"])
    assert [next(stream).text, stream[2].text, repr(stream)] == ["Zinc", "Lead", "Articles(3 texts, 1 taken)"]
    for place in (0, -1, slice(-2, None)):
        with pytest.raises(TypeError, match=r"use list\(articles\)"):
            stream[place]
    with pytest.raises(IndexError, match="there are only 3 articles"):
        stream[7]
    with pytest.raises(ConfigurationError, match="1 article was taken before; keep the articles in a list"):
        stream.to_rows()
    assert [article.text for article in stream] == ["Iron", "Lead"]


def test_the_rows_of_a_stream_are_those_of_its_articles(nlp: Pipeline) -> None:
    assert [(row["document"], row["text"]) for row in nlp(["Zinc", "Iron"]).to_rows()] == [("1", "Zinc"), ("2", "Iron")]
    with pytest.raises(ConfigurationError, match="an article has no table 'terms'"):
        nlp(["Zinc"]).to_rows("terms")


def test_progress_is_shown_on_standard_error(
    nlp: Pipeline, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlmchem.commands.progress.INTERVAL", 0.0)
    assert len(list(nlp.pipe(["Zinc"] * 3, progress=True))) == 3
    printed = capsys.readouterr()
    assert (printed.out, printed.err.splitlines()[-1]) == ("", "3 articles")
    list(nlp.pipe(["Zinc"]))
    assert capsys.readouterr().err == ""


# -- functions as steps -------------------------------------------------------------------------


def count(article: Article) -> None:
    article.infons["mentions"] = str(len(article.mentions))


def test_a_function_is_a_step() -> None:
    nlp = nlmchem.load("lexicon", lexicon="starter", steps=["tag", count, "normalize", lambda article: article])
    assert nlp.steps == ("tag", "count", "normalize", "<lambda>")
    assert nlp("Zinc and iron.").infons == {"mentions": "2"}
    assert nlp.add_pipe(count, name="again", before="normalize") is count
    nlp.add_pipe(count, "first", before="tag")
    assert nlp.steps == ("first", "tag", "count", "again", "normalize", "<lambda>")
    with pytest.raises(ConfigurationError, match="n_process must be 1 for a function between other steps"):
        list(nlp.pipe(["Zinc"], n_process=2))


def test_a_function_at_the_end_runs_with_several_processes_and_where_a_pipeline_is_unpickled() -> None:
    nlp = nlmchem.load("lexicon", lexicon="starter", steps=["tag", count])
    again = pickle.loads(pickle.dumps(nlp))
    assert (again.steps, again("Zinc.").infons) == (("tag", "count"), {"mentions": "1"})
    seen: list[str] = []
    nlp.add_pipe(lambda article: seen.append(article.id), name="seen")
    assert [article.infons["mentions"] for article in nlp.pipe(["Zinc", "Iron and zinc"], n_process=2)] == ["1", "2"]
    assert seen == ["1", "2"]


def test_what_a_function_does_wrong_is_one_sentence(nlp: Pipeline) -> None:
    def wrong(article: Article) -> None:
        raise KeyError("dose")

    own = nlmchem.load("lexicon", lexicon="starter", steps=["tag", wrong])
    with pytest.raises(ArticleError, match=r"^the step wrong raised KeyError: 'dose'; correct the function$") as raised:
        own("Zinc")
    assert isinstance(raised.value.__cause__, KeyError)
    with pytest.raises(ArticleError, match=r"^text 1: the step wrong raised KeyError"):
        list(own.pipe(["Zinc"]))
    other = nlmchem.load("lexicon", lexicon="starter", steps=["tag", lambda article: article.text])
    with pytest.raises(ConfigurationError, match="the step <lambda> returned str, not its article"):
        other("Zinc")
    with pytest.raises(TypeError, match=r"add_pipe takes a function on an article, not 'ner'; nlmchem.load\(steps"):
        nlp.add_pipe("ner")
    with pytest.raises(ConfigurationError, match="name is 'tag', which another step has"):
        nlp.add_pipe(count, name="tag")
    with pytest.raises(ConfigurationError, match="after is 'index'; the steps are tag, normalize"):
        nlp.add_pipe(count, after="index")


def test_a_run_on_disk_refuses_a_function() -> None:
    with pytest.raises(ConfigurationError, match=r"a function is a step of nlmchem.load only"):
        nlmchem.commands.annotate(["a.txt"], out="annotated", steps=["tag", count])


# -- names without a file -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", [{"XR-9051": "MY:1"}, [("XR-9051", "MY:1")], (["XR-9051", "MY:1", "Housamine"],)], ids=repr
)
def test_names_need_no_file(names: Any) -> None:
    nlp = nlmchem.load("lexicon", lexicon="starter", names=names, steps=("tag", "normalize"))
    (mention,) = nlp("Rats got XR-9051.").mentions
    assert mention.identifier == "MY:1"
    assert nlmchem.lookup("xr-9051", lexicon="starter", names=names)[0].identifier == "MY:1"
    assert [article.mentions[0].name for article in nlp.pipe(["XR-9051"], n_process=2)] == [mention.name]


@pytest.mark.parametrize("names", [{"XR-9051": None}, [("XR-9051",)], [5], {"#1": "MY:1"}], ids=repr)
def test_names_of_another_form_are_a_type_error(names: Any) -> None:
    with pytest.raises(TypeError, match=r"give a dictionary of names and identifiers, rows \(name, identifier"):
        nlmchem.load("lexicon", names=names)


# -- several threads ----------------------------------------------------------------------------


def test_threads_share_a_pipeline() -> None:
    from concurrent.futures import ThreadPoolExecutor

    nlp = nlmchem.load()
    texts = [f"Rats {number} were given glucose and Ca2+ in water." for number in range(24)]
    alone = [nlp(text).to_dict() for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert [article.to_dict() for article in pool.map(nlp, texts)] == alone
