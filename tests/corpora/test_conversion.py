"""`nlmchem convert`: all readable articles are converted, and faults are reported with their place."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from bioc import BioCDocument
from lxml import etree

from corpora.conversion import convert_each, convert_into
from corpora.errors import ConfigurationError
from corpora.formats import biocjson, registry
from corpora.formats.registry import format_of_suffix
from corpora.reporting import Report


def silent(sentence: str) -> None:
    raise AssertionError(f"reported: {sentence}")


def lines(*ids: str) -> str:
    return "".join(json.dumps({"id": id, "passages": [{"offset": 0, "text": f"Zinc {id}."}]}) + "\n" for id in ids)


def ids(path: Path) -> list[str]:
    return [element.text or "" for element in etree.parse(path).iter("id")]


def test_all_inputs_are_converted_into_one_file_in_order(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.jsonl").write_text(lines("3", "4"))
    (tmp_path / "in" / "a.json").write_text('{"source": "S", "documents": [' + lines("1") + "]}")
    assert convert_into(str(tmp_path / "in"), tmp_path / "new" / "out.xml", "biocxml", silent) == (3, 0)
    assert ids(tmp_path / "new" / "out.xml") == ["1", "3", "4"]
    assert etree.parse(tmp_path / "new" / "out.xml").findtext("source") == "S"


def test_faults_are_reported_with_their_place_and_the_rest_is_converted(tmp_path: Path) -> None:
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
    messages: list[str] = []
    assert convert_into(str(tmp_path / "x.tar"), tmp_path / "out.xml", "biocxml", messages.append) == (3, 3)
    assert ids(tmp_path / "out.xml") == ["1", "2", "3"]
    assert messages.pop().startswith("1 file was skipped")
    for sentence, (member, part) in zip(
        messages,
        [
            ("a.jsonl", "contains U+000B, which XML forbids"),
            ("b.xml", "ends too early"),
            ("../c.xml", "leads out of the archive"),
        ],
        strict=True,
    ):
        assert sentence.startswith(f"{tmp_path / 'x.tar'}, member {member}: ")
        assert part in sentence


def test_different_headers_are_reported_once(tmp_path: Path) -> None:
    for name in "abcd":
        source = "" if name == "a" else name
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"source": source, "documents": json.loads(f"[{lines(name)}]")})
        )
    messages: list[str] = []
    assert convert_into(str(tmp_path / "*.json"), tmp_path / "out.xml", "biocxml", messages.append) == (4, 0)
    assert etree.parse(tmp_path / "out.xml").findtext("source") == "b"
    assert len(messages) == 1
    assert messages[0].startswith("2 collections have another header")


def test_losses_are_reported_with_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"documents": [{"id": "1", "passages": [], "pmid": 5}], "source": "S"}')
    messages: list[str] = []
    convert_into(str(tmp_path / "a.json"), tmp_path / "out.xml", "biocxml", messages.append)
    losses = "left out, because BioC XML cannot store it: JSON keys that BioC does not define (1)"
    assert messages == [f"{tmp_path / 'a.json'}: {losses}"]
    messages.clear()
    convert_into(str(tmp_path / "a.json"), tmp_path / "out.jsonl", "jsonl", messages.append)
    assert messages == ["JSON lines has no place for the collection's source, date, key and infons; they are left out"]


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1"))
    before = (tmp_path / "a.jsonl").read_bytes()
    for source in (tmp_path, tmp_path / "a.jsonl", tmp_path / "*.jsonl"):
        with pytest.raises(ConfigurationError, match=r"a\.jsonl is the output and one of the inputs; choose another"):
            convert_into(str(source), tmp_path / "a.jsonl", "jsonl", silent)
    for source in (tmp_path / "a.jsonl", tmp_path / "*.jsonl"):
        with pytest.raises(ConfigurationError, match=r"is not empty \(it has a\.jsonl\); name a new folder"):
            convert_each(str(source), tmp_path, "jsonl", silent)
    assert (tmp_path / "a.jsonl").read_bytes() == before


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.ann").write_text("T1\tChemical 0 4\tzinc\n")
    with pytest.raises(ConfigurationError, match=r"not empty \(it has mine\.ann\); name a new folder"):
        convert_each(str(tmp_path / "*.jsonl"), tmp_path / "out", "biocxml", silent)
    with pytest.raises(ConfigurationError, match=r"not empty \(it has mine\.ann\); name a new folder"):
        convert_into(str(tmp_path / "a.jsonl"), tmp_path / "out", "brat", silent)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.ann"]


def test_a_second_conversion_keeps_what_was_changed_by_hand(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1"))
    (tmp_path / "b.jsonl").write_text(lines("2"))
    convert_each(str(tmp_path / "*.jsonl"), tmp_path / "out", "biocxml", silent)
    assert convert_each(str(tmp_path / "*.jsonl"), tmp_path / "out", "biocxml", silent) == (2, 0)
    (tmp_path / "out" / "a.xml").write_text("of the user")
    messages: list[str] = []
    assert convert_each(str(tmp_path / "*.jsonl"), tmp_path / "out", "biocxml", messages.append) == (1, 1)
    (message,) = messages
    assert message.endswith(
        "a.xml was not written by nlmchem, or was changed since; move it away, or name a new folder"
    )
    assert (tmp_path / "out" / "a.xml").read_text() == "of the user"


def test_a_brat_folder_with_corrections_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1"))
    for _ in range(2):
        convert_into(str(tmp_path / "a.jsonl"), tmp_path / "brat", "brat", silent)
    (tmp_path / "brat" / "1.ann").write_text("T1\tChemical 0 4\tzinc\n")
    with pytest.raises(ConfigurationError, match=r"1\.ann was changed or added and would be lost; name a new folder"):
        convert_into(str(tmp_path / "a.jsonl"), tmp_path / "brat", "brat", silent)
    assert (tmp_path / "brat" / "1.ann").read_text() == "T1\tChemical 0 4\tzinc\n"


def test_outputs_do_not_follow_links_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "a.jsonl").write_text(lines("1"))
    (tmp_path / "victim").mkdir()
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    assert convert_each(str(tmp_path / "in"), tmp_path / "out", "jsonl", silent) == (1, 0)
    (tmp_path / "real" / "sub" / "a.jsonl").unlink()
    (tmp_path / "real" / "sub").rmdir()
    (tmp_path / "real" / "sub").symlink_to("../victim")
    messages: list[str] = []
    assert convert_each(str(tmp_path / "in"), tmp_path / "out", "jsonl", messages.append) == (0, 1)
    assert messages[0].endswith("out/sub is a link, and no output is written to links; remove it")
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_folder_is_converted_into_a_folder_with_the_same_paths(tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.jsonl").write_text(lines("1", "2"))
    (tmp_path / "in" / "sub" / "b.json").write_text(lines("3"))
    (tmp_path / "in" / "c.json").write_text('{"documents": [')
    (tmp_path / "in" / "figure.jpg").write_bytes(b"\xff\xd8\x00")
    messages: list[str] = []
    assert convert_each(str(tmp_path / "in"), tmp_path / "out", "biocxml", messages.append) == (3, 1)
    assert ids(tmp_path / "out" / "a.xml") == ["1", "2"]
    assert ids(tmp_path / "out" / "sub" / "b.xml") == ["3"]
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*")) == ["a.xml", "sub"]
    assert [sentence.partition(":")[0] for sentence in messages] == [
        str(tmp_path / "in" / "c.json"), "1 file was skipped, because the content has no format that is read (the first"
    ]  # fmt: skip
    with pytest.raises(ConfigurationError, match="is the input folder"):
        convert_each(str(tmp_path / "in"), tmp_path / "in", "biocxml", silent)


def test_two_files_with_one_output_keep_their_suffixes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(lines("1"))
    (tmp_path / "a.jsonl").write_text(lines("2"))
    messages: list[str] = []
    assert convert_each(str(tmp_path), tmp_path / "out", "biocxml", messages.append) == (2, 0)
    assert messages == [
        "2 inputs keep their suffix in the name of the output, because another input would have the same output: "
        f"{tmp_path / 'a.json'}, for example, gives a.json.xml"
    ]
    assert ids(tmp_path / "out" / "a.json.xml") == ["1"]
    assert ids(tmp_path / "out" / "a.jsonl.xml") == ["2"]


def test_the_command_line(tmp_path: Path) -> None:
    def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", "from nlmchem.cli import main; main()", "convert", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, cwd=tmp_path, check=False)

    done = run("-", "out.pubtator", stdin=lines("1").encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert (tmp_path / "out.pubtator").read_bytes() == b"1|t|Zinc 1.\n1|a|\n\n"
    done = run("out.pubtator", "-", "--format", "jsonl")
    assert json.loads(done.stdout)["passages"][0]["text"] == "Zinc 1."
    assert b"1 articles converted, 0 failed" in done.stderr
    failed = run("-", "out.xml", stdin=b"<collection>")
    assert failed.returncode == 3
    assert b"-: the XML ends too early" in failed.stderr
    assert run("nowhere", "out.xml").returncode == run("out.pubtator", "out.doc").returncode == 2


def test_a_suffix_without_format_is_refused() -> None:
    assert format_of_suffix("a.b.JSON") == "biocjson"
    with pytest.raises(ConfigurationError, match="add format="):
        format_of_suffix("a.nxml")


@pytest.mark.parametrize("format", ["brat", "conll", "tsv", "biocxml", "jsonl"])
def test_one_odd_article_does_not_end_a_conversion(tmp_path: Path, format: str) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.txt").write_bytes(b"\x1fstandoff x\n")
    (source / "b.conll").write_text("Zinc\t" + "9" * 5000 + "\t" + "9" * 4999 + "6\tB-Chemical\nand\t8\t11\tO\n\n")
    (source / "c.txt").write_text("Zinc.\n")
    (source / "c.ann").write_text("T1\tChemical 0 " + "9" * 5000 + "\tZinc\n")
    passage = '{"offset": 0, "text": "Zinc", "infons": {"type": ["title"], "section_type": ["TITLE"]}}'
    (source / "d.json").write_text('{"documents": [{"id": "d", "passages": [' + passage + "]}]}")
    (source / "e.txt").write_text("Zinc and iron.\n")
    messages: list[str] = []
    into = convert_into if format == "brat" else convert_each
    done, failed = into(str(source), tmp_path / "out", format, messages.append)
    assert (done, failed) == (3, 2)
    assert not any("unexpected" in message for message in messages)
    assert all(len(message) < 500 for message in messages)


def test_a_defect_in_one_article_does_not_end_a_conversion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_text(lines("1", "2", "3"))

    def broken(document: BioCDocument, report: Report) -> bytes:
        if document.id == "2":
            raise ZeroDivisionError("division by zero")
        return biocjson.LINES_WRITER.dumps(document, report)

    monkeypatch.setattr(registry, "writable", lambda *given: replace(biocjson.LINES_WRITER, dumps=broken))
    messages: list[str] = []
    assert convert_into(str(tmp_path / "a.jsonl"), tmp_path / "b.jsonl", "jsonl", messages.append) == (2, 1)
    assert "unexpected ZeroDivisionError: division by zero; please report it with the article" in messages[0]
