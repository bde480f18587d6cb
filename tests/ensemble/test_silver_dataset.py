"""Silver corpora as data sets: tables, licences, card, metadata, and that the same runs give the same bytes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from command_line import invoke

import corpora
from corpora.errors import ConfigurationError
from ensemble.silver import read_silver
from ensemble.silver.card import size_category
from ensemble.silver.record import read_about
from ensemble.silver.tables import COLUMNS, documented
from nlmchem.cli.exit_codes import ending

pq = pytest.importorskip("pyarrow.parquet", reason="needs the parquet extra: pip install 'nlmchem[parquet]'")

ZINC, COPPER, GREEK = (19, 23, "MESH:D015032"), (0, 6, "MESH:D003300"), "β-Copper 😀 is blue. "
LICENCES = ("CC BY", "CC BY", "CC BY-NC", "CC0", "")
Make = Callable[..., Path]


@pytest.fixture
def runs(write_run: Callable[..., str], document: Callable[..., BioCDocument]) -> list[str]:
    """Two runs over five articles, each with its licence."""
    return [
        write_run(name, [articles(document, number, marks) for number in range(5)])
        for name, marks in (("a", [ZINC, COPPER]), ("b", [ZINC]))
    ]


def articles(document: Callable[..., BioCDocument], number: int, marks: list[Any]) -> BioCDocument:
    shift = len(GREEK) + 1
    text = "Copper sulfate and zinc in cells"
    moved = [(start + shift, end + shift, identifier) for start, end, identifier in marks]
    article = document(str(100 + number), moved, ["MESH:D015032"], [GREEK, f"{text} {number}"])
    article.passages[0].infons |= {"section_type": "TITLE", "article-id_pmc": str(100 + number), "year": "2020"}
    if LICENCES[number]:
        article.infons["license"] = LICENCES[number]
    return article


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a data set in a new folder of this name with `nlmchem silver vote`."""

    def command(name: str, *runs: str, **options: Any) -> Path:
        words = [word for key, value in options.items() for word in _words(key, value)]
        given = ("silver", "vote", *runs, "-o", tmp_path / name, "--threshold", 0.5, "--dataset", "--workers", 1)
        result = invoke((*given, *words))
        assert result.exit_code == 0, result.output
        return tmp_path / name

    return command


def _words(key: str, value: Any) -> list[Any]:
    return [f"--{key}"] if value is True else [f"--{key}", value]


def refusal(result: Any) -> str:
    """The sentence of a command that was refused before its work."""
    assert isinstance(result.exception, ConfigurationError)
    return ending(result.exception).sentence


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def rows_of(folder: Path, name: str = "data/train-00000-of-00001.parquet") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / name).to_pylist()
    return rows


# -- tables -------------------------------------------------------------------------------------


def test_a_row_has_an_article_with_its_text_mentions_and_index_terms(make: Make, runs: list[str]) -> None:
    row = rows_of(make("silver", *runs))[0]
    assert (row["document"], row["pmcid"], row["year"], row["license"]) == ("100", "PMC100", 2020, "CC BY")
    assert [passage["section"] for passage in row["passages"]] == ["TITLE", None]
    copper, zinc = row["entities"]
    assert (copper["text"], copper["identifiers"], copper["score"], copper["voters"]) == (
        "Copper", ["MESH:D003300"], 0.5, ["a"]
    )  # fmt: skip
    assert zinc["voters"] == ["a", "b"]
    for entity in (copper, zinc):
        passage = row["passages"][entity["passage"]]
        start, end = entity["start"] - passage["offset"], entity["end"] - passage["offset"]
        assert passage["text"][start:end] == entity["text"]
        assert entity["offsets"] == [[entity["start"], entity["end"]]]
    assert [(term["identifier"], term["score"]) for term in row["index_terms"]] == [("MESH:D015032", 1.0)]


def test_each_article_is_in_one_split_whatever_the_order(make: Make, runs: list[str]) -> None:
    splits = "train=0.6,test=0.4"
    here, there = make("here", *runs, splits=splits), make("there", *runs[::-1], splits=splits)
    members = [[row["document"] for row in rows_of(here, f"data/{name}-00000-of-00001.parquet")]
               for name in ("train", "test")]  # fmt: skip
    assert [len(names) for names in members] == [3, 2]
    assert sorted(members[0] + members[1]) == ["100", "101", "102", "103", "104"]
    assert files_of(here) == files_of(there)


def test_shards_of_tables(make: Make, runs: list[str]) -> None:
    folder = make("silver", *runs, **{"shard-size": 2})
    names = [f"data/train-0000{number}-of-00003.parquet" for number in range(3)]
    assert [path for path in files_of(folder) if path.startswith("data/")] == names
    assert [row["document"] for name in names for row in rows_of(folder, name)] == ["100", "101", "102", "103", "104"]


def test_a_data_set_is_a_silver_corpus_for_every_other_command(make: Make, runs: list[str]) -> None:
    folder = make("silver", *runs)
    assert [article.id for article in corpora.read(folder)] == [article.id for article in read_silver(folder)]


def test_the_documented_columns_are_those_of_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "silver.md").read_text("utf-8")
    rows = [f"| `{name}` | {type} | {meaning} |\n" for name, type, meaning in documented(COLUMNS)]
    assert "".join(rows) in page


# -- licences -----------------------------------------------------------------------------------


def test_only_articles_with_the_licences_that_are_asked_for(make: Make, runs: list[str]) -> None:
    folder = make("silver", *runs, licence="cc-by,CC0")
    assert [row["license"] for row in rows_of(folder)] == ["CC BY", "CC BY", "CC0"]
    assert [article.id for article in read_silver(folder)] == ["100", "101", "103"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["left_out_by_licence"] == {"CC BY-NC": 1, "not known": 1}
    assert manifest["counts"]["documents"] == 3
    card = (folder / "README.md").read_text()
    assert "| CC BY | - | 2 |" in card
    assert "Left out by their licence: 1 CC BY-NC, 1 not known." in card
    assert "Before you publish" not in card


def test_the_card_warns_of_articles_whose_licence_is_not_known(make: Make, runs: list[str]) -> None:
    card = (make("silver", *runs) / "README.md").read_text()
    assert "| not known | - | 1 |" in card
    assert "**Before you publish:** the licence of 1 article is not known" in card


def test_no_article_with_the_licence_is_one_sentence(runs: list[str], tmp_path: Path) -> None:
    result = invoke(("silver", "vote", *runs, "-o", tmp_path / "silver", "--licence", "CC BY-SA", "--workers", 1))
    sentence = "--licence leaves no article: their licences are CC BY 2, CC BY-NC 1, CC0 1, not known 1"
    assert sentence in refusal(result)
    assert not (tmp_path / "silver").exists()


@pytest.mark.parametrize("empty", ["", " , "])
def test_an_empty_licence_is_refused(runs: list[str], tmp_path: Path, empty: str) -> None:
    result = invoke(("silver", "vote", *runs, "-o", tmp_path / "silver", "--licence", empty))
    assert "--licence is empty; give a value" in refusal(result)


# -- card and metadata --------------------------------------------------------------------------


def test_the_hub_finds_the_splits(make: Make, runs: list[str]) -> None:
    card = (make("silver", *runs, splits="train=0.6,test=0.4") / "README.md").read_text()
    _, metadata, text = card.split("---\n", 2)
    for line in ("- config_name: default", "    path: data/test-*.parquet", "- n<1K"):
        assert f"{line}\n" in metadata
    assert "license:\n- cc\n- unknown\n" in metadata
    assert text.startswith("\n# A silver-standard corpus of chemical mentions\n\n5 articles with 10 mentions of ")


@pytest.mark.parametrize(
    ("articles", "category"),
    [
        (0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (99_999, "10K<n<100K"), (999_999, "100K<n<1M"),
        (1_000_000, "1M<n<10M"), (9_999_999, "1M<n<10M"), (10_000_000, "10M<n<100M"), (38_000_000, "10M<n<100M"),
        (100_000_000, "100M<n<1B"), (10**9, "1B<n<10B"), (10**12, "n>1T"), (10**15, "n>1T"),
    ],
)  # fmt: skip
def test_sizes_have_the_classes_of_the_hub(articles: int, category: str) -> None:
    assert size_category(articles) == category


def test_what_the_makers_state_is_in_card_and_metadata(make: Make, runs: list[str], tmp_path: Path) -> None:
    about = tmp_path / "about.toml"
    about.write_text('title = "Our corpus"\ncreator = "Our laboratory"\npublished = "2026-11-27"\n')
    folder = make("silver", *runs, about=about)
    assert "# Our corpus\n" in (folder / "README.md").read_text()
    croissant = json.loads((folder / "croissant.json").read_text())
    assert (croissant["name"], croissant["datePublished"]) == ("Our corpus", "2026-11-27")
    assert croissant["creator"]["name"] == "Our laboratory"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("title = ", "cannot be read as TOML"), ("name = 'x'", "the keys are title, creator"), ("title = 1", "is no text"),
     ("published = '27.11.2026'", "write the day as 2026-11-27")],
)  # fmt: skip
def test_wrong_statements_are_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "about.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        read_about(tmp_path / "about.toml")


def test_the_metadata_have_the_runs_as_sources_and_the_hashes_of_the_tables(make: Make, runs: list[str]) -> None:
    folder = make("silver", *runs)
    croissant = json.loads((folder / "croissant.json").read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    assert croissant["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    sources = [source["@id"] for source in croissant["prov:wasDerivedFrom"]]
    assert sources == [f"urn:sha256:{run['sha256']}" for run in manifest["runs"]]
    table, files = croissant["distribution"]
    assert table["sha256"] == manifest["files"][table["contentUrl"]]
    assert files["includes"] == "data/*.parquet"
    for field in ("dataLimitations", "dataBiases", "dataUseCases", "personalSensitiveInformation"):
        assert croissant[f"rai:{field}"]


def test_the_models_of_a_run_are_in_the_record(make: Make, runs: list[str], tmp_path: Path) -> None:
    run = tmp_path / "runs" / "c"
    run.mkdir(parents=True)
    shutil.copy(runs[0], run / "articles.xml")
    configuration = {"version": "0.1.0", "steps": {"tag": {"options": {}, "resources": {"tagger 1": "f" * 64}}}}
    (run / "manifest.json").write_text(json.dumps({"made_by": "nlmchem annotate", "configuration": configuration}))
    folder = make("silver", str(run), runs[1])
    assert json.loads((folder / "manifest.json").read_text())["runs"][1]["configuration"] == configuration
    card = (folder / "README.md").read_text()
    assert f"| c | tag: tagger 1 | `{'f' * 64}` |" in card
    assert "The models of these runs are not recorded: b." in card


# -- the same bytes -----------------------------------------------------------------------------


def test_the_same_runs_give_the_same_bytes_elsewhere(
    make: Make, runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = make("here", *runs, splits="train=0.6,test=0.4")
    elsewhere = tmp_path / "another" / "place"
    elsewhere.mkdir(parents=True)
    for run in runs:
        corpora.write(reversed(list(corpora.read(run))), elsewhere / Path(run).name)
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("TZ", "Pacific/Chatham")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    there = make("there", "b.xml", "a.xml", splits="train=0.6,test=0.4", workers=2)
    assert files_of(here) == files_of(there)


def test_no_file_has_a_path_of_this_machine(make: Make, runs: list[str], tmp_path: Path) -> None:
    for name, content in files_of(make("silver", *runs)).items():
        assert os.fsencode(tmp_path) not in content, name


# -- checking -----------------------------------------------------------------------------------


def verify(folder: Path) -> Any:
    return invoke(("silver", "verify", folder))


def test_a_corpus_as_it_was_made(make: Make, runs: list[str], tmp_path: Path) -> None:
    folder = make("silver", *runs)
    result = verify(folder)
    assert result.exit_code == 0
    fingerprint = json.loads((folder / "manifest.json").read_text())["fingerprint"]
    assert f"is as it was made: 4 files and the manifest\nfingerprint {fingerprint}\n" in result.stdout
    # A copy, without the hidden record and with the files of the Hub.
    copy = shutil.copytree(folder, tmp_path / "copy", ignore=shutil.ignore_patterns(".*"))
    (copy / ".gitattributes").write_text("*.parquet filter=lfs\n")
    again = verify(copy)
    assert again.exit_code == 0
    assert "1 hidden file was not checked" in again.stderr


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda folder: (folder / "README.md").write_text("mine"), "README.md was changed"),
        (lambda folder: (folder / "silver.xml").unlink(), "silver.xml is missing"),
        (lambda folder: (folder / "data" / "x.txt").write_text(""), "data/x.txt does not belong to the corpus"),
    ],
)
def test_a_changed_corpus(make: Make, runs: list[str], change: Callable[[Path], object], problem: str) -> None:
    folder = make("silver", *runs)
    change(folder)
    result = verify(folder)
    assert result.exit_code == 3
    assert "is not as it was made" in result.stdout
    assert problem in result.stderr


def test_a_changed_record(make: Make, runs: list[str]) -> None:
    manifest = make("silver", *runs) / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"threshold": 0.5', '"threshold": 0.9'))
    result = verify(manifest.parent)
    assert result.exit_code == 3
    assert "manifest.json was changed: its content has the fingerprint " in result.stderr


def test_another_version_of_a_writer_is_a_note(make: Make, runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make("silver", *runs)
    monkeypatch.setattr("ensemble.silver.record.version_of", lambda package: "99.0")
    result = verify(folder)
    assert result.exit_code == 0
    assert "here is 99.0, with which the same command may write other bytes" in result.stderr


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--splits", "train=0.5,test=0.5"), "--splits is for a data set; add --dataset"),
        (("--dataset", "--splits", "train"), "must be parts with shares"),
        (("--dataset", "--splits", "train=1,a b=1"), "must be names of letters, digits and _"),
        (("--dataset", "--splits", "train=0.9,a=0.05,b=0.05"), "has no article: there are 5 articles"),
        (("--dataset", "--splits", "train=0"), "must be greater than 0"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(
    runs: list[str], tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    result = invoke(("silver", "vote", *runs, "-o", tmp_path / "silver", "--workers", 1, *options))
    assert sentence in refusal(result)
    assert not (tmp_path / "silver").exists()


def test_a_folder_without_corpus_is_refused(tmp_path: Path) -> None:
    assert "is not a silver corpus" in refusal(verify(tmp_path))
