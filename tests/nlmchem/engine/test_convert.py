"""`nlmchem convert`: a run without steps. All readable articles are converted, and faults have their place."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from command_line import call
from lxml import etree

from corpora.errors import ConfigurationError
from corpora.formats import biocjson
from corpora.formats.registry import format_of_suffix
from corpora.reporting import Report
from nlmchem.commands.progress import Terminal
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.runner import replay
from nlmchem.engine.runs import Output, run_into, select_conversion
from nlmchem.engine.stop import RunStopped
from nlmchem.run.options import RunOptions
from nlmchem.run.plan import Job, Plan


def convert(source: Path | str, out: Path | str, format: str | None = None, **options: Any) -> tuple[int, int]:
    """The numbers of articles that were converted and that failed."""
    counts = counted(source, out, format, **options)
    return counts.done, counts.failed


def counted(source: Path | str, out: Path | str, format: str | None = None, **options: Any) -> ArticleCounts:
    output = select_conversion(str(source), str(out), format)
    return run_into(Job([str(source)], Plan.of_conversion(output.format), RunOptions(**options), Terminal()), output)


def lines(*ids: str) -> str:
    return "".join(json.dumps({"id": id, "passages": [{"offset": 0, "text": f"Zinc {id}."}]}) + "\n" for id in ids)


def ids(path: Path) -> list[str]:
    return [element.text or "" for element in etree.parse(path).iter("id")]


def test_all_inputs_are_converted_into_one_file_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.jsonl").write_text(lines("3", "4"))
    (tmp_path / "in" / "a.json").write_text('{"source": "S", "documents": [' + lines("1") + "]}")
    assert convert(tmp_path / "in", tmp_path / "new" / "out.xml") == (3, 0)
    assert ids(tmp_path / "new" / "out.xml") == ["1", "3", "4"]
    assert etree.parse(tmp_path / "new" / "out.xml").findtext("source") == "S"
    assert capsys.readouterr().err == ""


def test_faults_are_reported_with_their_place_and_the_rest_is_converted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for name, text in {
            "a.jsonl": lines("1", "bad\\u000b").replace("Zinc bad\\\\u000b", "Zinc \\u000b"),
            "b.xml": "<collection><document><id>2</id></document>",
            "../c.xml": "<collection/>",
            "d.md": "Dear reader,",
            "e.jsonl": lines("3"),
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    assert convert(tmp_path / "x.tar", tmp_path / "out.xml") == (4, 3)
    assert ids(tmp_path / "out.xml") == ["1", "2", "d", "3"]
    failed = [line for line in capsys.readouterr().err.splitlines() if line.startswith("failed: ")]
    for sentence, (member, part) in zip(
        failed,
        [
            ("b.xml", "ends too early"),
            ("../c.xml", "leads out of the archive"),
            ("a.jsonl", "contains U+000B, which XML forbids"),
        ],
        strict=True,
    ):
        assert sentence.startswith(f"failed: {tmp_path / 'x.tar'}, member {member}, ")
        assert part in sentence
    assert (tmp_path / ".out.xml.run" / "quarantine").is_dir()


def test_different_headers_are_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abcd":
        source = "" if name == "a" else name
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"source": source, "documents": json.loads(f"[{lines(name)}]")})
        )
    assert convert(tmp_path / "*.json", tmp_path / "out.xml") == (4, 0)
    assert etree.parse(tmp_path / "out.xml").findtext("source") == "b"
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("2 collections have another header")


def test_losses_are_reported_with_their_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(
            '{"documents": [{"id": "' + name + '", "passages": [{"offset": 0, "text": "Zinc"}], "pmid": 5}]'
            ', "source": "S"}'
        )
    convert(tmp_path / "*.json", tmp_path / "out.xml")
    losses = "left out, because BioC XML cannot store it: JSON keys that BioC does not define (1)"
    assert capsys.readouterr().err == f"2 articles (the first: {tmp_path / 'a.json'}): {losses.replace('1', '2')}\n"
    convert(tmp_path / "a.json", tmp_path / "out.jsonl")
    losses = "JSON lines has no place for the collection's source, date, key and infons; they are left out"
    assert capsys.readouterr().err == f"{tmp_path / 'a.json'}: {losses}\n"


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1"))
    before = (tmp_path / "a.jsonl").read_bytes()
    for source in (tmp_path, tmp_path / "a.jsonl", tmp_path / "*.jsonl"):
        with pytest.raises(ConfigurationError, match=r"a\.jsonl is the output and one of the inputs; choose another"):
            convert(source, tmp_path / "a.jsonl")
    for source in (tmp_path / "a.jsonl", tmp_path / "*.jsonl"):
        with pytest.raises(ConfigurationError):
            convert(source, tmp_path, "jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == before


def test_a_brat_folder_with_corrections_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1"))
    for _ in range(2):
        convert(tmp_path / "a.jsonl", tmp_path / "brat", "brat")
    (tmp_path / "brat" / "1.ann").write_text("T1\tChemical 0 4\tzinc\n")
    with pytest.raises(ConfigurationError, match=r"1\.ann was changed or added and would be lost; name a new folder"):
        convert(tmp_path / "a.jsonl", tmp_path / "brat", "brat")
    assert (tmp_path / "brat" / "1.ann").read_text() == "T1\tChemical 0 4\tzinc\n"


def test_a_folder_is_converted_into_a_folder_with_the_same_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.jsonl").write_text(lines("1", "2"))
    (tmp_path / "in" / "sub" / "b.json").write_text(lines("3"))
    (tmp_path / "in" / "c.json").write_text('{"documents": [')
    (tmp_path / "in" / "figure.jpg").write_bytes(b"\xff\xd8\x00")
    assert convert(tmp_path / "in", tmp_path / "out", "biocxml") == (3, 1)
    assert ids(tmp_path / "out" / "a.xml") == ["1", "2"]
    assert ids(tmp_path / "out" / "sub" / "b.xml") == ["3"]
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*.xml")) == ["a.xml"]
    failed, skipped = capsys.readouterr().err.splitlines()
    assert failed.startswith(f"failed: {tmp_path / 'in' / 'c.json'}, article 1, read: ")
    assert skipped.startswith("1 file was skipped, because the content has no format that is read (the first: ")
    with pytest.raises(ConfigurationError, match="is the input folder"):
        convert(tmp_path / "in", tmp_path / "in", "biocxml")


def test_two_files_with_one_output_keep_their_suffixes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text(lines("1"))
    (tmp_path / "a.jsonl").write_text(lines("2"))
    assert convert(tmp_path, tmp_path / "out", "biocxml") == (2, 0)
    assert capsys.readouterr().err == (
        "nlmchem: 2 inputs keep their suffix in the name of the output, because another input would have the same "
        f"output: {tmp_path / 'a.json'}, for example, gives a.json.xml\n"
    )
    assert ids(tmp_path / "out" / "a.json.xml") == ["1"]
    assert ids(tmp_path / "out" / "a.jsonl.xml") == ["2"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_any_name_are_converted_into_one_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for number, name in enumerate(["a.jsonl", "a.json", "a.jsonl", "quarantine/a.jsonl", f"{'n' * 208}.jsonl"]):
            archive.writestr(name, lines(str(number)))
    assert convert(tmp_path / "x.zip", tmp_path / "all.xml") == (5, 0)
    assert ids(tmp_path / "all.xml") == ["0", "1", "2", "3", "4"]


def test_the_same_command_continues_and_converts_what_has_changed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / f"{name}.jsonl").write_text(lines(name))
    assert convert(tmp_path / "in", tmp_path / "out", "biocxml") == (2, 0)
    (tmp_path / "in" / "b.jsonl").write_text(lines("b", "c"))
    counts = counted(tmp_path / "in", tmp_path / "out", "biocxml")
    assert (counts.done, counts.skipped) == (2, 1)
    assert ids(tmp_path / "out" / "b.xml") == ["b", "c"]


def test_a_failed_article_is_corrected_in_the_quarantine(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(lines("1", "2").replace("Zinc 2", "Zinc \\u000b"))
    assert convert(tmp_path / "in", tmp_path / "out", "biocxml") == (1, 1)
    (article,) = (tmp_path / "out" / "quarantine" / "a.xml.1").glob("article.*")
    article.write_text(article.read_text().replace("\\u000b", "2"))
    assert replay(tmp_path / "out", workers=1).done == 1
    assert ids(tmp_path / "out" / "a.xml") == ["1", "2"]


def test_a_damaged_store_of_a_conversion_into_one_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(lines("1"))
    (tmp_path / "in" / "b.jsonl").write_text("{")
    assert convert(tmp_path / "in", tmp_path / "out", "brat") == (1, 1)
    (stored,) = (path for path in tmp_path.rglob("*.records"))
    stored.write_bytes(stored.read_bytes()[:8] + b"x" * (stored.stat().st_size - 8))
    (tmp_path / "in" / "b.jsonl").write_text(lines("2"))
    with pytest.raises(RunStopped, match=r"a\.jsonl\.records is damaged; remove it, and run the same command again"):
        convert(tmp_path / "in", tmp_path / "out", "brat")
    stored.unlink()
    convert(tmp_path / "in", tmp_path / "out", "brat")
    assert {path.name for path in (tmp_path / "out").glob("*.txt")} == {"1.txt", "2.txt"}


@pytest.mark.parametrize(
    ("source", "out", "format", "expected"),
    [
        ("a.xml", "-", "tsv", Output(None, "tsv", True)),
        ("a.xml", "b.json.gz", None, Output(Path("b.json.gz"), "biocjson", True)),
        ("a.xml", "b.hf.jsonl", None, Output(Path("b.hf.jsonl"), "hf", True)),
        ("a.xml", "b", "jsonl", Output(Path("b"), "jsonl", True)),
        ("a.xml", "b/", "jsonl", Output(Path("b"), "jsonl", False)),
        ("folder", "b", "jsonl", Output(Path("b"), "jsonl", False)),
        ("a.xml", "folder", "jsonl", Output(Path("folder"), "jsonl", False)),
        ("folder", "b", "brat", Output(Path("b"), "brat", True)),
        ("a.xml", "b", "text", Output(Path("b"), "text", True)),
    ],
)
def test_the_names_of_input_and_output_select_a_file_or_a_folder(
    source: str, out: str, format: str | None, expected: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    assert select_conversion(source, out, format) == expected


@pytest.mark.parametrize(("source", "out"), [("folder", "b"), ("a.xml", "b.doc"), ("a.xml", "b"), ("a.xml", "-")])
def test_an_output_without_a_format_is_refused(
    source: str, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    with pytest.raises(ConfigurationError, match="format"):
        select_conversion(source, out, None)


def test_the_command_line(tmp_path: Path) -> None:
    def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", "from nlmchem.cli import main; main()", "convert", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, cwd=tmp_path, check=False)

    done = run("-", "out.pubtator", stdin=lines("1").encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"done 1 + failed 0 + skipped 0 = 1 article; ")
    assert (tmp_path / "out.pubtator").read_bytes() == b"1|t|Zinc 1.\n1|a|\n\n"
    done = run("out.pubtator", "-", "--format", "jsonl")
    assert json.loads(done.stdout)["passages"][0]["text"] == "Zinc 1."
    assert b"done 1 + failed 0" in done.stderr
    failed = run("-", "out.xml", stdin=b"<collection>")
    assert failed.returncode == 3
    assert b"failed: -, article 1, read: the XML ends too early" in failed.stderr
    assert run("nowhere", "out.xml").returncode == run("out.pubtator", "out.doc").returncode == 2
    several = run("out.pubtator", "tables/", "--format", "tsv", "--workers", "2", "--json")
    assert json.loads(several.stdout)["done"] == 1


def test_a_suffix_without_format_is_refused() -> None:
    assert format_of_suffix("a.b.JSON") == "biocjson"
    with pytest.raises(ConfigurationError, match="add format="):
        format_of_suffix("a.nxml")


@pytest.mark.parametrize("format", ["brat", "conll", "tsv", "biocxml", "jsonl"])
def test_one_odd_article_does_not_end_a_conversion(
    tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.txt").write_bytes(b"\x1fstandoff x\n")
    (source / "b.conll").write_text("Zinc\t" + "9" * 5000 + "\t" + "9" * 4999 + "6\tB-Chemical\nand\t8\t11\tO\n\n")
    (source / "c.txt").write_text("Zinc.\n")
    (source / "c.ann").write_text("T1\tChemical 0 " + "9" * 5000 + "\tZinc\n")
    passage = '{"offset": 0, "text": "Zinc", "infons": {"type": ["title"], "section_type": ["TITLE"]}}'
    (source / "d.json").write_text('{"documents": [{"id": "d", "passages": [' + passage + "]}]}")
    (source / "e.txt").write_text("Zinc and iron.\n")
    assert convert(source, tmp_path / "out", format) == (3, 2)
    messages = capsys.readouterr().err.splitlines()
    assert not any("unexpected" in message for message in messages)
    assert all(len(message) < 500 for message in messages)


def test_a_defect_in_one_article_does_not_end_a_conversion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1", "2", "3"))

    def broken(document: BioCDocument, report: Report) -> bytes:
        if document.id == "2":
            raise ZeroDivisionError("division by zero")
        return biocjson.LINES_WRITER.dumps(document, report)

    monkeypatch.setattr("nlmchem.run.plan.writable", lambda *given: replace(biocjson.LINES_WRITER, dumps=broken))
    assert convert(tmp_path / "a.jsonl", tmp_path / "b.jsonl") == (2, 1)
    printed = capsys.readouterr().err
    assert "unexpected ZeroDivisionError: division by zero; please report it with the article" in printed


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"documents": []}'),
        ("a.json", '{"PubTator3": []}'),
        ("a.xml", "<collection><source/></collection>"),
        ("a.xml", "<PubmedArticleSet></PubmedArticleSet>"),
        ("a.xml", "<PubmedArticleSet><DeleteCitation><PMID>5</PMID></DeleteCitation></PubmedArticleSet>"),
    ],
)
def test_files_without_any_article_are_a_problem_if_nothing_else_is_read(
    name: str, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_text(content)
    done = call("convert", tmp_path / "in", tmp_path / "out.jsonl", capsys=capsys)
    assert done.returncode == 3
    assert "there is no article to write: 1 file contains none; get the articles again" in done.stderr
    (tmp_path / "in" / "b.txt").write_text("Zinc fell.\n")
    done = call("convert", tmp_path / "in", tmp_path / "both.jsonl", capsys=capsys)
    assert done.returncode == 0
    assert "contains no" in done.stderr
