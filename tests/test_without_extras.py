"""What `pip install nlmchem` gives: the packages of the extras, torch above all, are hidden from these processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest
from command_line import invoke
from companion_cases import cases
from without_extras import PACKAGES, hide, run_without_extras

ARTICLE = "omega3-microglia.xml"


@pytest.fixture(scope="module")
def annotated(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
    """A folder with an article that was annotated without extras, in `out` and in `other`."""
    folder = tmp_path_factory.mktemp("light")
    done = run_without_extras(folder / "hook", "annotate", examples / ARTICLE, "-o", folder / "out", "--workers", 1)
    assert done.returncode == 0, done.stderr
    copytree(folder / "out", folder / "other")
    return folder


def test_the_packages_are_hidden(tmp_path: Path) -> None:
    run_without_extras(tmp_path, "--version")
    code = "import importlib.util, sys; print([n for n in sys.argv[1:] if importlib.util.find_spec(n)])"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code, *PACKAGES], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_annotated_articles_have_the_same_bytes_with_extras(annotated: Path, examples: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nlmchem", "annotate", examples / ARTICLE, "-o", tmp_path / "out"]
    subprocess.run([*command, "--workers", "1"], check=True, capture_output=True)
    assert (tmp_path / "out" / ARTICLE).read_bytes() == (annotated / "out" / ARTICLE).read_bytes()


COMMANDS: dict[str, tuple[str, ...]] = {
    "annotate": ("annotate", "--text", "Aspirin and hydrogen peroxyde.", "--dense", "default", "--lexicon", "starter"),
    "annotate in float32": ("annotate", "--text", "Aspirin and Ca2+.", "--arithmetic", "float32"),
    "view": ("view", "out", "-o", "report.html"),
    "index": ("index", "out"),
    "abbreviations": ("abbreviations", f"out/{ARTICLE}"),
    "convert": ("convert", "out", "converted", "--format", "pubtator"),
    "ensemble": ("ensemble", "identifiers", "out", "other", "-o", "joined"),
    "explain": ("explain", f"out/{ARTICLE}"),
    "doctor": ("doctor",),
}


@pytest.mark.parametrize("name", [*COMMANDS, *cases("WITHOUT_EXTRAS")])
def test_the_default_path_needs_no_extra(name: str, annotated: Path) -> None:
    arguments, input = cases("WITHOUT_EXTRAS")[name] if name not in COMMANDS else (COMMANDS[name], "")
    done = run_without_extras(annotated / "hook", *arguments, input=input, cwd=annotated)
    assert (done.returncode, "ModuleNotFoundError" in done.stderr) == (0, False), done.stderr
    assert done.stdout.strip() or done.stderr.strip()


SENTENCES = {
    "a GPU": (("annotate", "--text", "NaCl", "--device", "cuda"), 'device="cuda"', "models"),
    "a model": (("annotate", "--text", "NaCl", "--tagger", "{model}"), "a model whose weights are not int8", "models"),
    "an encoder": (("annotate", "--text", "qwertz", "--dense", "{model}"), "the model at {model}", "models"),
    "train tagger": (
        ("train", "tagger", "--base", "{model}", "--corpus", "{model}", "-o", "out"), "training a tagger", "train",
    ),
    "train dense": (
        ("train", "dense", "--lexicon", "starter", "-o", "out.safetensors"), "the training of an encoder", "train",
    ),
    "train dense --base": (
        ("train", "dense", "--lexicon", "starter", "--base", "default", "-o", "out"),
        "the training of a transformer", "train",
    ),
    **cases("SENTENCES_WITHOUT_EXTRAS"),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_what_needs_torch_asks_for_it_in_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    config = {"model_type": "bert", "id2label": {"0": "O", "1": "B-Chemical", "2": "I-Chemical"}}
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    (model / "tokenizer.json").write_text("{}", "utf-8")
    (model / "model.safetensors").touch()
    monkeypatch.chdir(tmp_path)
    hide(monkeypatch, ["torch"])

    arguments, purpose, extra = SENTENCES[name]
    ran = invoke([argument.replace("{model}", str(model)) for argument in arguments])
    sentence = f'{purpose} needs the package torch; install it: pip install "nlmchem[{extra}]"'
    assert sentence.replace("{model}", str(model)) in ran.stderr + str(ran.exception)
    assert list(tmp_path.iterdir()) == [model]
