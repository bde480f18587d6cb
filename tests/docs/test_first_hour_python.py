"""The first hour in Python: what users of spaCy, pandas, gilda and PubTator try first gives the result at once.

The first hour on the command line is tested beside this file.
"""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from bioc import BioCCollection, BioCDocument, BioCPassage, biocjson
from first_hour import TEXT

import nlmchem
from corpora.errors import ArticleError, ConfigurationError, NlmchemError
from corpora.formats import columns
from nlmchem.api.pipeline import CHUNK, Pipeline
from nlmchem.api.results import LARGEST_GAP, Article

COLUMNS = columns.names(columns.MENTIONS)
WANTED = (
    "a pipeline takes a text, an nlmchem.Article (or BioCDocument), a record (a dictionary), a data frame, or an "
    "iterable of these"
)


# -- an article ---------------------------------------------------------------------------------


def test_the_text_is_the_text_and_mentions_are_slices_of_it(article: Article, full_text: Article) -> None:
    assert article.text == TEXT
    for one in (article, full_text):
        assert all(one.text[mention.start : mention.end] == mention.text for mention in one.mentions)
        assert len(one.mentions) >= 5


def test_a_mention_has_its_place_its_concept_and_the_reason(article: Article) -> None:
    mention = next(one for one in article.mentions if one.text == "Ca2+")
    assert (mention.start, mention.end, mention.section) == (30, 34, None)
    assert (mention.identifier, mention.identifiers, mention.name) == ("MESH:D002118", ("MESH:D002118",), "Calcium")
    assert (mention.sieve, mention.score, mention.matched_name) == ("exact", None, "Ca2+")
    assert mention.identifier_probability == pytest.approx(0.97, abs=0.02)
    assert (mention.evidence.sieve, mention.passage.text, mention.annotation.text) == ("exact", TEXT, "Ca2+")


def test_an_article_has_title_terms_and_abbreviations(full_text: Article) -> None:
    assert full_text.title.startswith("Hydrogen peroxide and Ca2+ act in sequence")
    assert full_text.mentions[0].section == "TITLE"
    assert "MESH:D000040" in {term.identifier for term in full_text.index_terms}
    assert ("ABA", "abscisic acid") in {(one.short_form, one.long_form) for one in full_text.abbreviations}


def test_mentions_make_a_flat_table(article: Article) -> None:
    rows = article.to_rows()
    assert [tuple(row) for row in rows] == [COLUMNS] * len(article.mentions)
    assert {type(value) for row in rows for value in row.values()} <= {str, int, float, type(None)}
    first = article.mentions[0]
    assert (rows[0]["text"], rows[0]["identifier"], rows[0]["name"]) == (first.text, first.identifier, first.name)


def test_a_mention_of_several_concepts_has_all_of_them() -> None:
    (mention,) = nlmchem.load(steps="normalize")(marked("ammonium magnesium phosphate mixed in PBS", (38, 41))).mentions
    assert len(mention.identifiers) > 1
    assert mention.identifier == mention.identifiers[0]
    assert mention.kb_id_ == ",".join(mention.identifiers)


def test_a_data_frame(article: Article) -> None:
    pytest.importorskip("pandas", reason="the extra pandas is not installed")
    frame = article.to_dataframe()
    assert list(frame.columns) == list(COLUMNS)
    assert list(frame.name)[:2] == ["Aspirin", "Calcium"]
    assert list(nlmchem.load(tagger="lexicon", steps="tag")("None.").to_dataframe().columns) == list(COLUMNS)


def test_a_data_frame_without_pandas_names_the_extra(article: Article, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.extras.installed", lambda module: False)
    message = r'^Article.to_dataframe needs the package pandas; install it: pip install "nlmchem\[pandas\]"$'
    with pytest.raises(ConfigurationError, match=message):
        article.to_dataframe()


def test_a_dictionary_for_json(article: Article) -> None:
    values = json.loads(json.dumps(article.to_dict()))
    assert list(values)[:6] == ["id", "title", "text", "mentions", "index_terms", "abbreviations"]
    assert (values["id"], values["title"], values["text"]) == ("1", "", TEXT)
    assert values["mentions"][0]["identifiers"] == ["MESH:D001241"]
    assert values["abbreviations"][0]["long_form"] == "abscisic acid"


def passages(*placed: tuple[int, str]) -> BioCDocument:
    made = BioCDocument()
    made.id = "7"
    for offset, text in placed:
        passage = BioCPassage.of_text(text)
        passage.offset = offset
        made.passages.append(passage)
    return made


def marked(text: str, span: tuple[int, int]) -> BioCDocument:
    from corpora.model.document import add_mention

    made = passages((0, text))
    add_mention(made.passages[0], [span], id="C1", annotator=None)
    return made


def test_gaps_between_passages_are_filled(nlp: Pipeline) -> None:
    article = nlp(passages((2, "Zinc"), (7, "Zinc"), (14, "Zinc")))
    assert article.text == "  Zinc\nZinc\n  Zinc"
    assert {article.text[one.start : one.end] for one in article.mentions} == {"Zinc"}


@pytest.mark.parametrize(
    ("second", "problem"),
    [(3, "begins before an earlier passage ends"), (LARGEST_GAP + 5, "is too far from the text before it")],
)
def test_passages_without_a_common_text_are_reported(nlp: Pipeline, second: int, problem: str) -> None:
    article = nlp(passages((0, "Zinc"), (second, "Zinc")))
    sentence = rf"^article '7' has no single text: its passage at offset {second} {problem}; use article\.passages$"
    with pytest.raises(ArticleError, match=sentence):
        _ = article.text
    assert len(article.mentions) == 2


@pytest.fixture
def own_lexicon(tmp_path: Path) -> Path:
    (tmp_path / "own.tsv").write_text("MINE:1\tmy zinc\tzinc|Zinc\n", "utf-8")
    return tmp_path / "own.tsv"


def test_names_are_those_of_the_lexicon_of_the_pipeline(own_lexicon: Path, tmp_path: Path) -> None:
    own = nlmchem.load(lexicon=own_lexicon, tagger="lexicon", steps="tag,normalize")
    nlmchem.write(passages((0, "Zinc")), tmp_path / "a.xml")
    (read,) = own(nlmchem.read(tmp_path / "a.xml"))
    copies = [copy.copy(read), copy.deepcopy(read), pickle.loads(pickle.dumps(read))]
    assert [one.mentions[0].name for one in (read, own("Zinc"), *copies)] == ["my zinc"] * 5
    assert (read.name_of("MINE:1"), read.name_of("MINE:2")) == ("my zinc", None)
    assert nlmchem.lookup("zinc", lexicon=own_lexicon)[0].name == "my zinc"
    assert own.explain(read)[0].identifiers == ("MINE:1",)


# -- an article and the module ---------------------------------------------------------------------


def test_an_article_has_abstract_and_identifiers(article: Article, full_text: Article) -> None:
    assert (article.title, article.abstract, article.pmid, article.pmcid, article.doi) == ("", "", None, None, None)
    assert full_text.abstract.startswith("Stomata close")
    assert full_text.abstract.endswith("\nH2O2 comes first.")
    assert (full_text.pmid, full_text.pmcid) == ("99900106", "PMC99900006")
    assert full_text.doi == full_text.passages[0].infons["article-id_doi"]


def test_the_first_argument_of_load_is_the_tagger() -> None:
    assert repr(nlmchem.load("lexicon", steps="tag")) == "Pipeline(tag, tagger='lexicon')"
    assert inspect.signature(nlmchem.load).parameters["lexicon"].kind is inspect.Parameter.KEYWORD_ONLY
    assert next(iter(inspect.signature(nlmchem.load).parameters.values())).default == "default"


def test_the_module_shows_public_names_only() -> None:
    assert dir(nlmchem) == sorted(nlmchem.__all__)


def test_read_returns_an_object_with_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Zinc", "utf-8")
    articles = nlmchem.read(tmp_path / "a.txt")
    assert repr(articles) == f"Articles({str(tmp_path / 'a.txt')!r})"
    assert bool(articles)
    assert [article.id for article in articles] == ["a"]
    assert list(articles) == []


def test_annotations_of_an_article_are_not_silently_empty(article: Article, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"^article\.annotations has only .* use article\.mentions"):
        assert article.annotations == []
    with pytest.warns(UserWarning, match=r"^article\.sentences has only .* use the texts of article\.passages"):
        assert article.sentences == []
    # Code that reads all annotations gives no warning.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        collection = BioCCollection()
        collection.documents = [article]
        biocjson.dumps(collection)
        nlmchem.write(article, tmp_path / "a.xml")
        assert nlmchem.Article().annotations == []
        copy.deepcopy(article)


# -- a pipeline ---------------------------------------------------------------------------------


def test_a_pipeline_prints_its_steps(nlp: Pipeline) -> None:
    assert repr(nlp) == "Pipeline(abbreviate > tag > normalize > index, tagger='lexicon')"
    assert nlp.steps == ("abbreviate", "tag", "normalize", "index")


def test_pipe_numbers_texts_and_keeps_ids(nlp: Pipeline) -> None:
    found = list(nlp.pipe(["Zinc", passages((0, "Zinc")), "Iron"]))
    assert [one.id for one in found] == ["1", "7", "3"]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_the_size_of_batches_does_not_change_results(nlp: Pipeline, size: int) -> None:
    texts = [TEXT, "Zinc", "No chemical.", "Iron and zinc"]
    assert [one.to_dict() for one in nlp.pipe(texts, batch_size=size)] == [one.to_dict() for one in nlp.pipe(texts)]


def test_pipe_is_lazy_and_returns_what_was_given_with_a_text(nlp: Pipeline) -> None:
    taken: list[int] = []

    def pairs() -> Any:
        for number in range(3 * CHUNK):
            taken.append(number)
            yield f"Zinc {number}", {"number": number}

    found = nlp.pipe(pairs(), as_tuples=True, batch_size=2)
    first, context = next(found)
    assert (first.text, context, len(taken)) == ("Zinc 0", {"number": 0}, 2)
    assert [context["number"] for _, context in found] == list(range(1, 3 * CHUNK))


def test_a_document_of_bioc_with_only_a_text_is_annotated(nlp: Pipeline) -> None:
    assert [one.text for one in nlp(BioCDocument.of_text("Zinc")).mentions] == ["Zinc"]


def test_explain_gives_reasons_and_changes_nothing(nlp: Pipeline) -> None:
    rows = nlp.explain("Zinc and zinc, Zinc, were given.")
    assert [(row.text, row.stands, row.places) for row in rows] == [("Zinc", 2, 2), ("zinc", 1, 1)]
    assert all(row.identifiers == ("MESH:D015032",) for row in rows)
    assert rows[0].why == "in MeSH as a chemical; marked by the tagger"
    document = passages((0, "Zinc"))
    assert nlp.explain(document)
    assert document.passages[0].annotations == []
    assert nlp.explain("") == []
    annotated = nlp("Zinc")
    assert len(nlp.explain(annotated)) == len(annotated.mentions) == 1


# -- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.xml", "out.json", "out.jsonl.gz", "out.pubtator"])
def test_write_and_read(nlp: Pipeline, tmp_path: Path, name: str) -> None:
    assert nlmchem.write(nlp.pipe([TEXT, "Zinc"]), tmp_path / name) == 2
    first, second = nlmchem.read(tmp_path / name)
    assert isinstance(first, Article)
    assert [one.name for one in second.mentions] == ["Zinc"]
    assert first.text[30:34] == "Ca2+"


def test_one_article_or_a_collection_is_written(nlp: Pipeline, tmp_path: Path) -> None:
    collection = BioCCollection()
    collection.documents = [passages((0, "Zinc"))]
    assert nlmchem.write(nlp("Zinc"), tmp_path / "one.json") == 1
    assert nlmchem.write(nlp(collection), str(tmp_path / "collection.xml")) == 1
    assert nlmchem.write([], tmp_path / "none.json") == 0


# -- names and concepts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "identifier", "preferred", "sieve"),
    [
        ("Ca2+", "MESH:D002118", "Calcium", "exact"),
        ("vitamin C", "MESH:D001205", "Ascorbic Acid", "exact"),
        ("NaCl", "MESH:D012965", "Sodium Chloride", "exact"),
        ("MESH:D002118", "MESH:D002118", "Calcium", "identifier"),
        ("D002118", "MESH:D002118", "Calcium", "identifier"),
    ],
)
def test_lookup_gives_candidates_with_score_and_matched_name(
    name: str, identifier: str, preferred: str, sieve: str
) -> None:
    best = nlmchem.lookup(name)[0]
    assert (best.identifier, best.name, best.sieve, best.kind) == (identifier, preferred, sieve, "chemical")
    assert best.score is not None
    assert 0.9 < best.score <= 1
    assert best.matched_name


def test_lookup_gives_each_concept_once_and_the_one_of_a_mention_first(nlp: Pipeline) -> None:
    for name in ("Ca2+", "NO", "aspirin", "DHA"):
        found = nlmchem.lookup(name)
        assert len({one.identifiers for one in found}) == len(found) >= 1
        assert (
            nlmchem.load(steps="normalize")(marked(name, (0, len(name)))).mentions[0].identifier == found[0].identifier
        )


@pytest.mark.parametrize("name", ["zzqqxx", "", " ", "?", "\ud800", "x" * 5000])
def test_lookup_of_an_unknown_name_gives_nothing(name: str) -> None:
    assert nlmchem.lookup(name) == []


def test_define_gives_names_kind_and_place() -> None:
    concept = nlmchem.define("MESH:D002118")
    assert (concept.identifier, concept.name, concept.kind) == ("MESH:D002118", "Calcium", "chemical")
    assert {"Ca2+", "calcium ion"} <= set(concept.synonyms)
    assert concept.name not in concept.synonyms
    assert "D01.268.552.100" in concept.trees
    assert [nlmchem.define(parent).name for parent in concept.parents]
    assert nlmchem.define("D002118") == concept
    assert nlmchem.define("MESH:D005947", lexicon="starter").name == "glucose"


# -- mistakes -----------------------------------------------------------------------------------

MISTAKES: list[tuple[str, Callable[[Any], Any], type[Exception], str]] = [
    ("one text", lambda nlp: nlp.pipe(TEXT), TypeError,
     "pipe takes an iterable of texts; for one text, call the pipeline itself: nlp(text)"),
    ("an argument of load", lambda nlp: nlp(TEXT, min_score=0.9), TypeError,
     "nlp() has no argument 'min_score'; it is an argument of nlmchem.load: nlp = nlmchem.load(min_score=...)"),
    ("an argument of pipe", lambda nlp: nlp([TEXT], batch_size=2), TypeError,
     "nlp() has no argument 'batch_size'; use nlp.pipe(texts, ...)"),
    ("an argument of load in pipe", lambda nlp: nlp.pipe([TEXT], tagger="lexicon"), TypeError,
     "nlp.pipe() has no argument 'tagger'; it is an argument of nlmchem.load: nlp = nlmchem.load(tagger=...)"),
    ("an argument of nothing", lambda nlp: nlp(TEXT, colour=1), TypeError, "nlp() has no argument 'colour'"),
    ("an argument of spaCy", lambda nlp: nlmchem.load(disable=["ner"]), TypeError,
     "nlmchem.load() has no argument 'disable'; use steps"),
    ("a model of spaCy", lambda nlp: nlmchem.load("en_core_sci_sm"), ConfigurationError,
     "no tagger 'en_core_sci_sm'; choose lexicon, default, or the folder of a model"),
    ("no folder", lambda nlp: nlmchem.load("my-model/"), ConfigurationError,
     "no tagger 'my-model/'; choose lexicon, default, or the folder of a model"),
    ("a lexicon by place", lambda nlp: nlmchem.load("mesh.sqlite"), ConfigurationError,
     "no tagger 'mesh.sqlite'; to use this lexicon, give lexicon=\"mesh.sqlite\""),
    ("a number", lambda nlp: nlp.pipe(5), TypeError,
     f"{WANTED}, not int"),
    ("no texts", lambda nlp: list(nlp.pipe([TEXT, None])), TypeError,
     'text 2 (counted from 1) is a missing value, None; leave out such rows, or give an empty text: texts.fillna("")'),
    ("NaN", lambda nlp: list(nlp.pipe([(TEXT, 1), (float("nan"), 2)], as_tuples=True)), TypeError,
     'text 2 (counted from 1) is a missing value, nan; leave out such rows, or give an empty text: texts.fillna("")'),
    ("a row of another kind", lambda nlp: list(nlp([TEXT, TEXT, 5])), TypeError,
     "text 3 (counted from 1): "
     f"{WANTED}, not int"),
    ("pairs", lambda nlp: list(nlp.pipe([(TEXT, 1)])), TypeError,
     "text 1 (counted from 1): "
     f"{WANTED}, not tuple; "
     "for pairs use nlp.pipe(pairs, as_tuples=True)"),
    ("no pairs", lambda nlp: list(nlp.pipe([TEXT], as_tuples=True)), TypeError,
     "with as_tuples=True, each item is a pair (text, something), not str"),
    ("batch", lambda nlp: nlp.pipe([TEXT], batch_size=0), ConfigurationError,
     "batch_size is 0; it must be a whole number from 1"),
    ("explain", lambda nlp: nlp.explain(5), TypeError,
     f"{WANTED}, not int"),
    ("no tagger", lambda nlp: nlmchem.load(steps="normalize").explain(TEXT), ConfigurationError,
     "steps has no tag, so there is nothing to explain; add tag"),
    ("rules", lambda nlp: nlmchem.load(tagger="lexicon", decision="rules", steps="tag").explain(TEXT),
     ConfigurationError, "decision must be knowledge or the path of a model: rules makes no decision"),
    ("no file", lambda nlp: nlmchem.read("nowhere.xml"), ConfigurationError, "nowhere.xml"),
    ("an open file", lambda nlp: nlmchem.read(5), TypeError,
     "read takes the name of a file or folder, or a list of names, not int; read a file that is open by its name"),
    ("a text", lambda nlp: nlmchem.write(TEXT, "a.json"), TypeError,
     "write takes an nlmchem.Article, or many, not str; annotate it first: nlmchem.write(nlp(text), path)"),
    ("texts", lambda nlp: nlmchem.write([TEXT], "a.json"), TypeError,
     "write takes an nlmchem.Article, or many, not str; annotate it first: nlmchem.write(nlp(text), path)"),
    ("order", lambda nlp: nlmchem.write("a.json", nlp(TEXT)), TypeError,
     "write takes the articles, then the name of a file, not Article as the name"),
    ("suffix", lambda nlp: nlmchem.write(nlp(TEXT), "a.docx"), ConfigurationError, "a.docx"),
    ("names", lambda nlp: nlmchem.lookup(["a"]), TypeError,
     "lookup takes a name as text, not list; for several: [lookup(one) for one in ...]"),
    ("no lexicon", lambda nlp: nlmchem.lookup("a", lexicon="nowhere.sqlite"), NlmchemError, "nowhere.sqlite"),
    ("a name", lambda nlp: nlmchem.define("calcium"), ConfigurationError,
     "the lexicon has no concept 'calcium'; for a name, use nlmchem.lookup"),
    ("no concept", lambda nlp: nlmchem.define("MESH:D999999"), ConfigurationError,
     "the lexicon has no concept 'MESH:D999999'; correct it, or name its lexicon"),
    ("no identifier", lambda nlp: nlmchem.define(None), TypeError, "define takes an identifier as text, not NoneType"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "sentence"), [one[1:] for one in MISTAKES], ids=[one[0] for one in MISTAKES])
def test_a_mistake_gets_one_sentence(
    nlp: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    call: Callable[[Any], Any], error: type[Exception], sentence: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        call(nlp)
    message = str(raised.value)
    # A sentence of older code is tested in its own place: here it must name what was given.
    assert message == sentence or (" " not in sentence and sentence in message)
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []


# -- the third pass -----------------------------------------------------------------------------


def test_the_table_of_python_is_that_of_files(nlp: Pipeline, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    (tmp_path / "a.jsonl").write_text('{"id": "7", "title": "On aspirin", "text": "Ca2+ and aspirin."}\n')
    nlmchem.write(nlp(nlmchem.read(tmp_path / "a.jsonl")), tmp_path / "annotated.xml")
    (article,) = nlmchem.read(tmp_path / "annotated.xml")
    for suffix, separator in ((".csv", ","), (".tsv", "\t")):
        nlmchem.write(article, tmp_path / f"table{suffix}")
        frame = pandas.read_csv(tmp_path / f"table{suffix}", sep=separator, keep_default_na=False, na_values=[""])
        shown = article.to_dataframe()
        assert list(frame.columns) == list(shown.columns) == list(COLUMNS)
        assert [str(value) for value in frame["text"]] == list(shown["text"])
        assert list(frame["name"]) == list(shown["name"])
        assert list(frame["identifier_probability"]) == list(shown["identifier_probability"])


def test_index_terms_have_a_table_of_their_own(full_text: Article) -> None:
    rows = full_text.to_rows("index_terms")
    assert [row["identifier"] for row in rows] == [term.identifier for term in full_text.index_terms]
    assert tuple(rows[0]) == columns.names(columns.TERMS)
    with pytest.raises(ConfigurationError, match="an article has no table 'terms'; use one of mentions, index_terms"):
        full_text.to_rows("terms")


def test_texts_in_tables_are_read_with_columns_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("nr,remark\n7,Aspirin\n")
    (article,) = nlmchem.read(tmp_path / "a.csv", text_column="remark", id_column="nr")
    assert (article.id, article.text) == ("7", "Aspirin")


def test_the_recipe_of_a_pool_works(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8")
    block = page[page.index("    from multiprocessing import Pool") : page.index("Each process loads its own pipeline")]
    (tmp_path / "pool.py").write_text(textwrap.dedent(block), encoding="utf-8")
    done = subprocess.run([sys.executable, "pool.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[['MESH:D005947'], ['MESH:D015032']]\n"


def test_the_web_service_of_the_page_works_in_threads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8")
    block = page[page.index("    import json\n    from http.server") : page.index("FastAPI runs a plain")]
    block = block.replace("8000", "0").replace("nlmchem.load()", 'nlmchem.load("lexicon")')
    loaded: dict[str, Any] = {"__name__": "service"}
    exec(textwrap.dedent(block), loaded)
    loaded["Service"].log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), loaded["Service"]) as server, ThreadPoolExecutor(9) as pool:
        pool.submit(server.serve_forever)

        def post(number: int) -> Any:
            place = f"http://127.0.0.1:{server.server_port}"
            with urlopen(Request(place, f"Rats {number} were given Ca2+.".encode()), timeout=60) as answer:
                return json.load(answer)

        try:
            answers = list(pool.map(post, range(16)))
        finally:
            server.shutdown()
    assert [answer["text"] for answer in answers] == [f"Rats {number} were given Ca2+." for number in range(16)]
    assert {answer["mentions"][0]["identifier"] for answer in answers} == {"MESH:D002118"}
