"""`abbreviations --undefined`, `evaluate senses` and the step `expand`: results, and input that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_transformer import write_tiny_transformer

import corpora
from corpora.model.short_forms import inferred_long_forms

Nlmchem = Callable[..., tuple[int, str, str]]
ENGLISH = "The metal was removed with EDTA and the protein was bound to the resin of the column. " * 6
GERMAN = "Die EDTA wurde in allen Zellen gesehen, und die Werte der Gruppe waren nicht anders als bei uns. " * 9


@pytest.fixture
def article(tmp_path: Path) -> Path:
    path = tmp_path / "1.txt"
    path.write_text(ENGLISH, "utf-8")
    return path


def dictionary(folder: Path, content: object) -> Path:
    path = folder / "dictionary.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def test_an_undefined_short_form_is_listed_with_its_sense(run: Nlmchem, article: Path) -> None:
    code, printed, told = run("abbreviations", article, "--undefined", "--json")
    [line] = [json.loads(line) for line in printed.splitlines()]
    assert code == 0
    assert (line["short_form"], line["strategy"], line["places"]) == ("EDTA", "Dictionary", 6)
    assert line["long_form"].casefold() == "ethylenediaminetetraacetic acid"
    assert line["identifier"] == "MESH:D004492"
    assert "1 undefined short form, 1 in the dictionary, 1 with a sense" in told


def test_the_threshold_decides_what_is_listed(run: Nlmchem, article: Path, tmp_path: Path) -> None:
    own = dictionary(tmp_path, {"EDTA": [["sense one", 3], ["sense two", 2]]})
    assert len(run("abbreviations", article, "--undefined", "--dictionary", own)[1].splitlines()) == 1, "the header"
    printed = run("abbreviations", article, "--undefined", "--dictionary", own, "--threshold", 0.5)[1]
    assert printed.splitlines()[1].split("\t")[2:5] == ["sense one", "Dictionary", "0.5000"]
    assert printed.splitlines()[1].split("\t")[8] == "", "a dictionary of one's own has no identifiers"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "there is no dictionary of short forms at"),
        ('{"EDTA": [["ethylenediamine', "the JSON is broken"),
        ({"EDTA": [["ethylenediaminetetraacetic acid", 0]]}, "a sense of 'EDTA' has the count 0"),
        ({"EDTA": [["ethylenediaminetetraacetic acid", -2]]}, "a sense of 'EDTA' has the count -2"),
        ("# nlmchem senses 2\nshort_form\tlong", "ends inside a line"),
    ],
    ids=["absent", "torn", "zero", "negative", "torn table"],
)
def test_a_dictionary_that_cannot_be_used_is_one_sentence(
    run: Nlmchem, article: Path, tmp_path: Path, content: object, problem: str
) -> None:
    path = tmp_path / "dictionary.json"
    if content is not None:
        dictionary(tmp_path, content)
    code, printed, told = run("abbreviations", article, "--undefined", "--dictionary", path)
    assert (code, printed) == (2, "")
    assert problem in told
    assert len(told.strip().splitlines()) == 1
    assert "Traceback" not in told


def test_an_acronym_with_300_senses_is_reported_and_answered(run: Nlmchem, article: Path, tmp_path: Path) -> None:
    own = dictionary(tmp_path, {"EDTA": [[f"sense {number}", 301 - number] for number in range(1, 301)]})
    code, printed, told = run("abbreviations", article, "--undefined", "--dictionary", own, "--threshold", 0)
    assert code == 0
    assert printed.splitlines()[1].split("\t")[2] == "sense 1"
    assert "EDTA has 300" in told


def test_an_article_in_another_language_is_reported_and_skipped(run: Nlmchem, article: Path, tmp_path: Path) -> None:
    (tmp_path / "2.txt").write_text(GERMAN, "utf-8")
    code, printed, told = run("abbreviations", article, tmp_path / "2.txt", "--undefined")
    assert code == 0
    assert {line.split("\t")[0] for line in printed.splitlines()[1:]} == {"1"}
    assert "article 2 is not in English; its short forms are not expanded" in told
    assert "2 articles read, 0 failed" in told


def test_options_of_the_dictionary_need_the_flag(run: Nlmchem, article: Path) -> None:
    code, _, told = run("abbreviations", article, "--threshold", 0.5)
    assert code == 2
    assert "--threshold needs --undefined" in told


def test_the_step_expand_writes_long_forms_and_the_sieve_reads_them(
    run: Nlmchem, article: Path, tmp_path: Path
) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("MESH:D004492\tethylenediaminetetraacetic acid\t\n", "utf-8")
    options = ("--steps", "abbreviate,expand,tag,normalize", "--tagger", "lexicon", "--lexicon", names)
    assert run("annotate", article, "-o", tmp_path / "out", *options)[0] == 0
    [written] = corpora.read([str(tmp_path / "out")])
    found = list(inferred_long_forms(written))
    assert [one.short_form for one in found] == ["EDTA"] * 6
    assert all(one.articles >= 3 for one in found)
    assert {one.identifier for one in found} == {"MESH:D004492"}
    assert run("view", tmp_path / "out", "-o", tmp_path / "view.html")[0] == 0
    page = (tmp_path / "view.html").read_text("utf-8")
    assert "thylenediaminetetraacetic" in page
    assert "MESH:D004492" in page


def test_methods_are_scored_on_sentences(run: Nlmchem, tmp_path: Path) -> None:
    folder = tmp_path / "sciad"
    folder.mkdir()
    (folder / "diction.json").write_text(json.dumps({"ER": ["endoplasmic reticulum", "error rate"]}), "utf-8")
    lines = (
        ("proteins fold in the lumen of the reticulum , the ER , in cells", "endoplasmic reticulum"),
        ("the error of the ER rises", "error rate"),
    )
    rows = [
        {"id": str(at), "tokens": text.split(), "acronym": text.split().index("ER"), "expansion": long}
        for at, (text, long) in enumerate(lines)
    ]
    (folder / "dev.json").write_text(json.dumps(rows), "utf-8")
    code, printed, told = run("evaluate", "senses", "sciad", folder, "--split", "dev", "--samples", 5)
    assert code == 0, told
    scores, reliability = printed.split("answers of the method model by their probability:\n")
    table = {line.split("\t")[0]: line.split("\t") for line in scores.splitlines()[1:]}
    assert list(table) == ["method", "first", "popularity", "bm25", "model"]
    assert (table["first"][1], table["bm25"][1]) == ("0.5000", "1.0000")
    assert "SDU F gives precision 1" in told
    assert "2 samples, 1 acronyms with 2.0 candidates" in printed
    assert sum(int(line.split("\t")[1]) for line in reliability.splitlines()[1:]) == 2


def test_an_unknown_method_is_one_sentence(run: Nlmchem, tmp_path: Path) -> None:
    code, _, told = run("evaluate", "senses", "sciad", tmp_path, "--methods", "magic")
    assert code == 2
    assert "there is no method 'magic'; the methods are first, popularity, bm25, model, encoder" in told


# -- an encoder of sentences --------------------------------------------------------------------


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_transformer(tmp_path_factory.mktemp("encoder"))


def test_an_encoder_is_used_as_well(run: Nlmchem, article: Path, tmp_path: Path, encoder: Path) -> None:
    own = dictionary(tmp_path, {"EDTA": [["sense one", 3], ["sense two", 2]]})
    options = (article, "--undefined", "--dictionary", own, "--threshold", 0, "--json")
    plain, asked = (json.loads(run("abbreviations", *options, *more)[1]) for more in ((), ("--encoder", encoder)))
    assert plain["score"] != asked["score"]
    assert sum(score for _, score in asked["alternatives"]) + asked["score"] == pytest.approx(5 / 6, abs=2e-4)


def test_the_encoder_that_ships_reads_a_sentence_with_a_dictionary_of_ones_own(run: Nlmchem, tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("The thorax of each patient was scanned by CT to find tumours.", "utf-8")
    own = dictionary(tmp_path, {"CT": [["cycle threshold", 3], ["computed tomography", 3]]})
    options = ("abbreviations", tmp_path / "1.txt", "--undefined", "--dictionary", own, "--threshold", 0, "--json")
    code, printed, told = run(*options, "--encoder", "default")
    assert code == 0, told
    assert json.loads(printed)["long_form"] == "computed tomography"
    assert json.loads(printed)["score"] > json.loads(run(*options)[1])["score"]
    assert run(*options, "--encoder", "default")[1] == printed


def test_the_method_encoder_is_a_row(run: Nlmchem, tmp_path: Path, encoder: Path) -> None:
    folder = tmp_path / "sciad"
    folder.mkdir()
    (folder / "diction.json").write_text(json.dumps({"ER": ["endoplasmic reticulum", "error rate"]}), "utf-8")
    rows = [
        {"id": "1", "tokens": ["the", "error", "of", "the", "ER", "rises"], "acronym": 4, "expansion": "error rate"}
    ]
    (folder / "dev.json").write_text(json.dumps(rows), "utf-8")
    code, printed, told = run(
        "evaluate", "senses", "sciad", folder, "--split", "dev", "--samples", 0, "--encoder", encoder
    )
    assert code == 0, told
    methods = [line.split("\t")[0] for line in printed.partition("answers of")[0].splitlines()[2:]]
    assert methods == ["first", "popularity", "bm25", "model", "encoder"]


def test_an_encoder_that_cannot_be_used_is_one_sentence(run: Nlmchem, article: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, problem in (
        (("abbreviations", article, "--undefined", "--encoder", tmp_path / "empty"), "there is no model in"),
        (("abbreviations", article, "--encoder", tmp_path / "empty"), "--encoder needs --undefined"),
        (("evaluate", "senses", "sciad", tmp_path, "--methods", "encoder"), "add --encoder with default or a folder"),
    ):
        code, printed, told = run(*arguments)
        assert (code, printed) == (2, "")
        assert problem in told
        assert len(told.strip().splitlines()) == 1
