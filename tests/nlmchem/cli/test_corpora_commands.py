"""`nlmchem corpora ...` and `nlmchem fetch ...` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import invoke

import corpora
from corpora.errors import NlmchemError
from corpora.model.document import index_terms, mentions
from nlmchem.cli.exit_codes import ending

PUBTATOR = (
    "{id}|t|Glutathione in yeast {id}\n{id}|a|Number {id}: yeast cells kept glutathione low. The ER was seen.\n"
    "{id}\t0\t11\tGlutathione\tChemical\tD005978\n\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bc5cdr"
    place.mkdir()
    for name, start in (("BC5CDR_TrainDev", 100), ("BC5CDR_Test", 200)):
        text = "".join(PUBTATOR.format(id=start + number) for number in range(10))
        (place / f"{name}.PubTator").write_text(text)
    return place


def call(*arguments: object, code: int = 0) -> str:
    result = invoke([str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def test_list_and_info(folder: Path) -> None:
    assert "bc5cdr" in call("corpora", "list")
    assert {"name", "licence", "citation"} <= json.loads(call("corpora", "list", "--json").splitlines()[0]).keys()
    value = json.loads(call("corpora", "info", "bc5cdr", folder, "--json"))
    assert value["found"] == {"form": "training and development in one file", "splits": ["train+dev", "test"]}
    assert "citation: Li et al. 2016" in call("corpora", "info", "bc5cdr")


def test_stats_compares_the_counts_with_the_card(folder: Path) -> None:
    value = json.loads(call("corpora", "stats", "bc5cdr", folder, "--split", "test", "--json", code=3))
    assert value["splits"]["test"]["mentions.Chemical"] == 10
    assert "but 500 on its card" in value["differences"][0]


def test_convert_writes_all_identifiers_in_one_form(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    call("corpora", "convert", "bc5cdr", folder, "-o", out, "--split", "test", "--sections")
    documents = list(corpora.read(out))
    assert len(documents) == 10
    assert next(mentions(documents[0])).identifiers == ("MESH:D005978",)


def test_convert_replaces_identifiers_and_reports_it(folder: Path, tmp_path: Path) -> None:
    successors, lexicon = tmp_path / "new.tsv", tmp_path / "lexicon.tsv"
    successors.write_text("MESH:D005978\tMESH:D999999\n")
    lexicon.write_text("MESH:D014867\tWater\n")
    options = ("--replaced", successors, "--lexicon", lexicon)
    result = invoke(["corpora", "convert", "bc5cdr", str(folder), "-o", str(tmp_path / "o.xml"), *map(str, options)])
    assert "20 of its ids (1 distinct) have been replaced, such as MESH:D005978 by MESH:D999999" in result.stderr
    assert next(mentions(next(corpora.read(tmp_path / "o.xml")))).identifiers == ("MESH:D999999",)


def test_convert_joins_index_terms_from_medline(folder: Path, tmp_path: Path) -> None:
    chemical = '<Chemical><NameOfSubstance UI="D005978">Glutathione</NameOfSubstance></Chemical>'
    article = "<Article><ArticleTitle>x</ArticleTitle></Article>"
    citation = f"<PMID>200</PMID>{article}<ChemicalList>{chemical}</ChemicalList>"
    text = f"<PubmedArticle><MedlineCitation>{citation}</MedlineCitation></PubmedArticle>"
    (tmp_path / "medline.xml").write_text(f"<PubmedArticleSet>{text}</PubmedArticleSet>")
    out = tmp_path / "out.xml"
    call("corpora", "convert", "bc5cdr", folder, "-o", out, "--split", "test", "--index", tmp_path / "medline.xml")
    indexed = {document.id: [term.identifier for term in index_terms(document)] for document in corpora.read(out)}
    assert indexed == {str(number): ["MESH:D005978"] if number == 200 else [] for number in range(200, 210)}


def test_split_and_leaks(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "parts"
    printed = call("corpora", "split", folder, "--corpus", "bc5cdr", "-o", out, "--shares", "train=0.8,test=0.2")
    assert printed == "part\tarticles\ntest\t4\ntrain\t16\n"
    assert call("corpora", "leaks", out / "train.xml", out / "test.xml") == "left\tright\tby\tshare\n"
    found = call("corpora", "leaks", f"bc5cdr/test={folder}", out / "train.xml", code=3)
    assert all(line.split("\t")[2] == "id" for line in found.splitlines()[1:])
    printed = call("corpora", "split", out / "train.xml", "-o", tmp_path / "folds", "--folds", 4, "--json")
    assert json.loads(printed) == {
        "parts": dict.fromkeys(map("fold-{}".format, range(1, 5)), 4),
        "out": str(tmp_path / "folds"),
    }
    assert sorted(path.name for path in (tmp_path / "folds").glob("[!.]*")) == [f"fold-{n}.xml" for n in range(1, 5)]


def test_a_dictionary(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    row = {"id": "PMC1", "text": "Title\nThe endoplasmic reticulum (ER) was seen."}
    (texts / "a.jsonl").write_text(json.dumps(row) + "\n")
    out = tmp_path / "acronyms"
    value = json.loads(call("corpora", "dictionary", texts, "--corpus", "plain-text", "-o", out, "--json"))
    assert (value["articles"], value["short_forms"]) == (1, 1)
    assert json.loads((out / "dictionary.json").read_text()) == {"ER": [["endoplasmic reticulum", 1]]}
    assert not (out / "samples.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("corpora", "info", "nothing"), "no corpus is called 'nothing'"),
        (("corpora", "stats", "bc5cdr", "/nowhere"), "/nowhere"),
        (("corpora", "split", "x.xml", "-o", "y", "--split", "dev"), "add --corpus NAME"),
        (("fetch",), "the name of what to fetch is missing"),
        (("fetch", "mesh", "--mirror", "http://127.0.0.1:9"), "--year 2024"),
        (("fetch", "pmc"), "add --ids FILE"),
        (("fetch", "pmc", "--ids", "/nowhere"), "/nowhere cannot be read"),
    ],
)
def test_wrong_usage_is_one_plain_sentence(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path))
    with pytest.raises(NlmchemError) as caught:
        call(*arguments)
    assert message in ending(caught.value).sentence
    assert ending(caught.value).code == 2


def test_fetch_copies_a_file_into_the_cache_which_can_be_listed_and_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    assert "NLM-Chem corpus" in call("fetch", "--list")
    import gzip

    source = tmp_path / "BC7T2-CDR-corpus_v2.BioC.json.gz"
    source.write_bytes(gzip.compress(b"{}"))
    [path] = json.loads(call("fetch", "cdr", "--from-file", source, "--json"))["files"]
    assert Path(path).read_bytes() == source.read_bytes()
    kept = json.loads(call("fetch", "--cached", "--json"))
    assert [one["name"] for one in kept["resources"]] == ["cdr"]
    assert "sha256" in call("fetch", "--cached")
    call("fetch", "cdr", "--empty")
    assert json.loads(call("fetch", "--cached", "--json"))["resources"] == []
