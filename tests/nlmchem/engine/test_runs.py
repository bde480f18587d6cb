"""One file or standard output in place of a folder: which names select it, and what is written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import corpora
from corpora.errors import ConfigurationError
from nlmchem.commands.progress import Terminal
from nlmchem.engine import runner, work
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.executors import InlineExecutor
from nlmchem.engine.runner import RunOptions, annotate_folder
from nlmchem.engine.runs import Output, run_into, select_output
from nlmchem.engine.stop import RunStopped
from nlmchem.run.options import Shard
from nlmchem.run.plan import Configuration, Job

TAGGING: dict[str, Any] = {"steps": ("tag",), "tagger": "lexicon"}


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)


def collection(*texts: object, source: str = "S") -> str:
    documents = [
        {"id": str(number), "passages": [{"offset": 0 if isinstance(text, str) else "x", "text": str(text)}]}
        for number, text in enumerate(texts, 1)
    ]
    return json.dumps({"source": source, "documents": documents})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "a").mkdir(parents=True)
    (folder / "b").mkdir()
    (folder / "a" / "x.json").write_text(collection("Zinc ions", "Lead"))
    (folder / "b" / "x.json").write_text(collection("Copper", source="T"))
    return folder


def run(inputs: list[Path], out: Path, **options: Any) -> ArticleCounts:
    output = select_output(out, None)
    configuration = Configuration.of(format=output.format, **TAGGING).parse()
    return run_into(Job([str(path) for path in inputs], configuration, RunOptions(**options)), output)


# -- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "format", "expected"),
    [
        ("-", None, (None, "biocxml", True)),
        ("-", "jsonl", (None, "jsonl", True)),
        ("res.json", None, ("res.json", "biocjson", True)),
        ("res.JSONL.gz", None, ("res.JSONL.gz", "jsonl", True)),
        ("res.brat", None, ("res.brat", "brat", True)),
        ("res.txt", "pubtator", ("res.txt", "pubtator", True)),
        ("res", None, ("res", "biocxml", False)),
        ("res.v2", "tsv", ("res.v2", "tsv", False)),
    ],
)
def test_the_name_selects_a_folder_a_file_or_standard_output(
    name: str, format: str | None, expected: tuple[str | None, str, bool]
) -> None:
    path, selected, is_one = expected
    assert select_output(Path(name), format) == Output(None if path is None else Path(path), selected, is_one)


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("res.json", "tsv", "selects the format biocjson, but format is tsv"),
        ("res.txt", None, "selects plain text, which stores no annotations"),
        ("res.doc.txt", "tsv", "selects the format text, but format is tsv"),
        ("res", "odd", "unknown format 'odd'"),
        ("-", "odd", "unknown format 'odd'"),
        ("-", "brat", "writes a folder, not a stream"),
        ("folder.xml", None, "is a folder, and this format writes one file"),
        ("file", None, "is a file; name a folder"),
        ("file.brat", None, "is a file; name a folder"),
    ],
)
def test_an_output_that_cannot_be_is_refused(
    name: str, format: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.xml").mkdir()
    Path("file").write_text("")
    Path("file.brat").write_text("")
    with pytest.raises(ConfigurationError, match=message):
        select_output(Path(name), format)


def test_a_shard_needs_a_folder(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="shard divides the files of a folder"):
        run([source], tmp_path / "out.json", shard=Shard(1, 2))


def test_an_output_that_is_an_input_is_refused(source: Path) -> None:
    before = (source / "a" / "x.json").read_bytes()
    with pytest.raises(ConfigurationError, match="is the output and one of the inputs"):
        run([source], source / "a" / "x.json")
    assert (source / "a" / "x.json").read_bytes() == before


# -- files --------------------------------------------------------------------------------------


def test_all_articles_are_in_one_file_in_the_order_of_their_paths(source: Path, tmp_path: Path) -> None:
    counts = run([source / "b", source / "a" / "x.json"], tmp_path / "out.json")
    assert (counts.done, counts.failed) == (3, 0)
    texts = [document.passages[0].text for document in corpora.read(tmp_path / "out.json")]
    assert texts == ["Zinc ions", "Lead", "Copper"]
    assert json.loads((tmp_path / "out.json").read_text())["source"] == "S"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out.json"]


def test_one_input_gives_the_bytes_that_a_folder_has(source: Path, tmp_path: Path) -> None:
    run([source / "a" / "x.json"], tmp_path / "out.xml")
    annotate_folder(Job([str(source / "a")], Configuration.of(**TAGGING).parse()), tmp_path / "out")
    assert (tmp_path / "out.xml").read_bytes() == (tmp_path / "out" / "x.xml").read_bytes()


def test_a_folder_format_gives_one_folder(source: Path, tmp_path: Path) -> None:
    run([source], tmp_path / "out.brat")
    assert sorted(path.name for path in (tmp_path / "out.brat").glob("*.txt")) == ["1-2.txt", "1.txt", "2.txt"]


def test_failed_articles_are_missing_and_their_run_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(collection("Zinc", 5))
    counts = run([tmp_path / "in.json"], tmp_path / "out.xml")
    assert (counts.done, counts.failed) == (1, 1)
    assert [document.id for document in corpora.read(tmp_path / "out.xml")] == ["1"]
    assert list((tmp_path / ".out.xml.run" / "quarantine").rglob("error.json"))
    (tmp_path / "in.json").write_text(collection("Zinc", "Iron"))
    counts = run([tmp_path / "in.json"], tmp_path / "out.xml", retry_failed=True)
    assert (counts.done, counts.skipped) == (1, 1)
    assert [document.id for document in corpora.read(tmp_path / "out.xml")] == ["1", "2"]
    assert not (tmp_path / ".out.xml.run").exists()


def test_a_stopped_run_leaves_no_file_and_continues(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(
            "nlmchem.engine.outputs.Outputs.join", lambda *arguments: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(corpora.NlmchemError):
            run([source], tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
    counts = run([source], tmp_path / "out.json")
    assert (counts.done, counts.skipped) == (0, 3)
    assert len(list(corpora.read(tmp_path / "out.json"))) == 3


# -- standard output ----------------------------------------------------------------------------


def test_standard_output_has_the_collection_and_nothing_else(tmp_path: Path) -> None:
    start = "import sys; from nlmchem.cli import main; sys.argv[0] = 'nlmchem'; main()"
    options = ["-o", "-", "--steps", "tag", "--tagger", "lexicon", "--format", "biocjson", "--json"]
    command = [sys.executable, "-c", start, "annotate", "-", *options]
    text = collection("Zinc").encode()
    done = subprocess.run(command, input=text, capture_output=True, check=True, cwd=tmp_path)
    [document] = json.loads(done.stdout)["documents"]
    assert [annotation["text"] for annotation in document["passages"][0]["annotations"]] == ["Zinc"]
    assert json.loads(done.stderr.splitlines()[-1])["done"] == 1
    assert list(tmp_path.iterdir()) == []


# -- the folder ---------------------------------------------------------------------------------


@pytest.mark.parametrize("made_again", [False, True])
def test_a_run_whose_output_folder_is_removed_stops(
    made_again: bool, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next command does everything again; this one must not report what was lost as done."""
    out = tmp_path / "out"
    add = work.Results.add

    def removing(results: work.Results, *arguments: Any) -> None:
        add(results, *arguments)
        shutil.rmtree(out, ignore_errors=True)
        if made_again:
            out.mkdir()

    plan = Configuration.of(**TAGGING).parse()
    with monkeypatch.context() as patched:
        patched.setattr(work.Results, "add", removing)
        with pytest.raises(RunStopped, match="was removed during the run; run the same command again"):
            annotate_folder(Job([str(source)], plan), out)
    assert not out.exists() or list(out.iterdir()) == []
    assert annotate_folder(Job([str(source)], plan), out).done == 3


def test_an_id_of_a_megabyte_is_shortened_in_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = [
        {"id": "x" * 1_000_000, "passages": passages} for passages in ([], [], [{"offset": 0, "text": "\x0b"}])
    ]
    (tmp_path / "a.json").write_text(json.dumps({"documents": documents}))
    assert (
        annotate_folder(
            Job([str(tmp_path / "a.json")], Configuration.of(**TAGGING).parse(), progress=Terminal()), tmp_path / "out"
        ).failed
        == 1
    )
    assert len(capsys.readouterr().err) < 5000
