"""The sentences of the page on troubleshooting are those that commands print."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import call

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
ONE = "articles/guard-cells.nxml"
FAST = ("--tagger", "lexicon", "--steps", "tag", "--quiet")
ELSEWHERE = {
    "nlmchem: command not found": "the shell",
    "requires a different Python": "pip",
    "No space left on device": "the operating system",
}
"""Sentences that nlmchem does not print, with who prints them."""

Run = Callable[..., str]


def sentences() -> list[str]:
    """The sentences in the first column of the tables, which are cells that begin with code."""
    cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    return [code for cell in cells for code in re.findall(r"^ `([^`]+)`", cell) if code not in ELSEWHERE]


def another_configuration(run: Run) -> str:
    run("annotate", ONE, "-o", "out/", *FAST)
    return run("annotate", ONE, "-o", "out/", *FAST, "--existing", "keep")


def annotated_input(run: Run) -> str:
    run("annotate", ONE, "-o", "once.xml", *FAST)
    return run("annotate", "once.xml", "-o", "twice.xml", *FAST)


def damaged(run: Run) -> str:
    Path("cut.nxml").write_bytes(Path(ONE).read_bytes()[:3000])
    return run("annotate", "cut.nxml", "-o", "annotated/", "--tagger", "lexicon", "--steps", "tag")


def file_of_the_user(run: Run) -> str:
    Path("notes.tsv").write_text("mine", "utf-8")
    return run("convert", ONE, "notes.tsv")


def no_index(run: Run) -> str:
    Path("run/.nlmchem").mkdir(parents=True)
    Path("run/.nlmchem/search.sqlite").write_text("mine", "utf-8")
    return run("search", "run/", "zinc")


def empty_folder(run: Run) -> str:
    Path("empty").mkdir()
    return run("annotate", "empty/", "-o", "out/")


def unreadable(run: Run) -> str:
    Path("article.pdf").write_bytes(b"%PDF-1.4\n\0\1")
    return run("annotate", "article.pdf", "-o", "out/")


def at_work(run: Run) -> str:
    other = "import pathlib, corpora.storage.locks as l; held = l.hold(pathlib.Path('out')); print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", other], env={"PYTHONPATH": str(ROOT)}, **pipes) as process:
        process.stdout.readline()
        printed = run("annotate", ONE, "-o", "out/", *FAST)
        process.communicate("\n")
    return printed


def without_pyarrow(run: Run) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corpora.extras.find_spec", lambda module: None)
        return run("convert", ONE, "out.parquet")


def closed_cache(run: Run) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLMCHEM_HOME", "/proc/nowhere")
        return run("annotate", ONE, "-o", "out/", "--tagger", "lexicon", "--steps", "tag")


def no_network(run: Run) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda seconds: None)
        return run("fetch", "nlmchem", "--mirror", "http://127.0.0.1:9/", "-o", "data/")


HAPPENS: dict[str, Callable[[Run], str]] = {
    'needs the package pyarrow; install it: pip install "nlmchem[parquet]"': without_pyarrow,
    "has no option --force; use --restart": lambda run: run("annotate", "articles", "-o", "out/", "--force"),
    "no file or folder at": lambda run: run("annotate", "missing/", "-o", "out/"),
    "there are no files in the inputs": empty_folder,
    "no input has a format that is read": unreadable,
    "already have mentions and failed": annotated_input,
    "the file was cut off; get it again": damaged,
    "1 article failed; annotated/quarantine contains the reason": damaged,
    "the output folder contains results of another configuration": another_configuration,
    "another nlmchem command (process 4711 on ...) works in": at_work,
    "was not written by nlmchem, or was changed since": file_of_the_user,
    "is one of the inputs": lambda run: run("annotate", ONE, "-o", ONE),
    "is not an index of nlmchem; move it away": no_index,
    "no CUDA device found; use --device cpu": lambda run: run("annotate", ONE, "-o", "out/", "--device", "cuda"),
    "no lexicon at": lambda run: run("annotate", ONE, "-o", "out/", "--lexicon", "missing.sqlite"),
    "no tagger": lambda run: run("annotate", ONE, "-o", "out/", "--tagger", "missing/"),
    "could not be downloaded in 6 attempts": no_network,
    "the cache folder cannot be written": closed_cache,
}


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> Run:
    """Run a command in a folder with an example article; what it prints for people, with warnings."""
    (tmp_path / "articles").mkdir()
    shutil.copy(ROOT / "examples" / Path(ONE).name, tmp_path / ONE)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: call(*arguments, capsys=capsys).stderr + caplog.text


def test_each_sentence_of_the_page_is_made_to_happen_here() -> None:
    assert sentences() == list(HAPPENS)


@pytest.mark.parametrize("sentence", HAPPENS)
def test_a_command_prints_the_sentence(sentence: str, run: Run) -> None:
    pattern = re.escape(sentence).replace("4711", r"\d+").replace(re.escape("..."), r"\S+")
    assert re.search(pattern, HAPPENS[sentence](run))
